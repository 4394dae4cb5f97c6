/*
 * The binary interface of libperfetto_c.so: structures that cross the boundary,
 * and what is exported. Programs have the other half compiled in: they move the
 * cursor of a stream, look at flags, and call us for the rest.
 *
 * Nothing here may change: offsets and values are those of programs that exist.
 */
#ifndef ORMA_SDK_CABI_ABI_H
#define ORMA_SDK_CABI_ABI_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORMA_CABI_EXPORT __attribute__((visibility("default")))

typedef _Atomic(bool) orma_cabi_flag;

/* A cursor. The program writes between pos and end, and moves pos. */
struct orma_cabi_stream {
    void *impl;
    uint8_t *begin, *end, *pos;
    size_t before; /* bytes of earlier chunks */
};
_Static_assert(sizeof(struct orma_cabi_stream) == 40, "fixed by the ABI");

struct orma_cabi_iter {
    uint32_t inst;
    void *tls;
    void *tracer; /* NULL: there are no more */
};
_Static_assert(sizeof(struct orma_cabi_iter) == 24, "fixed by the ABI");

struct orma_cabi_ll_iter {
    struct orma_cabi_iter ds;
    void *incr;
    void *tls;
};
_Static_assert(sizeof(struct orma_cabi_ll_iter) == 40, "fixed by the ABI");

struct orma_cabi_stamp {
    uint32_t clock;
    uint64_t value;
};
_Static_assert(sizeof(struct orma_cabi_stamp) == 16, "fixed by the ABI");

struct orma_cabi_category_desc {
    const char *name;
    const char *description; /* may be NULL */
    const char **tags;
    size_t tags_num;
};
_Static_assert(sizeof(struct orma_cabi_category_desc) == 32, "fixed by the ABI");

/* A TrackDescriptor, made beforehand. */
struct orma_cabi_registered_track {
    void *descriptor;
    size_t descriptor_size;
    uint64_t uuid;
};
_Static_assert(sizeof(struct orma_cabi_registered_track) == 24, "fixed by the ABI");

struct orma_cabi_decoder {
    const uint8_t *pos, *end;
};

enum { ORMA_CABI_DECODED, ORMA_CABI_DECODER_DONE, ORMA_CABI_DECODER_ERROR };

struct orma_cabi_field {
    uint32_t status, wire, id;
    union {
        struct {
            const uint8_t *start;
            size_t len;
        } bytes;
        uint64_t u64;
        uint32_t u32;
    } value;
};
_Static_assert(sizeof(struct orma_cabi_field) == 32, "fixed by the ABI");
_Static_assert(offsetof(struct orma_cabi_field, value) == 16, "fixed by the ABI");

/* What an event has besides its name, each struct beginning with its type. */
enum {
    ORMA_CABI_REGISTERED_TRACK = 1,
    ORMA_CABI_NAMED_TRACK,
    ORMA_CABI_TIMESTAMP,
    ORMA_CABI_DYNAMIC_CATEGORY,
    ORMA_CABI_COUNTER_INT64,
    ORMA_CABI_COUNTER_DOUBLE,
    ORMA_CABI_ARG_BOOL,
    ORMA_CABI_ARG_UINT64,
    ORMA_CABI_ARG_INT64,
    ORMA_CABI_ARG_DOUBLE,
    ORMA_CABI_ARG_STRING,
    ORMA_CABI_ARG_POINTER,
    ORMA_CABI_FLOW,
    ORMA_CABI_TERMINATING_FLOW,
    ORMA_CABI_FLUSH,
    ORMA_CABI_NO_INTERN,
    ORMA_CABI_PROTO_FIELDS,
    ORMA_CABI_PROTO_TRACK,
    ORMA_CABI_NESTED_TRACKS,
    ORMA_CABI_CORRELATION_ID,
    ORMA_CABI_CORRELATION_ID_STR,
};

struct orma_cabi_proto_field {
    int32_t type;
    uint32_t id;
};

/* All extras by their types: which member is meant says `type`. */
struct orma_cabi_extra {
    uint32_t type;
    union {
        const struct orma_cabi_registered_track *registered;
        const struct orma_cabi_category_desc *category;
        int64_t i64;
        uint64_t u64;
        double f64;
        const char *text;
        const struct orma_cabi_proto_field *const *fields;
        const void *const *tracks;
        struct orma_cabi_stamp stamp;
        struct {
            const char *name;
            union {
                bool boolean;
                uint64_t u64;
                double f64;
                const char *text;
            } value;
        } arg;
        struct {
            const char *name;
            uint64_t id, parent;
            bool is_static;
        } named;
        struct {
            uint64_t uuid;
            const struct orma_cabi_proto_field *const *fields;
        } proto_track;
    };
};
_Static_assert(sizeof(struct orma_cabi_extra) == 40, "the largest, a named track");
_Static_assert(offsetof(struct orma_cabi_extra, named.is_static) == 32, "fixed by the ABI");

enum {
    ORMA_CABI_FIELD_CSTR,
    ORMA_CABI_FIELD_BYTES,
    ORMA_CABI_FIELD_NESTED,
    ORMA_CABI_FIELD_VARINT,
    ORMA_CABI_FIELD_FIXED64,
    ORMA_CABI_FIELD_FIXED32,
    ORMA_CABI_FIELD_DOUBLE,
    ORMA_CABI_FIELD_FLOAT,
    ORMA_CABI_FIELD_CSTR_INTERNED,
};

/* What follows the type and the id; those of 32 bits have nothing behind them. */
struct orma_cabi_field_long {
    struct orma_cabi_proto_field head;
    union {
        const char *text;
        const void *data;
        const struct orma_cabi_proto_field *const *fields;
        uint64_t u64;
    };
};
struct orma_cabi_field_bytes {
    struct orma_cabi_field_long head;
    size_t len;
};
struct orma_cabi_field_interned {
    struct orma_cabi_field_long head;
    uint32_t kind;
};
struct orma_cabi_field_short {
    struct orma_cabi_proto_field head;
    uint32_t u32;
};
_Static_assert(sizeof(struct orma_cabi_field_short) == 12, "fixed by the ABI");

enum {
    ORMA_CABI_NESTED_NAMED = 1,
    ORMA_CABI_NESTED_PROTO,
    ORMA_CABI_NESTED_REGISTERED,
    ORMA_CABI_NESTED_THREAD,
    ORMA_CABI_NESTED_PROCESS,
};

struct orma_cabi_nested_named {
    uint32_t type;
    const char *name;
    uint64_t id;
    bool is_static;
    int32_t rank;
    uint32_t child_ordering, merge_behavior;
    const char *merge_key_text;
    uint64_t merge_key;
};
_Static_assert(sizeof(struct orma_cabi_nested_named) == 56, "fixed by the ABI");

struct orma_cabi_nested_proto {
    uint32_t type;
    uint64_t id;
    const struct orma_cabi_proto_field *const *fields;
};

struct orma_cabi_nested_registered {
    uint32_t type;
    const struct orma_cabi_registered_track *track;
};

enum {
    ORMA_CABI_EVENT_BEGIN = 1,
    ORMA_CABI_EVENT_END,
    ORMA_CABI_EVENT_INSTANT,
    ORMA_CABI_EVENT_COUNTER,
    ORMA_CABI_EVENT_STATE,
};

typedef void *(*orma_cabi_setup_fn)(void *ds, uint32_t inst, void *config, size_t len, void *user,
                                    void *args);
/* start, stop, flush */
typedef void (*orma_cabi_event_fn)(void *ds, uint32_t inst, void *user, void *ctx, void *args);
typedef void (*orma_cabi_destroy_fn)(void *ds, void *user, void *ctx);
typedef void *(*orma_cabi_create_fn)(void *ds, uint32_t inst, void *tracer, void *user);
typedef void (*orma_cabi_delete_fn)(void *obj);
typedef bool (*orma_cabi_clear_fn)(void *obj, void *user);
typedef void (*orma_cabi_category_fn)(void *category, uint32_t inst, bool created, bool global,
                                      void *user);
typedef void (*orma_cabi_stop_fn)(void *session, void *user);
typedef void (*orma_cabi_flush_fn)(void *session, bool ok, void *user);
typedef void (*orma_cabi_read_fn)(void *session, const void *data, size_t len, bool more,
                                  void *user);

/* clang-format off */
#pragma GCC visibility push(default)
extern orma_cabi_flag perfetto_atomic_false;
extern void *perfetto_te_any_categories;
extern orma_cabi_flag *perfetto_te_any_categories_enabled;
extern uint64_t perfetto_te_process_track_uuid;

void *PerfettoProducerBackendInitArgsCreate(void);
void PerfettoProducerBackendInitArgsSetShmemSizeHintKb(void *args, uint32_t kb);
void PerfettoProducerBackendInitArgsSetMachineId(void *args, uint32_t id);
void PerfettoProducerBackendInitArgsDestroy(void *args);
void PerfettoProducerInProcessInit(const void *args);
void PerfettoProducerSystemInit(const void *args);
void PerfettoProducerActivateTriggers(const char *names[], uint32_t ttl_ms);
int32_t PerfettoGetThreadIdImpl(void);

void *PerfettoHeapBufferCreate(struct orma_cabi_stream *w);
void PerfettoHeapBufferCopyInto(void *buffer, struct orma_cabi_stream *w, void *to, size_t len);
void PerfettoHeapBufferDestroy(void *buffer, struct orma_cabi_stream *w);
void PerfettoStreamWriterUpdateWritePtr(struct orma_cabi_stream *w);
void PerfettoStreamWriterNewChunk(struct orma_cabi_stream *w);
void PerfettoStreamWriterAppendBytesSlowpath(struct orma_cabi_stream *w, const uint8_t *from, size_t len);
void PerfettoStreamWriterReserveBytesSlowpath(struct orma_cabi_stream *w, size_t len);
uint8_t *PerfettoStreamWriterAnnotatePatch(struct orma_cabi_stream *w, uint8_t *at);
struct orma_cabi_field PerfettoPbDecoderParseField(struct orma_cabi_decoder *d);
uint32_t PerfettoPbDecoderSkipField(struct orma_cabi_decoder *d);

void *PerfettoDsImplCreate(void);
void PerfettoDsSetOnSetupCallback(void *ds, orma_cabi_setup_fn fn);
void PerfettoDsSetOnStartCallback(void *ds, orma_cabi_event_fn fn);
void PerfettoDsSetOnStopCallback(void *ds, orma_cabi_event_fn fn);
void PerfettoDsSetOnDestroyCallback(void *ds, orma_cabi_destroy_fn fn);
void PerfettoDsSetOnFlushCallback(void *ds, orma_cabi_event_fn fn);
void PerfettoDsSetOnCreateTls(void *ds, orma_cabi_create_fn fn);
void PerfettoDsSetOnDeleteTls(void *ds, orma_cabi_delete_fn fn);
void PerfettoDsSetOnCreateIncr(void *ds, orma_cabi_create_fn fn);
void PerfettoDsSetOnDeleteIncr(void *ds, orma_cabi_delete_fn fn);
void PerfettoDsSetOnClearIncr(void *ds, orma_cabi_clear_fn fn);
void PerfettoDsSetCbUserArg(void *ds, void *user);
bool PerfettoDsSetBufferExhaustedPolicy(void *ds, uint32_t policy);
bool PerfettoDsSetBufferExhaustedPolicyConfigurable(void *ds, bool on);
bool PerfettoDsImplRegister(void *ds, orma_cabi_flag **enabled, const void *descriptor, size_t len);
void PerfettoDsImplUpdateDescriptor(void *ds, const void *descriptor, size_t len);
void *PerfettoDsOnStopArgsPostpone(void *args);
void PerfettoDsStopDone(void *stopper);
void *PerfettoDsOnFlushArgsPostpone(void *args);
void PerfettoDsFlushDone(void *flusher);
void *PerfettoDsImplGetInstanceLocked(void *ds, uint32_t inst);
void PerfettoDsImplReleaseInstanceLocked(void *ds, uint32_t inst);
struct orma_cabi_iter PerfettoDsImplTraceIterateBegin(void *ds);
void PerfettoDsImplTraceIterateNext(void *ds, struct orma_cabi_iter *it);
void PerfettoDsImplTraceIterateBreak(void *ds, struct orma_cabi_iter *it);
void *PerfettoDsImplGetCustomTls(void *ds, void *tracer, uint32_t inst);
void *PerfettoDsImplGetIncrementalState(void *ds, void *tracer, uint32_t inst);
struct orma_cabi_stream PerfettoDsTracerImplPacketBegin(void *tracer);
void PerfettoDsTracerImplPacketEnd(void *tracer, struct orma_cabi_stream *w);
void PerfettoDsTracerImplFlush(void *tracer, void (*fn)(void *user), void *user);
uint32_t PerfettoDsGetDefaultClockId(void);
struct orma_cabi_stamp PerfettoDsGetTimestamp(void);

void PerfettoTeInit(void);
void *PerfettoTeCategoryImplCreate(struct orma_cabi_category_desc *desc);
void PerfettoTePublishCategories(void);
orma_cabi_flag *PerfettoTeCategoryImplGetEnabled(void *category);
uint64_t PerfettoTeCategoryImplGetIid(void *category);
void PerfettoTeCategoryImplSetCallback(void *category, orma_cabi_category_fn fn, void *user);
void PerfettoTeCategoryImplDestroy(void *category);
struct orma_cabi_stamp PerfettoTeGetTimestamp(void);
void PerfettoTeHlEmitImpl(void *category, int32_t type, const char *name, const void *const *extras);
struct orma_cabi_ll_iter PerfettoTeLlImplBegin(void *category, struct orma_cabi_stamp stamp);
void PerfettoTeLlImplNext(void *category, struct orma_cabi_stamp stamp, struct orma_cabi_ll_iter *it);
void PerfettoTeLlImplBreak(void *category, struct orma_cabi_ll_iter *it);
bool PerfettoTeLlImplDynCatEnabled(void *tracer, uint32_t inst, const struct orma_cabi_category_desc *desc);
bool PerfettoTeLlImplTrackSeen(void *incr, uint64_t uuid);
uint64_t PerfettoTeLlImplIntern(void *incr, int32_t type, const void *data, size_t len, bool *seen);

void *PerfettoTracingSessionInProcessCreate(void);
void *PerfettoTracingSessionSystemCreate(void);
void PerfettoTracingSessionSetup(void *session, void *config, size_t len);
void PerfettoTracingSessionSetStopCb(void *session, orma_cabi_stop_fn fn, void *user);
void PerfettoTracingSessionStartAsync(void *session);
void PerfettoTracingSessionStartBlocking(void *session);
void PerfettoTracingSessionFlushAsync(void *session, uint32_t timeout_ms, orma_cabi_flush_fn fn, void *user);
bool PerfettoTracingSessionFlushBlocking(void *session, uint32_t timeout_ms);
void PerfettoTracingSessionStopAsync(void *session);
void PerfettoTracingSessionStopBlocking(void *session);
void PerfettoTracingSessionReadTraceBlocking(void *session, orma_cabi_read_fn fn, void *user);
void PerfettoTracingSessionDestroy(void *session);
#pragma GCC visibility pop
/* clang-format on */
#endif
