/* Tracks that events name, their descriptors, and fields that a program gives by number. */
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/hash.h"
#include "sdk/cabi/te.h"

#define DEPTH_MAX 64u
/* Tag, and a size or a number. */
#define FIELD_MAX (5u + ORMA_VARINT_MAX)

void orma_cabi_te_put_interned(struct orma_buf *interned, uint32_t kind, uint64_t iid,
                               const char *text, size_t len)
{
    size_t at = orma_pb_begin(interned, kind);

    orma_pb_put_u64(interned, ORMA_PB_INTERNED_STRING_IID, iid);
    orma_pb_put_bytes(interned, ORMA_PB_INTERNED_STRING_STR, text, len);
    orma_pb_end(interned, at);
}

/* ---- fields ---- */

static struct orma_str text_of(const struct orma_cabi_proto_field *f)
{
    const struct orma_cabi_field_long *field = (const void *)f;

    if (f->type == ORMA_CABI_FIELD_BYTES)
        return (struct orma_str){field->data, ((const struct orma_cabi_field_bytes *)f)->len};
    return orma_str_from(field->text);
}

static size_t bound_at(const struct orma_cabi_proto_field *const *fields, unsigned depth)
{
    size_t bound = 0;

    for (; fields && *fields && depth < DEPTH_MAX; fields++) {
        bound += FIELD_MAX;
        switch ((*fields)->type) {
        case ORMA_CABI_FIELD_CSTR:
        case ORMA_CABI_FIELD_BYTES:
            bound += text_of(*fields).len;
            break;
        case ORMA_CABI_FIELD_NESTED:
            bound += bound_at(((const struct orma_cabi_field_long *)*fields)->fields, depth + 1);
            break;
        }
    }
    return bound;
}

size_t orma_cabi_te_fields_bound(const struct orma_cabi_proto_field *const *fields)
{
    return bound_at(fields, 0);
}

static uint8_t *put_tag(uint8_t *to, uint32_t field, enum orma_pb_wire wire)
{
    return orma_varint_write(to, (uint64_t)field << 3 | wire);
}

static uint8_t *put_raw(uint8_t *to, const void *data, size_t len)
{
    if (len)
        memcpy(to, data, len);
    return to + len;
}

static uint8_t *put_text_interned(uint8_t *to, struct orma_cabi_te *te, struct orma_buf *interned,
                                  const struct orma_cabi_field_interned *f)
{
    struct orma_str text = orma_str_from(f->head.text);
    bool is_new;

    if (!te || !f->kind)
        return to;
    uint64_t iid = orma_cabi_te_intern(te, f->kind, text.data, text.len, &is_new);
    if (is_new)
        orma_cabi_te_put_interned(interned, f->kind, iid, text.data, text.len);
    to = put_tag(to, f->head.head.id, ORMA_PB_VARINT);
    return orma_varint_write(to, iid);
}

static uint8_t *put_at(uint8_t *to, struct orma_cabi_te *te, struct orma_buf *interned,
                       const struct orma_cabi_proto_field *const *fields, unsigned depth)
{
    for (; fields && *fields && depth < DEPTH_MAX; fields++) {
        const struct orma_cabi_proto_field *f = *fields;
        const struct orma_cabi_field_long *l = (const void *)f;
        struct orma_str text;
        uint8_t *size_at;

        switch (f->type) {
        case ORMA_CABI_FIELD_CSTR:
        case ORMA_CABI_FIELD_BYTES:
            text = text_of(f);
            to = orma_varint_write(put_tag(to, f->id, ORMA_PB_LEN), text.len);
            to = put_raw(to, text.data, text.len);
            break;
        case ORMA_CABI_FIELD_NESTED:
            size_at = put_tag(to, f->id, ORMA_PB_LEN);
            to = orma_cabi_close(size_at, put_at(size_at + 1, te, interned, l->fields, depth + 1));
            break;
        case ORMA_CABI_FIELD_VARINT:
            to = orma_varint_write_fast(put_tag(to, f->id, ORMA_PB_VARINT), l->u64);
            break;
        case ORMA_CABI_FIELD_FIXED64:
        case ORMA_CABI_FIELD_DOUBLE:
            to = put_raw(put_tag(to, f->id, ORMA_PB_I64), &l->u64, 8);
            break;
        case ORMA_CABI_FIELD_FIXED32:
        case ORMA_CABI_FIELD_FLOAT:
            to = put_raw(put_tag(to, f->id, ORMA_PB_I32),
                         &((const struct orma_cabi_field_short *)f)->u32, 4);
            break;
        case ORMA_CABI_FIELD_CSTR_INTERNED:
            to = put_text_interned(to, te, interned, (const void *)f);
            break;
        }
    }
    return to;
}

uint8_t *orma_cabi_te_put_fields(uint8_t *to, struct orma_cabi_te *te, struct orma_buf *interned,
                                 const struct orma_cabi_proto_field *const *fields)
{
    return put_at(to, te, interned, fields, 0);
}

/* ---- descriptors ---- */

static void put_fields(struct orma_buf *b, const struct orma_cabi_proto_field *const *fields)
{
    size_t bound = orma_cabi_te_fields_bound(fields);

    if (orma_buf_reserve(b, bound + 1))
        b->len = (size_t)(orma_cabi_te_put_fields(b->data + b->len, NULL, NULL, fields) - b->data);
}

static uint64_t *recent(struct orma_cabi_te *te, uint64_t uuid)
{
    return &te->recent_tracks[(uuid ^ uuid >> 32) % ORMA_CABI_RECENT];
}

/* True: it was not known; the descriptor goes between this and end_track(). */
static bool begin_track(struct orma_cabi_thread *thread, struct orma_cabi_tracer *t, uint64_t uuid,
                        size_t *ret)
{
    *recent(t->te, uuid) = uuid;
    if (orma_cabi_te_track_seen(t->te, uuid))
        return false;
    orma_buf_clear(&thread->event);
    *ret = orma_pb_begin(&thread->event, ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR);
    return true;
}

static void end_track(struct orma_cabi_thread *thread, struct orma_cabi_tracer *t, size_t at)
{
    struct orma_buf *b = &thread->event;

    orma_pb_end(b, at);
    if (b->failed)
        orma_writer_count_drop(t->writer, ORMA_DROP_NO_CHUNK);
    else
        (void)orma_writer_put(t->writer, b->data, b->len); /* counted there */
}

static void put_head(struct orma_buf *b, uint64_t uuid, uint64_t parent)
{
    orma_pb_put_u64(b, ORMA_PB_TRACK_DESCRIPTOR_UUID, uuid);
    if (parent)
        orma_pb_put_u64(b, ORMA_PB_TRACK_DESCRIPTOR_PARENT_UUID, parent);
}

static void put_name(struct orma_buf *b, const char *name, bool is_static)
{
    orma_pb_put_cstr(
        b, is_static ? ORMA_PB_TRACK_DESCRIPTOR_STATIC_NAME : ORMA_PB_TRACK_DESCRIPTOR_NAME, name);
}

static uint64_t hash_name(const char *name)
{
    return orma_fnv1a(ORMA_FNV1A_BASIS, name, strlen(name));
}

static uint64_t registered(struct orma_cabi_thread *thread, struct orma_cabi_tracer *t,
                           const struct orma_cabi_registered_track *track)
{
    size_t at;

    if (begin_track(thread, t, track->uuid, &at)) {
        orma_buf_put(&thread->event, track->descriptor, track->descriptor_size);
        end_track(thread, t, at);
    }
    return track->uuid;
}

static uint64_t named_uuid(const struct orma_cabi_extra *x)
{
    return x->named.parent ^ hash_name(x->named.name ? x->named.name : "") ^ x->named.id;
}

static uint64_t named(struct orma_cabi_thread *thread, struct orma_cabi_tracer *t,
                      const struct orma_cabi_extra *x)
{
    const char *name = x->named.name ? x->named.name : "";
    uint64_t uuid = named_uuid(x);
    size_t at;

    if (begin_track(thread, t, uuid, &at)) {
        put_head(&thread->event, uuid, x->named.parent);
        put_name(&thread->event, name, x->named.is_static);
        end_track(thread, t, at);
    }
    return uuid;
}

/* `parent` NULL: the fields have it. */
static uint64_t proto(struct orma_cabi_thread *thread, struct orma_cabi_tracer *t, uint64_t uuid,
                      const uint64_t *parent, const struct orma_cabi_proto_field *const *fields)
{
    size_t at;

    if (begin_track(thread, t, uuid, &at)) {
        put_head(&thread->event, uuid, parent ? *parent : 0);
        if (parent && !*parent) /* at the top it says so */
            orma_pb_put_u64(&thread->event, ORMA_PB_TRACK_DESCRIPTOR_PARENT_UUID, 0);
        put_fields(&thread->event, fields);
        end_track(thread, t, at);
    }
    return uuid;
}

static void put_nested(struct orma_buf *b, const struct orma_cabi_nested_named *n)
{
    if (n->rank)
        orma_pb_put_i64(b, ORMA_PB_TRACK_DESCRIPTOR_SIBLING_ORDER_RANK, n->rank);
    if (n->child_ordering)
        orma_pb_put_u64(b, ORMA_PB_TRACK_DESCRIPTOR_CHILD_ORDERING, n->child_ordering);
    if (n->merge_behavior)
        orma_pb_put_u64(b, ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR, n->merge_behavior);
    if (n->merge_behavior != ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR_BY_SIBLING_MERGE_KEY)
        return;
    if (n->merge_key_text)
        orma_pb_put_cstr(b, ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_KEY, n->merge_key_text);
    else
        orma_pb_put_u64(b, ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_KEY_INT, n->merge_key);
}

static uint64_t nested_named(struct orma_cabi_thread *thread, struct orma_cabi_tracer *t,
                             uint64_t parent, const struct orma_cabi_nested_named *n)
{
    const char *name = n->name ? n->name : "";
    uint64_t uuid = parent ^ hash_name(name) ^ n->id;
    size_t at;

    if (begin_track(thread, t, uuid, &at)) {
        put_head(&thread->event, uuid, parent);
        put_name(&thread->event, name, n->is_static);
        put_nested(&thread->event, n);
        end_track(thread, t, at);
    }
    return uuid;
}

/* Each is the parent of the next. */
static uint64_t nested(struct orma_cabi_thread *thread, struct orma_cabi_tracer *t,
                       const void *const *tracks)
{
    uint64_t uuid = 0, parent;

    for (; tracks && *tracks; tracks++) {
        const struct orma_cabi_nested_proto *p = *tracks;
        const struct orma_cabi_registered_track *track;

        switch (*(const uint32_t *)*tracks) {
        case ORMA_CABI_NESTED_NAMED:
            uuid = nested_named(thread, t, uuid, *tracks);
            break;
        case ORMA_CABI_NESTED_PROTO:
            parent = uuid;
            uuid = proto(thread, t, uuid ^ p->id, &parent, p->fields);
            break;
        case ORMA_CABI_NESTED_REGISTERED:
            track = ((const struct orma_cabi_nested_registered *)p)->track;
            uuid = track ? registered(thread, t, track) : uuid;
            break;
        case ORMA_CABI_NESTED_THREAD:
            uuid = perfetto_te_process_track_uuid ^ (uint64_t)(int64_t)thread->tid;
            break;
        case ORMA_CABI_NESTED_PROCESS:
            uuid = perfetto_te_process_track_uuid;
            break;
        }
    }
    return uuid;
}

static ORMA_COLD uint64_t track_slowly(struct orma_cabi_thread *thread, struct orma_cabi_tracer *t,
                                       const struct orma_cabi_extra *extra)
{
    ORMA_HUSHED;

    switch (extra->type) {
    case ORMA_CABI_REGISTERED_TRACK:
        return registered(thread, t, extra->registered);
    case ORMA_CABI_NAMED_TRACK:
        return named(thread, t, extra);
    case ORMA_CABI_PROTO_TRACK:
        return proto(thread, t, extra->proto_track.uuid, NULL, extra->proto_track.fields);
    }
    return nested(thread, t, extra->tracks);
}

uint64_t orma_cabi_te_track(struct orma_cabi_thread *thread, struct orma_cabi_tracer *t,
                            const struct orma_cabi_extra *extra)
{
    uint64_t uuid = extra->type == ORMA_CABI_REGISTERED_TRACK ? extra->registered->uuid
                    : extra->type == ORMA_CABI_NAMED_TRACK    ? named_uuid(extra)
                    : extra->type == ORMA_CABI_PROTO_TRACK    ? extra->proto_track.uuid
                                                              : 0;

    if (ORMA_LIKELY(uuid && *recent(t->te, uuid) == uuid))
        return uuid;
    return track_slowly(thread, t, extra);
}
