/*
 *   list  := item , item ...
 *   item  := { event , event ... } [:MODIFIERS]   |   event
 *   event := NAME [/terms/] [:MODIFIERS]  |  UNIT/terms/MODIFIERS  |  GROUP:TRACEPOINT[:MODIFIERS]
 *            |  TYPE:CONFIG  |  mem:ADDRESS[/LENGTH][:rwx]
 *
 * A recursive descent over the text. What an item stands for (several, where it has wildcards) is
 * added to the list, and then changed by the modifiers that follow.
 */
#include "tools/record/perf_events.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/probes.h"
#include "sdk/base/defs.h"
#include "sdk/base/str.h"
#include "tools/record/names.h"
#include "tools/record/perf_parts.h"

#define MODIFIERS "ukhpPGHSDIWe"

/* ---- tracepoints ---- */

static bool has_wildcard(const char *name)
{
    return strpbrk(name, "*?[");
}

static bool is_plain(const char *text)
{
    for (; *text; text++) {
        if (!isalnum((unsigned char)*text) && !strchr("_-.*?[]!", *text))
            return false;
    }
    return true;
}

static int put_tracepoint(struct orma_record_perf_parse *p, const char *where, const char *name)
{
    struct orma_record_perf_event *e = orma_record_perf_event_new(p, where);

    if (!e)
        return -EINVAL;
    orma_buf_printf(&e->base, "tracepoint { name: \"%s\" }", name);
    e->each = true;
    return 0;
}

static int unknown_event(struct orma_record_perf_parse *p, const char *where, const char *name)
{
    static const char *const tools[] = {"duration_time", "user_time", "system_time", NULL};
    const char *near = orma_record_perf_near_symbol(name), *dot = strrchr(name, '.');

    if (orma_record_perf_is_one_of(name, tools))
        return orma_record_perf_fail(p, where, "'%s' can be counted, but not sampled", name);
    if (dot && (!strcmp(dot, ".o") || !strcmp(dot, ".c") || !strcmp(dot, ".bpf")))
        return orma_record_perf_fail(p, where, "BPF programs ('%s') are not supported", name);
    return orma_record_perf_fail(p, where, "unknown event '%s'%s%s%s", name,
                                 near ? "; did you mean '" : "; --help lists them",
                                 near ? near : "", near ? "'?" : "");
}

static int unknown_tracepoint(struct orma_record_perf_parse *p, const char *where,
                              const char *group, const char *event)
{
    char name[2 * ORMA_RECORD_PERF_WORD_MAX], near[256] = "";

    if (strspn(event, MODIFIERS) == strlen(event) && orma_record_perf_near_symbol(group))
        return unknown_event(p, where, group);
    snprintf(name, sizeof(name), "%s/%s", group, event);
    bool found = !has_wildcard(name) && orma_record_names_near_event(name, near, sizeof(near));
    if (found && strchr(near, '/'))
        *strchr(near, '/') = ':';
    return orma_record_perf_fail(
        p, where, "this kernel has no tracepoint '%s:%s'%s%s%s", group, event,
        found ? "; did you mean '" : "; 'orma list events' shows them", near, found ? "'?" : "");
}

/* How many of the kernel's have a matching name; they are added. */
static int add_matching(struct orma_record_perf_parse *p, const char *where, const char *group,
                        const char *event, struct orma_str list)
{
    struct orma_str name, part;
    int num = 0;

    while (list.len && orma_str_cut(&list, '\n', &name)) {
        char text[2 * ORMA_RECORD_PERF_WORD_MAX], in[ORMA_RECORD_PERF_WORD_MAX];

        snprintf(text, sizeof(text), "%.*s", (int)name.len, name.data);
        (void)orma_str_cut(&name, '/', &part);
        snprintf(in, sizeof(in), "%.*s", (int)part.len, part.data);
        if (fnmatch(group, in, 0) != 0 || fnmatch(event, strchr(text, '/') + 1, 0) != 0)
            continue;
        int r = put_tracepoint(p, where, text);
        if (r < 0)
            return r;
        num++;
    }
    return num;
}

static int add_tracepoints(struct orma_record_perf_parse *p, const char *where, const char *group,
                           const char *event)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf list = {0};
    char name[2 * ORMA_RECORD_PERF_WORD_MAX];

    if (!*event || !is_plain(group) || !is_plain(event))
        return orma_record_perf_fail(
            p, where, "bad event '%s:%s': expected GROUP:TRACEPOINT, or modifiers", group, event);
    int r = orma_probes_kernel_events(NULL, &list);
    if (r == 0) {
        r = add_matching(p, where, group, event, orma_buf_str(&list));
        return r ? ORMA_MIN(r, 0) : unknown_tracepoint(p, where, group, event);
    }
    if (has_wildcard(group) || has_wildcard(event))
        return orma_record_perf_fail(
            p, where, "cannot look up tracepoints in /sys/kernel/tracing: %s", strerror(-r));
    snprintf(name, sizeof(name), "%s/%s", group, event);
    return put_tracepoint(p, where, name); /* whoever records it can say more */
}

/* ---- numbers and addresses ---- */

/* "TYPE:CONFIG", as in perf_event_attr. */
static int add_numbers(struct orma_record_perf_parse *p, const char *where, const char *type,
                       const char *config)
{
    struct orma_record_perf_event *e;
    uint64_t a, b;
    char name[2 * ORMA_RECORD_PERF_WORD_MAX];

    if (!orma_record_perf_number_of(type, &a) || a > UINT32_MAX ||
        !orma_record_perf_number_of(config, &b))
        return orma_record_perf_fail(
            p, where, "bad event '%s:%s': expected the numbers TYPE:CONFIG", type, config);
    if (!(e = orma_record_perf_event_new(p, where)))
        return -EINVAL;
    orma_record_perf_put_raw(e, (unsigned)a, b);
    snprintf(name, sizeof(name), "%s:%s", type, config);
    orma_record_perf_put_name(&e->base, name);
    return 0;
}

/* Behind "mem:": an address, how many bytes, and what is done to them. */
static int parse_address(struct orma_record_perf_parse *p, const char *begin)
{
    static const char kinds[] = "rwx"; /* HW_BREAKPOINT_R, _W, _X */
    const char *where = ++p->at;
    unsigned kind = 0;
    char *end;
    uint64_t address = strtoull(p->at, &end, 0), len = 0;

    if (end == where || !isdigit((unsigned char)*where))
        return orma_record_perf_fail(p, where, "expected an address: mem:ADDRESS[/LENGTH][:rwx]");
    if (*end == '/')
        len = strtoull(end + 1, &end, 0);
    if (*end == ':' && strchr(kinds, end[1]) && end[1]) {
        for (end++; *end && strchr(kinds, *end); end++)
            kind |= 1u << (strchr(kinds, *end) - kinds);
    }
    kind = kind ? kind : 3;
    len = len ? len : kind == 4 ? sizeof(long) : 4;
    if (kind > 4 || len > 8 || len & (len - 1))
        return orma_record_perf_fail(p, where,
                                     "a breakpoint has 1, 2, 4 or 8 bytes, and r, w, rw or x");
    p->at = end;
    struct orma_record_perf_event *e = orma_record_perf_event_new(p, begin);
    if (!e)
        return -EINVAL;
    orma_buf_printf(&e->base, "raw_event { type: %d config: %u config1: 0x%llx config2: %llu }",
                    PERF_TYPE_BREAKPOINT, kind, (unsigned long long)address,
                    (unsigned long long)len);
    char name[ORMA_RECORD_PERF_WORD_MAX];
    snprintf(name, sizeof(name), "%.*s", (int)(end - begin), begin);
    orma_record_perf_put_name(&e->base, name);
    e->each = true;
    return 0;
}

/* ---- modifiers ---- */

static bool has_letter(const struct orma_record_perf_event *e, char letter)
{
    return strchr(e->letters, letter);
}

static void add_letter(struct orma_record_perf_event *e, char letter)
{
    size_t len = strlen(e->letters);

    if (len + 1 < sizeof(e->letters) && (letter == 'p' || !has_letter(e, letter)))
        e->letters[len] = letter;
}

/* "u", "k", "h": only what happens there is counted. */
static void add_modifier(struct orma_record_perf_event *e, char letter)
{
    static const char modes[] = "ukh";
    static const char *const names[] = {"USERSPACE", "KERNEL", "HYPERVISOR"};
    const char *mode = strchr(modes, letter);

    if (mode)
        orma_buf_printf(&e->base, " modifiers: EVENT_MODIFIER_COUNT_%s", names[mode - modes]);
    else if (!strchr("SW", letter)) /* those are of groups */
        add_letter(e, letter);
}

/* Letters from p->at on, for the events from `first` on. *ret_read: those of a group are read with
 * the first. */
static int parse_modifiers(struct orma_record_perf_parse *p, size_t first, bool *ret_read)
{
    const char *begin = p->at;
    unsigned precise = 0;

    *ret_read = false;
    for (; *p->at && !strchr(",}", *p->at); p->at++) {
        const char *before = memchr(begin, *p->at, (size_t)(p->at - begin));

        precise += *p->at == 'p';
        if (*p->at == 'b')
            return orma_record_perf_fail(p, p->at,
                                         "the modifier 'b' works for counting, not for sampling");
        if (!strchr(MODIFIERS, *p->at))
            return orma_record_perf_fail(
                p, p->at,
                "unknown modifier '%c': u (user), k (kernel), h (hypervisor), p "
                "(precise, up to three), P, G, H, I, D, e; of groups S and W",
                *p->at);
        if ((before && *p->at != 'p') || precise > 3 ||
            (precise && memchr(begin, 'P', (size_t)(p->at - begin) + 1)))
            return orma_record_perf_fail(p, p->at, "the modifier '%c' is given twice", *p->at);
        *ret_read |= *p->at == 'S';
        for (size_t i = first; i < p->ret->num; i++)
            add_modifier(&p->ret->list[i], *p->at);
    }
    return p->at == begin ? orma_record_perf_fail(p, begin, "expected a modifier, as in cycles:u")
                          : 0;
}

/* ---- events ---- */

static int parse_symbol(struct orma_record_perf_parse *p, const char *begin, const char *name)
{
    struct orma_record_perf_event *e = orma_record_perf_event_new(p, begin);
    struct orma_record_perf_terms t = {.unit = -1};

    if (!e)
        return -EINVAL;
    int r = *p->at == '/' ? orma_record_perf_parse_terms(p, &t) : 0;
    if (r < 0)
        return r;
    if (t.config[0] || t.config[1] || t.config[2])
        return orma_record_perf_fail(p, begin, "'%s' has its own type number: config cannot be set",
                                     name);
    (void)orma_record_perf_put_symbol(e, name, t.name);
    orma_record_perf_take_terms(e, &t);
    return 0;
}

/* What stands behind the colon is no modifier. */
static int parse_pair(struct orma_record_perf_parse *p, const char *begin, const char *name)
{
    size_t len = strcspn(p->at + 1, ",/:{}");
    char second[ORMA_RECORD_PERF_WORD_MAX];

    if (!strcmp(name, "mem"))
        return parse_address(p, begin);
    if (len >= sizeof(second))
        return orma_record_perf_fail(p, p->at + 1, "the name is too long");
    snprintf(second, sizeof(second), "%.*s", (int)len, p->at + 1);
    p->at += 1 + len;
    return isdigit((unsigned char)*name) ? add_numbers(p, begin, name, second)
                                         : add_tracepoints(p, begin, name, second);
}

static int parse_event(struct orma_record_perf_parse *p)
{
    const char *begin = p->at;
    size_t len = strcspn(begin, ",/:{}"), first = p->ret->num;
    char name[ORMA_RECORD_PERF_WORD_MAX];
    bool read, unit = false;
    int r;

    if (!len || len >= sizeof(name))
        return orma_record_perf_fail(
            p, begin, len ? "the name is too long" : "expected the name of an event");
    snprintf(name, sizeof(name), "%.*s", (int)len, begin);
    p->at += len;
    if (orma_record_perf_is_symbol(name))
        r = parse_symbol(p, begin, name);
    else if (*p->at == '/') {
        unit = true;
        r = orma_record_perf_parse_unit(p, begin, name);
    } else if (*p->at == ':')
        r = parse_pair(p, begin, name);
    else if (!orma_record_perf_find_alias(p, begin, name, &r))
        r = unknown_event(p, begin, name);
    if (r < 0)
        return r;
    unit |= p->at[-1] == '/';
    if (*p->at == ':')
        p->at++;
    else if (!unit || !*p->at || strchr(",}", *p->at))
        return 0;
    return parse_modifiers(p, first, &read);
}

/* Of a group that is read together ("S"), the others become followers of the first. */
static void follow_first(struct orma_record_perf_events *self, size_t first)
{
    struct orma_record_perf_event *e = &self->list[first];

    for (size_t i = first + 1; i < self->num; i++) {
        orma_buf_printf(&e->followers, "      followers { %s }\n",
                        orma_buf_cstr(&self->list[i].base));
        orma_buf_fini(&self->list[i].base);
    }
    self->num = first + 1;
}

/* "{a,b}:S" */
static int parse_group(struct orma_record_perf_parse *p)
{
    const char *begin = p->at;
    size_t first = p->ret->num;
    bool read = false;
    int r;

    do {
        p->at++;
        r = parse_event(p);
        if (r < 0)
            return r;
    } while (*p->at == ',');
    if (*p->at != '}')
        return orma_record_perf_fail(p, *p->at ? p->at : begin,
                                     *p->at ? "expected ',' or '}'" : "missing '}'");
    if (*++p->at == ':') {
        p->at++;
        r = parse_modifiers(p, first, &read);
    }
    if (r == 0 && read)
        follow_first(p->ret, first);
    return r;
}

int orma_record_perf_events_add(struct orma_record_perf_events *self, const char *text,
                                struct orma_buf *error)
{
    struct orma_record_perf_parse p = {text, text, self, error};
    int r;

    do {
        r = *p.at == '{' ? parse_group(&p) : parse_event(&p);
        if (r == 0 && *p.at && *p.at != ',')
            r = orma_record_perf_fail(&p, p.at, "expected ',' between events");
    } while (r == 0 && *p.at++ == ',');
    for (size_t i = 0; i < self->num && r == 0; i++) {
        if (self->list[i].base.failed || self->list[i].followers.failed)
            r = -ENOMEM;
    }
    return r;
}

void orma_record_perf_events_fini(struct orma_record_perf_events *self)
{
    for (size_t i = 0; i < self->num; i++) {
        orma_buf_fini(&self->list[i].base);
        orma_buf_fini(&self->list[i].followers);
    }
    self->num = 0;
}
