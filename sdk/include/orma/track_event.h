/*
 * Track events: slices, instants and counters of an instrumented program.
 *
 *     #include <orma/orma.h>
 *
 *     ORMA_CATEGORY_DEFINE(render, "render", "Drawing of frames", NULL);
 *
 *     static void draw(int frame)
 *     {
 *         ORMA_SLICE(render, "draw", ORMA_ARG_INT("frame", frame));
 *         ORMA_COUNTER(render, "queue length", 3);
 *     }
 *
 *     int main(void)
 *     {
 *         orma_init(NULL);
 *         for (int i = 0; i < 1000; i++)
 *             draw(i);
 *         return 0;
 *     }
 *
 * An event that no session records costs one relaxed load and a branch, and its
 * arguments are not evaluated. With ORMA_DISABLE_TRACING defined before the
 * include, the macros vanish.
 *
 * Names of events, of arguments and of counters are string literals. For strings made at run time,
 * use ORMA_DYNAMIC_NAME() and ORMA_ARG_STR().
 *
 * Threads: all macros may be used in any thread, and in signal handlers, whatever these interrupt:
 * no event calls malloc() or waits for a lock that its own thread holds, and errno is preserved. An
 * event that interrupts another event of its thread, or a moment in which the library holds an
 * event lock, is lost and counted in the session. Like any other event, one in a handler may map
 * memory, wait for another thread to release such a lock, wake the library's thread, wait for
 * memory if the policy is to stall, and write to the file in a STREAM recording without its own
 * thread. orma_now() is safe as well; no other call is. After fork() the child traces on its own.
 *
 * A shared object that may be unloaded must define its own category: this makes the library forget
 * its literals.
 *
 * C11, C++11 and later, gcc and clang.
 */
#ifndef ORMA_TRACK_EVENT_H
#define ORMA_TRACK_EVENT_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "orma/api.h"

ORMA_BEGIN_DECLS

/* ---- categories ---- */

/*
 * What sessions enable and disable. Made by ORMA_CATEGORY_DEFINE(); every member except the strings
 * belongs to the library.
 */
struct orma_category {
    uint32_t enabled; /* one bit per session that records it */
    uint32_t state;
    const char *name;        /* "a,b" is a group: its events belong to a and to b */
    const char *description; /* may be NULL */
    const char *tags;        /* "slow,debug", may be NULL */
    struct orma_category *next;
};

/* One place in the source. Made by the macros; every member belongs to the library. */
struct orma_site {
    struct orma_category *category;
    const char *name;
    const char *file;
    uint32_t line;
    uint32_t id;
};

ORMA_API void orma_category_register(struct orma_category *category);
ORMA_API void orma_category_unregister(struct orma_category *category);

/*
 * The category of events whose category is known only at run time:
 *
 *     ORMA_INSTANT(dynamic, "loaded", ORMA_DYNAMIC_CATEGORY(plugin->name));
 *
 * While any session is running, its arguments are evaluated, and each session decides whether to
 * record the event.
 */
ORMA_API extern struct orma_category orma_category_dynamic;

/* In every file but the one that defines it. */
#define ORMA_CATEGORY_DECLARE(ident) extern struct orma_category orma_category_##ident

/* At file scope, once per program: defines the category `ident`. Strings are literals; the last two
 * may be NULL. */
#ifdef ORMA_DISABLE_TRACING
#define ORMA_CATEGORY_DEFINE(ident, name_, description_, tags_) ORMA_CATEGORY_DECLARE(ident)
#else
#define ORMA_CATEGORY_DEFINE(ident, name_, description_, tags_)                                    \
    extern struct orma_category orma_category_##ident;                                             \
    struct orma_category orma_category_##ident = {0, 0, name_, description_, tags_, 0};            \
    __attribute__((constructor)) static void orma_category_add_##ident(void)                       \
    {                                                                                              \
        orma_category_register(&orma_category_##ident);                                            \
    }                                                                                              \
    __attribute__((destructor)) static void orma_category_remove_##ident(void)                     \
    {                                                                                              \
        orma_category_unregister(&orma_category_##ident);                                          \
    }                                                                                              \
    extern struct orma_category orma_category_##ident
#endif

/* True while a session records the category. Use it to skip work that only serves tracing. */
#ifdef ORMA_DISABLE_TRACING
#define ORMA_ENABLED(ident) 0
#else
#define ORMA_ENABLED(ident)                                                                        \
    __builtin_expect(__atomic_load_n(&orma_category_##ident.enabled, __ATOMIC_RELAXED) != 0, 0)
#endif

/* ---- tracks ---- */

enum orma_track_kind {
    ORMA_TRACK_GLOBAL,  /* the whole trace */
    ORMA_TRACK_PROCESS, /* this process */
    ORMA_TRACK_THREAD,  /* a thread of this process */
    ORMA_TRACK_NAMED,   /* a child of `parent` */
    ORMA_TRACK_COUNTER, /* numbers, not slices */
    ORMA_TRACK_STATE,   /* one state after the other */
};

enum orma_child_ordering {
    ORMA_CHILDREN_AS_THEY_COME,
    ORMA_CHILDREN_BY_NAME,
    ORMA_CHILDREN_BY_TIME, /* of their first event */
    ORMA_CHILDREN_BY_RANK, /* sibling_rank */
};

enum orma_unit { ORMA_UNIT_NONE, ORMA_UNIT_NS, ORMA_UNIT_COUNT, ORMA_UNIT_BYTES };

/*
 * Where events appear. Made by the functions below; you may adjust it before its first use. It must
 * live as long as events are emitted on it; equal kind, name, id and parent mean the same track.
 */
struct orma_track {
    uint64_t uuid;
    const struct orma_track *parent; /* NULL: see the functions */
    const char *name;                /* kept */
    uint32_t kind;                   /* enum orma_track_kind */
    int32_t tid;                     /* ORMA_TRACK_THREAD */
    uint32_t child_ordering;         /* enum orma_child_ordering */
    int32_t sibling_rank;
    uint32_t never_merge; /* keep apart from siblings of the same name */
    /* ORMA_TRACK_COUNTER: */
    uint32_t unit;         /* enum orma_unit */
    const char *unit_name; /* instead of `unit`; kept */
    int64_t multiplier;    /* of the values; 0 is 1 */
    uint32_t incremental;  /* smaller: writes differences; you still pass values */
};

/* Track of the whole trace; it has no name and no children. */
ORMA_API struct orma_track orma_track_global(void);
ORMA_API struct orma_track orma_track_process(void);
/* Track of the calling thread. */
ORMA_API struct orma_track orma_track_thread(void);
/* Child of `parent`; a root if that is NULL. `id` distinguishes tracks with the same name. */
ORMA_API struct orma_track orma_track_named(const char *name, uint64_t id,
                                            const struct orma_track *parent);
ORMA_API struct orma_track orma_track_counter(const char *name, uint64_t id,
                                              const struct orma_track *parent);
ORMA_API struct orma_track orma_track_state(const char *name, uint64_t id,
                                            const struct orma_track *parent);

/* ---- what an event may carry ---- */

enum orma_arg_kind {
    ORMA_ARG_KIND_END,
    ORMA_ARG_KIND_BOOL,
    ORMA_ARG_KIND_INT,
    ORMA_ARG_KIND_UINT,
    ORMA_ARG_KIND_POINTER,
    ORMA_ARG_KIND_DOUBLE,
    ORMA_ARG_KIND_STR,
    ORMA_ARG_KIND_FLOW,
    ORMA_ARG_KIND_FLOW_END,
    ORMA_ARG_KIND_TRACK,
    /* From here on the event takes the longer way. */
    ORMA_ARG_KIND_STATIC_STR,
    ORMA_ARG_KIND_DICT,
    ORMA_ARG_KIND_ARRAY,
    ORMA_ARG_KIND_CLOSE,
    ORMA_ARG_KIND_PROTO,
    ORMA_ARG_KIND_DYNAMIC_NAME,
    ORMA_ARG_KIND_DYNAMIC_CATEGORY,
    ORMA_ARG_KIND_TIME,
    ORMA_ARG_KIND_SOURCE_LOCATION,
    ORMA_ARG_KIND_LOG,
    ORMA_ARG_KIND_CORRELATION,
    ORMA_ARG_KIND_CORRELATION_STR,
    ORMA_ARG_KIND_EXTRA_INT,
    ORMA_ARG_KIND_EXTRA_DOUBLE,
    ORMA_ARG_KIND_FIELD_UINT,
    ORMA_ARG_KIND_FIELD_BYTES,
};

/* One of them. Lives as long as the macro that it is given to. */
struct orma_arg {
    uint16_t kind;        /* enum orma_arg_kind */
    uint16_t dynamic_key; /* `key` is no literal */
    uint32_t len;         /* of what `ptr` points to */
    const char *key;
    const void *ptr;
    uint64_t num;
};

static inline struct orma_arg orma_arg_make(uint16_t kind, const char *key, const void *ptr,
                                            size_t len, uint64_t num)
{
    struct orma_arg arg;

    arg.kind = kind;
    arg.dynamic_key = 0;
    arg.len = (uint32_t)len;
    arg.key = key;
    arg.ptr = ptr;
    arg.num = num;
    return arg;
}

static inline struct orma_arg orma_arg_double(const char *key, double val)
{
    uint64_t bits;

    memcpy(&bits, &val, sizeof(bits));
    return orma_arg_make(ORMA_ARG_KIND_DOUBLE, key, NULL, 0, bits);
}

static inline struct orma_arg orma_arg_str(uint16_t kind, const char *key, const char *text)
{
    return orma_arg_make(kind, key, text, text ? strlen(text) : 0, 0);
}

static inline struct orma_arg orma_arg_extra_double(const struct orma_track *track, double val)
{
    struct orma_arg arg = orma_arg_double(NULL, val);

    arg.kind = ORMA_ARG_KIND_EXTRA_DOUBLE;
    arg.ptr = track;
    return arg;
}

static inline struct orma_arg orma_arg_with_dynamic_key(const char *key, struct orma_arg arg)
{
    arg.key = key;
    arg.dynamic_key = 1;
    return arg;
}

/* Annotations: a literal key and a value. Inside an array, the key is "". */
#define ORMA_ARG_BOOL(key, val) orma_arg_make(ORMA_ARG_KIND_BOOL, "" key, NULL, 0, (val) ? 1 : 0)
#define ORMA_ARG_INT(key, val)                                                                     \
    orma_arg_make(ORMA_ARG_KIND_INT, "" key, NULL, 0, (uint64_t)(int64_t)(val))
#define ORMA_ARG_UINT(key, val) orma_arg_make(ORMA_ARG_KIND_UINT, "" key, NULL, 0, (uint64_t)(val))
#define ORMA_ARG_DOUBLE(key, val) orma_arg_double("" key, (val))
#define ORMA_ARG_POINTER(key, val)                                                                 \
    orma_arg_make(ORMA_ARG_KIND_POINTER, "" key, NULL, 0, (uint64_t)(uintptr_t)(val))
/* Copied. NULL is the empty string. */
#define ORMA_ARG_STR(key, val) orma_arg_str(ORMA_ARG_KIND_STR, "" key, (val))
#define ORMA_ARG_STRN(key, val, len) orma_arg_make(ORMA_ARG_KIND_STR, "" key, (val), (len), 0)
/* A string from a small set: written once per thread, then referred to by number. */
#define ORMA_ARG_INTERNED_STR(key, val) orma_arg_str(ORMA_ARG_KIND_STATIC_STR, "" key, (val))
/* ORMA_ARG_DICT("size", ORMA_ARG_INT("w", 3), ORMA_ARG_INT("h", 4)) */
#define ORMA_ARG_DICT(key, ...)                                                                    \
    orma_arg_make(ORMA_ARG_KIND_DICT, "" key, NULL, 0, 0), __VA_ARGS__,                            \
        orma_arg_make(ORMA_ARG_KIND_CLOSE, NULL, NULL, 0, 0)
#define ORMA_ARG_ARRAY(key, ...)                                                                   \
    orma_arg_make(ORMA_ARG_KIND_ARRAY, "" key, NULL, 0, 0), __VA_ARGS__,                           \
        orma_arg_make(ORMA_ARG_KIND_CLOSE, NULL, NULL, 0, 0)
/* An encoded message of the named type. */
#define ORMA_ARG_PROTO(key, type_name, bytes, len_)                                                \
    orma_arg_with_dynamic_key(type_name, orma_arg_make(ORMA_ARG_KIND_PROTO, NULL, (bytes), (len_), \
                                                       (uint64_t)(uintptr_t)("" key)))
/* ORMA_ARG_DYNAMIC_KEY(text, ORMA_ARG_INT("", 3)): the key is made at run time. */
#define ORMA_ARG_DYNAMIC_KEY(key, arg) orma_arg_with_dynamic_key((key), (arg))

/* Events with the same id are joined by arrows in the order of time; the end closes it. */
#define ORMA_FLOW(id) orma_arg_make(ORMA_ARG_KIND_FLOW, NULL, NULL, 0, (uint64_t)(id))
#define ORMA_FLOW_END(id) orma_arg_make(ORMA_ARG_KIND_FLOW_END, NULL, NULL, 0, (uint64_t)(id))
/* The event is on this track (const struct orma_track *), not on the thread's. */
#define ORMA_TRACK(track)                                                                          \
    orma_arg_make(ORMA_ARG_KIND_TRACK, NULL, (const struct orma_track *)(track), 0, 0)
/* Instead of the literal name. Copied. */
#define ORMA_DYNAMIC_NAME(text) orma_arg_str(ORMA_ARG_KIND_DYNAMIC_NAME, NULL, (text))
/* The name of the event's category, with the category `dynamic`. Copied. */
#define ORMA_DYNAMIC_CATEGORY(text) orma_arg_str(ORMA_ARG_KIND_DYNAMIC_CATEGORY, NULL, (text))
/* A time other than now: of the default clock (orma_now()), or of another one (1..127; 6 is
 * boottime).
 */
#define ORMA_TIME(ns) orma_arg_make(ORMA_ARG_KIND_TIME, NULL, NULL, 0, (uint64_t)(ns))
#define ORMA_CLOCK_TIME(clock_id, time)                                                            \
    orma_arg_make(ORMA_ARG_KIND_TIME, NULL, NULL, (clock_id), (uint64_t)(time))
/* This line of the source. */
#define ORMA_SOURCE_LOCATION() orma_arg_make(ORMA_ARG_KIND_SOURCE_LOCATION, __func__, NULL, 0, 0)
/* A log line. Priorities: 2 verbose, 3 debug, 4 info, 5 warning, 6 error, 7 fatal. */
#define ORMA_LOG(priority, text)                                                                   \
    orma_arg_make(ORMA_ARG_KIND_LOG, __func__, (text), (size_t)(priority), 0)
/* Slices with the same id belong together, on any track. */
#define ORMA_CORRELATION(id) orma_arg_make(ORMA_ARG_KIND_CORRELATION, NULL, NULL, 0, (uint64_t)(id))
#define ORMA_CORRELATION_STR(text) orma_arg_str(ORMA_ARG_KIND_CORRELATION_STR, NULL, (text))
/* Values of other counter tracks at the same moment. */
#define ORMA_EXTRA_COUNTER(track, val)                                                             \
    orma_arg_make(ORMA_ARG_KIND_EXTRA_INT, NULL, (const struct orma_track *)(track), 0,            \
                  (uint64_t)(int64_t)(val))
#define ORMA_EXTRA_COUNTER_DOUBLE(track, val) orma_arg_extra_double((track), (val))
/* Fields of the TrackEvent message itself, for extensions of it. */
#define ORMA_FIELD_UINT(id, val)                                                                   \
    orma_arg_make(ORMA_ARG_KIND_FIELD_UINT, NULL, NULL, (id), (uint64_t)(val))
#define ORMA_FIELD_BYTES(id, bytes, size)                                                          \
    orma_arg_make(ORMA_ARG_KIND_FIELD_BYTES, NULL, (bytes), (size), (uint64_t)(id))

/* ---- events ---- */

/* Called by the macros. They return the sessions (as in orma_category.enabled) that got the event.
 */
ORMA_API uint32_t orma_slice_begin(struct orma_site *site);
ORMA_API uint32_t orma_slice_begin_args(struct orma_site *site, const struct orma_arg *args,
                                        size_t num);
ORMA_API void orma_slice_end(const struct orma_category *category, uint32_t sessions);
ORMA_API void orma_slice_end_args(const struct orma_category *category, uint32_t sessions,
                                  const struct orma_arg *args, size_t num);
ORMA_API void orma_instant(struct orma_site *site);
ORMA_API void orma_instant_args(struct orma_site *site, const struct orma_arg *args, size_t num);
/* Both ends of a slice on a track, at given times. */
ORMA_API void orma_complete(struct orma_site *site, const struct orma_track *track,
                            uint64_t begin_ns, uint64_t end_ns, const struct orma_arg *args,
                            size_t num);
/* What is on a state track lasts until the next state there; one without a name ends it. */
ORMA_API void orma_state(struct orma_site *site, const struct orma_track *track,
                         const struct orma_arg *args, size_t num);
/* `track` NULL: the counter of the process called like the site. */
ORMA_API void orma_counter(struct orma_site *site, const struct orma_track *track, int64_t val);
ORMA_API void orma_counter_double(struct orma_site *site, const struct orma_track *track,
                                  double val);

/* Now, as events are stamped: CLOCK_BOOTTIME in ns. */
ORMA_API uint64_t orma_now(void);

/* A slice that ends with its scope, in the sessions that got its begin. */
struct orma_scope {
    const struct orma_category *category;
    const struct orma_track *track; /* NULL: the thread's */
    uint32_t sessions;
};

ORMA_API void orma_scope_begin_args(struct orma_scope *scope, struct orma_site *site,
                                    const struct orma_arg *args, size_t num);
ORMA_API void orma_scope_end_on_track(const struct orma_scope *scope);

static inline void orma_scope_end(struct orma_scope *scope)
{
    if (scope->sessions && scope->track)
        orma_scope_end_on_track(scope);
    else if (scope->sessions)
        orma_slice_end(scope->category, scope->sessions);
}

#define ORMA_FIRST_(first, ...) first
#define ORMA_REST_(first, ...) __VA_ARGS__
#define ORMA_JOIN_(a, b) a##b
#define ORMA_JOIN(a, b) ORMA_JOIN_(a, b)
#define ORMA_NO_ARG_ orma_arg_make(ORMA_ARG_KIND_END, NULL, NULL, 0, 0)
#define ORMA_ARGS_NUM_(args) (sizeof(args) / sizeof((args)[0]) - 1)
#define ORMA_SITE_INIT_(ident, name)                                                               \
    {                                                                                              \
        &orma_category_##ident, "" name, __FILE__, __LINE__, 0                                     \
    }

#ifdef ORMA_DISABLE_TRACING

/* Never evaluated, but looked at: so variables that only serve tracing are not unused ones. */
static inline void orma_ignore_(int num, ...)
{
    (void)num;
}

#define ORMA_NOTHING_(...)                                                                         \
    do {                                                                                           \
        if (0)                                                                                     \
            orma_ignore_(0, __VA_ARGS__);                                                          \
    } while (0)
#define ORMA_SLICE_BEGIN(ident, ...) ORMA_NOTHING_(__VA_ARGS__)
#define ORMA_SLICE_END(ident) ORMA_NOTHING_(0)
#define ORMA_SLICE_END_ARGS(ident, ...) ORMA_NOTHING_(__VA_ARGS__)
#define ORMA_SLICE(ident, ...) ORMA_NOTHING_(__VA_ARGS__)
#define ORMA_INSTANT(ident, ...) ORMA_NOTHING_(__VA_ARGS__)
#define ORMA_COMPLETE(ident, track, begin_ns, end_ns, ...)                                         \
    ORMA_NOTHING_(track, begin_ns, end_ns, __VA_ARGS__)
#define ORMA_STATE(ident, track, ...) ORMA_NOTHING_(track, __VA_ARGS__)
#define ORMA_COUNTER(ident, name, val) ORMA_NOTHING_(val)
#define ORMA_COUNTER_DOUBLE(ident, name, val) ORMA_NOTHING_(val)
#define ORMA_COUNTER_ON(ident, track, val) ORMA_NOTHING_(track, val)
#define ORMA_COUNTER_DOUBLE_ON(ident, track, val) ORMA_NOTHING_(track, val)

#else

/* The array of arguments ends with an empty one, so that there may be none. */
#define ORMA_EVENT_(ident, plain, with_args, ...)                                                  \
    do {                                                                                           \
        if (ORMA_ENABLED(ident)) {                                                                 \
            static struct orma_site orma_site_ =                                                   \
                ORMA_SITE_INIT_(ident, ORMA_FIRST_(__VA_ARGS__, 0));                               \
            const struct orma_arg orma_args_[] = {ORMA_REST_(__VA_ARGS__, ORMA_NO_ARG_)};          \
            if (ORMA_ARGS_NUM_(orma_args_) == 0)                                                   \
                plain(&orma_site_);                                                                \
            else                                                                                   \
                with_args(&orma_site_, orma_args_, ORMA_ARGS_NUM_(orma_args_));                    \
        }                                                                                          \
    } while (0)

/* ORMA_SLICE_BEGIN(category, "name", args...) */
#define ORMA_SLICE_BEGIN(ident, ...)                                                               \
    ORMA_EVENT_(ident, (void)orma_slice_begin, (void)orma_slice_begin_args, __VA_ARGS__)
#define ORMA_INSTANT(ident, ...) ORMA_EVENT_(ident, orma_instant, orma_instant_args, __VA_ARGS__)

/* Ends the innermost slice on the thread's track (or on that of ORMA_TRACK). */
#define ORMA_SLICE_END(ident)                                                                      \
    do {                                                                                           \
        if (ORMA_ENABLED(ident))                                                                   \
            orma_slice_end(&orma_category_##ident, UINT32_MAX);                                    \
    } while (0)
#define ORMA_SLICE_END_ARGS(ident, ...)                                                            \
    do {                                                                                           \
        if (ORMA_ENABLED(ident)) {                                                                 \
            const struct orma_arg orma_args_[] = {__VA_ARGS__, ORMA_NO_ARG_};                      \
            orma_slice_end_args(&orma_category_##ident, UINT32_MAX, orma_args_,                    \
                                ORMA_ARGS_NUM_(orma_args_));                                       \
        }                                                                                          \
    } while (0)

/* ORMA_SLICE(category, "name", args...): from here to the end of the block. Needs a block. */
#define ORMA_SLICE(ident, ...) ORMA_SLICE_(ident, __LINE__, __VA_ARGS__)
#define ORMA_SLICE_(ident, line, ...)                                                              \
    __attribute__((cleanup(orma_scope_end))) struct orma_scope ORMA_JOIN(orma_scope_, line) = {    \
        &orma_category_##ident, NULL, 0};                                                          \
    do {                                                                                           \
        if (ORMA_ENABLED(ident)) {                                                                 \
            static struct orma_site orma_site_ =                                                   \
                ORMA_SITE_INIT_(ident, ORMA_FIRST_(__VA_ARGS__, 0));                               \
            const struct orma_arg orma_args_[] = {ORMA_REST_(__VA_ARGS__, ORMA_NO_ARG_)};          \
            if (ORMA_ARGS_NUM_(orma_args_) == 0)                                                   \
                ORMA_JOIN(orma_scope_, line).sessions = orma_slice_begin(&orma_site_);             \
            else                                                                                   \
                orma_scope_begin_args(&ORMA_JOIN(orma_scope_, line), &orma_site_, orma_args_,      \
                                      ORMA_ARGS_NUM_(orma_args_));                                 \
        }                                                                                          \
    } while (0)

/* ORMA_COMPLETE(category, &track, begin_ns, end_ns, "name", args...); track NULL: the thread's. */
#define ORMA_COMPLETE(ident, track, begin_ns, end_ns, ...)                                         \
    do {                                                                                           \
        if (ORMA_ENABLED(ident)) {                                                                 \
            static struct orma_site orma_site_ =                                                   \
                ORMA_SITE_INIT_(ident, ORMA_FIRST_(__VA_ARGS__, 0));                               \
            const struct orma_arg orma_args_[] = {ORMA_REST_(__VA_ARGS__, ORMA_NO_ARG_)};          \
            orma_complete(&orma_site_, (track), (begin_ns), (end_ns), orma_args_,                  \
                          ORMA_ARGS_NUM_(orma_args_));                                             \
        }                                                                                          \
    } while (0)

/* ORMA_STATE(category, &track, "name", args...); the name "" ends the state. */
#define ORMA_STATE(ident, track, ...)                                                              \
    do {                                                                                           \
        if (ORMA_ENABLED(ident)) {                                                                 \
            static struct orma_site orma_site_ =                                                   \
                ORMA_SITE_INIT_(ident, ORMA_FIRST_(__VA_ARGS__, 0));                               \
            const struct orma_arg orma_args_[] = {ORMA_REST_(__VA_ARGS__, ORMA_NO_ARG_)};          \
            orma_state(&orma_site_, (track), orma_args_, ORMA_ARGS_NUM_(orma_args_));              \
        }                                                                                          \
    } while (0)

#define ORMA_COUNTER_(ident, fn, track, name, val)                                                 \
    do {                                                                                           \
        if (ORMA_ENABLED(ident)) {                                                                 \
            static struct orma_site orma_site_ = ORMA_SITE_INIT_(ident, name);                     \
            fn(&orma_site_, track, (val));                                                         \
        }                                                                                          \
    } while (0)

/* A counter of the process, by name. */
#define ORMA_COUNTER(ident, name, val)                                                             \
    ORMA_COUNTER_(ident, orma_counter, NULL, name, (int64_t)(val))
#define ORMA_COUNTER_DOUBLE(ident, name, val)                                                      \
    ORMA_COUNTER_(ident, orma_counter_double, NULL, name, (double)(val))
/* On a track made by orma_track_counter(). */
#define ORMA_COUNTER_ON(ident, track, val)                                                         \
    ORMA_COUNTER_(ident, orma_counter, (track), "", (int64_t)(val))
#define ORMA_COUNTER_DOUBLE_ON(ident, track, val)                                                  \
    ORMA_COUNTER_(ident, orma_counter_double, (track), "", (double)(val))

#endif /* ORMA_DISABLE_TRACING */

ORMA_END_DECLS
#endif
