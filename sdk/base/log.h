/*
 * Messages for people, on stderr: "program: text". Programs log, libraries
 * return errors; a daemon's library logs what it handles itself.
 * Thread-safe: one write per line.
 */
#ifndef ORMA_SDK_BASE_LOG_H
#define ORMA_SDK_BASE_LOG_H
#include "sdk/base/defs.h"

enum orma_log_level { ORMA_LOG_ERROR, ORMA_LOG_WARN, ORMA_LOG_INFO, ORMA_LOG_DEBUG };

/* Name in front of each line, and the last level that is shown (default: INFO). `name` is kept. */
void orma_log_init(const char *name, enum orma_log_level max_level);

void orma_log(enum orma_log_level level, const char *fmt, ...) ORMA_PRINTF(2, 3);

#define orma_log_error(...) orma_log(ORMA_LOG_ERROR, __VA_ARGS__)
#define orma_log_warn(...) orma_log(ORMA_LOG_WARN, __VA_ARGS__)
#define orma_log_info(...) orma_log(ORMA_LOG_INFO, __VA_ARGS__)
#define orma_log_debug(...) orma_log(ORMA_LOG_DEBUG, __VA_ARGS__)
#endif
