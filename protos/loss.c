#include "protos/loss.h"

const struct orma_loss_word orma_loss_words[ORMA_LOST_REASONS] = {
    [ORMA_LOST_DROPPED] =
        {"dropped", 7, "the program's shared memory was full: the service did not empty it in time",
         "a larger shm_size_kb for the producer, or fewer events"},
    [ORMA_LOST_OVERWRITTEN] = {"overwritten", 8,
                               "a ring buffer was full, and its oldest data was overwritten before "
                               "it was read; with --ring, this is intended",
                               "a larger buffer (-b 128mb), or --stream instead of --ring"},
    [ORMA_LOST_DISCARDED] =
        {"discarded", 9,
         "a buffer with the policy DISCARD was full (it keeps the oldest data), or "
         "a buffer was smaller than a single chunk",
         "a larger buffer"},
    [ORMA_LOST_INVALID] =
        {"invalid", 10,
         "the service rejected malformed or forged data: a bug in the program that sent it", NULL},
    [ORMA_LOST_UNPATCHED] =
        {"unpatched", 11,
         "a part of the packet, or its size, never arrived: a chunk in the middle is missing",
         NULL},
    [ORMA_LOST_CUT] = {"cut", 12,
                       "incomplete when its program ended, or still in a buffer when the file was "
                       "full (--max-size)",
                       "a larger --max-size"},
    [ORMA_LOST_DIED] = {"service died", 14,
                        "the service died, and its packets were in no memory that outlasted it",
                        NULL},
};

const struct orma_loss_word orma_loss_overrun = {
    "overrun", 0, "the kernel's own buffer of a CPU was full: the probes did not read it in time",
    "a larger ftrace_config.buffer_size_kb, or fewer events"};

const struct orma_loss_word orma_loss_unreported = {
    "unreported", 13,
    "how much was lost is not known: a program ended (or was killed) before its last report, or "
    "the trace ends before its last statistics",
    NULL};

enum orma_loss_reason orma_loss_of_field(uint32_t field)
{
    unsigned i = 0;

    while (i < ORMA_LOST_REASONS && orma_loss_words[i].field != field)
        i++;
    return (enum orma_loss_reason)i;
}
