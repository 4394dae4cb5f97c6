/*
 * A format file:
 *
 *   name: sched_switch
 *   ID: 314
 *   format:
 *   <TAB>field:unsigned short common_type;<TAB>offset:0;<TAB>size:2;<TAB>signed:0;
 *   ...
 *   <blank line between the common fields and the event's own>
 *   print fmt: "..."
 *
 * The declaration is C without a compiler: the name is the last identifier,
 * what precedes it is the type, and brackets may follow either of them.
 */
#include "sdk/ftrace/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_END_MAX (ORMA_FTRACE_FORMAT_EVENT_MAX - 1)

/* A declaration, taken apart. */
struct decl {
    struct orma_str type; /* "__data_loc char[]", "const void *", "u8" */
    struct orma_str name; /* "filename" */
    struct orma_str dim;  /* what is between the brackets behind the name */
    bool is_array;        /* there are such brackets */
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool contains(struct orma_str s, const char *what)
{
    return orma_str_find(s, orma_str_from(what));
}

/* `word` stands in `s` as a word of its own. */
static bool has_word(struct orma_str s, const char *word)
{
    size_t len = strlen(word);

    for (size_t i = 0; i + len <= s.len; i++) {
        if (!memcmp(s.data + i, word, len) && (i == 0 || !is_word(s.data[i - 1])) &&
            (i + len == s.len || !is_word(s.data[i + len])))
            return true;
    }
    return false;
}

static bool decl_parse(struct orma_str text, struct decl *ret)
{
    size_t end = text.len;

    *ret = (struct decl){0};
    if (end && text.data[end - 1] == ']') {
        size_t open = end;

        while (open && text.data[open - 1] != '[')
            open--;
        if (!open)
            return false;
        ret->is_array = true;
        ret->dim = (struct orma_str){text.data + open, end - 1 - open};
        end = open - 1;
    }
    size_t start = end;
    while (start && is_word(text.data[start - 1]))
        start--;
    ret->name = (struct orma_str){text.data + start, end - start};
    ret->type = orma_str_trim((struct orma_str){text.data, start});
    return ret->name.len > 0 && ret->type.len > 0;
}

/* Size of one element by the name of its type; 0: unknown. */
static unsigned type_size(struct orma_str type, unsigned word_size)
{
    static const struct {
        const char *word;
        unsigned size;
    } table[] = {
        {"char", 1},     {"u8", 1},      {"__u8", 1},     {"uint8_t", 1}, {"s8", 1},
        {"__s8", 1},     {"int8_t", 1},  {"bool", 1},     {"u16", 2},     {"__u16", 2},
        {"s16", 2},      {"__s16", 2},   {"uint16_t", 2}, {"int16_t", 2}, {"short", 2},
        {"__be16", 2},   {"u64", 8},     {"__u64", 8},    {"s64", 8},     {"__s64", 8},
        {"uint64_t", 8}, {"int64_t", 8}, {"__be64", 8},   {"u32", 4},     {"__u32", 4},
        {"s32", 4},      {"__s32", 4},   {"uint32_t", 4}, {"int32_t", 4}, {"__be32", 4},
    };

    if (contains(type, "*"))
        return word_size;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (has_word(type, table[i].word))
            return table[i].size;
    }
    if (contains(type, "long long"))
        return 8;
    if (has_word(type, "long") || contains(type, "cpumask"))
        return word_size;
    return has_word(type, "int") || has_word(type, "unsigned") ? 4 : 0;
}

/* Kernel headers do not tell whether the elements of a __data_loc are signed; the type's name does.
 */
static bool type_is_signed(struct orma_str type)
{
    static const char *const words[] = {"s8",      "__s8",    "int8_t", "s16",     "__s16",
                                        "int16_t", "s32",     "__s32",  "int32_t", "s64",
                                        "__s64",   "int64_t", "int",    "long",    "short"};

    if (has_word(type, "unsigned") || contains(type, "*"))
        return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (has_word(type, words[i]))
            return true;
    }
    return false;
}

/* `char`, but not `unsigned char`, which is the kernel's habit for bytes. */
static bool is_text(struct orma_str type)
{
    return has_word(type, "char") && !has_word(type, "unsigned") && !has_word(type, "signed");
}

static void classify_loc(const struct decl *d, unsigned word_size,
                         struct orma_ftrace_format_field *f)
{
    struct orma_str elem = d->type;
    unsigned size;

    f->is_relative = orma_str_starts(elem, ORMA_STR("__rel_loc"));
    f->kind = ORMA_FTRACE_KIND_OPAQUE;
    if (f->size != 4)
        return;
    if (is_text(elem)) {
        f->kind = ORMA_FTRACE_KIND_LOC_CHARS;
        return;
    }
    size = type_size(elem, word_size);
    f->kind = ORMA_FTRACE_KIND_LOC_ARRAY;
    f->elem_size = size ? (uint8_t)size : 1;
    f->is_signed = type_is_signed(elem);
}

static void classify_array(const struct decl *d, unsigned word_size,
                           struct orma_ftrace_format_field *f)
{
    unsigned elem = type_size(d->type, word_size);
    uint64_t num;

    f->kind = ORMA_FTRACE_KIND_OPAQUE;
    if (is_text(d->type)) {
        f->kind = f->size ? ORMA_FTRACE_KIND_CHARS : ORMA_FTRACE_KIND_CHARS_TO_END;
        return;
    }
    if (!elem && orma_str_to_u64(d->dim, &num) && num && f->size % num == 0)
        elem = (unsigned)(f->size / num);
    if (elem != 1 && elem != 2 && elem != 4 && elem != 8)
        return;
    f->elem_size = (uint8_t)elem;
    if (!f->size) {
        f->kind = ORMA_FTRACE_KIND_ARRAY_TO_END;
    } else if (f->size % elem == 0) {
        f->kind = ORMA_FTRACE_KIND_ARRAY;
        f->count = (uint16_t)(f->size / elem);
    }
}

static void classify_scalar(const struct decl *d, struct orma_ftrace_format_field *f)
{
    bool is_word_sized = f->size == 4 || f->size == 8;

    f->kind = ORMA_FTRACE_KIND_OPAQUE;
    if (has_word(d->type, "char") && f->size == 0)
        f->kind = ORMA_FTRACE_KIND_CHARS_TO_END;
    else if (f->size != 1 && f->size != 2 && !is_word_sized)
        return;
    else if (contains(d->type, "char *") && d->type.data[d->type.len - 1] == '*' && is_word_sized &&
             !has_word(d->type, "unsigned"))
        f->kind = ORMA_FTRACE_KIND_PRINTK;
    else if ((orma_str_eq_c(d->type, "void *") || orma_str_eq_c(d->type, "void*")) && is_word_sized)
        f->kind = ORMA_FTRACE_KIND_SYMBOL;
    else if (orma_str_eq_c(d->type, "bool") && f->size == 1)
        f->kind = ORMA_FTRACE_KIND_BOOL;
    else if (orma_str_eq_c(d->type, "ino_t") && is_word_sized)
        f->kind = ORMA_FTRACE_KIND_INODE;
    else if (orma_str_eq_c(d->type, "dev_t") && is_word_sized)
        f->kind = ORMA_FTRACE_KIND_DEV;
    else if (orma_str_eq_c(d->type, "pid_t") && f->size == 4)
        f->kind = ORMA_FTRACE_KIND_PID;
    else
        f->kind = f->is_signed ? ORMA_FTRACE_KIND_INT : ORMA_FTRACE_KIND_UINT;
}

/* "offset:8" with the given key. */
static bool attribute(struct orma_str *rest, struct orma_str key, uint64_t *ret)
{
    struct orma_str part;

    if (!orma_str_cut(rest, ';', &part))
        return false;
    part = orma_str_trim(part);
    if (!orma_str_starts(part, key))
        return false;
    return orma_str_to_u64((struct orma_str){part.data + key.len, part.len - key.len}, ret);
}

/* "field:TYPE NAME;\toffset:0;\tsize:2;\tsigned:0;". */
static bool field_parse(struct orma_str line, unsigned word_size, struct decl *ret_decl,
                        struct orma_ftrace_format_field *ret)
{
    uint64_t offset, size, is_signed = 0;
    struct orma_str text;

    if (!orma_str_cut(&line, ';', &text) || !decl_parse(orma_str_trim(text), ret_decl))
        return false;
    if (!attribute(&line, ORMA_STR("offset:"), &offset) ||
        !attribute(&line, ORMA_STR("size:"), &size))
        return false;
    (void)attribute(&line, ORMA_STR("signed:"), &is_signed); /* kernels before 2.6.3x have none */
    if (offset > FIELD_END_MAX || size > FIELD_END_MAX - offset)
        return false;
    *ret = (struct orma_ftrace_format_field){
        .offset = (uint16_t)offset, .size = (uint16_t)size, .is_signed = is_signed == 1};
    if (contains(ret_decl->type, "__data_loc") || contains(ret_decl->type, "__rel_loc"))
        classify_loc(ret_decl, word_size, ret);
    else if (ret_decl->is_array)
        classify_array(ret_decl, word_size, ret);
    else
        classify_scalar(ret_decl, ret);
    return true;
}

static int add_field(struct orma_arena *arena, struct orma_ftrace_format *self,
                     const struct decl *d, struct orma_ftrace_format_field *f)
{
    unsigned end = f->offset + f->size;

    if (end > self->size)
        self->size = (uint16_t)end;
    if (orma_str_starts(d->name, ORMA_STR("common_"))) {
        if (orma_str_eq_c(d->name, "common_pid") && f->size == 4)
            self->common_pid_offset = f->offset;
        if (orma_str_eq_c(d->name, "common_flags") && f->size == 1)
            self->common_flags_offset = f->offset;
        return 0;
    }
    if (self->fields_num == ORMA_FTRACE_FORMAT_FIELDS_MAX) {
        self->odd_lines++;
        return 0;
    }
    f->name = orma_arena_strdup(arena, d->name);
    if (!f->name)
        return -ENOMEM;
    self->fields[self->fields_num++] = *f;
    return 0;
}

static int parse_line(struct orma_arena *arena, struct orma_str line, unsigned word_size,
                      struct orma_ftrace_format *self)
{
    static const struct orma_str key_name = {"name:", 5}, key_id = {"ID:", 3},
                                 key_field = {"field:", 6};
    struct orma_ftrace_format_field f;
    struct decl d;
    uint64_t id;

    if (orma_str_starts(line, key_name) && !self->name) {
        struct orma_str name = {line.data + key_name.len, line.len - key_name.len};

        self->name = orma_arena_strdup(arena, orma_str_trim(name));
        return self->name ? 0 : -ENOMEM;
    }
    if (orma_str_starts(line, key_id)) {
        struct orma_str num = {line.data + key_id.len, line.len - key_id.len};

        if (orma_str_to_u64(orma_str_trim(num), &id) && id <= UINT16_MAX)
            self->id = (uint16_t)id;
        return 0;
    }
    if (!orma_str_starts(line, key_field))
        return 0;
    line = (struct orma_str){line.data + key_field.len, line.len - key_field.len};
    if (field_parse(line, word_size, &d, &f))
        return add_field(arena, self, &d, &f);
    if (self->odd_lines < UINT16_MAX)
        self->odd_lines++;
    return 0;
}

int orma_ftrace_format_parse(struct orma_arena *arena, struct orma_str text, unsigned word_size,
                             struct orma_ftrace_format *ret)
{
    struct orma_ftrace_format_field fields[ORMA_FTRACE_FORMAT_FIELDS_MAX];
    struct orma_ftrace_format self = {.fields = fields};
    struct orma_str line;

    while (orma_str_cut(&text, '\n', &line)) {
        line = orma_str_trim(line);
        if (orma_str_starts(line, ORMA_STR("print fmt:")))
            break; /* arbitrary code follows */
        int r = parse_line(arena, line, word_size, &self);
        if (r < 0)
            return r;
    }
    if (!self.name || !self.name[0] || !self.id || (!self.size && !self.fields_num))
        return -EBADMSG;
    self.fields = orma_arena_alloc(arena, sizeof(fields[0]) * (self.fields_num + 1u));
    if (!self.fields)
        return -ENOMEM;
    memcpy(self.fields, fields, sizeof(fields[0]) * self.fields_num);
    *ret = self;
    return 0;
}

const struct orma_ftrace_format_field *
orma_ftrace_format_field(const struct orma_ftrace_format *self, const char *name)
{
    for (unsigned i = 0; i < self->fields_num; i++) {
        if (!strcmp(self->fields[i].name, name))
            return &self->fields[i];
    }
    return NULL;
}
