/*
 * The file that a session was written into, after the death of its service: its path and number are
 * in the rescue folder, and nothing of that is believed. Another recording may have its name since,
 * and even its number, so the id of the trace decides, if the file's first packets tell it (those
 * of a compressed one do not). For the folder of another user root opens only what is that user's.
 */
#ifndef ORMA_TRACED_RECOVER_FILE_H
#define ORMA_TRACED_RECOVER_FILE_H
#include "traced/rescue/layout.h"

/* `file`: one of the two of `state`. A descriptor, the caller's; -1: it is not there, or is not that of the session. */
int traced_recovery_open_file(int folder_fd, const struct traced_rescue_state *state,
                              const struct traced_rescue_file *file);
#endif
