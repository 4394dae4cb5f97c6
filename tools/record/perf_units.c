/*
 * Events of performance units, whose files in sysfs say what they are called and which bits of the
 * config a term sets; and the terms of all other events.
 */
#include "tools/record/perf_parts.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/nearest.h"
#include "sdk/base/str.h"
#include "tools/record/perf_events.h"

#define UNITS "/sys/bus/event_source/devices"
#define SYSFS_MAX 4096u
#define ALIAS_DEPTH 4u

int orma_record_perf_fail(struct orma_record_perf_parse *p, const char *where, const char *fmt, ...)
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

struct orma_record_perf_event *orma_record_perf_event_new(struct orma_record_perf_parse *p,
                                                          const char *where)
{
    if (p->ret->num == ORMA_RECORD_PERF_EVENTS_MAX) {
        (void)orma_record_perf_fail(p, where, "at most %d events", ORMA_RECORD_PERF_EVENTS_MAX);
        return NULL;
    }
    p->ret->list[p->ret->num] = (struct orma_record_perf_event){0};
    return &p->ret->list[p->ret->num++];
}

/* ---- terms ---- */

/* Bits of `value`, the lowest first, to where "config1:0-7,32-35" says. */
static bool spread(const char *format, uint64_t value, struct orma_record_perf_terms *t)
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

bool orma_record_perf_number_of(const char *text, uint64_t *ret)
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
    char path[ORMA_RECORD_PERF_WORD_MAX + 16];

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
                           char ret[ORMA_RECORD_PERF_WORD_MAX])
{
    int fd = openat(unit, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        if (*entry->d_name == '.' || !orma_nearest_consider(near, entry->d_name))
            continue;
        snprintf(ret, ORMA_RECORD_PERF_WORD_MAX, "%.*s", (int)ORMA_RECORD_PERF_WORD_MAX - 1,
                 entry->d_name);
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

bool orma_record_perf_is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0)
        list++;
    return *list;
}

static int unknown_term(struct orma_record_perf_parse *p, const char *where,
                        const struct orma_record_perf_terms *t, const char *term)
{
    struct orma_nearest near = {.wanted = orma_str_from(term)};
    char best[ORMA_RECORD_PERF_WORD_MAX];

    if (orma_record_perf_is_one_of(term, other_terms))
        return orma_record_perf_fail(
            p, where, "the term '%s' is not supported: use an option for all events (--help)",
            term);
    for (const char *const *name = plain_terms; *name; name++)
        orma_nearest_consider(&near, *name);
    consider_files(t->unit, "format", &near, best);
    consider_files(t->unit, "events", &near, best);
    const char *found = orma_nearest_get(&near);
    return orma_record_perf_fail(p, where, "unknown term '%s'%s%s%s", term,
                                 found ? "; did you mean '" : "", found ? found : "",
                                 found ? "'?" : "");
}

static int parse_term_list(struct orma_record_perf_parse *p, const char *where, const char *text,
                           struct orma_record_perf_terms *t, unsigned depth);

/* Terms of every event. 1: it is one. */
static int plain_term(struct orma_record_perf_parse *p, const char *where, const char *term,
                      const char *value, struct orma_record_perf_terms *t)
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
        return to || !strcmp(term, "name")
                   ? orma_record_perf_fail(p, where, "'%s' needs a value", term)
                   : 0;
    if (!orma_record_perf_number_of(value, to))
        return orma_record_perf_fail(p, where, "bad value '%s' of '%s': expected a number", value,
                                     term);
    if (!*to && (to == &t->period || to == &t->frequency))
        return orma_record_perf_fail(p, where, "'%s' must be above 0", term);
    if (to == &t->period)
        t->frequency = 0; /* the last one counts */
    else if (to == &t->frequency)
        t->period = 0;
    return 1;
}

static int parse_term(struct orma_record_perf_parse *p, const char *where, char *term,
                      struct orma_record_perf_terms *t, unsigned depth)
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
        if (value && !orma_record_perf_number_of(value, &number))
            return orma_record_perf_fail(p, where, "bad value '%s' of '%s': expected a number",
                                         value, term);
        if (!spread(format, number, t))
            return orma_record_perf_fail(p, where, "the value of '%s' does not fit its bits (%s)",
                                         term, format);
        return 0;
    }
    if (!value && depth < ALIAS_DEPTH && read_unit(t->unit, "events/", term, alias, sizeof(alias)))
        return parse_term_list(p, where, alias, t, depth + 1);
    if (t->unit >= 0 && !value && orma_record_perf_hex_of(term, &t->config[0]))
        return 0;
    return unknown_term(p, where, t, term);
}

/* `where` stays, if it is of another text. */
static int parse_term_list(struct orma_record_perf_parse *p, const char *where, const char *text,
                           struct orma_record_perf_terms *t, unsigned depth)
{
    while (*text) {
        char term[ORMA_RECORD_PERF_WORD_MAX];
        bool quoted = false;
        size_t len = 0, n = 0;

        for (; text[len] && (quoted || text[len] != ','); len++) {
            quoted ^= text[len] == '\'';
            if (text[len] != '\'' && n + 1 < sizeof(term))
                term[n++] = text[len];
        }
        term[n] = '\0';
        if (quoted)
            return orma_record_perf_fail(p, where, "missing closing quote");
        int r = parse_term(p, where, term, t, depth);
        if (r < 0)
            return r;
        where += depth || !text[len] ? 0 : (ptrdiff_t)len + 1;
        text += len + (text[len] == ',');
    }
    return 0;
}

int orma_record_perf_parse_terms(struct orma_record_perf_parse *p, struct orma_record_perf_terms *t)
{
    const char *begin = ++p->at;
    char text[SYSFS_MAX];
    bool quoted = false;

    for (; *p->at && (quoted || *p->at != '/'); p->at++)
        quoted ^= *p->at == '\'';
    if (*p->at != '/')
        return orma_record_perf_fail(p, begin, "expected '/' after the terms of an event");
    snprintf(text, sizeof(text), "%.*s", (int)(p->at - begin), begin);
    p->at++;
    return parse_term_list(p, begin, text, t, 0);
}

void orma_record_perf_take_terms(struct orma_record_perf_event *e,
                                 const struct orma_record_perf_terms *t)
{
    e->period = t->period;
    e->frequency = t->frequency;
}

/* ---- performance units ---- */

static int unknown_unit(struct orma_record_perf_parse *p, const char *where, const char *name)
{
    struct orma_nearest near = {.wanted = orma_str_from(name)};
    ORMA_AUTO(orma_fd_close) int fd = open(UNITS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char best[ORMA_RECORD_PERF_WORD_MAX];

    consider_files(fd, ".", &near, best);
    const char *found = orma_nearest_get(&near);
    return orma_record_perf_fail(p, where, "this machine has no PMU '%s'%s%s%s", name,
                                 found ? "; did you mean '" : "; " UNITS " lists them",
                                 found ? found : "", found ? "'?" : "");
}

static int open_unit(const char *name)
{
    char path[ORMA_RECORD_PERF_WORD_MAX + sizeof(UNITS)];

    if (!*name || *name == '.' || strchr(name, '/'))
        return -1;
    snprintf(path, sizeof(path), UNITS "/%s", name);
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void put_unit(struct orma_record_perf_event *e, const char *unit,
                     const struct orma_record_perf_terms *t)
{
    orma_buf_printf(&e->base, "raw_event { pmu_name: \"%s\" config: 0x%llx", unit,
                    (unsigned long long)t->config[0]);
    for (unsigned i = 1; i < ORMA_ARRAY_LEN(t->config); i++) {
        if (t->config[i])
            orma_buf_printf(&e->base, " config%u: 0x%llx", i, (unsigned long long)t->config[i]);
    }
    orma_buf_put_str(&e->base, " }");
    orma_record_perf_put_name(&e->base, t->name);
}

int orma_record_perf_parse_unit(struct orma_record_perf_parse *p, const char *begin,
                                const char *name)
{
    ORMA_AUTO(orma_fd_close) int fd = open_unit(name);
    struct orma_record_perf_event *e;
    struct orma_record_perf_terms t = {.unit = fd};

    if (fd < 0)
        return unknown_unit(p, begin, name);
    int r = orma_record_perf_parse_terms(p, &t);
    if (r < 0 || !(e = orma_record_perf_event_new(p, begin)))
        return -EINVAL;
    if (!*t.name)
        snprintf(t.name, sizeof(t.name), "%.*s", (int)(p->at - begin), begin);
    put_unit(e, name, &t);
    orma_record_perf_take_terms(e, &t);
    return 0;
}

bool orma_record_perf_find_alias(struct orma_record_perf_parse *p, const char *begin,
                                 const char *name, int *ret)
{
    DIR *dir = opendir(UNITS);
    struct dirent *entry;
    bool found = false;
    char text[SYSFS_MAX];

    while (dir && !found && (entry = readdir(dir))) {
        ORMA_AUTO(orma_fd_close) int fd = open_unit(entry->d_name);
        struct orma_record_perf_terms t = {.unit = fd};

        found = read_unit(fd, "events/", name, text, sizeof(text));
        if (!found)
            continue;
        snprintf(t.name, sizeof(t.name), "%s", name);
        *ret = parse_term_list(p, begin, text, &t, 1);
        struct orma_record_perf_event *e = *ret < 0 ? NULL : orma_record_perf_event_new(p, begin);
        if (e)
            put_unit(e, entry->d_name, &t);
        else
            *ret = -EINVAL;
    }
    if (dir)
        closedir(dir);
    return found;
}
