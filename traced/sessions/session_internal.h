/*
 * What the files of a session share: timers.
 *
 * session.c: states, periodic work. session_life.c: making and freeing.
 * session_file.c: the output file.
 */
#ifndef ORMA_TRACED_SESSIONS_SESSION_INTERNAL_H
#define ORMA_TRACED_SESSIONS_SESSION_INTERNAL_H
#include "traced/sessions/session.h"

/* What one turn of the loop reads for a file. */
#define TRACED_FILE_BATCH ((size_t)1 << 20)

void traced_arm(struct event *timer, uint32_t ms);
/* At the next multiple of the period by the wall clock, so that sessions and machines agree. */
void traced_arm_periodic(struct event *timer, uint32_t period_ms);

/* The end of the session, or of its waiting, by the clock that the config prefers. */
void traced_session_arm_duration(struct traced_session *self, uint32_t ms);
void traced_session_cancel_duration(struct traced_session *self);

/* session.c: all data sources have stopped, or have had their time; the session is DISABLED when
 * what they have handed over has been read. */
void traced_session_stopped(struct traced_session *self);
/* The same, now. */
void traced_session_disabled(struct traced_session *self);
bool traced_session_make_events(struct traced_session *self);
void traced_session_free_events(struct traced_session *self);

/* session_file.c */
uint32_t traced_session_write_period_ms(const struct traced_session *self);
bool traced_session_flushes_before_write(const struct traced_session *self);
int traced_session_open_output(struct traced_session *self, int fd, struct orma_buf *error);
void traced_session_start_writing(struct traced_session *self);
/* The thread that compresses what a consumer reads, if the config wants that. */
int traced_session_open_squeezer(struct traced_session *self);
/* Hands the file as much of what is left as it takes now. True: that was all. */
bool traced_session_write_rest(struct traced_session *self);
/* The same for a clone: first comes what is in the source's file. Takes fd. */
int traced_session_open_clone(struct traced_session *self, struct traced_session *source, int fd);
bool traced_session_make_file_events(struct traced_session *self);
#endif
