/*
 * Custom data sources: packets that are not track events.
 *
 *     static void on_start(struct orma_ds_session *session, void *user)
 *     {
 *         start_measuring();
 *     }
 *
 *     static const struct orma_data_source_ops ops = {sizeof(ops), NULL, on_start, NULL, NULL,
 * NULL}; static struct orma_data_source source = ORMA_DATA_SOURCE("com.example.thing", &ops, NULL);
 *
 *     orma_data_source_register(&source);         once, before or after orma_init()
 *
 *     ORMA_DATA_SOURCE_EACH(it, &source) {        not entered without a session
 *         struct orma_packet *p = orma_ds_packet_begin(&it);
 *         orma_packet_u64(p, 8, orma_now());
 *         orma_packet_str(p, 900, "...");
 *         orma_ds_packet_end(p);
 *     }
 *
 * Each thread writes its own sequence per session. State that a sequence defines once (interned
 * names, ...) must be defined again when `it.fresh` is set.
 *
 * A nested loop over the same source is skipped and counts as a loss.
 *
 * Threads: callbacks run on the library's thread (or on the one that starts and stops a recording),
 * one at a time; ORMA_DATA_SOURCE_EACH works on any thread. A session does not end while a thread
 * is inside its iteration of the loop.
 */
#ifndef ORMA_DATA_SOURCE_H
#define ORMA_DATA_SOURCE_H
#include <stddef.h>
#include <stdint.h>

#include "orma/api.h"
#include "orma/packet.h"

ORMA_BEGIN_DECLS

/* One active instance of a data source. Valid from on_setup until on_stop returns, or until
 * orma_ds_stopped(). */
struct orma_ds_session;

/* Any may be NULL. */
struct orma_data_source_ops {
    size_t struct_size;
    void (*on_setup)(struct orma_ds_session *session, void *user);
    void (*on_start)(struct orma_ds_session *session, void *user);
    /* The last chance to write. To get more time: orma_ds_defer_stop(). */
    void (*on_stop)(struct orma_ds_session *session, void *user);
    /* Write what you have buffered; the chunks are handed over when this returns. */
    void (*on_flush)(struct orma_ds_session *session, void *user);
    /* All sequences must define their state again: their next iteration has `fresh` set. */
    void (*on_clear)(struct orma_ds_session *session, void *user);
};

/* Static, and never unregistered. Initialise with ORMA_DATA_SOURCE(); set further members by name.
 */
struct orma_data_source {
    uint32_t enabled;   /* the library's: one bit per session */
    uint32_t exhausted; /* enum orma_exhausted */
    const char *name;
    const struct orma_data_source_ops *ops;
    void *user;
    const void *descriptor; /* further fields of the DataSourceDescriptor, encoded */
    size_t descriptor_len;
    void *impl; /* the library's */
};
#define ORMA_DATA_SOURCE(name, ops, user)                                                          \
    {                                                                                              \
        0, 0, name, ops, user, NULL, 0, NULL                                                       \
    }

/* 0; -ENOSPC: too many; -ENOMEM. */
ORMA_API int orma_data_source_register(struct orma_data_source *source);

/* ---- in callbacks, and inside the loop ---- */

/* The DataSourceConfig as received. */
ORMA_API const void *orma_ds_config(const struct orma_ds_session *session, size_t *ret_len);
/* A pointer for your own use, NULL at first. */
ORMA_API void orma_ds_set_state(struct orma_ds_session *session, void *state);
ORMA_API void *orma_ds_state(const struct orma_ds_session *session);

/*
 * Inside on_stop: the session continues until orma_ds_stopped(), which must be called exactly once,
 * from any thread, but not from inside on_stop.
 */
ORMA_API void orma_ds_defer_stop(struct orma_ds_session *session);
ORMA_API void orma_ds_stopped(struct orma_ds_session *session);

/* ---- writing ---- */

struct orma_ds_iter {
    struct orma_data_source *source;
    struct orma_ds_session *session; /* NULL: end of the loop */
    void *writer;                    /* the library's */
    uint32_t rest;
    int fresh; /* the sequence starts, or restarts after a loss or a clear */
};

ORMA_API struct orma_ds_iter orma_ds_first(struct orma_data_source *source);
ORMA_API void orma_ds_next(struct orma_ds_iter *it);
ORMA_API void orma_ds_end(struct orma_ds_iter *it);

/* One iteration per session that records this source. You may leave it with break or return. */
#ifdef ORMA_DISABLE_TRACING
#define ORMA_DATA_SOURCE_EACH(it, source_)                                                         \
    for (struct orma_ds_iter it = {(source_), NULL, NULL, 0, 0}; 0 && it.session;)
#else
#define ORMA_DATA_SOURCE_EACH(it, source_)                                                         \
    if (__builtin_expect(__atomic_load_n(&(source_)->enabled, __ATOMIC_RELAXED) == 0, 1)) {        \
    } else                                                                                         \
        for (__attribute__((cleanup(orma_ds_end))) struct orma_ds_iter it =                        \
                 orma_ds_first(source_);                                                           \
             it.session; orma_ds_next(&it))
#endif

/* One packet at a time. */
ORMA_API struct orma_packet *orma_ds_packet_begin(struct orma_ds_iter *it);
/* 0; -ENOBUFS: the packet was lost, and counted. */
ORMA_API int orma_ds_packet_end(struct orma_packet *packet);

ORMA_END_DECLS
#endif
