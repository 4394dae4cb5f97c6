/*
 * For each probe of a config: parse the specification, find its place (a symbol of the
 * kernel, or an offset in an ELF file), describe it in the kernel's language
 * ("p:GROUP/NAME PATH:0xOFFSET ARGS"), and append that line to kprobe_events or
 * uprobe_events. Probes with equal definitions are shared and counted; the last user
 * appends "-:GROUP/NAME", which removes it.
 */
#include "probes/ftrace/dynamic.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "probes/ftrace/elf.h"
#include "protos/fields/ftrace.h"
#include "sdk/base/log.h"
#include "sdk/base/path.h"

#define NAME_MAX_LEN 56   /* the kernel takes 63 */
#define SAME_NAMES_MAX 32 /* events of one name, told apart by a number */
#define KPROBES_FILE "kprobe_events"
#define UPROBES_FILE "uprobe_events"

struct orma_ftrace_dynamic {
    struct orma_list link;
    unsigned users;
    const char *file;
    char *group, *name;
    char *what; /* the definition without group and name: equal means the same probe */
};

/* What is to be made. */
struct wish {
    const char *file, *kind; /* "p", "r", "r1024" */
    const char *group;
    char name[NAME_MAX_LEN + 1];
    struct orma_buf what; /* "/bin/sh:0x123 arg1=%di:s32" */
    const char *spec;     /* as the user wrote it */
    uint8_t kprobe_type;
};

static void dynamic_free(struct orma_ftrace_dynamic *self)
{
    if (!self)
        return;
    free(self->group);
    free(self->name);
    free(self->what);
    free(self);
}

static struct orma_ftrace_dynamic *dynamic_new(const struct wish *wish, const char *name)
{
    struct orma_ftrace_dynamic *self = calloc(1, sizeof(*self));

    if (!self)
        return NULL;
    *self = (struct orma_ftrace_dynamic){.users = 1,
                                         .file = wish->file,
                                         .group = strdup(wish->group),
                                         .name = strdup(name),
                                         .what = orma_str_dup(orma_buf_str(&wish->what))};
    if (self->group && self->name && self->what)
        return self;
    dynamic_free(self);
    return NULL;
}

/* Letters, digits and underscores; anything else becomes an underscore. */
static void set_name(struct wish *wish, const char *first, const char *second)
{
    (void)snprintf(wish->name, sizeof(wish->name), "%s%s%s", first, second[0] ? "_" : "",
                   second); /* cut: still a name */
    for (char *c = wish->name; *c; c++) {
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
    }
    if (wish->name[0] >= '0' && wish->name[0] <= '9')
        wish->name[0] = '_';
}

/* Long names lose their end for it. */
static void put_suffix(struct wish *wish, const char *suffix)
{
    size_t len = strlen(wish->name), room = sizeof(wish->name) - strlen(suffix) - 1;

    strcpy(wish->name + ORMA_MIN(len, room), suffix);
}

static struct orma_ftrace_dynamic *find_same(struct orma_list *all, const struct wish *wish)
{
    ORMA_LIST_EACH (struct orma_ftrace_dynamic, d, all, link) {
        if (!strcmp(d->group, wish->group) && !strcmp(d->what, (const char *)wish->what.data) &&
            !strncmp(d->name, wish->name, strlen(wish->name)))
            return d;
    }
    return NULL;
}

/* A second definition of a name would join the first, which may be another process's. */
static bool is_taken(const struct wish *wish, const struct orma_tracefs *fs, const char *name)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    char full[256];

    (void)snprintf(full, sizeof(full), ":%s/%s ", wish->group, name); /* fits */
    return orma_tracefs_read_top(fs, wish->file, &text) == 0 &&
           orma_str_find(orma_buf_str(&text), orma_str_from(full));
}

/* In the kernel; with a number behind its name if another process has made one of that name. */
static int define(const struct wish *wish, const struct orma_tracefs *fs, char *ret_name,
                  size_t size)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf line = {0};
    int r = -EEXIST;

    for (unsigned i = 1; i <= SAME_NAMES_MAX && r == -EEXIST; i++) {
        if (i == 1)
            (void)snprintf(ret_name, size, "%s", wish->name); /* fits */
        else
            (void)snprintf(ret_name, size, "%s_%u", wish->name, i); /* fits */
        if (is_taken(wish, fs, ret_name))
            continue;
        orma_buf_clear(&line);
        orma_buf_printf(&line, "%s:%s/%s %.*s\n", wish->kind, wish->group, ret_name,
                        ORMA_STR_ARG(orma_buf_str(&wish->what)));
        r = line.failed ? -ENOMEM : orma_tracefs_append_top(fs, wish->file, orma_buf_cstr(&line));
    }
    return r;
}

/* The kernel's last word about it. */
static void log_failure(const struct wish *wish, int r)
{
    const char *hint = "";

    if (r == -ENOENT)
        hint = " (the kernel has no such events, or the file or function does not exist)";
    else if (r == -EACCES)
        hint = " (only root can set probes)";
    orma_log_warn("linux.ftrace: cannot set probe '%s': %s%s", wish->spec, strerror(-r), hint);
}

static int make(struct wish *wish, struct orma_ftrace_events *events, struct orma_list *all,
                const struct orma_tracefs *fs, struct orma_ftrace_saved *saved)
{
    struct orma_ftrace_dynamic *d;
    struct orma_ftrace_event *ev = NULL;
    char name[NAME_MAX_LEN + 8], undo[256];
    int r = 0;

    orma_buf_put_byte(&wish->what, 0); /* a string */
    if (wish->what.failed)
        return -ENOMEM;
    wish->what.len--;
    d = find_same(all, wish);
    if (d) {
        d->users++;
    } else {
        r = define(wish, fs, name, sizeof(name));
        if (r < 0) {
            log_failure(wish, r);
            return r == -ENOMEM ? r
                                : orma_ftrace_events_note(events, &events->failed, "", wish->spec);
        }
        (void)snprintf(undo, sizeof(undo), "-:%s/%s", wish->group, name); /* fits */
        r = orma_ftrace_saved_add_dynamic(saved, wish->file, undo);
        d = r ? NULL : dynamic_new(wish, name);
        if (!d)
            return -ENOMEM; /* removed with the instance */
        orma_list_insert(all, &d->link);
    }
    r = orma_ftrace_events_add(events, d->group, d->name, &ev);
    if (r < 0 || !ev || ev->dynamic) { /* asked for twice */
        d->users--;
        return r;
    }
    ev->dynamic = d;
    ev->kprobe_type = wish->kprobe_type;
    ev->kprobe_name = d->name;
    return 0;
}

/* One probe at a place of a file. */
static int make_at(struct wish *wish, const char *path, uint64_t offset,
                   struct orma_ftrace_events *events, struct orma_list *all,
                   const struct orma_tracefs *fs, struct orma_ftrace_saved *saved)
{
    orma_buf_clear(&wish->what);
    orma_buf_printf(&wish->what, "%s:0x%llx", path, (unsigned long long)offset);
    return make(wish, events, all, fs, saved);
}

struct context {
    struct orma_ftrace_events *events;
    struct orma_list *all;
    const struct orma_tracefs *fs;
    struct orma_ftrace_saved *saved;
};

static int refuse(struct context *c, const char *spec, const char *why)
{
    orma_log_warn("linux.ftrace: cannot set probe '%s': %s", spec, why);
    return orma_ftrace_events_note(c->events, &c->events->failed, "", spec);
}

/* uprobe:PATH:PLACE, uretprobe:PATH:PLACE; `rest` is "PATH:PLACE" and may be changed. */
static int add_uprobe(struct context *c, const char *spec, char *rest, bool is_return)
{
    ORMA_AUTO(orma_ftrace_elf_free_p) struct orma_ftrace_elf *elf = NULL;
    char *place = strrchr(rest, ':');
    struct wish wish = {.file = UPROBES_FILE,
                        .kind = is_return ? "r" : "p",
                        .group = is_return ? "orma_uretprobes" : "orma_uprobes",
                        .spec = spec};
    uint64_t offset;
    int r = 0;

    if (!place || !place[1])
        return refuse(c, spec, "expected uprobe:PATH:FUNCTION");
    *place++ = '\0';
    if (strncmp(place, "0x", 2) || !orma_str_to_u64(orma_str_from(place), &offset)) {
        r = orma_ftrace_elf_open(rest, &elf);
        if (!r)
            r = orma_ftrace_elf_find_function(elf, place, &offset);
    }
    if (r < 0)
        return r == -ENOMEM ? r
                            : refuse(c, spec,
                                     r == -ENOENT ? "the function or the file does not exist"
                                                  : strerror(-r));
    set_name(&wish, orma_path_base(rest), place);
    if (is_return) /* as perf probe calls them */
        put_suffix(&wish, "__return");
    r = make_at(&wish, rest, offset, c->events, c->all, c->fs, c->saved);
    orma_buf_fini(&wish.what);
    return r;
}

static int make_site(struct context *c, struct wish *wish, const char *path,
                     const struct orma_ftrace_usdt_site *site, const char *machine)
{
    orma_buf_clear(&wish->what);
    orma_buf_printf(&wish->what, "%s:0x%llx", path, (unsigned long long)site->offset);
    if (site->counter_offset)
        orma_buf_printf(&wish->what, "(0x%llx)", (unsigned long long)site->counter_offset);
    if (orma_ftrace_usdt_put_args(&wish->what, site->args, machine))
        orma_log_info("linux.ftrace: %s: the kernel cannot read some arguments", wish->spec);
    return make(wish, c->events, c->all, c->fs, c->saved);
}

/* usdt:PATH:PROVIDER:NAME; one event per site. `rest` may be changed. */
static int add_usdt(struct context *c, const char *spec, char *rest)
{
    ORMA_AUTO(orma_ftrace_elf_free_p) struct orma_ftrace_elf *elf = NULL;
    struct orma_ftrace_usdt_site sites[ORMA_FTRACE_ELF_SITES_MAX];
    struct wish wish = {.file = UPROBES_FILE, .kind = "p", .group = "orma_usdt", .spec = spec};
    char *name = strrchr(rest, ':'), *provider;
    struct utsname uts;
    int num, r;

    if (name)
        *name++ = '\0';
    provider = strrchr(rest, ':');
    if (!name || !provider || !name[0] || !provider[1])
        return refuse(c, spec, "expected usdt:PATH:PROVIDER:NAME");
    *provider++ = '\0';
    r = orma_ftrace_elf_open(rest, &elf);
    if (r == -ENOMEM)
        return r;
    if (r < 0)
        return refuse(c, spec, strerror(-r));
    num = orma_ftrace_elf_find_usdt(elf, provider, name, sites, ORMA_FTRACE_ELF_SITES_MAX);
    if (num <= 0)
        return refuse(c, spec, "the file has no such probe point");
    set_name(&wish, provider, name);
    for (int i = 0; !r && i < num; i++)
        r = make_site(c, &wish, rest, &sites[i], uname(&uts) == 0 ? uts.machine : "");
    orma_buf_fini(&wish.what);
    return r;
}

/* The kernel splits its commands at blanks and colons. */
static bool is_plain_path(const char *path)
{
    return path[0] == '/' && !strpbrk(path, " \t\n\"'\\;#");
}

static int add_spec(struct context *c, const char *spec)
{
    char *copy = strdup(spec), *rest;
    int r;

    if (!copy)
        return -ENOMEM;
    rest = strchr(copy, ':') + 1; /* orma_ftrace_events_is_probe() has seen it */
    if (!is_plain_path(rest))
        r = refuse(c, spec, "the path must be absolute, without spaces or quotes");
    else if (!strncmp(spec, "usdt:", 5))
        r = add_usdt(c, spec, rest);
    else
        r = add_uprobe(c, spec, rest, !strncmp(spec, "uret", 4));
    free(copy);
    return r;
}

static bool is_symbol(const char *name)
{
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

    return len && len <= NAME_MAX_LEN && !name[len];
}

static int add_kprobe(struct context *c, const char *symbol, bool is_return, uint8_t type)
{
    struct wish wish = {.file = KPROBES_FILE,
                        .kind = is_return ? "r1024" : "p",
                        .group = is_return ? "perfetto_kretprobes" : "perfetto_kprobes",
                        .spec = symbol,
                        .kprobe_type = type};
    int r;

    if (!is_symbol(symbol))
        return refuse(c, symbol,
                      "a kernel function's name has letters, digits and underscores only");
    set_name(&wish, symbol, "");
    orma_buf_put_str(&wish.what, symbol);
    r = make(&wish, c->events, c->all, c->fs, c->saved);
    orma_buf_fini(&wish.what);
    return r;
}

static int add_kprobes(struct context *c, const Perfetto__Protos__FtraceConfig__KprobeEvent *k)
{
    const char *symbol = k->probe ? k->probe : "";
    int r;

    switch (k->type) {
    case PERFETTO__PROTOS__FTRACE_CONFIG__KPROBE_EVENT__KPROBE_TYPE__KPROBE_TYPE_BOTH:
        r = add_kprobe(c, symbol, false, ORMA_PB_KPROBE_EVENT_KPROBE_TYPE_BEGIN);
        return r ? r : add_kprobe(c, symbol, true, ORMA_PB_KPROBE_EVENT_KPROBE_TYPE_END);
    case PERFETTO__PROTOS__FTRACE_CONFIG__KPROBE_EVENT__KPROBE_TYPE__KPROBE_TYPE_KPROBE:
        return add_kprobe(c, symbol, false, ORMA_PB_KPROBE_EVENT_KPROBE_TYPE_INSTANT);
    case PERFETTO__PROTOS__FTRACE_CONFIG__KPROBE_EVENT__KPROBE_TYPE__KPROBE_TYPE_KRETPROBE:
        return add_kprobe(c, symbol, true, ORMA_PB_KPROBE_EVENT_KPROBE_TYPE_INSTANT);
    default:
        return refuse(c, symbol, "the type must be kprobe, kretprobe or both");
    }
}

int orma_ftrace_dynamic_add(struct orma_ftrace_events *events, struct orma_list *all,
                            const struct orma_tracefs *fs, struct orma_ftrace_saved *saved,
                            const Perfetto__Protos__FtraceConfig *config)
{
    struct context c = {events, all, fs, saved};
    size_t left = ORMA_FTRACE_DYNAMIC_PER_SESSION_MAX;
    int r = 0;

    for (size_t i = 0; !r && left && i < config->n_ftrace_events; i++) {
        if (orma_ftrace_events_is_probe(config->ftrace_events[i])) {
            r = add_spec(&c, config->ftrace_events[i]);
            left--;
        }
    }
    for (size_t i = 0; !r && left && i < config->n_kprobe_events; i++, left--)
        r = add_kprobes(&c, config->kprobe_events[i]);
    return r;
}

void orma_ftrace_dynamic_release(struct orma_ftrace_events *events, const struct orma_tracefs *fs)
{
    for (size_t i = 0; i < events->num; i++) {
        struct orma_ftrace_dynamic *d = events->list[i].dynamic;
        char undo[256];

        events->list[i].dynamic = NULL;
        if (!d || --d->users)
            continue;
        (void)snprintf(undo, sizeof(undo), "-:%s/%s", d->group, d->name); /* fits */
        int r = orma_tracefs_append_top(fs, d->file, undo);
        if (r < 0)
            orma_log_debug("%s: %s: %s", d->file, undo, strerror(-r)); /* tried again at the end */
        orma_list_remove(&d->link);
        dynamic_free(d);
    }
}

void orma_ftrace_dynamic_free_all(struct orma_list *all)
{
    ORMA_LIST_EACH (struct orma_ftrace_dynamic, d, all, link) {
        orma_list_remove(&d->link);
        dynamic_free(d);
    }
}
