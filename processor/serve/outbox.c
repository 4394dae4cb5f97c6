#include "processor/serve/outbox.h"

#include <errno.h>
#include <sys/socket.h>

/* What was sent is dropped when it is more than this: moving the rest costs less often then. */
#define SENT_MAX ((size_t)1 << 20)

void orma_outbox_fini(struct orma_outbox *self)
{
    orma_buf_fini(&self->bytes);
    self->sent = 0;
}

void orma_outbox_put(struct orma_outbox *self, const void *data, size_t len)
{
    orma_buf_put(&self->bytes, data, len);
}

static void drop_sent(struct orma_outbox *self)
{
    if (self->sent == self->bytes.len && self->bytes.cap > SENT_MAX)
        orma_outbox_fini(self); /* a large answer is rare */
    else if (self->sent == self->bytes.len || self->sent > SENT_MAX) {
        orma_buf_consume(&self->bytes, self->sent);
        self->sent = 0;
    }
}

int64_t orma_outbox_flush(struct orma_outbox *self, int fd)
{
    int64_t done = 0;

    if (self->bytes.failed)
        return -ENOMEM;
    while (orma_outbox_waiting(self)) {
        ssize_t n = send(fd, self->bytes.data + self->sent, orma_outbox_waiting(self),
                         MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n < 0)
            return -errno;
        self->sent += (size_t)n;
        done += n;
    }
    drop_sent(self);
    return done;
}
