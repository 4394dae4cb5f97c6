/*
 * Front: the process that the user sees. What watches runs in a child of it, since a thread that
 * waits for a file that does not answer cannot be ended, nor can its process: the front leaves it
 * behind.
 *
 *   front ── waits, counts signals ── child: collector, command, answers
 *
 * The child gets what the terminal sends as well, so signals of both are not added up.
 */
#ifndef ORMA_TOOLS_HEAP_FRONT_H
#define ORMA_TOOLS_HEAP_FRONT_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Shared by both. */
struct orma_heap_front {
    _Atomic unsigned signals; /* that the front got */
    uint64_t asked_ns;        /* when for the end; the front's own */
    _Atomic int code;         /* of a child that is left behind */
    _Atomic bool left;
};

/* The first signal is the command's own affair, and may have come long before; the second asks for
 * the end. */
#define ORMA_HEAP_SIGNALS_TO_END 2

/* A signal has come. */
void orma_heap_front_note(struct orma_heap_front *self, uint64_t now_ns);

/* After one signal more, and ten seconds since the end was asked for, the front waits no longer. */
bool orma_heap_front_is_impatient(const struct orma_heap_front *self, uint64_t now_ns);

/*
 * Runs `run` in a child, and returns what it does: there as here. With `*front` NULL, in this
 * process, if there can be none. True: this is the front, and *ret_code is to be exited with.
 */
bool orma_heap_front_begin(const char *program, struct orma_heap_front **ret, int *ret_code);

/* The child: all has been said, and it may never be gone. Does not return if there is a front. */
void orma_heap_front_leave(struct orma_heap_front *self, int code);
#endif
