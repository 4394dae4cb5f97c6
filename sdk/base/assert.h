/*
 * Assertions: promises of our own code, checked where they must hold.
 *
 *     ORMA_ASSERT(self->state == SESSION_STOPPED);     cold paths: in every build
 *     ORMA_ASSERT_HOT(rd <= self->len);                hot paths: not in releases
 *
 * A promise is a statement in one of our headers: this lock is held, the input is sorted,
 * nothing is called after fini(). A broken one is a bug; the process prints the place
 * and the condition and aborts before it does more harm.
 *
 * Never for what comes from outside (sockets, shared memory, files, arguments of a
 * public call): that is refused or counted, and the process goes on.
 *
 * Nor ORMA_ASSERT in what programs link: the SDK never aborts its host, so there the hot
 * form is the only one.
 *
 * Conditions have no side effects: a release does not evaluate those of
 * ORMA_ASSERT_HOT, and they cost nothing there; but they are compiled, so they stay
 * correct. They are evaluated in debug builds, under sanitizers and with test points
 * (ORMA_HOT_ASSERTS, set in meson.build).
 *
 * Threads: any, and signal handlers.
 */
#ifndef ORMA_SDK_BASE_ASSERT_H
#define ORMA_SDK_BASE_ASSERT_H
#include "sdk/base/defs.h"

/* "file.c:12: condition" goes to stderr; then abort(). One text, so that a caller is one address.
 */
ORMA_COLD _Noreturn void orma_assert_failed(const char *what);

#define ORMA_ASSERT_TEXT_(x) #x
#define ORMA_ASSERT_LINE_(line) ORMA_ASSERT_TEXT_(line)

#define ORMA_ASSERT(cond)                                                                          \
    (ORMA_LIKELY(cond) ? (void)0                                                                   \
                       : orma_assert_failed(__FILE__ ":" ORMA_ASSERT_LINE_(__LINE__) ": " #cond))

#ifdef ORMA_HOT_ASSERTS
#define ORMA_ASSERT_HOT(cond) ORMA_ASSERT(cond)
#else
#define ORMA_ASSERT_HOT(cond) ((void)(0 && (cond)))
#endif
#endif
