/*
 * For each probe of a config: parse the specification, find its place (a symbol of the
 * kernel, or an offset in an ELF file), describe it in the kernel's language
 * ("p:GROUP/NAME PATH:0xOFFSET ARGS"), and append that line to kprobe_events or
 * uprobe_events. Probes with equal definitions are shared and counted; the last user
 * appends "-:GROUP/NAME", which removes it.
 */
#include "probes/ftrace/dynamic.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "probes/ftrace/elf.h"
#include "probes/ftrace/functions.h"
#include "probes/ftrace/probe_args.h"
#include "protos/fields/ftrace.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/base/path.h"

#define NAME_MAX_LEN 56   /* the kernel takes 63 */
#define SAME_NAMES_MAX 32 /* events of one name, told apart by a number */
#define SYMBOLS_MAX (64u << 20)
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
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

struct context {
    struct orma_ftrace_events *events;
    struct orma_list *all;
    const struct orma_tracefs *fs;
    struct orma_ftrace_saved *saved;
    orma_ftrace_name_fn *tell; /* NULL: probes are made; otherwise it hears of those that cannot be */
    void *tell_ctx;
    struct orma_buf symbols; /* of /proc/kallsyms, once it is needed */
    bool symbols_read;
};

static int refuse(struct context *c, const char *spec, const char *why)
{
    char text[512];

    if (c->tell) {
        (void)snprintf(text, sizeof(text), "%s: %s", spec, why); /* cut: fine */
        c->tell(c->tell_ctx, ORMA_FTRACE_NAME_PROBE, text);
        return 0;
    }
    orma_log_warn("linux.ftrace: cannot set probe '%s': %s", spec, why);
    return orma_ftrace_events_note(c->events, &c->events->failed, "", spec);
}

/* What the kernel says of the command that it refused last, if that was ours. */
static void kernels_reason(const struct orma_tracefs *fs, const char *name, struct orma_buf *ret)
{
    static const struct orma_str error = {": error: ", 9}, command = {"Command: ", 9};
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_str rest, line, said = {0};

    if (orma_tracefs_read_top(fs, "error_log", &text) < 0)
        return;
    rest = orma_buf_str(&text);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        const char *at = orma_str_find(line, error);

        if (at)
            said = (struct orma_str){at + error.len, line.len - (size_t)(at + error.len - line.data)};
        else if (orma_str_find(line, command) && orma_str_find(line, orma_str_from(name))) {
            orma_buf_clear(ret);
            orma_buf_printf(ret, "%.*s", ORMA_STR_ARG(said));
        }
    }
}

/* The kernel's last word about it. */
static void log_failure(const struct context *c, const struct wish *wish, int r)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf said = {0};
    const char *hint = "";

    if (r == -ENOENT)
        hint = " (the kernel has no such events, or the file or function does not exist)";
    else if (r == -EACCES)
        hint = " (only root can set probes)";
    kernels_reason(c->fs, wish->name, &said);
    if (said.len)
        orma_log_warn("linux.ftrace: cannot set probe '%s': %s: the kernel says: %s", wish->spec,
                      strerror(-r), orma_buf_cstr(&said));
    else
        orma_log_warn("linux.ftrace: cannot set probe '%s': %s%s", wish->spec, strerror(-r), hint);
}

/* What stands against it before it is tried. */
static void check(struct context *c, const struct wish *wish)
{
    bool kernel = !strcmp(wish->file, KPROBES_FILE);

    if (!orma_tracefs_has_top(c->fs, wish->file))
        c->tell(c->tell_ctx, ORMA_FTRACE_NAME_FEATURE,
                kernel ? "probes of its functions (CONFIG_KPROBE_EVENTS)"
                       : "probes of programs (CONFIG_UPROBE_EVENTS)");
}

static int make(struct context *c, struct wish *wish)
{
    struct orma_ftrace_events *events = c->events;
    struct orma_ftrace_dynamic *d;
    struct orma_ftrace_event *ev = NULL;
    char name[NAME_MAX_LEN + 8], undo[256];
    int r = 0;

    orma_buf_put_byte(&wish->what, 0); /* a string */
    if (wish->what.failed)
        return -ENOMEM;
    wish->what.len--;
    if (c->tell) {
        check(c, wish);
        return 0;
    }
    d = find_same(c->all, wish);
    if (d) {
        d->users++;
    } else {
        r = define(wish, c->fs, name, sizeof(name));
        if (r < 0) {
            log_failure(c, wish, r);
            return r == -ENOMEM ? r
                                : orma_ftrace_events_note(events, &events->failed, "", wish->spec);
        }
        (void)snprintf(undo, sizeof(undo), "-:%s/%s", wish->group, name); /* fits */
        r = orma_ftrace_saved_add_dynamic(c->saved, wish->file, undo);
        d = r ? NULL : dynamic_new(wish, name);
        if (!d)
            return -ENOMEM; /* removed with the instance */
        orma_list_insert(c->all, &d->link);
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
static int make_at(struct context *c, struct wish *wish, const char *path, uint64_t offset,
                   const char *args)
{
    const char *why;

    orma_buf_clear(&wish->what);
    orma_buf_printf(&wish->what, "%s:0x%llx", path, (unsigned long long)offset);
    why = orma_ftrace_probe_args_put(&wish->what, orma_str_from(args));
    return why ? refuse(c, wish->spec, why) : make(c, wish);
}

/* uprobe:PATH:PLACE, uretprobe:PATH:PLACE; `rest` is "PATH:PLACE" and may be changed. */
static int add_uprobe(struct context *c, const char *spec, char *rest, const char *args,
                      bool is_return)
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
    r = make_at(c, &wish, rest, offset, args);
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
    return make(c, wish);
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

/* Of a tree of files that looks like tracefs nobody knows the symbols. */
static bool has_symbol(struct context *c, const char *place)
{
    if (!c->symbols_read && orma_tracefs_is_real(c->fs))
        (void)orma_fd_read_file(AT_FDCWD, "/proc/kallsyms", SYMBOLS_MAX,
                                &c->symbols); /* empty: the kernel will tell */
    c->symbols_read = true;
    return orma_ftrace_functions_has_symbol(orma_buf_str(&c->symbols), place);
}

/* "FUNCTION", "FUNCTION+0x10" or "MODULE:FUNCTION" */
static bool is_place(const char *text)
{
    static const char chars[] = LETTERS "0123456789_.:+";
    size_t len = strlen(text);

    return len && strspn(text, chars) == len && (text[0] < '0' || text[0] > '9');
}

/* kprobe:PLACE, kretprobe:PLACE: with arguments, so an event of its own with its fields. */
static int add_kernel_place(struct context *c, const char *spec, const char *place,
                            const char *args, bool is_return)
{
    struct wish wish = {.file = KPROBES_FILE,
                        .kind = is_return ? "r1024" : "p",
                        .group = is_return ? "orma_kretprobes" : "orma_kprobes",
                        .spec = spec};
    const char *why = NULL;
    int r;

    if (!is_place(place))
        return refuse(c, spec, "expected kprobe:FUNCTION, FUNCTION+OFFSET or MODULE:FUNCTION");
    if (c->tell && !has_symbol(c, place))
        return refuse(c, spec, "the kernel has no such function");
    set_name(&wish, place, "");
    if (is_return)
        put_suffix(&wish, "__return");
    orma_buf_put_str(&wish.what, place);
    why = orma_ftrace_probe_args_put(&wish.what, orma_str_from(args));
    r = why ? refuse(c, spec, why) : make(c, &wish);
    orma_buf_fini(&wish.what);
    return r;
}

static int add_spec(struct context *c, const char *spec)
{
    char *copy = strdup(spec), *rest, *args;
    int r;

    if (!copy)
        return -ENOMEM;
    rest = strchr(copy, ':') + 1; /* orma_ftrace_events_is_probe() has seen it */
    args = rest + strcspn(rest, " \t");
    if (*args)
        *args++ = '\0';
    if (spec[0] == 'k')
        r = add_kernel_place(c, spec, rest, args, !strncmp(spec, "kret", 4));
    else if (!is_plain_path(rest))
        r = refuse(c, spec, "the path must be absolute, without spaces or quotes");
    else if (!strncmp(spec, "usdt:", 5))
        r = args[0] ? refuse(c, spec, "a static probe point has its own arguments")
                    : add_usdt(c, spec, rest);
    else
        r = add_uprobe(c, spec, rest, args, !strncmp(spec, "uret", 4));
    free(copy);
    return r;
}

static bool is_symbol(const char *name)
{
    size_t len = strspn(name, LETTERS "0123456789_");

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
    if (c->tell && !has_symbol(c, symbol))
        return refuse(c, symbol, "the kernel has no such function");
    set_name(&wish, symbol, "");
    orma_buf_put_str(&wish.what, symbol);
    r = make(c, &wish);
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

static int add_all(struct context *c, const Perfetto__Protos__FtraceConfig *config)
{
    size_t left = ORMA_FTRACE_DYNAMIC_PER_SESSION_MAX;
    int r = 0;

    for (size_t i = 0; !r && left && i < config->n_ftrace_events; i++) {
        if (orma_ftrace_events_is_probe(config->ftrace_events[i])) {
            r = add_spec(c, config->ftrace_events[i]);
            left--;
        }
    }
    for (size_t i = 0; !r && left && i < config->n_kprobe_events; i++, left--)
        r = add_kprobes(c, config->kprobe_events[i]);
    return r;
}

int orma_ftrace_dynamic_add(struct orma_ftrace_events *events, struct orma_list *all,
                            const struct orma_tracefs *fs, struct orma_ftrace_saved *saved,
                            const Perfetto__Protos__FtraceConfig *config)
{
    struct context c = {.events = events, .all = all, .fs = fs, .saved = saved};

    return add_all(&c, config);
}

int orma_ftrace_dynamic_check(const struct orma_tracefs *fs,
                              const Perfetto__Protos__FtraceConfig *config,
                              orma_ftrace_name_fn *fn, void *ctx)
{
    struct context c = {.fs = fs, .tell = fn, .tell_ctx = ctx};
    int r = add_all(&c, config);

    orma_buf_fini(&c.symbols);
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
