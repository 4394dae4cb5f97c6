#include "tools/service/clone.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "protos/fields/common.h"
#include "protos/fields/ipc.h"
#include "sdk/base/str.h"
#include "sdk/ipc/methods.h"
#include "sdk/transport/consumer.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"
#include "tools/service/readback.h"

#define CLONE_TIMEOUT_MS 60000
#define READ_TIMEOUT_MS 10000

static const char *const methods[] = ORMA_CONSUMER_PORT_METHODS;

/* What the service answered: 0 and *ret_written (by itself, into the file), or refused. */
static int read_reply(struct orma_str reply, bool *ret_written, struct orma_buf *error)
{
    struct orma_pb_reader r = orma_pb_reader(reply.data, reply.len);
    struct orma_pb_field f;
    struct orma_str why = ORMA_STR("refused by the service");
    bool success = false;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_CLONE_SESSION_RESPONSE_SUCCESS:
            success = orma_pb_bool(&f);
            break;
        case ORMA_PB_CLONE_SESSION_RESPONSE_ERROR:
            why = orma_pb_str(&f);
            break;
        case ORMA_PB_CLONE_SESSION_RESPONSE_WAS_WRITE_INTO_FILE:
            *ret_written = orma_pb_bool(&f);
            break;
        }
    }
    if (success)
        return 0;
    orma_buf_printf(error, "the snapshot failed: %.*s", (int)why.len, why.data);
    return -EREMOTEIO;
}

static int clone_session(struct orma_consumer *consumer, const struct orma_buf *request, int fd,
                         bool *ret_written, struct orma_buf *error)
{
    struct orma_buf reply = {0};
    int r = orma_consumer_call(consumer, methods[ORMA_CONSUMER_PORT_CLONE_SESSION], request, fd,
                               CLONE_TIMEOUT_MS, &reply);

    if (r == 0)
        r = read_reply(orma_buf_str(&reply), ret_written, error);
    else if (r == -ENOSYS)
        orma_buf_printf(error, "this service cannot clone sessions");
    else
        orma_buf_printf(error, "the snapshot failed: %s",
                        r == -EREMOTEIO ? "refused by the service" : strerror(-r));
    orma_buf_fini(&reply);
    return r;
}

int orma_service_clone(struct orma_consumer *consumer, const struct orma_buf *request, int fd,
                       uint64_t *ret_bytes, struct orma_buf *error)
{
    bool written = false;
    struct stat st;
    int r = clone_session(consumer, request, fd, &written, error);

    *ret_bytes = 0;
    if (r < 0)
        return r;
    if (written) {
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
            *ret_bytes = (uint64_t)st.st_size;
        return 0;
    }
    r = orma_service_readback(consumer, fd, READ_TIMEOUT_MS, NULL, ret_bytes);
    if (r < 0)
        orma_buf_printf(error, "the trace is incomplete: %s",
                        r == -ETIMEDOUT ? "the service stopped sending" : strerror(-r));
    return r;
}

void orma_service_clone_request_put(struct orma_buf *out, const char *session)
{
    uint64_t id;

    if (orma_str_to_u64(orma_str_from(session), &id))
        orma_pb_put_u64(out, ORMA_PB_CLONE_SESSION_REQUEST_SESSION_ID, id);
    else
        orma_pb_put_cstr(out, ORMA_PB_CLONE_SESSION_REQUEST_UNIQUE_SESSION_NAME, session);
}

/* ---- triggers ---- */

#define HITS_MAX 256

void orma_service_hits_fini(struct orma_service_hits *self)
{
    orma_buf_fini(&self->queue);
    *self = (struct orma_service_hits){0};
}

void orma_service_hits_put(struct orma_service_hits *self, struct orma_str hit)
{
    if (self->num == HITS_MAX || (self->limit && self->taken + self->num >= self->limit)) {
        self->skipped++;
        return;
    }
    orma_pb_put_bytes(&self->queue, 1, hit.data, hit.len);
    self->num++;
    if (self->queue.failed) { /* no memory: it holds less than was put */
        self->skipped += self->num;
        self->num = 0;
        orma_buf_clear(&self->queue);
    }
}

/* The fields of a hit have other numbers in the request. */
static void put_request(struct orma_buf *out, struct orma_pb_reader hit, struct orma_buf *trigger)
{
    struct orma_pb_field f;

    while (orma_pb_next(&hit, &f)) {
        switch (f.id) {
        case ORMA_PB_OBSERVABLE_EVENTS_CLONE_TRIGGER_HIT_TRACING_SESSION_ID:
            orma_pb_put_u64(out, ORMA_PB_CLONE_SESSION_REQUEST_SESSION_ID, orma_pb_u64(&f));
            break;
        case ORMA_PB_OBSERVABLE_EVENTS_CLONE_TRIGGER_HIT_TRIGGER_NAME:
            orma_pb_put_str(out, ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_NAME, orma_pb_str(&f));
            if (trigger)
                orma_buf_put(trigger, f.data, f.len);
            break;
        case ORMA_PB_OBSERVABLE_EVENTS_CLONE_TRIGGER_HIT_PRODUCER_NAME:
            orma_pb_put_str(out, ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_PRODUCER_NAME,
                            orma_pb_str(&f));
            break;
        case ORMA_PB_OBSERVABLE_EVENTS_CLONE_TRIGGER_HIT_PRODUCER_UID:
            orma_pb_put_i64(out, ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_TRUSTED_PRODUCER_UID,
                            orma_pb_i32(&f));
            break;
        case ORMA_PB_OBSERVABLE_EVENTS_CLONE_TRIGGER_HIT_BOOT_TIME_NS:
            orma_pb_put_u64(out, ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_BOOT_TIME_NS,
                            orma_pb_u64(&f));
            break;
        case ORMA_PB_OBSERVABLE_EVENTS_CLONE_TRIGGER_HIT_TRIGGER_DELAY_MS:
            orma_pb_put_u64(out, ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_DELAY_MS,
                            orma_pb_u64(&f));
            break;
        }
    }
}

bool orma_service_hits_take(struct orma_service_hits *self, struct orma_buf *ret_request,
                            struct orma_buf *ret_trigger)
{
    struct orma_pb_reader r = orma_pb_reader(self->queue.data, self->queue.len);
    struct orma_pb_field f;

    if (!self->num || !orma_pb_next(&r, &f))
        return false;
    put_request(ret_request, orma_pb_sub(&f), ret_trigger);
    orma_buf_consume(&self->queue, (size_t)(f.data + f.len - self->queue.data));
    self->num--;
    self->taken++;
    return true;
}
