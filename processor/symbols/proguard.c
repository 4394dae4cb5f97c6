/*
 * The file is read line by line: a line that is not indented begins a class, an indented one
 * is a member of it. Members are gathered until the class ends and sorted by name, so that
 * several methods with one short name lie together. Classes are gathered into packets of about
 * PACKET_BYTES.
 */
#include "processor/symbols/proguard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "sdk/wire/pb_writer.h"

/* Packets larger than this are not begun: readers hold one in memory. */
#define PACKET_BYTES ((size_t)256 << 10)

/* A member of a class; `cls` is the class that the source has it in. */
struct member {
    struct orma_str obfuscated, cls, name;
    bool method;
};

struct mapping {
    struct orma_str package;
    struct orma_buf *out;
    struct orma_str obfuscated, real; /* of the class that is read; empty: none yet */
    struct orma_buf members;          /* struct member, of that class */
    struct orma_buf classes;          /* encoded, for the next packet */
};

/* ---- writing ---- */

static void put_packet(struct mapping *m)
{
    if (!m->classes.len)
        return;
    size_t packet = orma_pb_begin(m->out, ORMA_PB_TRACE_PACKET);
    size_t map = orma_pb_begin(m->out, ORMA_PB_TRACE_PACKET_DEOBFUSCATION_MAPPING);

    if (m->package.len)
        orma_pb_put_str(m->out, ORMA_PB_DEOBFUSCATION_MAPPING_PACKAGE_NAME, m->package);
    orma_buf_put(m->out, m->classes.data, m->classes.len);
    orma_pb_end(m->out, map);
    orma_pb_end(m->out, packet);
    m->out->failed |= m->classes.failed;
    orma_buf_clear(&m->classes);
}

static int compare(struct orma_str a, struct orma_str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int c = len ? memcmp(a.data, b.data, len) : 0;

    return c ? c : (a.len > b.len) - (a.len < b.len);
}

static int by_names(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int c = (int)x->method - (int)y->method;

    if (!c)
        c = compare(x->obfuscated, y->obfuscated);
    if (!c)
        c = compare(x->cls, y->cls);
    return c ? c : compare(x->name, y->name);
}

/* The members with one short name, [from, to): what they are called together. */
static void put_real(const struct member *list, size_t from, size_t to, struct orma_buf *text)
{
    for (size_t i = from; i < to;) {
        size_t end = i + 1;
        bool several = false;

        for (; end < to && orma_str_eq(list[end].cls, list[i].cls); end++)
            several |= !orma_str_eq(list[end].name, list[i].name);
        if (i > from)
            orma_buf_put_str(text, " | ");
        orma_buf_put(text, list[i].cls.data, list[i].cls.len);
        orma_buf_put_byte(text, '.');
        if (several)
            orma_buf_put_str(text, "[ambiguous]");
        else
            orma_buf_put(text, list[i].name.data, list[i].name.len);
        i = end;
    }
}

static void put_members(struct mapping *m, struct orma_buf *out)
{
    const struct member *list = (const struct member *)(void *)m->members.data;
    size_t num = m->members.len / sizeof(*list), end;
    struct orma_buf text = {0};

    for (size_t i = 0; i < num; i = end) {
        for (end = i + 1; end < num && list[end].method == list[i].method &&
                          orma_str_eq(list[end].obfuscated, list[i].obfuscated);)
            end++;
        size_t at =
            orma_pb_begin(out, list[i].method ? ORMA_PB_OBFUSCATED_CLASS_OBFUSCATED_METHODS
                                              : ORMA_PB_OBFUSCATED_CLASS_OBFUSCATED_MEMBERS);
        orma_pb_put_str(out, ORMA_PB_OBFUSCATED_MEMBER_OBFUSCATED_NAME, list[i].obfuscated);
        orma_buf_clear(&text);
        put_real(list, i, end, &text);
        orma_pb_put_str(out, ORMA_PB_OBFUSCATED_MEMBER_DEOBFUSCATED_NAME, orma_buf_str(&text));
        orma_pb_end(out, at);
    }
    out->failed |= text.failed;
    orma_buf_fini(&text);
}

static void end_class(struct mapping *m)
{
    if (!m->obfuscated.len)
        return;
    if (m->members.len)
        qsort(m->members.data, m->members.len / sizeof(struct member), sizeof(struct member),
              by_names);
    size_t at = orma_pb_begin(&m->classes, ORMA_PB_DEOBFUSCATION_MAPPING_OBFUSCATED_CLASSES);
    orma_pb_put_str(&m->classes, ORMA_PB_OBFUSCATED_CLASS_OBFUSCATED_NAME, m->obfuscated);
    orma_pb_put_str(&m->classes, ORMA_PB_OBFUSCATED_CLASS_DEOBFUSCATED_NAME, m->real);
    put_members(m, &m->classes);
    orma_pb_end(&m->classes, at);
    m->classes.failed |= m->members.failed;
    orma_buf_clear(&m->members);
    m->obfuscated = (struct orma_str){0};
    if (m->classes.len >= PACKET_BYTES)
        put_packet(m);
}

/* ---- reading ---- */

/* "LEFT -> RIGHT" */
static bool cut_arrow(struct orma_str line, struct orma_str *ret_left, struct orma_str *ret_right)
{
    const char *arrow = orma_str_find(line, ORMA_STR("->"));

    if (!arrow)
        return false;
    size_t left = (size_t)(arrow - line.data);
    *ret_left = orma_str_trim((struct orma_str){line.data, left});
    *ret_right = orma_str_trim((struct orma_str){arrow + 2, line.len - left - 2});
    return ret_left->len && ret_right->len;
}

static bool read_class(struct mapping *m, struct orma_str line)
{
    struct orma_str real, obfuscated;

    if (!cut_arrow(line, &real, &obfuscated) || obfuscated.data[obfuscated.len - 1] != ':')
        return false;
    obfuscated.len--;
    end_class(m);
    m->real = real;
    m->obfuscated = obfuscated;
    return obfuscated.len > 0;
}

/* "[12:15:]TYPE [CLASS.]NAME[(ARGUMENTS)[:40:43]] -> SHORT" */
static bool read_member(struct mapping *m, struct orma_str line)
{
    struct orma_str left, obfuscated, type;
    struct member found = {.cls = m->real};

    if (!m->obfuscated.len || !cut_arrow(line, &left, &obfuscated) ||
        !orma_str_cut(&left, ' ', &type))
        return false;
    left = orma_str_trim(left);
    const char *open = left.len ? memchr(left.data, '(', left.len) : NULL;
    found.method = open;
    found.obfuscated = obfuscated;
    found.name = (struct orma_str){left.data, open ? (size_t)(open - left.data) : left.len};
    for (size_t i = found.name.len; i--;) {
        if (found.name.data[i] != '.')
            continue;
        found.cls = (struct orma_str){found.name.data, i};
        found.name = (struct orma_str){found.name.data + i + 1, found.name.len - i - 1};
        break;
    }
    orma_buf_put(&m->members, &found, sizeof(found));
    return found.name.len > 0;
}

static bool read_line(struct mapping *m, struct orma_str line)
{
    struct orma_str text = orma_str_trim(line);

    if (!text.len || text.data[0] == '#') /* R8 tells more about a name in comments */
        return true;
    return line.data[0] == ' ' || line.data[0] == '\t' ? read_member(m, text) : read_class(m, text);
}

int orma_proguard_packets(struct orma_str text, struct orma_str package, struct orma_buf *out,
                          unsigned *ret_line)
{
    struct mapping m = {.package = package, .out = out};
    size_t begun = out->len;
    unsigned number = 0;
    int r = 0;

    while (r == 0 && text.len) {
        const char *end = memchr(text.data, '\n', text.len);
        size_t len = end ? (size_t)(end - text.data) : text.len;

        number++;
        if (!read_line(&m, (struct orma_str){text.data, len})) {
            *ret_line = number;
            r = -EBADMSG;
        }
        text.data += end ? len + 1 : len;
        text.len -= end ? len + 1 : len;
    }
    if (r == 0) {
        end_class(&m);
        put_packet(&m);
        r = out->failed || m.classes.failed ? -ENOMEM : 0;
    }
    if (r == -EBADMSG)
        out->len = begun;
    orma_buf_fini(&m.members);
    orma_buf_fini(&m.classes);
    return r;
}
