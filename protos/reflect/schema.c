/*
 * Look-ups in sorted tables: types by name, fields by number (the first ones by index), fields
 * by name through a sorted list of indices, enum values by number. JSON names are computed,
 * not stored: lowerCamelCase is compared letter by letter.
 */
#include "protos/reflect/schema.h"

#include <stdlib.h>

#include "protos/reflect/tables.h"
#include "sdk/base/search.h"

/* Order of a terminated name and a span. */
static int name_cmp(const char *name, struct orma_str other)
{
    size_t len = strlen(name), both = ORMA_MIN(len, other.len);
    int cmp = both ? memcmp(name, other.data, both) : 0;

    return cmp ? cmp : (len > other.len) - (len < other.len);
}

uint32_t orma_schema_types_lower(const struct orma_schema *self, struct orma_str name)
{
    return ORMA_PARTITION_POINT(i, 0, orma_schema_ntypes(self),
                                name_cmp(orma_schema_type_name(self, self->types[i]), name) < 0);
}

static uint32_t find_type(const struct orma_schema *self, struct orma_str name)
{
    if (name.len && name.data[0] == '.')
        name = (struct orma_str){name.data + 1, name.len - 1};
    uint32_t at = orma_schema_types_lower(self, name);

    if (at < orma_schema_ntypes(self) &&
        !name_cmp(orma_schema_type_name(self, self->types[at]), name))
        return self->types[at];
    return ORMA_SCHEMA_NONE;
}

uint32_t orma_schema_find_msg(const struct orma_schema *self, struct orma_str name)
{
    uint32_t type = find_type(self, name);

    return type & ORMA_TYPES_ENUM ? ORMA_SCHEMA_NONE : type;
}

uint32_t orma_schema_find_enum(const struct orma_schema *self, struct orma_str name)
{
    uint32_t type = find_type(self, name);

    return type != ORMA_SCHEMA_NONE && type & ORMA_TYPES_ENUM ? type & ~ORMA_TYPES_ENUM
                                                              : ORMA_SCHEMA_NONE;
}

uint32_t orma_schema_msg_count(const struct orma_schema *self)
{
    return self->nmsgs;
}

uint32_t orma_schema_enum_count(const struct orma_schema *self)
{
    return self->nenums;
}

const char *orma_schema_msg_name(const struct orma_schema *self, uint32_t msg)
{
    return self->strings + self->msgs[msg].name;
}

const char *orma_schema_enum_name(const struct orma_schema *self, uint32_t enum_idx)
{
    return self->strings + self->enums[enum_idx].name;
}

const char *orma_schema_short_name(const char *full_name)
{
    const char *dot = strrchr(full_name, '.');

    return dot ? dot + 1 : full_name;
}

const struct orma_field *orma_schema_fields(const struct orma_schema *self, uint32_t msg,
                                            uint32_t *ret_count)
{
    *ret_count = self->msgs[msg].nfields;
    return self->fields + self->msgs[msg].fields;
}

const struct orma_field *orma_schema_field(const struct orma_schema *self, uint32_t msg,
                                           uint32_t number)
{
    const struct orma_msg_row *m = &self->msgs[msg];
    const struct orma_field *fields = self->fields + m->fields;

    if (number - 1 < m->dense)
        return fields + number - 1;
    uint32_t lo = ORMA_PARTITION_POINT(i, m->dense, m->nfields, fields[i].number < number);
    return lo < m->nfields && fields[lo].number == number ? fields + lo : NULL;
}

const struct orma_field *orma_schema_field_named(const struct orma_schema *self, uint32_t msg,
                                                 struct orma_str name)
{
    const struct orma_msg_row *m = &self->msgs[msg];
    const struct orma_field *fields = self->fields + m->fields;
    const uint16_t *by_name = self->by_name + m->fields;
    uint32_t at = ORMA_PARTITION_POINT(i, 0, m->nfields,
                                       name_cmp(self->strings + fields[by_name[i]].name, name) < 0);

    if (at == m->nfields || name_cmp(self->strings + fields[by_name[at]].name, name))
        return NULL;
    return fields + by_name[at];
}

const char *orma_field_name(const struct orma_schema *self, const struct orma_field *field)
{
    return self->strings + field->name;
}

/*
 * Camel case as protoc makes it: underscores go, and the letter behind each is raised. Calls back
 * byte by byte through a comparison or a buffer, so no memory is needed to compare.
 */
static char camel_next(const char **at)
{
    bool raise = false;

    for (; **at == '_'; ++*at)
        raise = true;
    char c = **at;
    if (c)
        ++*at;
    return raise && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool json_name_is(const struct orma_schema *self, const struct orma_field *field,
                         struct orma_str name)
{
    const char *at = orma_field_name(self, field);

    if (field->extra && self->extras[field->extra - 1].json_name)
        return orma_str_eq_c(name, self->strings + self->extras[field->extra - 1].json_name);
    for (size_t i = 0; i < name.len; i++)
        if (!name.data[i] || camel_next(&at) != name.data[i])
            return false;
    return camel_next(&at) == '\0';
}

const struct orma_field *orma_schema_field_json(const struct orma_schema *self, uint32_t msg,
                                                struct orma_str name)
{
    uint32_t n;
    const struct orma_field *fields = orma_schema_fields(self, msg, &n);
    const struct orma_field *found = orma_schema_field_named(self, msg, name);

    if (found && !(found->flags & ORMA_FIELD_EXTENSION))
        return found;
    if (name.len > 2 && name.data[0] == '[' && name.data[name.len - 1] == ']') {
        name = (struct orma_str){name.data + 1, name.len - 2};
        found = orma_schema_field_named(self, msg, name);
        return found && found->flags & ORMA_FIELD_EXTENSION ? found : NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!(fields[i].flags & ORMA_FIELD_EXTENSION) && json_name_is(self, &fields[i], name))
            return &fields[i];
    return NULL;
}

void orma_field_json_name(const struct orma_schema *self, const struct orma_field *field,
                          struct orma_buf *out)
{
    const char *at = orma_field_name(self, field);

    if (field->flags & ORMA_FIELD_EXTENSION) {
        orma_buf_put_byte(out, '[');
        orma_buf_put_str(out, at);
        orma_buf_put_byte(out, ']');
    } else if (field->extra && self->extras[field->extra - 1].json_name) {
        orma_buf_put_str(out, self->strings + self->extras[field->extra - 1].json_name);
    } else {
        for (char c; (c = camel_next(&at));)
            orma_buf_put_byte(out, (uint8_t)c);
    }
}

const char *orma_field_default(const struct orma_schema *self, const struct orma_field *field)
{
    uint32_t dflt = field->extra ? self->extras[field->extra - 1].dflt : 0;

    return dflt ? self->strings + dflt : NULL;
}

struct orma_str orma_field_options(const struct orma_schema *self, const struct orma_field *field)
{
    if (!field->extra)
        return (struct orma_str){0};
    const struct orma_field_extra *extra = &self->extras[field->extra - 1];

    return (struct orma_str){self->strings + extra->options, extra->options_len};
}

const char *orma_schema_oneof_name(const struct orma_schema *self, uint32_t msg, uint32_t idx)
{
    return self->strings + self->oneofs[self->msgs[msg].oneofs + idx];
}

uint32_t orma_schema_oneof_count(const struct orma_schema *self, uint32_t msg)
{
    return self->msgs[msg].noneofs;
}

const struct orma_enum_value *orma_schema_values(const struct orma_schema *self, uint32_t enum_idx,
                                                 uint32_t *ret_count)
{
    *ret_count = self->enums[enum_idx].nvalues;
    return self->values + self->enums[enum_idx].values;
}

const char *orma_schema_value_name(const struct orma_schema *self, uint32_t enum_idx,
                                   int32_t number)
{
    uint32_t n;
    const struct orma_enum_value *values = orma_schema_values(self, enum_idx, &n);
    uint32_t lo = ORMA_LOWER_BOUND(values, n, .number, number);

    return lo < n && values[lo].number == number ? self->strings + values[lo].name : NULL;
}

bool orma_schema_value_named(const struct orma_schema *self, uint32_t enum_idx,
                             struct orma_str name, int32_t *ret_number)
{
    uint32_t n;
    const struct orma_enum_value *values = orma_schema_values(self, enum_idx, &n);

    for (uint32_t i = 0; i < n; i++) {
        if (!name_cmp(self->strings + values[i].name, name)) {
            *ret_number = values[i].number;
            return true;
        }
    }
    return false;
}

const char *orma_schema_string(const struct orma_schema *self, uint32_t offset)
{
    return self->strings + offset;
}

enum orma_pb_wire orma_field_wire(uint8_t type)
{
    switch ((enum orma_field_type)type) {
    case ORMA_TYPE_DOUBLE:
    case ORMA_TYPE_FIXED64:
    case ORMA_TYPE_SFIXED64:
        return ORMA_PB_I64;
    case ORMA_TYPE_FLOAT:
    case ORMA_TYPE_FIXED32:
    case ORMA_TYPE_SFIXED32:
        return ORMA_PB_I32;
    case ORMA_TYPE_STRING:
    case ORMA_TYPE_GROUP:
    case ORMA_TYPE_MESSAGE:
    case ORMA_TYPE_BYTES:
        return ORMA_PB_LEN;
    case ORMA_TYPE_INT64:
    case ORMA_TYPE_UINT64:
    case ORMA_TYPE_INT32:
    case ORMA_TYPE_BOOL:
    case ORMA_TYPE_UINT32:
    case ORMA_TYPE_ENUM:
    case ORMA_TYPE_SINT32:
    case ORMA_TYPE_SINT64:
        break;
    }
    return ORMA_PB_VARINT;
}
