/*
 * Arguments and return values of uftrace. Records do not say how long what follows them is: that is
 * known from the function, by rules of whoever recorded, by its debug information, or by a list of
 * functions of the C library that uftrace brings along.
 */
#include "processor/import/formats/uftrace.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>

#define FEATURE_AUTO_ARGS (1u << 9)
#define PATTERN_MAX 128
/* An expression costs as much as so many looks. */
#define EXPRESSION 1000

/* ---- specs ---- */

/* "s", "d32", "f64", "80": what follows the '/'. */
static void read_format(struct orma_str text, struct orma_uftrace_value *v)
{
    struct orma_str digits = text;
    uint64_t bits = 0;

    if (digits.len && (digits.data[0] < '0' || digits.data[0] > '9')) {
        v->format = digits.data[0];
        digits = (struct orma_str){digits.data + 1, digits.len - 1};
    }
    for (size_t i = 0; i < digits.len && digits.data[i] >= '0' && digits.data[i] <= '9'; i++)
        bits = ORMA_MIN(bits * 10 + (uint64_t)(digits.data[i] - '0'), UINT64_C(4096));
    if (bits)
        v->bytes = (uint16_t)(bits / 8);
    else if (v->format == 'c')
        v->bytes = 1;
    if (v->format == 's' || v->format == 'S')
        v->bytes = 0;
}

/* "arg1/s", "fparg1/32", "retval/p", "arg3/d32%rdi". False: its length is not known. */
static bool read_value(const struct orma_uftrace *self, struct orma_str text,
                       struct orma_uftrace_value *ret)
{
    const bool is_float = orma_str_starts(text, ORMA_STR("fparg"));
    struct orma_str name = {NULL, 0};

    *ret = (struct orma_uftrace_value){.format = is_float ? 'f' : 0,
                                       .bytes = is_float || self->wide ? 8 : 4};
    (void)orma_str_cut(&text, '%', &name); /* where it is kept is nothing to us */
    text = name;
    (void)orma_str_cut(&text, '/', &name);
    if (text.len)
        read_format(text, ret);
    if (ret->format == 'f' && ret->bytes == 10) /* long double, in 80 bits */
        return true;
    return ret->format != 't' && (ret->format != 'f' || ret->bytes == 4 || ret->bytes == 8) &&
           (ret->format == 's' || ret->format == 'S' || (ret->bytes && ret->bytes <= 8));
}

static bool is_value(struct orma_str text, bool exits)
{
    return exits
               ? orma_str_starts(text, ORMA_STR("retval"))
               : orma_str_starts(text, ORMA_STR("arg")) || orma_str_starts(text, ORMA_STR("fparg"));
}

/* "@arg1,arg2/s"; names of modules may stand among them. */
static void read_spec(const struct orma_uftrace *self, struct orma_str text, bool exits,
                      struct orma_uftrace_spec *ret)
{
    struct orma_str one;

    *ret = (struct orma_uftrace_spec){.is_known = true};
    if (text.len && text.data[0] == '@')
        text = (struct orma_str){text.data + 1, text.len - 1};
    while (text.len && orma_str_cut(&text, ',', &one)) {
        if (!is_value(one, exits))
            continue;
        if (ret->num == ORMA_UFTRACE_VALUES_MAX || !read_value(self, one, &ret->values[ret->num])) {
            ret->is_known = false;
            return;
        }
        ret->num++;
    }
    ret->is_known = ret->num > 0;
}

/* ---- rules ---- */

void orma_uftrace_read_rules(struct orma_file *file, struct orma_str text,
                             struct orma_uftrace_rules *ret)
{
    struct orma_str one;

    while (text.len && orma_str_cut(&text, ';', &one)) {
        struct orma_uftrace_rule rule = {.pattern = orma_str_trim(one)};
        const char *at = rule.pattern.len ? memchr(rule.pattern.data, '@', rule.pattern.len) : NULL;

        if (at) {
            rule.values =
                (struct orma_str){at + 1, rule.pattern.len - (size_t)(at + 1 - rule.pattern.data)};
            rule.pattern.len = (size_t)(at - rule.pattern.data);
        }
        if (rule.pattern.len && ORMA_VEC_PUSH(ret, rule))
            file->imp->model->storage->failed = true;
    }
}

/* Expressions are the file's: what takes the C library for ever, or much memory, is not tried. */
static bool matches_regex(const char *pattern, const char *name)
{
    regex_t regex;
    bool matches;

    if (!strpbrk(pattern, ".?*+-^$|()[]{}\\"))
        return !strcmp(pattern, name);
    if (strpbrk(pattern, "{\\") || regcomp(&regex, pattern, REG_NOSUB | REG_EXTENDED))
        return false;
    matches = regexec(&regex, name, 0, NULL, 0) == 0;
    regfree(&regex);
    return matches;
}

static bool matches(const struct orma_uftrace *self, struct orma_str pattern, struct orma_str name,
                    bool plain)
{
    char what[PATTERN_MAX], with[PATTERN_MAX * 4];

    if (plain || orma_str_eq_c(self->patterns, "simple"))
        return orma_str_eq(pattern, name);
    if (pattern.len >= sizeof(what) || name.len >= sizeof(with) || orma_str_has_zero(pattern))
        return orma_str_eq(pattern, name);
    memcpy(what, pattern.data, pattern.len);
    what[pattern.len] = '\0';
    memcpy(with, name.data, name.len);
    with[name.len] = '\0';
    return orma_str_eq_c(self->patterns, "glob") ? fnmatch(what, with, 0) == 0
                                                 : matches_regex(what, with);
}

/* The last rule that fits and says something of this side. */
static const struct orma_uftrace_rule *find_rule(struct orma_file *file,
                                                 const struct orma_uftrace_rules *rules,
                                                 const struct orma_uftrace_symbol *symbol,
                                                 bool plain)
{
    for (uint32_t i = rules->len; i-- > 0 && orma_uftrace_spend(file, plain ? 1 : EXPRESSION);)
        if (matches(file->state, rules->data[i].pattern, symbol->raw, plain))
            return &rules->data[i];
    return NULL;
}

static void look_up(struct orma_file *file, struct orma_uftrace_symbol *symbol, bool exits,
                    struct orma_uftrace_spec *ret)
{
    const struct orma_uftrace *self = file->state;
    const struct orma_str debug = exits ? symbol->retval_text : symbol->arg_text;
    const struct orma_uftrace_rule *own =
        find_rule(file, exits ? &self->retvals : &self->args, symbol, false);
    const struct orma_uftrace_rule *automatic =
        find_rule(file, exits ? &self->auto_retvals : &self->auto_args, symbol, true);

    *ret = (struct orma_uftrace_spec){0};
    if (own && own->values.data)
        read_spec(self, own->values, exits, ret);
    if (!ret->is_known && debug.len && (own || self->features & FEATURE_AUTO_ARGS))
        read_spec(self, debug, exits, ret);
    if (!ret->is_known && automatic)
        read_spec(self, automatic->values, exits, ret);
}

const struct orma_uftrace_spec *orma_uftrace_spec(struct orma_file *file,
                                                  struct orma_uftrace_symbol *symbol, bool exits)
{
    if (!symbol)
        return NULL;
    if (!symbol->looked_up) {
        look_up(file, symbol, false, &symbol->args);
        look_up(file, symbol, true, &symbol->retval);
        symbol->looked_up = true;
    }
    return exits ? &symbol->retval : &symbol->args;
}

/* ---- values ---- */

/* A value in the bytes, from *at on, which passes it and its padding. data NULL: it is not there.
 */
static struct orma_str next_value(const struct orma_uftrace *self,
                                  const struct orma_uftrace_value *v, struct orma_str bytes,
                                  size_t *at)
{
    size_t len = v->bytes, head = 0;

    if (!len) {
        if (bytes.len - *at < 2)
            return (struct orma_str){NULL, 0};
        len = (size_t)orma_uftrace_number(self, (const uint8_t *)bytes.data + *at, 2);
        head = 2;
    }
    if (len > bytes.len - *at - head)
        return (struct orma_str){NULL, 0};
    const struct orma_str ret = {bytes.data + *at + head, len};
    *at = ORMA_MIN((*at + head + len + 3) & ~(size_t)3, bytes.len);
    return ret;
}

size_t orma_uftrace_values_len(const struct orma_uftrace *self,
                               const struct orma_uftrace_spec *spec, struct orma_str bytes)
{
    size_t at = 0;

    if (!spec || !spec->is_known)
        return 0;
    for (unsigned i = 0; i < spec->num; i++)
        if (!next_value(self, &spec->values[i], bytes, &at).data)
            return 0;
    at = (at + 7) & ~(size_t)7;
    return at <= bytes.len ? at : 0;
}

static void put_real(struct orma_file *file, const struct orma_uftrace *self, struct orma_str bytes,
                     const struct orma_arg_key *key, struct orma_args_list *ret)
{
    const uint64_t bits =
        orma_uftrace_number(self, (const uint8_t *)bytes.data, (unsigned)ORMA_MIN(bytes.len, 8u));
    const uint32_t half = (uint32_t)bits;
    double val;
    float single;

    if (bytes.len == 10) { /* an exponent and 64 bits of which the first is always set */
        const unsigned tail =
            (unsigned)orma_uftrace_number(self, (const uint8_t *)bytes.data + 8, 2);

        val = __builtin_ldexp((double)bits, (int)(tail & 0x7fff) - 16383 - 63);
        val = tail & 0x8000 ? -val : val;
    } else if (bytes.len == 4) {
        memcpy(&single, &half, sizeof(single));
        val = single;
    } else {
        memcpy(&val, &bits, sizeof(val));
    }
    orma_arg_put_double(file->imp, key, val, ret);
}

static int64_t signed_of(uint64_t raw, size_t bytes)
{
    const unsigned unused = 64 - 8 * (unsigned)bytes;

    return bytes && bytes < 8 ? (int64_t)(raw << unused) >> unused : (int64_t)raw;
}

static void put_value(struct orma_file *file, const struct orma_uftrace_value *v,
                      struct orma_str bytes, const struct orma_arg_key *key,
                      struct orma_args_list *ret)
{
    const struct orma_uftrace *self = file->state;

    if (v->format == 's' || v->format == 'S') {
        if (orma_str_eq(bytes, ORMA_STR("\xff\xff\xff\xff"))) /* as older ones say NULL */
            bytes = ORMA_STR("NULL");
        orma_arg_put_text(file->imp, key,
                          (struct orma_str){bytes.data, strnlen(bytes.data, bytes.len)}, ret);
        return;
    }
    if (v->format == 'f') {
        put_real(file, self, bytes, key, ret);
        return;
    }
    const uint64_t raw =
        orma_uftrace_number(self, (const uint8_t *)bytes.data, (unsigned)bytes.len);
    if (v->format == 'c' && raw >= ' ' && raw < 0x7f) {
        const char letter = (char)raw;

        orma_arg_put_text(file->imp, key, (struct orma_str){&letter, 1}, ret);
    } else if (v->format == 'p' || v->format == 'x') {
        orma_arg_put(file->imp, key, ORMA_ARG_POINTER, (int64_t)raw, ret);
    } else if (v->format == 'u' || v->format == 'o') {
        orma_arg_put(file->imp, key, ORMA_ARG_UINT, (int64_t)raw, ret);
    } else {
        orma_arg_put(file->imp, key, ORMA_ARG_INT, signed_of(raw, bytes.len), ret);
    }
}

void orma_uftrace_put_values(struct orma_file *file, const struct orma_uftrace_spec *spec,
                             bool exits, struct orma_str bytes, struct orma_args_list *ret)
{
    const struct orma_uftrace *self = file->state;
    struct orma_arg_key key;
    size_t at = 0;

    for (unsigned i = 0; i < spec->num; i++) {
        const struct orma_str value = next_value(self, &spec->values[i], bytes, &at);

        if (!value.data)
            return;
        orma_arg_key_init(&key, exits ? "retval" : "args");
        if (!exits)
            orma_arg_key_push_index(&key, i);
        put_value(file, &spec->values[i], value, &key, ret);
    }
}
