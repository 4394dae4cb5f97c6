/*
 * Cloning: a snapshot of a running session, which goes on.
 *
 *   begin ──► flush of buffers with transfer_on_clone ──► taken ──┐
 *        └──► flush of the others ──────────────────────► copied ─┴► session in CLONED
 *
 * It ends when both flushes have; the source may be gone by then (rules 50 to 54
 * of docs/service.md). Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_CLONE_H
#define ORMA_TRACED_SESSIONS_CLONE_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/str.h"

struct traced_clone;
struct traced_session;

/* Who has asked for a clone. */
struct traced_clone_client {
    /* Called before the session is made. The reason if it could not be used; NULL: it could. */
    const char *(*refusal)(void *ctx);
    /* The end, called once: the session, for which nobody is responsible but the client from now
     * on; or NULL, and why there is none. The struct traced_clone is freed afterwards. */
    void (*done)(void *ctx, struct traced_session *clone, const char *error);
};

struct traced_clone_args {
    int32_t uid; /* of the clone's consumer */
    int fd;      /* for the clone's file; -1: none. Taken in any case. */
    bool has_trigger;
    struct orma_str trigger_name, trigger_producer;
    int32_t trigger_uid;
    uint64_t trigger_ts, trigger_delay_ms;
};

/* -ENOMEM. */
int traced_clone_new(struct traced_session *source, const struct traced_clone_args *args,
                     const struct traced_clone_client *client, void *ctx,
                     struct traced_clone **ret);
/* Once. May end it at once. */
void traced_clone_begin(struct traced_clone *self, struct traced_session *source,
                        bool for_bugreport);

/* The client is gone, and is not called any more. NULL is fine. */
void traced_clone_forget(struct traced_clone *self);
#endif
