#include "sdk/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define LINE_MAX_BYTES 2048

static const char *program = "orma";
static enum orma_log_level shown = ORMA_LOG_INFO;

void orma_log_init(const char *name, enum orma_log_level max_level)
{
    program = name;
    shown = max_level;
}

void orma_log(enum orma_log_level level, const char *fmt, ...)
{
    static const char *const prefix[] = {
        [ORMA_LOG_ERROR] = "error: ",
        [ORMA_LOG_WARN] = "warning: ",
        [ORMA_LOG_INFO] = "",
        [ORMA_LOG_DEBUG] = "debug: ",
    };
    char line[LINE_MAX_BYTES];
    va_list args;

    if (level > shown)
        return;
    int n = snprintf(line, sizeof(line), "%s: %s", program, prefix[level]);
    va_start(args, fmt);
    n += vsnprintf(line + n, sizeof(line) - (size_t)n, fmt, args);
    va_end(args);
    if (n > LINE_MAX_BYTES - 2)
        n = LINE_MAX_BYTES - 2; /* cut, but still a line */
    line[n++] = '\n';
    (void)!write(STDERR_FILENO, line, (size_t)n); /* nobody to tell if stderr is gone */
}
