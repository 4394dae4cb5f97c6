/*
 * Fires triggers: sessions that wait for one of these names start, stop or are cloned.
 */
#ifndef ORMA_TOOLS_TRIGGERS_H
#define ORMA_TOOLS_TRIGGERS_H
#include <stddef.h>

/* 0 once the service has them. Negative errno, with the message printed on stderr after "program:
 * ". */
int orma_triggers_fire(const char *program, const char *const *names, size_t num);
#endif
