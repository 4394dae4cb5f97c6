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
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/probes.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/nearest.h"
#include "sdk/base/str.h"
#include "tools/base/cli.h"
#include "tools/record/names.h"

#define UNITS "/sys/bus/event_source/devices"
#define WORD_MAX 192u
#define SYSFS_MAX 4096u
#define ALIAS_DEPTH 4u
#define MODIFIERS "ukhpPGHSDIWe"

struct parse {
    const char *text, *at; /* the whole, and where we are */
    struct orma_record_perf_events *ret;
    struct orma_buf *error;
};

static int fail(struct parse *p, const char *where, const char *fmt, ...) ORMA_PRINTF(3, 4);

static int fail(struct parse *p, const char *where, const char *fmt, ...)
{
    char what[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    orma_buf_clear(p->error);
    orma_buf_printf(p->error, "%s\n  -e %s\n     %*s^", what, p->text, (int)(where - p->text), "");
    return -EINVAL;
}

static struct orma_record_perf_event *add_event(struct parse *p, const char *where)
{
    if (p->ret->num == ORMA_RECORD_PERF_EVENTS_MAX) {
        (void)fail(p, where, "at most %d events", ORMA_RECORD_PERF_EVENTS_MAX);
        return NULL;
    }
    p->ret->list[p->ret->num] = (struct orma_record_perf_event){0};
    return &p->ret->list[p->ret->num++];
}

/* ---- names ---- */

/* perf's, and what they are in PerfEvents.Counter. */
static const struct {
    const char *name, *counter;
} symbols[] = {
    {"cpu-clock", "SW_CPU_CLOCK"},
    {"task-clock", "SW_TASK_CLOCK"},
    {"page-faults", "SW_PAGE_FAULTS"},
    {"faults", "SW_PAGE_FAULTS"},
    {"minor-faults", "SW_PAGE_FAULTS_MIN"},
    {"major-faults", "SW_PAGE_FAULTS_MAJ"},
    {"context-switches", "SW_CONTEXT_SWITCHES"},
    {"cs", "SW_CONTEXT_SWITCHES"},
    {"cpu-migrations", "SW_CPU_MIGRATIONS"},
    {"migrations", "SW_CPU_MIGRATIONS"},
    {"alignment-faults", "SW_ALIGNMENT_FAULTS"},
    {"emulation-faults", "SW_EMULATION_FAULTS"},
    {"dummy", "SW_DUMMY"},
    {"cycles", "HW_CPU_CYCLES"},
    {"cpu-cycles", "HW_CPU_CYCLES"},
    {"instructions", "HW_INSTRUCTIONS"},
    {"cache-references", "HW_CACHE_REFERENCES"},
    {"cache-misses", "HW_CACHE_MISSES"},
    {"branches", "HW_BRANCH_INSTRUCTIONS"},
    {"branch-instructions", "HW_BRANCH_INSTRUCTIONS"},
    {"branch-misses", "HW_BRANCH_MISSES"},
    {"bus-cycles", "HW_BUS_CYCLES"},
    {"stalled-cycles-frontend", "HW_STALLED_CYCLES_FRONTEND"},
    {"idle-cycles-frontend", "HW_STALLED_CYCLES_FRONTEND"},
    {"stalled-cycles-backend", "HW_STALLED_CYCLES_BACKEND"},
    {"idle-cycles-backend", "HW_STALLED_CYCLES_BACKEND"},
    {"ref-cycles", "HW_REF_CPU_CYCLES"},
};

struct word {
    const char *name;
    unsigned value;
};

/* The word of the table that *text begins with; *text is then behind it. -1: none. */
static int take_word(const char **text, const struct word *words)
{
    for (; words->name; words++) {
        size_t len = strlen(words->name);

        if (strncmp(*text, words->name, len) != 0)
            continue;
        *text += len;
        return (int)words->value;
    }
    return -1;
}

/* Cache, operation and result are a byte each (PERF_TYPE_HW_CACHE). Longer words come first. */
static const struct word caches[] = {
    {"L1-dcache", 0}, {"L1-data", 0}, {"l1-d", 0},  {"l1d", 0},
    {"L1-icache", 1}, {"l1-i", 1},    {"l1i", 1},   {"L1-instruction", 1},
    {"LLC", 2},       {"L2", 2},      {"dTLB", 3},  {"d-tlb", 3},
    {"Data-TLB", 3},  {"iTLB", 4},    {"i-tlb", 4}, {"Instruction-TLB", 4},
    {"branches", 5},  {"branch", 5},  {"bpu", 5},   {"btb", 5},
    {"bpc", 5},       {"node", 6},    {NULL, 0}};
static const struct word parts_of_cache[] = {{"loads", 0x0},
                                             {"load", 0x0},
                                             {"read", 0x0},
                                             {"stores", 0x1},
                                             {"store", 0x1},
                                             {"write", 0x1},
                                             {"prefetches", 0x2},
                                             {"prefetch", 0x2},
                                             {"speculative-read", 0x2},
                                             {"speculative-load", 0x2},
                                             {"refs", 0x10},
                                             {"Reference", 0x10},
                                             {"ops", 0x10},
                                             {"access", 0x10},
                                             {"misses", 0x11},
                                             {"miss", 0x11},
                                             {NULL, 0}};
static const uint8_t operations[] = {7, 5, 7, 7, 1, 1, 7}; /* bits: load, store, prefetch */

static bool cache_of(const char *name, uint64_t *ret)
{
    int cache = take_word(&name, caches), part;
    unsigned operation = 0, result = 0;

    if (cache < 0)
        return false;
    for (unsigned seen = 0; *name; seen |= part & 0x10 ? 2 : 1) {
        part = *name++ == '-' ? take_word(&name, parts_of_cache) : -1;
        if (part < 0 || (*name && *name != '-') || seen & (part & 0x10 ? 2 : 1))
            return false;
        if (part & 0x10)
            result = part & 1;
        else
            operation = (unsigned)part;
    }
    *ret = result << 16 | operation << 8 | (unsigned)cache;
    return operations[cache] >> operation & 1;
}

static void put_name(struct orma_buf *out, const char *name)
{
    orma_buf_put_str(out, " name: \"");
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            orma_buf_put_byte(out, '\\');
        if ((unsigned char)*name >= ' ')
            orma_buf_put_byte(out, (uint8_t)*name);
    }
    orma_buf_put_byte(out, '"');
}

static void put_raw(struct orma_record_perf_event *e, unsigned type, uint64_t config)
{
    orma_buf_printf(&e->base, "raw_event { type: %u config: 0x%llx }", type,
                    (unsigned long long)config);
}

/* "r1a2": a number of the cpu's own, in hex. */
static bool hex_of(const char *name, uint64_t *ret)
{
    size_t digits = strspn(name + 1, "0123456789abcdefABCDEF");

    if (*name != 'r' || !digits || digits > 16 || name[1 + digits])
        return false;
    *ret = strtoull(name + 1, NULL, 16);
    return true;
}

/* Names without a unit. `named`: the event is called otherwise, by the terms that follow. */
static bool put_symbol(struct orma_record_perf_event *e, const char *name, const char *named)
{
    uint64_t config;
    bool raw = true;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(symbols); i++) {
        if (strcmp(symbols[i].name, name) != 0 && strcmp(symbols[i].counter, name) != 0)
            continue;
        orma_buf_printf(&e->base, "counter: %s", symbols[i].counter);
        if (*named)
            put_name(&e->base, named);
        return true;
    }
    if (!strcmp(name, "bpf-output"))
        put_raw(e, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT);
    else if (!strcmp(name, "cgroup-switches"))
        put_raw(e, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES);
    else if (hex_of(name, &config))
        put_raw(e, PERF_TYPE_RAW, config);
    else if (cache_of(name, &config))
        put_raw(e, PERF_TYPE_HW_CACHE, config);
    else
        raw = false;
    if (raw)
        put_name(&e->base, *named ? named : name);
    return raw;
}

static bool is_symbol(const char *name)
{
    struct orma_record_perf_event e = {0};
    bool ret = put_symbol(&e, name, "");

    orma_buf_fini(&e.base);
    return ret;
}

static const char *near_symbol(const char *name)
{
    struct orma_nearest near = {.wanted = orma_str_from(name)};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(symbols); i++)
        orma_nearest_consider(&near, symbols[i].name);
    return orma_nearest_get(&near);
}

/* ---- terms ---- */

/* What stands between slashes. */
struct terms {
    int unit;           /* its folder; -1: a plain name has them */
    uint64_t config[3]; /* config, config1, config2 */
    uint64_t period, frequency;
    char name[WORD_MAX];
};

/* Bits of `value`, the lowest first, to where "config1:0-7,32-35" says. */
static bool spread(const char *format, uint64_t value, struct terms *t)
{
    const char *colon = strchr(format, ':');
    unsigned from, to, word = 0;
    int len;

    if (!colon || strncmp(format, "config", 6) != 0)
        return false;
    if (format[6] != ':')
        word = (unsigned)(format[6] - '0');
    if (word > 2)
        return false;
    for (format = colon + 1; sscanf(format, "%u%n", &from, &len) == 1; format += *format == ',') {
        format += len;
        to = from;
        if (*format == '-' && sscanf(format + 1, "%u%n", &to, &len) == 1)
            format += len + 1;
        for (; from <= to && from < 64; from++, value >>= 1)
            t->config[word] = (t->config[word] & ~(1ull << from)) | (value & 1) << from;
    }
    return value == 0; /* it has room */
}

static bool number_of(const char *text, uint64_t *ret)
{
    char *end;

    errno = 0;
    *ret = strtoull(text, &end, 0);
    return isdigit((unsigned char)*text) && !*end && !errno;
}

/* A file of the unit: without the end of its line. */
static bool read_unit(int unit, const char *folder, const char *name, char *ret, size_t size)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    char path[WORD_MAX + 16];

    if (unit < 0 || !*name || strchr(name, '/') || *name == '.')
        return false;
    snprintf(path, sizeof(path), "%s%s", folder, name);
    if (orma_fd_read_file(unit, path, SYSFS_MAX, &text) < 0)
        return false;
    snprintf(ret, size, "%s", orma_buf_cstr(&text));
    ret[strcspn(ret, "\n")] = '\0';
    return true;
}

/* The nearest file in a folder of the unit. In `near->best`, copied to `ret`. */
static void consider_files(int unit, const char *folder, struct orma_nearest *near,
                           char ret[WORD_MAX])
{
    int fd = openat(unit, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        if (*entry->d_name == '.' || !orma_nearest_consider(near, entry->d_name))
            continue;
        snprintf(ret, WORD_MAX, "%.*s", (int)WORD_MAX - 1, entry->d_name);
        near->best = ret;
    }
    if (dir)
        closedir(dir);
    else
        orma_fd_close(&fd);
}

static const char *const plain_terms[] = {"config", "config1", "config2", "name",
                                          "period", "freq",    NULL};
static const char *const other_terms[] = {"branch_type",
                                          "time",
                                          "call-graph",
                                          "stack-size",
                                          "no-inherit",
                                          "inherit",
                                          "max-stack",
                                          "nr",
                                          "overwrite",
                                          "percore",
                                          "no-overwrite",
                                          "driver-config",
                                          "aux-output",
                                          "aux-sample-size",
                                          "metric-id",
                                          "config3",
                                          NULL};

static bool is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0)
        list++;
    return *list;
}

static int unknown_term(struct parse *p, const char *where, const struct terms *t, const char *term)
{
    struct orma_nearest near = {.wanted = orma_str_from(term)};
    char best[WORD_MAX];

    if (is_one_of(term, other_terms))
        return fail(p, where,
                    "the term '%s' is not supported: use an option for all events (--help)", term);
    for (const char *const *name = plain_terms; *name; name++)
        orma_nearest_consider(&near, *name);
    consider_files(t->unit, "format", &near, best);
    consider_files(t->unit, "events", &near, best);
    const char *found = orma_nearest_get(&near);
    return fail(p, where, "unknown term '%s'%s%s%s", term, found ? "; did you mean '" : "",
                found ? found : "", found ? "'?" : "");
}

static int parse_term_list(struct parse *p, const char *where, const char *text, struct terms *t,
                           unsigned depth);

/* Terms of every event. 1: it is one. */
static int plain_term(struct parse *p, const char *where, const char *term, const char *value,
                      struct terms *t)
{
    uint64_t *to = !strcmp(term, "config")    ? &t->config[0]
                   : !strcmp(term, "config1") ? &t->config[1]
                   : !strcmp(term, "config2") ? &t->config[2]
                   : !strcmp(term, "period")  ? &t->period
                   : !strcmp(term, "freq")    ? &t->frequency
                                              : NULL;

    if (!strcmp(term, "name") && value) {
        snprintf(t->name, sizeof(t->name), "%s", value);
        return 1;
    }
    if (!to || !value)
        return to || !strcmp(term, "name") ? fail(p, where, "'%s' needs a value", term) : 0;
    if (!number_of(value, to))
        return fail(p, where, "bad value '%s' of '%s': expected a number", value, term);
    if (!*to && (to == &t->period || to == &t->frequency))
        return fail(p, where, "'%s' must be above 0", term);
    if (to == &t->period)
        t->frequency = 0; /* the last one counts */
    else if (to == &t->frequency)
        t->period = 0;
    return 1;
}

static int parse_term(struct parse *p, const char *where, char *term, struct terms *t,
                      unsigned depth)
{
    char *value = strchr(term, '=');
    char format[256], alias[SYSFS_MAX];
    uint64_t number = 1; /* a flag */

    if (value)
        *value++ = '\0';
    int r = plain_term(p, where, term, value, t);
    if (r)
        return r < 0 ? r : 0;
    if (read_unit(t->unit, "format/", term, format, sizeof(format))) {
        if (value && !number_of(value, &number))
            return fail(p, where, "bad value '%s' of '%s': expected a number", value, term);
        if (!spread(format, number, t))
            return fail(p, where, "the value of '%s' does not fit its bits (%s)", term, format);
        return 0;
    }
    if (!value && depth < ALIAS_DEPTH && read_unit(t->unit, "events/", term, alias, sizeof(alias)))
        return parse_term_list(p, where, alias, t, depth + 1);
    if (t->unit >= 0 && !value && hex_of(term, &t->config[0]))
        return 0;
    return unknown_term(p, where, t, term);
}

/* `where` stays, if it is of another text. */
static int parse_term_list(struct parse *p, const char *where, const char *text, struct terms *t,
                           unsigned depth)
{
    while (*text) {
        char term[WORD_MAX];
        bool quoted = false;
        size_t len = 0, n = 0;

        for (; text[len] && (quoted || text[len] != ','); len++) {
            quoted ^= text[len] == '\'';
            if (text[len] != '\'' && n + 1 < sizeof(term))
                term[n++] = text[len];
        }
        term[n] = '\0';
        if (quoted)
            return fail(p, where, "missing closing quote");
        int r = parse_term(p, where, term, t, depth);
        if (r < 0)
            return r;
        where += depth || !text[len] ? 0 : (ptrdiff_t)len + 1;
        text += len + (text[len] == ',');
    }
    return 0;
}

/* "/.../", from its first slash on. */
static int parse_terms(struct parse *p, struct terms *t)
{
    const char *begin = ++p->at;
    char text[SYSFS_MAX];
    bool quoted = false;

    for (; *p->at && (quoted || *p->at != '/'); p->at++)
        quoted ^= *p->at == '\'';
    if (*p->at != '/')
        return fail(p, begin, "expected '/' after the terms of an event");
    snprintf(text, sizeof(text), "%.*s", (int)(p->at - begin), begin);
    p->at++;
    return parse_term_list(p, begin, text, t, 0);
}

static void take_terms(struct orma_record_perf_event *e, const struct terms *t)
{
    e->period = t->period;
    e->frequency = t->frequency;
}

/* ---- performance units ---- */

static int unknown_unit(struct parse *p, const char *where, const char *name)
{
    struct orma_nearest near = {.wanted = orma_str_from(name)};
    ORMA_AUTO(orma_fd_close) int fd = open(UNITS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char best[WORD_MAX];

    consider_files(fd, ".", &near, best);
    const char *found = orma_nearest_get(&near);
    return fail(p, where, "this machine has no PMU '%s'%s%s%s", name,
                found ? "; did you mean '" : "; " UNITS " lists them", found ? found : "",
                found ? "'?" : "");
}

static int open_unit(const char *name)
{
    char path[WORD_MAX + sizeof(UNITS)];

    if (!*name || *name == '.' || strchr(name, '/'))
        return -1;
    snprintf(path, sizeof(path), UNITS "/%s", name);
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void put_unit(struct orma_record_perf_event *e, const char *unit, const struct terms *t)
{
    orma_buf_printf(&e->base, "raw_event { pmu_name: \"%s\" config: 0x%llx", unit,
                    (unsigned long long)t->config[0]);
    for (unsigned i = 1; i < ORMA_ARRAY_LEN(t->config); i++) {
        if (t->config[i])
            orma_buf_printf(&e->base, " config%u: 0x%llx", i, (unsigned long long)t->config[i]);
    }
    orma_buf_put_str(&e->base, " }");
    put_name(&e->base, t->name);
}

/* "UNIT/terms/" */
static int parse_unit(struct parse *p, const char *begin, const char *name)
{
    ORMA_AUTO(orma_fd_close) int fd = open_unit(name);
    struct orma_record_perf_event *e;
    struct terms t = {.unit = fd};

    if (fd < 0)
        return unknown_unit(p, begin, name);
    int r = parse_terms(p, &t);
    if (r < 0 || !(e = add_event(p, begin)))
        return -EINVAL;
    if (!*t.name)
        snprintf(t.name, sizeof(t.name), "%.*s", (int)(p->at - begin), begin);
    put_unit(e, name, &t);
    take_terms(e, &t);
    return 0;
}

/* A name that one of the units has among its events. False: none has. */
static bool find_alias(struct parse *p, const char *begin, const char *name, int *ret)
{
    DIR *dir = opendir(UNITS);
    struct dirent *entry;
    bool found = false;
    char text[SYSFS_MAX];

    while (dir && !found && (entry = readdir(dir))) {
        ORMA_AUTO(orma_fd_close) int fd = open_unit(entry->d_name);
        struct terms t = {.unit = fd};

        found = read_unit(fd, "events/", name, text, sizeof(text));
        if (!found)
            continue;
        snprintf(t.name, sizeof(t.name), "%s", name);
        *ret = parse_term_list(p, begin, text, &t, 1);
        struct orma_record_perf_event *e = *ret < 0 ? NULL : add_event(p, begin);
        if (e)
            put_unit(e, entry->d_name, &t);
        else
            *ret = -EINVAL;
    }
    if (dir)
        closedir(dir);
    return found;
}

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

static int put_tracepoint(struct parse *p, const char *where, const char *name)
{
    struct orma_record_perf_event *e = add_event(p, where);

    if (!e)
        return -EINVAL;
    orma_buf_printf(&e->base, "tracepoint { name: \"%s\" }", name);
    e->each = true;
    return 0;
}

static int unknown_event(struct parse *p, const char *where, const char *name)
{
    static const char *const tools[] = {"duration_time", "user_time", "system_time", NULL};
    const char *near = near_symbol(name), *dot = strrchr(name, '.');

    if (is_one_of(name, tools))
        return fail(p, where, "'%s' can be counted, but not sampled", name);
    if (dot && (!strcmp(dot, ".o") || !strcmp(dot, ".c") || !strcmp(dot, ".bpf")))
        return fail(p, where, "BPF programs ('%s') are not supported", name);
    return fail(p, where, "unknown event '%s'%s%s%s", name,
                near ? "; did you mean '" : "; --help lists them", near ? near : "",
                near ? "'?" : "");
}

static int unknown_tracepoint(struct parse *p, const char *where, const char *group,
                              const char *event)
{
    char name[2 * WORD_MAX], near[256] = "";

    if (strspn(event, MODIFIERS) == strlen(event) && near_symbol(group))
        return unknown_event(p, where, group);
    snprintf(name, sizeof(name), "%s/%s", group, event);
    bool found = !has_wildcard(name) && orma_record_names_near_event(name, near, sizeof(near));
    if (found && strchr(near, '/'))
        *strchr(near, '/') = ':';
    return fail(p, where, "this kernel has no tracepoint '%s:%s'%s%s%s", group, event,
                found ? "; did you mean '" : "; 'orma list events' shows them", near,
                found ? "'?" : "");
}

/* How many of the kernel's have a matching name; they are added. */
static int add_matching(struct parse *p, const char *where, const char *group, const char *event,
                        struct orma_str list)
{
    struct orma_str name, part;
    int num = 0;

    while (list.len && orma_str_cut(&list, '\n', &name)) {
        char text[2 * WORD_MAX], in[WORD_MAX];

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

static int add_tracepoints(struct parse *p, const char *where, const char *group, const char *event)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf list = {0};
    char name[2 * WORD_MAX];

    if (!*event || !is_plain(group) || !is_plain(event))
        return fail(p, where, "bad event '%s:%s': expected GROUP:TRACEPOINT, or modifiers", group,
                    event);
    int r = orma_probes_kernel_events(NULL, &list);
    if (r == 0) {
        r = add_matching(p, where, group, event, orma_buf_str(&list));
        return r ? ORMA_MIN(r, 0) : unknown_tracepoint(p, where, group, event);
    }
    if (has_wildcard(group) || has_wildcard(event))
        return fail(p, where, "cannot look up tracepoints in /sys/kernel/tracing: %s",
                    strerror(-r));
    snprintf(name, sizeof(name), "%s/%s", group, event);
    return put_tracepoint(p, where, name); /* whoever records it can say more */
}

/* ---- numbers and addresses ---- */

/* "TYPE:CONFIG", as in perf_event_attr. */
static int add_numbers(struct parse *p, const char *where, const char *type, const char *config)
{
    struct orma_record_perf_event *e;
    uint64_t a, b;
    char name[2 * WORD_MAX];

    if (!number_of(type, &a) || a > UINT32_MAX || !number_of(config, &b))
        return fail(p, where, "bad event '%s:%s': expected the numbers TYPE:CONFIG", type, config);
    if (!(e = add_event(p, where)))
        return -EINVAL;
    put_raw(e, (unsigned)a, b);
    snprintf(name, sizeof(name), "%s:%s", type, config);
    put_name(&e->base, name);
    return 0;
}

/* Behind "mem:": an address, how many bytes, and what is done to them. */
static int parse_address(struct parse *p, const char *begin)
{
    static const char kinds[] = "rwx"; /* HW_BREAKPOINT_R, _W, _X */
    const char *where = ++p->at;
    unsigned kind = 0;
    char *end;
    uint64_t address = strtoull(p->at, &end, 0), len = 0;

    if (end == where || !isdigit((unsigned char)*where))
        return fail(p, where, "expected an address: mem:ADDRESS[/LENGTH][:rwx]");
    if (*end == '/')
        len = strtoull(end + 1, &end, 0);
    if (*end == ':' && strchr(kinds, end[1]) && end[1]) {
        for (end++; *end && strchr(kinds, *end); end++)
            kind |= 1u << (strchr(kinds, *end) - kinds);
    }
    kind = kind ? kind : 3;
    len = len ? len : kind == 4 ? sizeof(long) : 4;
    if (kind > 4 || len > 8 || len & (len - 1))
        return fail(p, where, "a breakpoint has 1, 2, 4 or 8 bytes, and r, w, rw or x");
    p->at = end;
    struct orma_record_perf_event *e = add_event(p, begin);
    if (!e)
        return -EINVAL;
    orma_buf_printf(&e->base, "raw_event { type: %d config: %u config1: 0x%llx config2: %llu }",
                    PERF_TYPE_BREAKPOINT, kind, (unsigned long long)address,
                    (unsigned long long)len);
    char name[WORD_MAX];
    snprintf(name, sizeof(name), "%.*s", (int)(end - begin), begin);
    put_name(&e->base, name);
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
static int parse_modifiers(struct parse *p, size_t first, bool *ret_read)
{
    const char *begin = p->at;
    unsigned precise = 0;

    *ret_read = false;
    for (; *p->at && !strchr(",}", *p->at); p->at++) {
        const char *before = memchr(begin, *p->at, (size_t)(p->at - begin));

        precise += *p->at == 'p';
        if (*p->at == 'b')
            return fail(p, p->at, "the modifier 'b' works for counting, not for sampling");
        if (!strchr(MODIFIERS, *p->at))
            return fail(p, p->at,
                        "unknown modifier '%c': u (user), k (kernel), h (hypervisor), p "
                        "(precise, up to three), P, G, H, I, D, e; of groups S and W",
                        *p->at);
        if ((before && *p->at != 'p') || precise > 3 ||
            (precise && memchr(begin, 'P', (size_t)(p->at - begin) + 1)))
            return fail(p, p->at, "the modifier '%c' is given twice", *p->at);
        *ret_read |= *p->at == 'S';
        for (size_t i = first; i < p->ret->num; i++)
            add_modifier(&p->ret->list[i], *p->at);
    }
    return p->at == begin ? fail(p, begin, "expected a modifier, as in cycles:u") : 0;
}

/* ---- events ---- */

static int parse_symbol(struct parse *p, const char *begin, const char *name)
{
    struct orma_record_perf_event *e = add_event(p, begin);
    struct terms t = {.unit = -1};

    if (!e)
        return -EINVAL;
    int r = *p->at == '/' ? parse_terms(p, &t) : 0;
    if (r < 0)
        return r;
    if (t.config[0] || t.config[1] || t.config[2])
        return fail(p, begin, "'%s' has its own type number: config cannot be set", name);
    (void)put_symbol(e, name, t.name);
    take_terms(e, &t);
    return 0;
}

/* What stands behind the colon is no modifier. */
static int parse_pair(struct parse *p, const char *begin, const char *name)
{
    size_t len = strcspn(p->at + 1, ",/:{}");
    char second[WORD_MAX];

    if (!strcmp(name, "mem"))
        return parse_address(p, begin);
    if (len >= sizeof(second))
        return fail(p, p->at + 1, "the name is too long");
    snprintf(second, sizeof(second), "%.*s", (int)len, p->at + 1);
    p->at += 1 + len;
    return isdigit((unsigned char)*name) ? add_numbers(p, begin, name, second)
                                         : add_tracepoints(p, begin, name, second);
}

static int parse_event(struct parse *p)
{
    const char *begin = p->at;
    size_t len = strcspn(begin, ",/:{}"), first = p->ret->num;
    char name[WORD_MAX];
    bool read, unit = false;
    int r;

    if (!len || len >= sizeof(name))
        return fail(p, begin, len ? "the name is too long" : "expected the name of an event");
    snprintf(name, sizeof(name), "%.*s", (int)len, begin);
    p->at += len;
    if (is_symbol(name))
        r = parse_symbol(p, begin, name);
    else if (*p->at == '/') {
        unit = true;
        r = parse_unit(p, begin, name);
    } else if (*p->at == ':')
        r = parse_pair(p, begin, name);
    else if (!find_alias(p, begin, name, &r))
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
static int parse_group(struct parse *p)
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
        return fail(p, *p->at ? p->at : begin, *p->at ? "expected ',' or '}'" : "missing '}'");
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
    struct parse p = {text, text, self, error};
    int r;

    do {
        r = *p.at == '{' ? parse_group(&p) : parse_event(&p);
        if (r == 0 && *p.at && *p.at != ',')
            r = fail(&p, p.at, "expected ',' between events");
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
