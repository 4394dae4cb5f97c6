/*
 * Two walks over the set. The first finds every message, enum and extension with
 * its full name, and gives new ones their index. The second reads fields, whose
 * types can now be resolved in any order of declaration.
 */
#include "protos/reflect/schema_load.h"

#include <errno.h>
#include <stdlib.h>

#include "sdk/base/hash.h"

#define NESTING_MAX 32 /* of declarations: 8 more parts are left to the package */

/* A declaration: where its bytes are, and in what scope names are looked up. */
struct decl {
    struct orma_str bytes;
    uint32_t scope; /* full name of the message itself, or of what surrounds an extension */
    uint32_t type;  /* index; ORMA_TYPES_ENUM for enums; ORMA_SCHEMA_NONE for extensions */
    bool is_new;
    bool packs; /* proto3 and later: repeated numbers are packed unless told otherwise */
};

/* A field as its descriptor says. */
struct field_desc {
    struct orma_str name, extendee, type_name, dflt, options, json_name;
    uint32_t number, label, type;
    int64_t oneof; /* -1: none */
    bool has_packed, packed, synthetic;
};

static int fail(struct orma_schema_load *self, int err, const char *what, struct orma_str name)
{
    if (!self->err) {
        self->err = err;
        if (self->notes)
            orma_buf_printf(self->notes, "%s: %.*s\n", what,
                            (int)ORMA_MIN(name.len, (size_t)ORMA_SCHEMA_NAME_MAX),
                            name.data ? name.data : "");
    }
    return self->err;
}

/* Appends to the strings, without looking for an equal one. 0 when there is no room. */
static uint32_t add_string(struct orma_schema_load *self, struct orma_str text)
{
    size_t at = self->old->strings_len + self->strings.len;

    if (text.len > UINT32_MAX - 1 - at) {
        fail(self, -E2BIG, "too many names", (struct orma_str){0});
        return 0;
    }
    orma_buf_put(&self->strings, text.data, text.len);
    orma_buf_put_byte(&self->strings, 0);
    if (self->strings.failed) {
        fail(self, -ENOMEM, "out of memory", (struct orma_str){0});
        return 0;
    }
    return (uint32_t)at;
}

/* The offset of this text among the new strings; equal texts get the same one. */
static uint32_t intern(struct orma_schema_load *self, struct orma_str text)
{
    uint64_t hash = orma_hash_bytes(text.data, text.len);
    uint64_t known = orma_map_get(&self->names, hash);

    if (!text.len)
        return 0;
    if (known != ORMA_MAP_NONE &&
        orma_str_eq_c(text, orma_schema_load_string(self, (uint32_t)known)))
        return (uint32_t)known;
    uint32_t at = add_string(self, text);
    if (at && known == ORMA_MAP_NONE && orma_map_put(&self->names, hash, at) < 0)
        fail(self, -ENOMEM, "out of memory", (struct orma_str){0});
    return at;
}

/* Letters, digits and underscores; dots too where a full name is allowed. */
static bool is_name(struct orma_str s, bool dots)
{
    unsigned parts = 1;
    bool start = true;

    for (size_t i = 0; i < s.len; i++) {
        char c = s.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

        if (!letter && (start || ((c < '0' || c > '9') && !(dots && c == '.'))))
            return false;
        start = c == '.';
        parts += start;
    }
    return !start && s.len <= ORMA_SCHEMA_NAME_MAX && parts <= ORMA_SCHEMA_NAME_PARTS_MAX;
}

/* The offset of the name of a type that the old schema has; 0: it has none. */
static uint32_t old_name(const struct orma_schema *old, struct orma_str name)
{
    uint32_t at = orma_schema_types_lower(old, name);
    uint32_t type = at < orma_schema_ntypes(old) ? old->types[at] : ORMA_SCHEMA_NONE;

    if (type == ORMA_SCHEMA_NONE || !orma_str_eq_c(name, orma_schema_type_name(old, type)))
        return 0;
    return type & ORMA_TYPES_ENUM ? old->enums[type & ~ORMA_TYPES_ENUM].name : old->msgs[type].name;
}

/* "scope.name": the name of an old type, or interned. 0 on failure. */
static uint32_t full_name(struct orma_schema_load *self, uint32_t scope, struct orma_str name)
{
    char text[2 * ORMA_SCHEMA_NAME_MAX + 2];
    struct orma_str outer = orma_str_from(orma_schema_load_string(self, scope));
    size_t len = outer.len;

    if (!is_name(name, false)) {
        fail(self, -EBADMSG, "not a name", name);
        return 0;
    }
    if (outer.len + 1 + name.len > ORMA_SCHEMA_NAME_MAX) {
        fail(self, -E2BIG, "name too long", outer);
        return 0;
    }
    memcpy(text, outer.data, len);
    if (len)
        text[len++] = '.';
    memcpy(text + len, name.data, name.len);
    struct orma_str full = {text, len + name.len};
    uint32_t known = old_name(self->old, full);
    return known ? known : intern(self, full);
}

/* Old or new, by full name; ORMA_SCHEMA_NONE if unknown. Enums carry ORMA_TYPES_ENUM. */
static uint32_t find_type(struct orma_schema_load *self, struct orma_str name)
{
    uint32_t at = orma_schema_types_lower(self->old, name);

    if (at < orma_schema_ntypes(self->old)) {
        uint32_t type = self->old->types[at];

        if (orma_str_eq_c(name, orma_schema_type_name(self->old, type)))
            return type;
    }
    uint64_t offset = orma_map_get(&self->names, orma_hash_bytes(name.data, name.len));
    if (offset == ORMA_MAP_NONE ||
        !orma_str_eq_c(name, orma_schema_load_string(self, (uint32_t)offset)))
        return ORMA_SCHEMA_NONE;
    uint64_t type = orma_map_get(&self->by_name, offset);
    return type == ORMA_MAP_NONE ? ORMA_SCHEMA_NONE : (uint32_t)type;
}

/* The index of a declared type: a known one, or the next. */
static bool declare_type(struct orma_schema_load *self, struct decl *d, bool is_enum)
{
    struct orma_str name = orma_str_from(orma_schema_load_string(self, d->scope));
    uint32_t *count = is_enum ? &self->nenums : &self->nmsgs;

    d->type = find_type(self, name);
    d->is_new = d->type == ORMA_SCHEMA_NONE;
    if (!d->is_new) {
        if (!!(d->type & ORMA_TYPES_ENUM) == is_enum)
            return true;
        fail(self, -EBADMSG, "declared as message and as enum", name);
        return false;
    }
    if (self->nmsgs + self->nenums >= ORMA_SCHEMA_TYPES_MAX) {
        fail(self, -E2BIG, "too many types", name);
        return false;
    }
    d->type = (*count)++ | (is_enum ? ORMA_TYPES_ENUM : 0);
    if (orma_map_put(&self->by_name, d->scope, d->type) < 0)
        fail(self, -ENOMEM, "out of memory", (struct orma_str){0});
    return !self->err;
}

static void add_decl(struct orma_schema_load *self, const struct decl *d)
{
    orma_buf_put(&self->decls, d, sizeof(*d));
    if (self->decls.failed)
        fail(self, -ENOMEM, "out of memory", (struct orma_str){0});
}

static struct orma_str field_of(struct orma_str bytes, uint32_t id)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_str found = {0};

    while (orma_pb_next(&r, &f))
        if (f.id == id && f.wire == ORMA_PB_LEN)
            found = orma_pb_str(&f);
    return found;
}

static void declare_enum(struct orma_schema_load *self, struct orma_str bytes, uint32_t scope)
{
    struct decl d = {.bytes = bytes, .scope = full_name(self, scope, field_of(bytes, 1))};

    if (d.scope && declare_type(self, &d, true))
        add_decl(self, &d);
}

static void declare_extension(struct orma_schema_load *self, struct orma_str bytes, uint32_t scope,
                              bool packs)
{
    add_decl(self, &(struct decl){
                       .bytes = bytes, .scope = scope, .packs = packs, .type = ORMA_SCHEMA_NONE});
}

static void declare_msg(struct orma_schema_load *self, struct orma_str bytes, uint32_t scope,
                        bool packs, unsigned depth)
{
    struct decl d = {
        .bytes = bytes, .packs = packs, .scope = full_name(self, scope, field_of(bytes, 1))};
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    if (!d.scope || !declare_type(self, &d, false))
        return;
    add_decl(self, &d);
    if (depth > NESTING_MAX)
        fail(self, -EBADMSG, "nested too deep",
             orma_str_from(orma_schema_load_string(self, scope)));
    while (!self->err && orma_pb_next(&r, &f)) {
        if (f.wire != ORMA_PB_LEN)
            continue;
        if (f.id == 3)
            declare_msg(self, orma_pb_str(&f), d.scope, packs, depth + 1);
        else if (f.id == 4)
            declare_enum(self, orma_pb_str(&f), d.scope);
        else if (f.id == 6)
            declare_extension(self, orma_pb_str(&f), d.scope, packs);
    }
    if (r.failed)
        fail(self, -EBADMSG, "malformed message",
             orma_str_from(orma_schema_load_string(self, d.scope)));
}

static void declare_file(struct orma_schema_load *self, struct orma_str bytes)
{
    struct orma_str package = field_of(bytes, 2), syntax = field_of(bytes, 12);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    bool packs = syntax.len && !orma_str_eq_c(syntax, "proto2");

    if (package.len && !is_name(package, true)) {
        fail(self, -EBADMSG, "not a package", package);
        return;
    }
    uint32_t scope = intern(self, package);
    while (!self->err && orma_pb_next(&r, &f)) {
        if (f.wire != ORMA_PB_LEN)
            continue;
        if (f.id == 4)
            declare_msg(self, orma_pb_str(&f), scope, packs, 0);
        else if (f.id == 5)
            declare_enum(self, orma_pb_str(&f), scope);
        else if (f.id == 7)
            declare_extension(self, orma_pb_str(&f), scope, packs);
    }
    if (r.failed)
        fail(self, -EBADMSG, "malformed file descriptor", field_of(bytes, 1));
}

/* A type named in a field: absolute with a leading dot, else in this scope or those around it. */
static uint32_t resolve(struct orma_schema_load *self, uint32_t scope, struct orma_str name)
{
    char text[2 * ORMA_SCHEMA_NAME_MAX + 2];
    struct orma_str outer = orma_str_from(orma_schema_load_string(self, scope));

    if (name.len && name.data[0] == '.')
        return find_type(self, (struct orma_str){name.data + 1, name.len - 1});
    if (!name.len || name.len > ORMA_SCHEMA_NAME_MAX)
        return ORMA_SCHEMA_NONE;
    for (;;) {
        size_t len = outer.len;

        memcpy(text, outer.data, len);
        if (len)
            text[len++] = '.';
        memcpy(text + len, name.data, name.len);
        uint32_t type = find_type(self, (struct orma_str){text, len + name.len});
        if (type != ORMA_SCHEMA_NONE || !outer.len)
            return type;
        while (outer.len && outer.data[outer.len - 1] != '.')
            outer.len--;
        outer.len -= outer.len > 0;
    }
}

static void read_options(struct orma_str bytes, struct field_desc *d)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == 2) { /* packed */
            d->has_packed = true;
            d->packed = orma_pb_bool(&f);
        } else if (f.id != 3) { /* deprecated: of no use at run time */
            d->options = bytes;
        }
    }
}

static bool read_field(struct orma_schema_load *self, struct orma_str bytes, struct field_desc *d)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    *d = (struct field_desc){.oneof = -1};
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case 1:
            d->name = orma_pb_str(&f);
            break;
        case 2:
            d->extendee = orma_pb_str(&f);
            break;
        case 3:
            d->number = orma_pb_u32(&f);
            break;
        case 4:
            d->label = orma_pb_u32(&f);
            break;
        case 5:
            d->type = orma_pb_u32(&f);
            break;
        case 6:
            d->type_name = orma_pb_str(&f);
            break;
        case 7:
            d->dflt = orma_pb_str(&f);
            break;
        case 8:
            read_options(orma_pb_str(&f), d);
            break;
        case 9:
            d->oneof = (int64_t)orma_pb_u32(&f);
            break;
        case 10:
            d->json_name = orma_pb_str(&f);
            break;
        case 17:
            d->synthetic = orma_pb_bool(&f);
            break;
        }
    }
    if (r.failed || !is_name(d->name, false))
        fail(self, -EBADMSG, "malformed field", d->name);
    else if (!d->number || d->number > ORMA_PB_ID_MAX)
        fail(self, -EBADMSG, "field number out of range", d->name);
    return !self->err;
}

static void refuse(struct orma_schema_load *self, uint32_t msg_name, struct orma_str field,
                   const char *why)
{
    self->refused++;
    if (self->notes && self->notes->len < ORMA_SCHEMA_NOTES_MAX)
        orma_buf_printf(self->notes, "%s.%.*s: %s\n", orma_schema_load_string(self, msg_name),
                        ORMA_STR_ARG(field), why);
}

/* Type and type index; a type that the set does not contain is kept as its wire form. */
static bool set_type(struct orma_schema_load *self, uint32_t scope, const struct field_desc *d,
                     struct orma_field *field)
{
    uint32_t type = d->type_name.len ? resolve(self, scope, d->type_name) : ORMA_SCHEMA_NONE;
    bool found = type != ORMA_SCHEMA_NONE;
    uint32_t kind = d->type;

    if (!kind && found)
        kind = type & ORMA_TYPES_ENUM ? ORMA_TYPE_ENUM : ORMA_TYPE_MESSAGE;
    if (kind < ORMA_TYPE_DOUBLE || kind > ORMA_TYPE_SINT64) {
        fail(self, -EBADMSG, "field of no type", d->name);
        return false;
    }
    field->type = (uint8_t)kind;
    if (kind == ORMA_TYPE_GROUP) {
        refuse(self, scope, d->name, "groups are not supported");
        return false;
    }
    if (kind != ORMA_TYPE_MESSAGE && kind != ORMA_TYPE_ENUM)
        return true;
    if (!found) {
        refuse(self, scope, d->name, "its type is not in the set; shown as bytes or as a number");
        field->type = kind == ORMA_TYPE_MESSAGE ? ORMA_TYPE_BYTES : ORMA_TYPE_INT32;
        return true;
    }
    if (!!(type & ORMA_TYPES_ENUM) != (kind == ORMA_TYPE_ENUM)) {
        fail(self, -EBADMSG, "message where an enum should be, or the reverse", d->name);
        return false;
    }
    field->type_idx = (uint16_t)(type & ~ORMA_TYPES_ENUM);
    return true;
}

/* The usual camel case needs no memory of its own. */
static bool is_usual_json_name(struct orma_str name, struct orma_str json)
{
    size_t at = 0;
    bool raise = false;

    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];

        if (c == '_') {
            raise = true;
            continue;
        }
        if (raise && c >= 'a' && c <= 'z')
            c = (char)(c - 'a' + 'A');
        raise = false;
        if (at == json.len || json.data[at++] != c)
            return false;
    }
    return at == json.len;
}

static bool text_is_plain(struct orma_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!s.data[i])
            return false;
    return true;
}

static void set_extra(struct orma_schema_load *self, const struct field_desc *d,
                      struct orma_field *field)
{
    struct orma_field_extra extra = {.options_len = (uint32_t)d->options.len};
    size_t count = self->old->nextras + self->extras.len / sizeof(extra);
    bool own_json = d->json_name.len && !is_usual_json_name(d->name, d->json_name);

    if (!d->dflt.len && !own_json && !d->options.len)
        return;
    if (count >= UINT16_MAX) {
        fail(self, -E2BIG, "too many fields with options", d->name);
        return;
    }
    if (text_is_plain(d->dflt))
        extra.dflt = intern(self, d->dflt);
    if (own_json && text_is_plain(d->json_name))
        extra.json_name = intern(self, d->json_name);
    extra.options = d->options.len ? add_string(self, d->options) : 0;
    orma_buf_put(&self->extras, &extra, sizeof(extra));
    field->extra = (uint16_t)(count + 1);
}

static uint8_t flags_of(const struct field_desc *d, bool packs, uint8_t type)
{
    uint8_t flags = 0;

    if (d->label == 2)
        flags |= ORMA_FIELD_REQUIRED;
    if (d->label == 3)
        flags |= ORMA_FIELD_REPEATED;
    if (d->label == 3 && (d->has_packed ? d->packed : packs) && orma_field_is_packable(type))
        flags |= ORMA_FIELD_PACKED;
    return flags;
}

/* The old schema has this number with this type. */
static bool is_known_field(const struct orma_schema *old, uint32_t msg,
                           const struct orma_field *field)
{
    const struct orma_field *known =
        msg < old->nmsgs ? orma_schema_field(old, msg, field->number) : NULL;

    return known && known->type == field->type && known->type_idx == field->type_idx;
}

static bool is_known_value(const struct orma_schema *old, uint32_t enum_idx, int32_t number,
                           struct orma_str name)
{
    int32_t known;

    return enum_idx < old->nenums && orma_schema_value_named(old, enum_idx, name, &known) &&
           known == number;
}

static void add_field(struct orma_schema_load *self, const struct decl *decl, uint32_t msg,
                      const struct field_desc *d, uint16_t oneof)
{
    struct orma_new_field add = {
        .msg = msg,
        .seq = (uint32_t)(self->fields.len / sizeof(add)),
        .field = {.number = d->number, .oneof = oneof},
    };

    if (!set_type(self, decl->scope, d, &add.field) || is_known_field(self->old, msg, &add.field))
        return;
    add.field.flags = flags_of(d, decl->packs, add.field.type);
    if (decl->type == ORMA_SCHEMA_NONE || d->extendee.len) {
        add.field.flags |= ORMA_FIELD_EXTENSION;
        add.field.name = full_name(self, decl->scope, d->name);
    } else {
        add.field.name = intern(self, d->name);
    }
    set_extra(self, d, &add.field);
    orma_buf_put(&self->fields, &add, sizeof(add));
}

static void read_extension(struct orma_schema_load *self, const struct decl *decl)
{
    struct field_desc d;

    if (!read_field(self, decl->bytes, &d))
        return;
    uint32_t msg = resolve(self, decl->scope, d.extendee);
    if (msg == ORMA_SCHEMA_NONE || msg & ORMA_TYPES_ENUM) {
        /* Options of descriptors are extended in many sets; nobody needs them here. */
        if (!orma_str_starts(d.extendee, ORMA_STR(".google.protobuf.")))
            refuse(self, decl->scope, d.name, "extends a message that is not known");
        return;
    }
    add_field(self, decl, msg, &d, 0);
}

/* The 1-based index of a oneof in the message as it will be; 0: that message has no such one. */
static uint16_t oneof_of(struct orma_schema_load *self, const struct decl *decl,
                         const struct orma_new_type *type, int64_t idx)
{
    if (idx < 0 || (uint64_t)idx >= type->noneofs)
        return 0;
    if (decl->is_new)
        return (uint16_t)(idx + 1);
    const uint32_t *names = (const uint32_t *)(const void *)self->oneofs.data + type->oneofs;
    struct orma_str name = orma_str_from(orma_schema_load_string(self, names[idx]));
    for (uint32_t i = 0; decl->type < self->old->nmsgs && i < self->old->msgs[decl->type].noneofs;
         i++)
        if (orma_str_eq_c(name, orma_schema_oneof_name(self->old, decl->type, i)))
            return (uint16_t)(i + 1);
    return 0;
}

static void read_oneofs(struct orma_schema_load *self, const struct decl *decl,
                        struct orma_new_type *type)
{
    struct orma_pb_reader r = orma_pb_reader(decl->bytes.data, decl->bytes.len);
    struct orma_pb_field f;

    type->oneofs = (uint32_t)(self->oneofs.len / sizeof(uint32_t));
    while (!self->err && orma_pb_next(&r, &f)) {
        struct orma_str name = f.id == 8 ? field_of(orma_pb_str(&f), 1) : (struct orma_str){0};

        if (f.id != 8)
            continue;
        if (!is_name(name, false) || ++type->noneofs >= UINT16_MAX) {
            fail(self, -EBADMSG, "malformed oneof", name);
            return;
        }
        uint32_t offset = intern(self, name);
        orma_buf_put(&self->oneofs, &offset, sizeof(offset));
    }
    if (self->oneofs.failed)
        fail(self, -ENOMEM, "out of memory", (struct orma_str){0});
}

static void read_msg(struct orma_schema_load *self, const struct decl *decl)
{
    struct orma_new_type type = {.type = decl->type, .name = decl->scope};
    struct orma_pb_reader r = orma_pb_reader(decl->bytes.data, decl->bytes.len);
    struct orma_pb_field f;
    struct field_desc d;

    read_oneofs(self, decl, &type);
    if (decl->is_new)
        orma_buf_put(&self->types, &type, sizeof(type));
    while (!self->err && orma_pb_next(&r, &f)) {
        if (f.id != 2 || !read_field(self, orma_pb_str(&f), &d))
            continue;
        add_field(self, decl, decl->type, &d,
                  d.synthetic ? 0 : oneof_of(self, decl, &type, d.oneof));
    }
    if (!decl->is_new)
        self->oneofs.len = type.oneofs * sizeof(uint32_t);
}

static void read_enum(struct orma_schema_load *self, const struct decl *decl)
{
    struct orma_new_type type = {.type = decl->type, .name = decl->scope};
    struct orma_pb_reader r = orma_pb_reader(decl->bytes.data, decl->bytes.len);
    struct orma_pb_field f, v;

    if (decl->is_new)
        orma_buf_put(&self->types, &type, sizeof(type));
    while (!self->err && orma_pb_next(&r, &f)) {
        if (f.id != 2 || f.wire != ORMA_PB_LEN)
            continue;
        struct orma_pb_reader sub = orma_pb_sub(&f);
        struct orma_new_value add = {.enum_idx = decl->type & ~ORMA_TYPES_ENUM,
                                     .seq = (uint32_t)(self->values.len / sizeof(add))};
        struct orma_str name = field_of(orma_pb_str(&f), 1);

        while (orma_pb_next(&sub, &v))
            if (v.id == 2)
                add.value.number = orma_pb_i32(&v);
        if (sub.failed || !is_name(name, false))
            fail(self, -EBADMSG, "malformed enum value", name);
        if (is_known_value(self->old, add.enum_idx, add.value.number, name))
            continue;
        add.value.name = intern(self, name);
        orma_buf_put(&self->values, &add, sizeof(add));
    }
    if (r.failed)
        fail(self, -EBADMSG, "malformed enum",
             orma_str_from(orma_schema_load_string(self, decl->scope)));
}

static int load(struct orma_schema_load *self, const void *set, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(set, len);
    struct orma_pb_field f;

    while (!self->err && orma_pb_next(&r, &f))
        if (f.id == 1 && f.wire == ORMA_PB_LEN)
            declare_file(self, orma_pb_str(&f));
    if (r.failed)
        fail(self, -EBADMSG, "malformed descriptor set", (struct orma_str){0});
    for (size_t i = 0; !self->err && i < self->decls.len / sizeof(struct decl); i++) {
        const struct decl *decl = (const struct decl *)(const void *)self->decls.data + i;

        if (decl->type == ORMA_SCHEMA_NONE)
            read_extension(self, decl);
        else if (decl->type & ORMA_TYPES_ENUM)
            read_enum(self, decl);
        else
            read_msg(self, decl);
    }
    if (self->types.failed || self->fields.failed || self->values.failed || self->extras.failed)
        fail(self, -ENOMEM, "out of memory", (struct orma_str){0});
    return self->err;
}

static void load_fini(struct orma_schema_load *self)
{
    orma_buf_fini(&self->strings);
    orma_buf_fini(&self->types);
    orma_buf_fini(&self->fields);
    orma_buf_fini(&self->values);
    orma_buf_fini(&self->oneofs);
    orma_buf_fini(&self->extras);
    orma_buf_fini(&self->decls);
    orma_map_fini(&self->names);
    orma_map_fini(&self->by_name);
}

static const struct orma_schema nothing = {.strings = "", .strings_len = 1};

int orma_schema_new(const struct orma_schema *base, struct orma_schema **ret)
{
    ORMA_AUTO(orma_schema_free_p) struct orma_schema *self = calloc(1, sizeof(*self));
    struct orma_schema_load load = {.old = base ? base : &nothing};

    if (!self)
        return -ENOMEM;
    load.nmsgs = load.old->nmsgs;
    load.nenums = load.old->nenums;
    int err = orma_schema_build(&load, self);
    if (err < 0)
        return err;
    *ret = ORMA_STEAL(self);
    return 0;
}

void orma_schema_free(struct orma_schema *self)
{
    if (!self)
        return;
    free(self->owned);
    free(self);
}

int orma_schema_add(struct orma_schema *self, const void *set, size_t len, struct orma_buf *notes)
{
    struct orma_schema_load l = {
        .old = self, .notes = notes, .nmsgs = self->nmsgs, .nenums = self->nenums};
    struct orma_schema built;

    int err = load(&l, set, len);
    bool is_news = l.types.len + l.fields.len + l.values.len > 0;
    if (!err && is_news)
        err = orma_schema_build(&l, &built);
    if (!err && is_news) {
        free(self->owned);
        *self = built;
    }
    load_fini(&l);
    return err < 0 ? err : l.refused;
}
