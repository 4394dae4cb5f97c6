/* What every conversion does with its input and output; messages. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "processor/processor.h"
#include "sdk/base/fd.h"
#include "tools/convert/convert.h"
#include "tools/load/load.h"
#include "tools/load/symbols.h"
#include "tools/load/threads.h"

#define READ_SIZE ((size_t)1 << 20)
#define BLOCK ((size_t)256 << 10) /* of output, before it is written */

void orma_convert_say(const struct orma_convert *self, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    fprintf(stderr, "%s: %s\n", self->program, text);
}

int orma_convert_write(struct orma_convert *self, struct orma_buf *out)
{
    int r = out->failed ? -ENOMEM : 0;

    if (self->write_failed)
        return -EIO;
    if (r == 0)
        r = orma_fd_write_all(self->out_fd, out->data, out->len);
    if (r < 0) {
        self->reader_left = r == -EPIPE;
        if (!self->reader_left)
            orma_convert_say(self, "cannot write: %s", strerror(-r));
        self->write_failed = true;
    }
    orma_buf_clear(out);
    return r;
}

int orma_convert_write_if_large(struct orma_convert *self, struct orma_buf *out)
{
    return out->len < BLOCK && !out->failed ? 0 : orma_convert_write(self, out);
}

/* ---- the command line ---- */

static int feed(struct orma_convert *self, struct orma_processor *tp)
{
    struct orma_buf block = {0};
    ssize_t n = 1;
    int r = orma_buf_reserve(&block, READ_SIZE) ? 0 : -ENOMEM;

    while (r == 0 && n > 0) {
        n = read(self->in_fd, block.data, READ_SIZE);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n < 0)
            r = -errno;
        else if (n > 0)
            r = orma_processor_feed(tp, block.data, (size_t)n);
    }
    orma_buf_fini(&block);
    if (r == 0)
        r = orma_processor_finish(tp);
    if (r < 0)
        orma_convert_say(self, "standard input: %s",
                         *orma_processor_error(tp) ? orma_processor_error(tp) : strerror(-r));
    return r;
}

int orma_convert_load(struct orma_convert *self, struct orma_processor **ret)
{
    struct orma_processor_config config = *orma_load_config();
    struct orma_processor *tp = NULL;

    config.full_sort = self->full_sort;
    int r = orma_processor_new(&config, &tp);

    if (r < 0) {
        orma_convert_say(self, "cannot start the processor: %s", strerror(-r));
        return r;
    }
    if (!self->raw)
        r = orma_load_symbols_for(tp, self->program, self->in_path);
    if (r == 0 && strcmp(self->in_path, "-"))
        r = orma_load_trace(tp, self->program, self->in_path, ORMA_LOAD_PROGRESS, NULL);
    else if (r == 0)
        r = feed(self, tp);
    if (r < 0) {
        orma_processor_free(tp);
        return r;
    }
    *ret = tp;
    return 0;
}
