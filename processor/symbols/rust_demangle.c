/*
 * A reader by recursive descent over the grammar of Rust's RFC 2603; each function reads what it is
 * called after, and writes that. Legacy names are a flat list of escaped names and a hash.
 */
#include "processor/symbols/rust_demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "sdk/base/utf8.h"

#define DEPTH_MAX 300
#define TEXT_MAX 65536

struct reader {
    struct orma_str in; /* without "_R" */
    size_t pos;
    struct orma_buf out;
    uint64_t bound; /* lifetimes that binders around here gave names to */
    int depth;
    bool silent; /* read, do not write */
    bool bad;
};

struct ident {
    struct orma_str text;
    bool punycode;
};

static void demangle_type(struct reader *r);
static bool demangle_path(struct reader *r, bool in_type, bool leave_open);
static void demangle_const(struct reader *r);

/* ---- letters, numbers, names ---- */

static char look(const struct reader *r)
{
    return !r->bad && r->pos < r->in.len ? r->in.data[r->pos] : '\0';
}

static char consume(struct reader *r)
{
    char c = look(r);

    if (c)
        r->pos++;
    else
        r->bad = true;
    return c;
}

static bool accept(struct reader *r, char c)
{
    if (look(r) != c)
        return false;
    r->pos++;
    return true;
}

static void put_bytes(struct reader *r, const char *data, size_t len)
{
    if (r->silent || r->bad)
        return;
    if (r->out.len > TEXT_MAX || len > TEXT_MAX - r->out.len)
        r->bad = true;
    else
        orma_buf_put(&r->out, data, len);
}

static void put(struct reader *r, const char *text)
{
    put_bytes(r, text, strlen(text));
}

static void put_number(struct reader *r, uint64_t number)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRIu64, number);
    put(r, text);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static uint64_t add_digit(struct reader *r, uint64_t number, uint64_t base, uint64_t digit)
{
    if (number > (UINT64_MAX - digit) / base)
        r->bad = true;
    return number * base + digit;
}

static uint64_t read_decimal(struct reader *r)
{
    uint64_t number = 0;

    if (!is_digit(look(r))) {
        r->bad = true;
        return 0;
    }
    if (accept(r, '0'))
        return 0;
    while (is_digit(look(r)))
        number = add_digit(r, number, 10, (uint64_t)(consume(r) - '0'));
    return number;
}

/* "_" is 0, "0_" is 1, ... */
static uint64_t read_base62(struct reader *r)
{
    uint64_t number = 0;

    if (accept(r, '_'))
        return 0;
    while (!r->bad && !accept(r, '_')) {
        char c = consume(r);

        if (is_digit(c))
            number = add_digit(r, number, 62, (uint64_t)(c - '0'));
        else if (c >= 'a' && c <= 'z')
            number = add_digit(r, number, 62, (uint64_t)(c - 'a' + 10));
        else if (c >= 'A' && c <= 'Z')
            number = add_digit(r, number, 62, (uint64_t)(c - 'A' + 36));
        else
            r->bad = true;
    }
    if (number == UINT64_MAX)
        r->bad = true;
    return r->bad ? 0 : number + 1;
}

/* 0 where there is none: so "s_" is 1. */
static uint64_t read_tagged(struct reader *r, char tag)
{
    uint64_t number;

    if (!accept(r, tag))
        return 0;
    number = read_base62(r);
    if (number == UINT64_MAX)
        r->bad = true;
    return r->bad ? 0 : number + 1;
}

static struct ident read_ident(struct reader *r)
{
    struct ident id = {.punycode = accept(r, 'u')};
    uint64_t len = read_decimal(r);

    (void)accept(r, '_'); /* it keeps digits apart */
    if (r->bad || len > r->in.len - r->pos) {
        r->bad = true;
        return (struct ident){0};
    }
    id.text = (struct orma_str){r->in.data + r->pos, len};
    r->pos += len;
    for (size_t i = 0; i < len; i++) {
        char c = id.text.data[i];

        if (!is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '_')
            r->bad = true;
    }
    return id;
}

/* ---- punycode (RFC 3492, with '_' for '-') ---- */

static uint32_t adapt(uint32_t delta, uint32_t num, bool first)
{
    uint32_t k = 0;

    delta /= first ? 700 : 2;
    delta += delta / num;
    for (; delta > 455; k += 36)
        delta /= 35;
    return k + 36 * delta / (delta + 38);
}

/* One number of the extended part; UINT32_MAX: malformed. */
static uint32_t read_delta(struct orma_str s, size_t *pos, uint32_t bias)
{
    uint64_t delta = 0, weight = 1;

    for (uint32_t k = 36;; k += 36) {
        uint32_t t = k <= bias ? 1 : ORMA_MIN(k - bias, 26u), digit;

        if (*pos == s.len)
            return UINT32_MAX;
        char c = s.data[(*pos)++];
        if (c >= 'a' && c <= 'z')
            digit = (uint32_t)(c - 'a');
        else if (is_digit(c))
            digit = (uint32_t)(c - '0') + 26;
        else
            return UINT32_MAX;
        delta += digit * weight;
        if (digit < t)
            return delta < UINT32_MAX ? (uint32_t)delta : UINT32_MAX;
        weight *= 36 - t;
        if (delta >= UINT32_MAX || weight >= UINT32_MAX)
            return UINT32_MAX;
    }
}

#define IDENT_MAX 512

/* The code points of `s`; how many, or 0: malformed. */
static uint32_t decode_punycode(struct orma_str s, uint32_t *ret)
{
    uint32_t num = 0, code = 128, bias = 72, at = 0;
    size_t pos = 0;

    for (size_t i = s.len; i-- > 0;) {
        if (s.data[i] != '_')
            continue;
        for (pos = 0; pos < i && num < IDENT_MAX; pos++)
            ret[num++] = (unsigned char)s.data[pos];
        pos = i + 1;
        break;
    }
    for (bool first = true; pos < s.len; first = false) {
        uint32_t delta = read_delta(s, &pos, bias);

        if (delta == UINT32_MAX || num >= IDENT_MAX || delta > UINT32_MAX - at)
            return 0;
        at += delta;
        bias = adapt(delta, ++num, first);
        code += at / num;
        at %= num;
        if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
            return 0;
        memmove(ret + at + 1, ret + at, (num - 1 - at) * sizeof(*ret));
        ret[at++] = code;
    }
    return num;
}

static void put_ident(struct reader *r, struct ident id)
{
    uint32_t codes[IDENT_MAX + 1], num;

    if (!id.punycode) {
        put_bytes(r, id.text.data, id.text.len);
        return;
    }
    num = decode_punycode(id.text, codes);
    r->bad |= !num;
    for (uint32_t i = 0; i < num; i++) {
        uint8_t utf8[ORMA_UTF8_MAX];

        put_bytes(r, (const char *)utf8, orma_utf8_encode(codes[i], utf8));
    }
}

/* ---- lifetimes, constants ---- */

static void put_lifetime(struct reader *r, uint64_t index)
{
    uint64_t depth = r->bound - index;
    char name[] = {'\'', (char)('a' + (depth < 26 ? depth : 25)), '\0'};

    if (!index) {
        put(r, "'_");
        return;
    }
    if (index > r->bound) {
        r->bad = true;
        return;
    }
    put(r, name);
    if (depth >= 26)
        put_number(r, depth - 25);
}

/* "G" and a number: for<'a, 'b> */
static void read_binder(struct reader *r)
{
    uint64_t num = read_tagged(r, 'G');

    if (r->bad || !num)
        return;
    if (num >= r->in.len - ORMA_MIN(r->bound, r->in.len)) { /* each needs a byte that names it */
        r->bad = true;
        return;
    }
    put(r, "for<");
    for (uint64_t i = 0; i < num; i++) {
        r->bound++;
        put(r, i ? ", " : "");
        put_lifetime(r, 1);
    }
    put(r, "> ");
}

/* Digits up to "_". */
static struct orma_str read_hex(struct reader *r, uint64_t *ret)
{
    size_t begin = r->pos;

    *ret = 0;
    if (accept(r, '0')) {
        r->bad |= !accept(r, '_');
        return (struct orma_str){r->in.data + begin, 1};
    }
    while (!r->bad && !accept(r, '_')) {
        char c = consume(r);

        if (is_digit(c))
            *ret = *ret << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            *ret = *ret << 4 | (uint64_t)(c - 'a' + 10);
        else
            r->bad = true;
    }
    if (r->bad || r->pos - begin < 2) {
        r->bad = true;
        return (struct orma_str){"", 0};
    }
    return (struct orma_str){r->in.data + begin, r->pos - begin - 1};
}

static void const_integer(struct reader *r)
{
    uint64_t value;

    if (accept(r, 'n'))
        put(r, "-");
    struct orma_str digits = read_hex(r, &value);
    if (digits.len <= 16) {
        put_number(r, value);
    } else {
        put(r, "0x");
        put_bytes(r, digits.data, digits.len);
    }
}

static void const_bool(struct reader *r)
{
    uint64_t value;

    (void)read_hex(r, &value);
    r->bad |= value > 1;
    put(r, value ? "true" : "false");
}

static void const_char(struct reader *r)
{
    uint64_t value;
    char text[24];

    (void)read_hex(r, &value);
    if (value > 0x10ffff)
        r->bad = true;
    else if (value == '\t' || value == '\r' || value == '\n' || value == '\'' || value == '\\')
        snprintf(text, sizeof(text), "'\\%c'",
                 value == '\t'   ? 't'
                 : value == '\r' ? 'r'
                 : value == '\n' ? 'n'
                                 : (char)value);
    else if (value >= 0x20 && value < 0x7f)
        snprintf(text, sizeof(text), "'%c'", (char)value);
    else
        snprintf(text, sizeof(text), "'\\u{%" PRIx64 "}'", value);
    if (!r->bad)
        put(r, text);
}

/* ---- what refers to something before ---- */

static bool enter(struct reader *r)
{
    if (r->bad || r->depth >= DEPTH_MAX)
        r->bad = true;
    else
        r->depth++;
    return !r->bad;
}

/* Behind "B". True: `pos` is now where it points to, *ret_back where to go on. */
static bool follow(struct reader *r, size_t *ret_back)
{
    size_t self = r->pos - 1;
    uint64_t at = read_base62(r);

    if (r->bad || at >= self) {
        r->bad = true;
        return false;
    }
    if (r->silent) /* it was read before */
        return false;
    *ret_back = r->pos;
    r->pos = at;
    return true;
}

static void demangle_const(struct reader *r)
{
    size_t back;

    if (!enter(r))
        return;
    switch (consume(r)) {
    case 'a': /* integers, from i8 to usize */
    case 's':
    case 'l':
    case 'x':
    case 'n':
    case 'i':
    case 'h':
    case 't':
    case 'm':
    case 'y':
    case 'o':
    case 'j':
        const_integer(r);
        break;
    case 'b':
        const_bool(r);
        break;
    case 'c':
        const_char(r);
        break;
    case 'p':
        put(r, "_");
        break;
    case 'B':
        if (follow(r, &back)) {
            demangle_const(r);
            r->pos = back;
        }
        break;
    default:
        r->bad = true;
    }
    r->depth--;
}

/* ---- types ---- */

static const char *basic_type(char c)
{
    static const char *const names['z' - 'a' + 1] = {
        "i8",    "bool", "char", "f64", "str",  "f32",  NULL,  "u8", "isize",
        "usize", NULL,   "i32",  "u32", "i128", "u128", "_",   NULL, NULL,
        "i16",   "u16",  "()",   "...", NULL,   "i64",  "u64", "!",
    };

    return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

/* Types up to "E", commas between them; how many. */
static unsigned type_list(struct reader *r)
{
    unsigned num = 0;

    for (; !r->bad && !accept(r, 'E'); num++) {
        put(r, num ? ", " : "");
        demangle_type(r);
    }
    return num;
}

static void function_type(struct reader *r)
{
    uint64_t bound = r->bound;

    read_binder(r);
    if (accept(r, 'U'))
        put(r, "unsafe ");
    if (accept(r, 'K')) {
        put(r, "extern \"");
        if (accept(r, 'C')) {
            put(r, "C");
        } else {
            struct ident abi = read_ident(r);

            r->bad |= abi.punycode;
            for (size_t i = 0; i < abi.text.len; i++)
                put_bytes(r, abi.text.data[i] == '_' ? "-" : abi.text.data + i, 1);
        }
        put(r, "\" ");
    }
    put(r, "fn(");
    (void)type_list(r);
    put(r, ")");
    if (!accept(r, 'u')) { /* nothing is returned */
        put(r, " -> ");
        demangle_type(r);
    }
    r->bound = bound;
}

/* A path, and what its associated types are: Iterator<Item = u8> */
static void dyn_trait(struct reader *r)
{
    bool open = demangle_path(r, true, true);

    while (!r->bad && accept(r, 'p')) {
        put(r, open ? ", " : "<");
        open = true;
        put_ident(r, read_ident(r));
        put(r, " = ");
        demangle_type(r);
    }
    if (open)
        put(r, ">");
}

static void dyn_type(struct reader *r)
{
    uint64_t bound = r->bound, lifetime;

    put(r, "dyn ");
    read_binder(r);
    for (unsigned i = 0; !r->bad && !accept(r, 'E'); i++) {
        put(r, i ? " + " : "");
        dyn_trait(r);
    }
    r->bound = bound;
    if (!accept(r, 'L'))
        r->bad = true;
    lifetime = read_base62(r);
    if (lifetime) {
        put(r, " + ");
        put_lifetime(r, lifetime);
    }
}

static void reference_type(struct reader *r, bool mut)
{
    uint64_t lifetime = accept(r, 'L') ? read_base62(r) : 0;

    put(r, "&");
    if (lifetime) {
        put_lifetime(r, lifetime);
        put(r, " ");
    }
    put(r, mut ? "mut " : "");
    demangle_type(r);
}

static void array_type(struct reader *r, bool sized)
{
    put(r, "[");
    demangle_type(r);
    if (sized) {
        put(r, "; ");
        demangle_const(r);
    }
    put(r, "]");
}

static void tuple_type(struct reader *r)
{
    put(r, "(");
    if (type_list(r) == 1)
        put(r, ",");
    put(r, ")");
}

static void compound_type(struct reader *r, char c)
{
    size_t back;

    switch (c) {
    case 'A':
    case 'S':
        array_type(r, c == 'A');
        break;
    case 'T':
        tuple_type(r);
        break;
    case 'R':
    case 'Q':
        reference_type(r, c == 'Q');
        break;
    case 'P':
    case 'O':
        put(r, c == 'P' ? "*const " : "*mut ");
        demangle_type(r);
        break;
    case 'F':
        function_type(r);
        break;
    case 'D':
        dyn_type(r);
        break;
    case 'B':
        if (follow(r, &back)) {
            demangle_type(r);
            r->pos = back;
        }
        break;
    default:
        r->pos--;
        (void)demangle_path(r, true, false);
    }
}

static void demangle_type(struct reader *r)
{
    if (!enter(r))
        return;
    char c = consume(r);

    if (basic_type(c))
        put(r, basic_type(c));
    else if (!r->bad)
        compound_type(r, c);
    r->depth--;
}

/* ---- paths ---- */

/* Where an impl block stands: nobody writes that. */
static void skip_impl_path(struct reader *r, bool in_type)
{
    bool silent = r->silent;

    r->silent = true;
    (void)read_tagged(r, 's');
    (void)demangle_path(r, in_type, false);
    r->silent = silent;
}

static void impl_path(struct reader *r, char kind, bool in_type)
{
    if (kind != 'Y')
        skip_impl_path(r, in_type);
    put(r, "<");
    demangle_type(r);
    if (kind != 'M') {
        put(r, " as ");
        (void)demangle_path(r, true, false);
    }
    put(r, ">");
}

/* A name in a path; capitals are what the compiler made: closures, shims. */
static void nested_path(struct reader *r, bool in_type)
{
    char space = consume(r);

    if (!(space >= 'a' && space <= 'z') && !(space >= 'A' && space <= 'Z')) {
        r->bad = true;
        return;
    }
    (void)demangle_path(r, in_type, false);
    uint64_t number = read_tagged(r, 's');
    struct ident id = read_ident(r);

    if (space >= 'a') {
        put(r, id.text.len ? "::" : "");
        put_ident(r, id);
        return;
    }
    put(r, "::{");
    if (space == 'C')
        put(r, "closure");
    else if (space == 'S')
        put(r, "shim");
    else
        put_bytes(r, &space, 1);
    put(r, id.text.len ? ":" : "");
    put_ident(r, id);
    put(r, "#");
    put_number(r, number);
    put(r, "}");
}

static void generic_args(struct reader *r)
{
    for (unsigned i = 0; !r->bad && !accept(r, 'E'); i++) {
        put(r, i ? ", " : "");
        if (accept(r, 'L'))
            put_lifetime(r, read_base62(r));
        else if (accept(r, 'K'))
            demangle_const(r);
        else
            demangle_type(r);
    }
}

/* True: the list of generic arguments was left open, as wished. */
static bool demangle_path(struct reader *r, bool in_type, bool leave_open)
{
    bool open = false;
    size_t back;
    char c;

    if (!enter(r))
        return false;
    switch (c = consume(r)) {
    case 'C':
        (void)read_tagged(r, 's');
        put_ident(r, read_ident(r));
        break;
    case 'M':
    case 'X':
    case 'Y':
        impl_path(r, c, in_type);
        break;
    case 'N':
        nested_path(r, in_type);
        break;
    case 'I':
        (void)demangle_path(r, in_type, false);
        put(r, in_type ? "<" : "::<");
        generic_args(r);
        open = leave_open;
        put(r, open ? "" : ">");
        break;
    case 'B':
        if (follow(r, &back)) {
            open = demangle_path(r, in_type, leave_open);
            r->pos = back;
        }
        break;
    default:
        r->bad = true;
    }
    r->depth--;
    return open;
}

/* ---- legacy names: _ZN, {length, name}, "17h" and 16 digits, E ---- */

#define HASH_LEN 17u
#define HASH_DIGITS_MIN 5u /* that differ: functions of C++ are rarely called like that */

static bool is_hash(struct orma_str text)
{
    unsigned seen = 0;

    if (text.len != HASH_LEN || *text.data != 'h')
        return false;
    for (size_t i = 1; i < text.len; i++) {
        const char *digit = memchr("0123456789abcdef", text.data[i], 16);

        if (!digit)
            return false;
        seen |= 1u << (*digit <= '9' ? *digit - '0' : *digit - 'a' + 10);
    }
    return __builtin_popcount(seen) >= (int)HASH_DIGITS_MIN;
}

static void put_code_point(struct reader *r, struct orma_str hex)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf digits = {0};
    uint8_t utf8[ORMA_UTF8_MAX];
    unsigned code = 0;

    orma_buf_put(&digits, hex.data, hex.len);
    r->bad |=
        !hex.len || hex.len > 6 || strspn(orma_buf_cstr(&digits), "0123456789abcdef") != hex.len;
    if (r->bad)
        return;
    sscanf(orma_buf_cstr(&digits), "%x", &code);
    r->bad |= code < ' ' || code > 0x10ffff || (code >= 0xd800 && code < 0xe000);
    if (!r->bad)
        put_bytes(r, (const char *)utf8, orma_utf8_encode(code, utf8));
}

/* What stands between two '$'. */
static void put_escape(struct reader *r, struct orma_str name)
{
    static const char *const texts[][2] = {{"SP", "@"}, {"BP", "*"}, {"RF", "&"}, {"LT", "<"},
                                           {"GT", ">"}, {"LP", "("}, {"RP", ")"}, {"C", ","}};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(texts); i++) {
        if (orma_str_eq_c(name, texts[i][0])) {
            put(r, texts[i][1]);
            return;
        }
    }
    r->bad |= !name.len || *name.data != 'u';
    if (!r->bad)
        put_code_point(r, (struct orma_str){name.data + 1, name.len - 1});
}

static void put_legacy(struct reader *r, struct orma_str name)
{
    size_t i =
        name.len > 1 && name.data[0] == '_' && name.data[1] == '$'; /* not a letter's place */

    while (i < name.len && !r->bad) {
        const char *at = name.data + i;
        const char *end = *at == '$' ? memchr(at + 1, '$', name.len - i - 1) : NULL;

        if (end) {
            put_escape(r, (struct orma_str){at + 1, (size_t)(end - at) - 1});
            i += (size_t)(end - at) + 1;
        } else if (*at == '.' && i + 1 < name.len && at[1] == '.') {
            put(r, "::");
            i += 2;
        } else {
            put_bytes(r, at, 1);
            i++;
        }
    }
}

static void legacy_path(struct reader *r)
{
    struct orma_str before = {0}, part;

    for (unsigned i = 0; !r->bad && !accept(r, 'E'); i++) {
        uint64_t len = read_decimal(r);

        r->bad |= !len || len > r->in.len - r->pos;
        if (r->bad)
            return;
        part = (struct orma_str){r->in.data + r->pos, (size_t)len};
        r->pos += (size_t)len;
        put(r, i > 1 ? "::" : "");
        if (i)
            put_legacy(r, before);
        before = part;
    }
    r->bad |= !r->out.len || !is_hash(before); /* the last one: it is not written */
}

char *orma_rust_demangle(const char *name)
{
    bool legacy = name && !strncmp(name, "_ZN", 3);
    struct reader r = {0};
    char *text = NULL;
    size_t len;

    if (!name || (strncmp(name, "_R", 2) && !legacy))
        return NULL;
    name += legacy ? 3 : 2;
    len = legacy ? strlen(name) : strcspn(name, "."); /* a compiler's suffix */
    r.in = (struct orma_str){name, len};
    if (legacy) {
        legacy_path(&r);
        len = r.pos;
        r.bad |= name[len] && name[len] != '.';
    } else {
        (void)demangle_path(&r, false, false);
    }
    if (!legacy && !r.bad && r.pos < r.in.len) { /* the crate that needed it */
        r.silent = true;
        (void)demangle_path(&r, false, false);
        r.silent = false;
    }
    r.bad |= !legacy && r.pos != r.in.len;
    if (name[len])
        orma_buf_printf(&r.out, " (%s)", name + len);
    if (!r.bad && !r.out.failed)
        text = orma_str_dup(orma_buf_str(&r.out));
    orma_buf_fini(&r.out);
    return text;
}
