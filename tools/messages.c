#include "tools/messages.h"

#include <stdlib.h>
#include <unistd.h>

#include "sdk/base/shown.h"

static FILE *plain;

#ifdef __GLIBC__
static void set(FILE *to)
{
    stderr = to;
}
#else
FILE *orma_messages_stderr;

static void set(FILE *to)
{
    orma_messages_stderr = to;
}

/* Before all other code that might say something. */
__attribute__((constructor(101))) static void begin(void)
{
    set(orma_messages_plain);
}
#endif

/* Writes what was kept of a character that is not whole. */
static void close_shown(void)
{
    FILE *shown = stderr;

    set(plain);
    (void)fclose(shown);
}

void orma_messages_escape(void)
{
    FILE *shown = orma_shown_open(stderr, isatty(STDERR_FILENO));

    if (!shown)
        return;
    static char line[BUFSIZ]; /* a message is one write, as if nothing stood between */
    (void)setvbuf(stderr, line, _IOFBF, sizeof(line));
    (void)setvbuf(shown, NULL, _IONBF, 0);
    plain = stderr;
    set(shown);
    (void)atexit(close_shown);
}
