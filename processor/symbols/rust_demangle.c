/*
 * A reader by recursive descent over the grammar of Rust's RFC 2603; each function reads what it is
 * called after, and writes that. Legacy names are a flat list of escaped names and a hash.
 */
#include "processor/symbols/rust_demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "processor/symbols/rust_reader.h"
#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "sdk/base/utf8.h"

#define DEPTH_MAX 300

static void demangle_type(struct orma_rust_reader *r);

static bool demangle_path(struct orma_rust_reader *r, bool in_type, bool leave_open);

static void demangle_const(struct orma_rust_reader *r);

/* ---- lifetimes, constants ---- */

static void put_lifetime(struct orma_rust_reader *r, uint64_t index)
{
    uint64_t depth = r->bound - index;
    char name[] = {'\'', (char)('a' + (depth < 26 ? depth : 25)), '\0'};

    if (!index) {
        orma_rust_put(r, "'_");
        return;
    }
    if (index > r->bound) {
        r->bad = true;
        return;
    }
    orma_rust_put(r, name);
    if (depth >= 26)
        orma_rust_put_number(r, depth - 25);
}

/* "G" and a number: for<'a, 'b> */
static void read_binder(struct orma_rust_reader *r)
{
    uint64_t num = orma_rust_read_tagged(r, 'G');

    if (r->bad || !num)
        return;
    if (num >= r->in.len - ORMA_MIN(r->bound, r->in.len)) { /* each needs a byte that names it */
        r->bad = true;
        return;
    }
    orma_rust_put(r, "for<");
    for (uint64_t i = 0; i < num; i++) {
        r->bound++;
        orma_rust_put(r, i ? ", " : "");
        put_lifetime(r, 1);
    }
    orma_rust_put(r, "> ");
}

/* Digits up to "_". */
static struct orma_str read_hex(struct orma_rust_reader *r, uint64_t *ret)
{
    size_t begin = r->pos;

    *ret = 0;
    if (orma_rust_accept(r, '0')) {
        r->bad |= !orma_rust_accept(r, '_');
        return (struct orma_str){r->in.data + begin, 1};
    }
    while (!r->bad && !orma_rust_accept(r, '_')) {
        char c = orma_rust_consume(r);

        if (orma_rust_is_digit(c))
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

static void const_integer(struct orma_rust_reader *r)
{
    uint64_t value;

    if (orma_rust_accept(r, 'n'))
        orma_rust_put(r, "-");
    struct orma_str digits = read_hex(r, &value);
    if (digits.len <= 16) {
        orma_rust_put_number(r, value);
    } else {
        orma_rust_put(r, "0x");
        orma_rust_put_bytes(r, digits.data, digits.len);
    }
}

static void const_bool(struct orma_rust_reader *r)
{
    uint64_t value;

    (void)read_hex(r, &value);
    r->bad |= value > 1;
    orma_rust_put(r, value ? "true" : "false");
}

static void const_char(struct orma_rust_reader *r)
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
        orma_rust_put(r, text);
}

/* ---- what refers to something before ---- */

static bool enter(struct orma_rust_reader *r)
{
    if (r->bad || r->depth >= DEPTH_MAX)
        r->bad = true;
    else
        r->depth++;
    return !r->bad;
}

/* Behind "B". True: `pos` is now where it points to, *ret_back where to go on. */
static bool follow(struct orma_rust_reader *r, size_t *ret_back)
{
    size_t self = r->pos - 1;
    uint64_t at = orma_rust_read_base62(r);

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

static void demangle_const(struct orma_rust_reader *r)
{
    size_t back;

    if (!enter(r))
        return;
    switch (orma_rust_consume(r)) {
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
        orma_rust_put(r, "_");
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
static unsigned type_list(struct orma_rust_reader *r)
{
    unsigned num = 0;

    for (; !r->bad && !orma_rust_accept(r, 'E'); num++) {
        orma_rust_put(r, num ? ", " : "");
        demangle_type(r);
    }
    return num;
}

static void function_type(struct orma_rust_reader *r)
{
    uint64_t bound = r->bound;

    read_binder(r);
    if (orma_rust_accept(r, 'U'))
        orma_rust_put(r, "unsafe ");
    if (orma_rust_accept(r, 'K')) {
        orma_rust_put(r, "extern \"");
        if (orma_rust_accept(r, 'C')) {
            orma_rust_put(r, "C");
        } else {
            struct orma_rust_ident abi = orma_rust_read_ident(r);

            r->bad |= abi.punycode;
            for (size_t i = 0; i < abi.text.len; i++)
                orma_rust_put_bytes(r, abi.text.data[i] == '_' ? "-" : abi.text.data + i, 1);
        }
        orma_rust_put(r, "\" ");
    }
    orma_rust_put(r, "fn(");
    (void)type_list(r);
    orma_rust_put(r, ")");
    if (!orma_rust_accept(r, 'u')) { /* nothing is returned */
        orma_rust_put(r, " -> ");
        demangle_type(r);
    }
    r->bound = bound;
}

/* A path, and what its associated types are: Iterator<Item = u8> */
static void dyn_trait(struct orma_rust_reader *r)
{
    bool open = demangle_path(r, true, true);

    while (!r->bad && orma_rust_accept(r, 'p')) {
        orma_rust_put(r, open ? ", " : "<");
        open = true;
        orma_rust_put_ident(r, orma_rust_read_ident(r));
        orma_rust_put(r, " = ");
        demangle_type(r);
    }
    if (open)
        orma_rust_put(r, ">");
}

static void dyn_type(struct orma_rust_reader *r)
{
    uint64_t bound = r->bound, lifetime;

    orma_rust_put(r, "dyn ");
    read_binder(r);
    for (unsigned i = 0; !r->bad && !orma_rust_accept(r, 'E'); i++) {
        orma_rust_put(r, i ? " + " : "");
        dyn_trait(r);
    }
    r->bound = bound;
    if (!orma_rust_accept(r, 'L'))
        r->bad = true;
    lifetime = orma_rust_read_base62(r);
    if (lifetime) {
        orma_rust_put(r, " + ");
        put_lifetime(r, lifetime);
    }
}

static void reference_type(struct orma_rust_reader *r, bool mut)
{
    uint64_t lifetime = orma_rust_accept(r, 'L') ? orma_rust_read_base62(r) : 0;

    orma_rust_put(r, "&");
    if (lifetime) {
        put_lifetime(r, lifetime);
        orma_rust_put(r, " ");
    }
    orma_rust_put(r, mut ? "mut " : "");
    demangle_type(r);
}

static void array_type(struct orma_rust_reader *r, bool sized)
{
    orma_rust_put(r, "[");
    demangle_type(r);
    if (sized) {
        orma_rust_put(r, "; ");
        demangle_const(r);
    }
    orma_rust_put(r, "]");
}

static void tuple_type(struct orma_rust_reader *r)
{
    orma_rust_put(r, "(");
    if (type_list(r) == 1)
        orma_rust_put(r, ",");
    orma_rust_put(r, ")");
}

static void compound_type(struct orma_rust_reader *r, char c)
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
        orma_rust_put(r, c == 'P' ? "*const " : "*mut ");
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

static void demangle_type(struct orma_rust_reader *r)
{
    if (!enter(r))
        return;
    char c = orma_rust_consume(r);

    if (basic_type(c))
        orma_rust_put(r, basic_type(c));
    else if (!r->bad)
        compound_type(r, c);
    r->depth--;
}

/* ---- paths ---- */

/* Where an impl block stands: nobody writes that. */
static void skip_impl_path(struct orma_rust_reader *r, bool in_type)
{
    bool silent = r->silent;

    r->silent = true;
    (void)orma_rust_read_tagged(r, 's');
    (void)demangle_path(r, in_type, false);
    r->silent = silent;
}

static void impl_path(struct orma_rust_reader *r, char kind, bool in_type)
{
    if (kind != 'Y')
        skip_impl_path(r, in_type);
    orma_rust_put(r, "<");
    demangle_type(r);
    if (kind != 'M') {
        orma_rust_put(r, " as ");
        (void)demangle_path(r, true, false);
    }
    orma_rust_put(r, ">");
}

/* A name in a path; capitals are what the compiler made: closures, shims. */
static void nested_path(struct orma_rust_reader *r, bool in_type)
{
    char space = orma_rust_consume(r);

    if (!(space >= 'a' && space <= 'z') && !(space >= 'A' && space <= 'Z')) {
        r->bad = true;
        return;
    }
    (void)demangle_path(r, in_type, false);
    uint64_t number = orma_rust_read_tagged(r, 's');
    struct orma_rust_ident id = orma_rust_read_ident(r);

    if (space >= 'a') {
        orma_rust_put(r, id.text.len ? "::" : "");
        orma_rust_put_ident(r, id);
        return;
    }
    orma_rust_put(r, "::{");
    if (space == 'C')
        orma_rust_put(r, "closure");
    else if (space == 'S')
        orma_rust_put(r, "shim");
    else
        orma_rust_put_bytes(r, &space, 1);
    orma_rust_put(r, id.text.len ? ":" : "");
    orma_rust_put_ident(r, id);
    orma_rust_put(r, "#");
    orma_rust_put_number(r, number);
    orma_rust_put(r, "}");
}

static void generic_args(struct orma_rust_reader *r)
{
    for (unsigned i = 0; !r->bad && !orma_rust_accept(r, 'E'); i++) {
        orma_rust_put(r, i ? ", " : "");
        if (orma_rust_accept(r, 'L'))
            put_lifetime(r, orma_rust_read_base62(r));
        else if (orma_rust_accept(r, 'K'))
            demangle_const(r);
        else
            demangle_type(r);
    }
}

/* True: the list of generic arguments was left open, as wished. */
static bool demangle_path(struct orma_rust_reader *r, bool in_type, bool leave_open)
{
    bool open = false;
    size_t back;
    char c;

    if (!enter(r))
        return false;
    switch (c = orma_rust_consume(r)) {
    case 'C':
        (void)orma_rust_read_tagged(r, 's');
        orma_rust_put_ident(r, orma_rust_read_ident(r));
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
        orma_rust_put(r, in_type ? "<" : "::<");
        generic_args(r);
        open = leave_open;
        orma_rust_put(r, open ? "" : ">");
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

static void put_code_point(struct orma_rust_reader *r, struct orma_str hex)
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
        orma_rust_put_bytes(r, (const char *)utf8, orma_utf8_encode(code, utf8));
}

/* What stands between two '$'. */
static void put_escape(struct orma_rust_reader *r, struct orma_str name)
{
    static const char *const texts[][2] = {{"SP", "@"}, {"BP", "*"}, {"RF", "&"}, {"LT", "<"},
                                           {"GT", ">"}, {"LP", "("}, {"RP", ")"}, {"C", ","}};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(texts); i++) {
        if (orma_str_eq_c(name, texts[i][0])) {
            orma_rust_put(r, texts[i][1]);
            return;
        }
    }
    r->bad |= !name.len || *name.data != 'u';
    if (!r->bad)
        put_code_point(r, (struct orma_str){name.data + 1, name.len - 1});
}

static void put_legacy(struct orma_rust_reader *r, struct orma_str name)
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
            orma_rust_put(r, "::");
            i += 2;
        } else {
            orma_rust_put_bytes(r, at, 1);
            i++;
        }
    }
}

static void legacy_path(struct orma_rust_reader *r)
{
    struct orma_str before = {0}, part;

    for (unsigned i = 0; !r->bad && !orma_rust_accept(r, 'E'); i++) {
        uint64_t len = orma_rust_read_decimal(r);

        r->bad |= !len || len > r->in.len - r->pos;
        if (r->bad)
            return;
        part = (struct orma_str){r->in.data + r->pos, (size_t)len};
        r->pos += (size_t)len;
        orma_rust_put(r, i > 1 ? "::" : "");
        if (i)
            put_legacy(r, before);
        before = part;
    }
    r->bad |= !r->out.len || !is_hash(before); /* the last one: it is not written */
}

char *orma_rust_demangle(const char *name)
{
    bool legacy = name && !strncmp(name, "_ZN", 3);
    struct orma_rust_reader r = {0};
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
