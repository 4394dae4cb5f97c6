/*
 * Track events, inside: sessions, threads, sequences.
 *
 *   session  one running use of the data source "track_event", in a slot 0..15;
 *            its bit is set in the word of each category that it records
 *   thread   a thread of the program that has emitted an event
 *   sequence what one thread writes into one session: a writer, and the state
 *            that its reader keeps (interned texts, last time, known tracks)
 *
 * A thread works on its sequences without lock or fence. Whoever else needs
 * them (stop, clear, flush) pauses the threads first, as in RCU:
 *
 *   thread                              pauser (holds g.lock)
 *   busy = RUNNING                      paused = 1, seq.sites_num = 0 everywhere
 *   sites_num? category's bit?          membarrier()
 *     > 0: the short way                wait until no thread is RUNNING
 *     0:   the slow path, which looks   ... has all sequences ...
 *          at `paused` and waits        paused = 0
 *   busy = IDLE
 *
 * membarrier() makes each running thread pass a full barrier, so either its
 * `busy` is seen or it sees the zero. Where the kernel lacks it, and under
 * ThreadSanitizer, which does not model it, sites_num stays 0 and the slow path
 * has a fence of its own.
 *
 * LOCKED means: holds or waits for g.lock, and touches no chunk.
 *
 * Signal handlers: one that interrupts an event finds `busy`, one that interrupts
 * something else of ours that events lock finds the guard up (guard.h); both count
 * their event as lost, in the thread's sequence or, where that cannot be touched,
 * in `lost` of the session's slot. Any other handler may go either way: neither
 * takes memory from malloc() nor a lock that its own thread can hold.
 *
 * Lock order: wait_lock, g.lock, then a pool's lock, then that of mem.h. All but
 * the first are taken with the guard up.
 */
#ifndef ORMA_SDK_EVENTS_TE_H
#define ORMA_SDK_EVENTS_TE_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "orma/track_event.h"
#include "sdk/base/buf.h"
#include "sdk/base/map.h"
#include "sdk/events/te_config.h"
#include "sdk/events/tsc.h"
#include "sdk/transport/writer_impl.h"

#define ORMA_TE_SLOTS 16u
/* Sites past this one are never written in the short form; a program has a few thousand. */
#define ORMA_TE_SITES_MAX 65536u
/* First ids of sites: none, and the end of a slice, which has no site. */
#define ORMA_TE_SITE_NONE 0u
#define ORMA_TE_SITE_END 1u
#define ORMA_TE_SITE_FIRST 2u
#define ORMA_TE_KEYS 128u
/* Bound of a record in the short form, with what copies run over. Its size is one byte. */
#define ORMA_TE_RECORD_MAX 128u
#define ORMA_TE_CLOCK_INCREMENTAL 64u
#define ORMA_TE_CLOCK_ABSOLUTE 65u

/* Never set in a category's word. */
#define ORMA_TE_NO_BIT (UINT32_C(1) << 31)
/* Alone in a category's word, in a child process: the first event begins tracing anew (fork.h). */
#define ORMA_TE_WAKE_BIT (UINT32_C(1) << 30)
/* The bits of sessions in a category's word. */
#define ORMA_TE_SLOT_BITS ((UINT32_C(1) << ORMA_TE_SLOTS) - 1)

/* 0: its memory was wiped, in a child that fork() did not make (fork.h). */
enum orma_te_busy { ORMA_TE_WIPED, ORMA_TE_IDLE, ORMA_TE_RUNNING, ORMA_TE_LOCKED };

/*
 * A packet of a site but for size and time: 68 02 5a LL 48 TYPE, category, name. Behind the
 * `len` bytes of a counter stands the uuid of its own track, as eight bytes; 0: it has none.
 */
struct orma_te_entry {
    uint8_t bytes[15];
    uint8_t len; /* 0: not known yet */
};
#define ORMA_TE_COUNTER_LEN 6u

/* Interned name of an annotation, by the address of its literal. */
struct orma_te_key {
    const char *key;
    uint32_t iid;
};

/* Literals are at least a few bytes apart. */
static inline unsigned orma_te_key_hash(const char *key)
{
    uintptr_t p = (uintptr_t)key;

    return (unsigned)((p ^ p >> 7) % ORMA_TE_KEYS);
}

/* A track that was described, by its uuid, with the field that names it. */
struct orma_te_known {
    uint64_t uuid;
    uint8_t len;
    uint8_t field[15]; /* track_uuid as in TrackEvent */
};
#define ORMA_TE_KNOWN 16u

static inline unsigned orma_te_known_hash(uint64_t uuid)
{
    return (unsigned)((uuid ^ uuid >> 32) % ORMA_TE_KNOWN);
}

enum orma_te_interned {
    ORMA_TE_CATEGORY,
    ORMA_TE_EVENT_NAME,
    ORMA_TE_ANNOTATION_NAME,
    ORMA_TE_STRING_VALUE,
    ORMA_TE_TYPE_NAME,
    ORMA_TE_SOURCE_LOCATION,
    ORMA_TE_LOG_BODY,
    ORMA_TE_CORRELATION,
    ORMA_TE_INTERNED_KINDS
};

struct orma_te_session;

struct orma_te_seq {
    struct orma_writer *writer;
    uint64_t last_ns; /* of the incremental clock */
    struct orma_te_entry *sites;
    /* Entries that may be used; 0 sends every event down the slow path. The pauser stores 0. */
    _Atomic uint32_t sites_num;
    uint32_t sites_cap;

    /* ---- the slow path ---- */
    struct orma_te_session *session;
    struct orma_te_seq *next; /* session.idle */
    bool renew;               /* restart the incremental state */
    uint32_t renewed_chunk;   /* in which it began */
    struct orma_map iids;     /* hash of kind and text -> iid */
    struct orma_map tracks;   /* uuids that were described */
    uint32_t next_iid[ORMA_TE_INTERNED_KINDS];
    uint64_t thread_time_ns, thread_time_at_ns;
    struct orma_te_key keys[ORMA_TE_KEYS]; /* by hash of the address */
    uint32_t keys_generation;              /* orma_te.keys_generation; else they mean nothing */
    struct orma_te_known known[ORMA_TE_KNOWN];
};

struct orma_te_thread {
    _Atomic uint8_t busy; /* enum orma_te_busy; written by its thread only */
    _Atomic uint8_t paused;
    uint32_t seen; /* under the lock: the last quiesce() that saw it outside of events */
    /* The session of the latest event, if it was the only one: its bit, and the sequence. */
    _Atomic uint32_t only_bit; /* written by the thread; ORMA_TE_NO_BIT when the session ends */
    struct orma_te_seq *only_seq;
    struct orma_tsc_anchor clock;
    _Atomic(struct orma_te_seq *) seqs[ORMA_TE_SLOTS];

    /* ---- the slow path ---- */
    struct orma_te_thread *next; /* g.threads or g.free_threads */
    int32_t tid;
    struct orma_buf packet, interned, event; /* scratch */
};

struct orma_te_session {
    uint32_t slot;
    struct orma_te_config config;
    bool plain;
    struct orma_pool *pool;
    uint32_t target_buffer;
    enum orma_policy policy;
    /* For rings that are never cleared: sequences restart after so many chunks. 0: never. */
    uint32_t renew_chunks;
    struct orma_te_seq *idle;   /* of threads that are gone: the next thread goes on with them */
    struct orma_writer *losses; /* counts what no sequence could; NULL: nothing so far */
    bool ending;                /* no thread gets a sequence any more */
};

struct orma_te {
    pthread_mutex_t lock;
    struct orma_category *categories;
    struct orma_te_thread *threads, *free_threads;
    struct orma_te_seq *free_seqs;
    uint32_t generation; /* counts quiesce() */
    /* Counts categories that went: with the code that defined one, its literals may be unmapped,
     * and others come to stand at their addresses. */
    _Atomic uint32_t keys_generation;
    /* Events that no sequence could count, by slot, until the session does: no memory for a writer
     * was to be had, or a handler interrupted us. */
    _Atomic uint64_t lost[ORMA_TE_SLOTS];
    /* Those that not even a session could count. */
    _Atomic uint64_t unattributed;
    struct orma_te_session *sessions[ORMA_TE_SLOTS];
    uint32_t last_slot;
    _Atomic uint32_t next_site;
    _Atomic bool short_way; /* membarrier() works */
    bool no_tsc;
    pthread_mutex_t wait_lock;
    pthread_cond_t changed; /* a session came; with wait_lock */
    _Atomic uint64_t process_uuid;
    int32_t pid;
    void (*listener)(void); /* of categories; or NULL */
};

/* Takes and gives back g.lock, with the guard; a pauser does not wait for this thread meanwhile. */
uint8_t orma_te_lock(void);
void orma_te_unlock(uint8_t was_busy);

extern struct orma_te orma_te;
extern __thread struct orma_te_thread *orma_te_self __attribute__((tls_model("initial-exec")));

/* ---- te_session.c ---- */

/*
 * Begins a session that writes into `pool` (a reference is taken). renew_chunks: see struct
 * orma_te_session. 0; -EBUSY: all slots are taken; -ENOMEM.
 */
int orma_te_session_new(struct orma_str config, struct orma_pool *pool, uint32_t target_buffer,
                        enum orma_policy policy, uint32_t renew_chunks,
                        struct orma_te_session **ret);
/*
 * Ends it: all events are complete in the pool's list when this returns 0. -ETIMEDOUT: a thread
 * is stuck inside an event, in a debugger perhaps; what it may still touch is never freed.
 */
int orma_te_session_free(struct orma_te_session *self);
/*
 * A new session in the place of `old`: from one event to the next all threads go over to it, and
 * ends find their begins. `old`'s writers must be of ORMA_POLICY_DROP; it is freed, and its events
 * are complete in its pool's list. 0; -ENOMEM, -ETIMEDOUT: nothing has changed.
 */
int orma_te_session_replace(struct orma_te_session *old, struct orma_str config,
                            struct orma_pool *pool, uint32_t target_buffer, enum orma_policy policy,
                            struct orma_te_session **ret);
/* Completes the chunks of all threads. */
void orma_te_session_flush(struct orma_te_session *self);
/* So many events are lost that no sequence can count: it does so itself, and tells the pool now. */
void orma_te_session_lose(struct orma_te_session *self, uint64_t num);
/* Makes every sequence restart its incremental state. */
void orma_te_session_clear(struct orma_te_session *self);

/* Registers what track events forget in a child; done by the first session or thread as well. */
void orma_te_watch_forks(void);
/* In a child, after that: gives all categories ORMA_TE_WAKE_BIT. */
void orma_te_wake(void);
/* Takes it from them again. */
void orma_te_forget_wake(void);

/* True: a session runs. -1 ms: waits for ever. */
bool orma_te_wait_for_session(int timeout_ms);

/* The calling thread, registered; NULL when out of memory. */
struct orma_te_thread *orma_te_thread_new(void);
/* Makes busy what may be paused: for the slow path. */
void orma_te_thread_settle(struct orma_te_thread *self);
/* The sequence in this slot; NULL if there can be none. The thread is RUNNING before and after. */
struct orma_te_seq *orma_te_thread_seq(struct orma_te_thread *self, uint32_t slot);

/* One event is lost that no sequence in this slot can count. Signal handlers, too. */
void orma_te_lose(uint32_t slot);

/* Lets the thread's next events go the short way, if they may. */
void orma_te_seq_open(struct orma_te_thread *self, struct orma_te_seq *seq);

/* Is the category one that the session has enabled? */
bool orma_te_wants(const struct orma_te_session *session, const struct orma_category *category);
/* Sets or clears the bit of a session in the category's word. */
void orma_te_set_bit(struct orma_category *category, uint32_t slot, bool on);
/*
 * The thread's next events of all sessions go the long way. seq_cst, and so is orma_te_seq_open():
 * if the thread opens its sequence and does not see `paused`, its store comes before ours here, and
 * the sequence ends up closed.
 */
void orma_te_close_short_way(struct orma_te_thread *t);

/* ---- te_category.c ---- */

/* The id of a site, given to it now if it has none. */
uint32_t orma_te_site_id(struct orma_site *site);

/* Calls fn for each category, with the lock held. */
void orma_te_each_category(void (*fn)(void *ctx, const struct orma_category *category), void *ctx);
/* Called with the lock held when categories came or went; for the data source's descriptor. */
void orma_te_set_listener(void (*fn)(void));

/* ---- te_encode.c: the slow path ---- */

struct orma_te_event {
    uint32_t type;          /* of TrackEvent */
    struct orma_site *site; /* NULL: an end */
    const struct orma_category *category;
    const struct orma_arg *args;
    size_t args_num;
    const struct orma_track *track; /* NULL: the thread's, or that of an argument */
    bool has_time;                  /* `ns` was given by the caller */
    uint32_t clock_id;              /* of a given time; 0: the default */
    uint64_t ns;
    bool own_track; /* COUNTER: the track is the site's own */
    bool is_double;
    int64_t val;
    double double_val;
};

/* Writes the event into the session in `slot`. The thread is RUNNING. True: the session got it (or
 * lost and counted it). */
bool orma_te_emit(struct orma_te_thread *self, uint32_t slot, const struct orma_te_event *ev);

/* After the writer has got a chunk: is it time for the state to begin anew? Then the next event
 * does. */
void orma_te_seq_renew_if_due(struct orma_te_seq *self);

/* One event is lost for want of a chunk; the next restarts the incremental state. */
void orma_te_seq_lose(struct orma_te_seq *self);

/* ---- te_source.c ---- */

struct orma_producer;

/* As orma_te_session_new(), less the last number: what makes a session for the service. */
typedef int (*orma_te_begin_fn)(struct orma_str config, struct orma_pool *pool,
                                uint32_t target_buffer, enum orma_policy policy,
                                struct orma_te_session **ret);

/* Offers the data source "track_event" on this producer. `begin` NULL: orma_te_session_new(). Loop
 * thread. */
int orma_te_source_add(struct orma_producer *producer, enum orma_policy policy,
                       orma_te_begin_fn begin);
/* The connection is over for good. */
void orma_te_source_remove(void);
/* At each turn of the loop: reports new categories to the service. */
void orma_te_source_turn(struct orma_producer *producer);
/* Completes the chunks of all threads. Loop thread. */
void orma_te_source_flush(void);

/* ---- te_track.c ---- */

uint64_t orma_te_process_uuid(void);
uint64_t orma_te_thread_uuid(int32_t tid);
/* Appends a packet with the TrackDescriptor. */
void orma_te_put_track(struct orma_buf *packet, const struct orma_track *track);
#endif
