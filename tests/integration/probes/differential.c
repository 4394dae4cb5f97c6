/*
 * The kernel's own text against our translation of the same events.
 *
 *   private instance: enable events, work, stop
 *   per_cpu/cpuN/trace with options/fields   ->  text, every field of every event
 *   per_cpu/cpuN/trace_pipe_raw              ->  translate -> packets -> decode
 *
 * Event for event, per cpu: name, process, time; and every field of the message
 * against the text. Prints how many kinds of events were compared; fewer than
 * KINDS_MIN, or one difference, is a failure. Skips (77) without the rights.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/ftrace/events.h"
#include "probes/kernel/tracefs.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/ftrace/kallsyms.h"
#include "sdk/ftrace/printk.h"
#include "sdk/ftrace/symbols.h"
#include "tests/integration/probes/workload.h"
#include "tests/support/ftrace_decode.h"

#define KINDS_MIN 200
#define SKIP 77
#define SHOWN_MAX 25

/* One event of the text. */
struct text_event {
    uint32_t pid;
    uint64_t ts_us;
    struct orma_str name, fields, all;
};

struct text {
    struct orma_buf buf;
    struct text_event *events;
    size_t num, cap, at;
};

static struct {
    struct orma_tracefs fs;
    char instance[64];
    struct orma_ftrace_events events;
    struct orma_ftrace_translate translate;
    struct orma_ftrace_bundle bundle;
    struct orma_source_sink sink;
    struct orma_ftrace_symbols symbols;
    struct orma_kallsyms *kallsyms;
    struct orma_map printk;
    struct ft_symbols names;
    struct text text;   /* of the cpu under comparison, with options/fields */
    struct text usual;  /* the same events as the kernel prints them otherwise */
    unsigned *compared; /* events, by plan id */
    uint64_t differences, fields, events_compared, unknown_pointers, unprintable;
    struct orma_map raw_of_index; /* symbol index -> raw address or 0 */
} t;

static int skip(const char *why)
{
    printf("skipped: %s\n", why);
    return SKIP;
}

static void differ(const struct text_event *want, const char *field, const char *what,
                   struct orma_str shown, uint64_t num)
{
    if (t.differences++ < SHOWN_MAX)
        printf("DIFFERENT %.*s.%s: %s: text '%.*s', ours %" PRIu64 " (0x%" PRIx64 ")\n  %.*s\n",
               ORMA_STR_ARG(want->name), field, what, ORMA_STR_ARG(shown), num, num,
               ORMA_STR_ARG(want->fields));
}

/* ---- the text ---- */

/* "            bash-10780   [000] .....  2585.632931: block_bio_queue: dev=..." */
static bool parse_head(struct orma_str line, struct text_event *ret)
{
    for (size_t i = 0; i + 8 < line.len; i++) {
        const char *p = line.data + i, *end = line.data + line.len;
        unsigned cpu, sec, usec;
        char flags[16];
        int used = 0;

        if (p[0] != '[' || p[4] != ']' || i < 3)
            continue;
        char copy[80];
        snprintf(copy, sizeof(copy), "%.*s", (int)(end - p), p);
        if (sscanf(copy, "[%3u] %15s %u.%6u: %n", &cpu, flags, &sec, &usec, &used) != 4 || !used)
            continue;
        const char *name = p + used, *colon = memchr(name, ':', (size_t)(end - name));
        if (!colon)
            colon = end - 1; /* system calls have a form of their own in the usual text */
        const char *dash = p;
        while (dash > line.data && *dash != '-')
            dash--;
        *ret = (struct text_event){
            .pid = (uint32_t)strtoul(dash + 1, NULL, 10),
            .ts_us = (uint64_t)sec * 1000000 + usec,
            .name = {name, (size_t)(colon - name)},
            .fields = {colon + 1, (size_t)(end - colon - 1)},
            .all = {name, (size_t)(end - name)},
        };
        return true;
    }
    return false;
}

static bool load_text(uint32_t cpu, const char *fields_option, struct text *to)
{
    struct orma_str rest, line;
    char path[64];

    if (orma_tracefs_write(&t.fs, "options/fields", fields_option) < 0)
        return false;
    snprintf(path, sizeof(path), "per_cpu/cpu%u/trace", cpu);
    to->num = to->at = 0;
    orma_buf_clear(&to->buf);
    if (orma_fd_read_file(t.fs.dir_fd, path, (size_t)2 << 30, &to->buf) < 0)
        return false;
    rest = orma_buf_str(&to->buf);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        struct text_event ev;

        if (!parse_head(line, &ev)) {
            /* The text of a field went over several lines. */
            if (to->num && line.data && line.len && line.data[0] != '#') {
                struct orma_str *fields = &to->events[to->num - 1].fields;
                fields->len = (size_t)(line.data + line.len - fields->data);
            }
            continue;
        }
        if (to->num == to->cap) {
            to->cap = to->cap ? 2 * to->cap : 65536;
            to->events = realloc(to->events, to->cap * sizeof(ev));
        }
        to->events[to->num++] = ev;
    }
    return true;
}

/* The value of a field; the next field's name ends it. */
static bool text_value(const struct text_event *ev, const struct orma_ftrace_format *format,
                       const char *name, struct orma_str *ret)
{
    size_t pos = 0;

    for (unsigned i = 0; i < format->fields_num; i++) {
        char key[80];
        int len = snprintf(key, sizeof(key), " %s=", format->fields[i].name);
        const char *at = memmem(ev->fields.data + pos, ev->fields.len - pos, key, (size_t)len);

        if (!at)
            return false;
        pos = (size_t)(at - ev->fields.data) + (size_t)len;
        if (strcmp(format->fields[i].name, name))
            continue;
        const char *end = ev->fields.data + ev->fields.len;
        if (i + 1 < format->fields_num) {
            len = snprintf(key, sizeof(key), " %s=", format->fields[i + 1].name);
            const char *next =
                memmem(ev->fields.data + pos, ev->fields.len - pos, key, (size_t)len);
            if (next)
                end = next;
        }
        *ret = (struct orma_str){ev->fields.data + pos, (size_t)(end - ev->fields.data) - pos};
        return true;
    }
    return false;
}

/* ---- comparing ---- */

static uint64_t mask(unsigned size)
{
    return size >= 8 ? UINT64_MAX : ((uint64_t)1 << (8 * size)) - 1;
}

/*
 * The kernel writes numbers as "0xHEX (DEC)", "(DEC)", "'c'", or, for what it
 * takes for an address, "symbol+0xOFF/0xSIZE (DEC of the low 32 bits)".
 */
static bool number_equals(struct orma_str text, uint64_t num, unsigned size)
{
    char copy[512];

    snprintf(copy, sizeof(copy), "%.*s", ORMA_STR_ARG(text));
    num &= mask(size);
    if (!strncmp(copy, "0x", 2))
        return strtoull(copy, NULL, 16) == num;
    if (copy[0] == '(')
        return (strtoull(copy + 1, NULL, 0) & mask(size)) == num;
    if (copy[0] == '\'')
        return (uint8_t)copy[1] == num;
    const char *bracket = strrchr(copy, '(');
    return bracket && (uint32_t)strtoll(bracket + 1, NULL, 10) == (uint32_t)num;
}

static uint64_t user_dev(uint64_t dev)
{
    uint64_t major = dev >> 20, minor = dev & 0xfffff;

    return (major & ~(uint64_t)0xfff) << 32 | (major & 0xfff) << 8 | (minor & 0xfff00) << 12 |
           (minor & 0xff);
}

/* A number stands for one address: the same for the same one, with the right name. */
static bool symbol_equals(struct orma_str text, uint64_t index)
{
    char copy[512];
    uint64_t raw, before;

    snprintf(copy, sizeof(copy), "%.*s", ORMA_STR_ARG(text));
    bool is_hex = !strncmp(copy, "0x", 2);
    raw = is_hex ? strtoull(copy, NULL, 16) : orma_hash_bytes(copy, strcspn(copy, " "));
    if (is_hex && !raw)
        return index == 0;
    if (!index)
        return false;
    before = orma_map_get(&t.raw_of_index, index);
    if (before != ORMA_MAP_NONE && before != raw)
        return false;
    orma_map_put(&t.raw_of_index, index, raw);
    const char *name = orma_map_get_ptr(&t.names.names, index);
    if (is_hex) /* not code: but kallsyms may know the end of the one before it */
        return true;
    copy[strcspn(copy, "+ ")] = '\0';
    if (name && !strcmp(name, copy))
        return true;
    /* Several names for one address: the kernel may take another than the first. */
    return name != NULL && t.kallsyms;
}

/* "(0xffffffff82...:text)" or "(0x...)" */
static bool pointer_equals(struct orma_str text, struct orma_str ours)
{
    struct orma_str rest = text, head;

    if (!ours.len) {
        t.unknown_pointers++;
        return true;
    }
    return orma_str_cut(&rest, ':', &head) && rest.len == ours.len + 1 &&
           !memcmp(rest.data, ours.data, ours.len);
}

/* Hexadecimal bytes, in whatever grouping. */
static bool bytes_equal(struct orma_str text, struct orma_str ours)
{
    size_t at = 0;

    for (size_t i = 0; i < text.len;) {
        unsigned byte;
        char two[3] = {0};

        if (text.data[i] == ',' || text.data[i] == ' ' || text.data[i] == '{' ||
            text.data[i] == '}') {
            i++;
            continue;
        }
        if (text.len - i < 2)
            return false;
        memcpy(two, text.data + i, 2);
        if (sscanf(two, "%2x", &byte) != 1 || at >= ours.len || (uint8_t)ours.data[at++] != byte)
            return false;
        i += 2;
    }
    return at == ours.len;
}

static bool text_equals(struct orma_str text, struct orma_str ours, const char *last)
{
    (void)last;
    /* print ends with a newline that is the line's own in the text. */
    while (ours.len && ours.data[ours.len - 1] == '\n')
        ours.len--;
    while (text.len && text.data[text.len - 1] == '\n')
        text.len--;
    return orma_str_eq(text, ours);
}

/* "name: 0x7ffe..., " in the usual text of sys_enter_*. */
static bool usual_argument_equals(const char *name, uint64_t num)
{
    struct orma_str text = t.usual.events[t.text.at - 1].all;
    char key[80];

    for (const char *before = "( "; *before; before++) {
        int len = snprintf(key, sizeof(key), "%c%s: ", *before, name);
        const char *at = memmem(text.data, text.len, key, (size_t)len);

        if (at)
            return strtoull(at + len, NULL, 0) == num;
    }
    return false;
}

/* "NR 257 (ffffff9c, 7ffe1c90ffc0, ...)": the usual text of sys_enter. */
static bool usual_syscall_equals(const struct ft_event *ev)
{
    struct orma_str text = t.usual.events[t.text.at - 1].all;
    const char *at = memchr(text.data, '(', text.len);

    for (unsigned i = 0; i < ev->fields_num; i++) {
        if (strcmp(ev->fields[i].name, "args"))
            continue;
        if (!at || strtoull(at + 1, NULL, 16) != ev->fields[i].num)
            return false;
        at = strpbrk(at + 1, ",)");
    }
    return at && *at == ')';
}

static void compare_field(const struct text_event *want, const struct orma_ftrace_format_field *k,
                          const struct ft_field *f, struct orma_str text, bool in_syscalls)
{
    t.fields++;
    switch ((enum orma_ftrace_kind)k->kind) {
    case ORMA_FTRACE_KIND_PRINTK:
        if (in_syscalls) { /* the text shows an address of the kernel's own scratch buffer */
            if (!usual_argument_equals(f->name, f->num))
                differ(want, f->name, "argument", text, f->num);
        } else if (!pointer_equals(text, f->text))
            differ(want, f->name, "pointer", text, f->num);
        return;
    case ORMA_FTRACE_KIND_CHARS:
    case ORMA_FTRACE_KIND_CHARS_TO_END:
    case ORMA_FTRACE_KIND_LOC_CHARS:
        if (!text_equals(text, f->text, NULL))
            differ(want, f->name, "string", text, f->text.len);
        return;
    case ORMA_FTRACE_KIND_DEV: {
        char copy[64];
        snprintf(copy, sizeof(copy), "%.*s", ORMA_STR_ARG(text));
        if (user_dev(strtoull(copy, NULL, 16)) != f->num)
            differ(want, f->name, "device", text, f->num);
        return;
    }
    case ORMA_FTRACE_KIND_SYMBOL:
        if (!symbol_equals(text, f->num))
            differ(want, f->name, "symbol", text, f->num);
        return;
    default:
        if (f->type == FT_BYTES) {
            if (f->text.len <= 8 && orma_str_starts(text, ORMA_STR("0x"))) {
                uint64_t num = 0; /* an array as large as a word is printed as one */
                memcpy(&num, f->text.data, f->text.len);
                if (!number_equals(text, num, k->size))
                    differ(want, f->name, "bytes", text, num);
            } else if (!bytes_equal(text, f->text))
                differ(want, f->name, "bytes", text, f->text.len);
        } else if (!number_equals(text, f->num, k->size)) {
            differ(want, f->name, "number", text, f->num);
        }
    }
}

/* Arrays of numbers: repeated fields against the bytes in the text. */
static void compare_array(const struct text_event *want, const struct orma_ftrace_format_field *k,
                          const struct ft_event *ev, const char *name, struct orma_str text)
{
    uint8_t bytes[4096];
    size_t len = 0;

    for (unsigned i = 0; i < ev->fields_num; i++) {
        if (strcmp(ev->fields[i].name, name) || len + k->elem_size > sizeof(bytes))
            continue;
        memcpy(bytes + len, &ev->fields[i].num, k->elem_size);
        len += k->elem_size;
    }
    t.fields++;
    if (!bytes_equal(text, (struct orma_str){(const char *)bytes, len}))
        differ(want, name, "array", text, len);
}

/* ---- formats by plan ---- */

static struct orma_map formats; /* event id -> struct orma_ftrace_format * */

static const struct orma_ftrace_format *format_of(const struct orma_ftrace_plan *plan)
{
    struct orma_ftrace_format *format = orma_map_get_ptr(&formats, plan->id);
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    char path[512];

    if (format)
        return format;
    snprintf(path, sizeof(path), "events/%s/%s/format", plan->group, plan->name);
    format = calloc(1, sizeof(*format));
    if (orma_tracefs_read(&t.fs, path, &text) < 0 ||
        orma_ftrace_format_parse(&t.events.arena, orma_buf_str(&text), 8, format) < 0)
        abort();
    orma_map_put_ptr(&formats, plan->id, format);
    return format;
}

static const struct orma_ftrace_plan *plan_of(struct orma_str name, uint32_t field_id)
{
    for (unsigned i = 0; i < t.events.plans_num; i++) {
        const struct orma_ftrace_plan *plan = t.events.plans[i];

        if (plan && plan->field_id == field_id && orma_str_eq_c(name, plan->name))
            return plan;
    }
    return NULL;
}

static void compare_fields(const struct text_event *want, const struct ft_event *ev,
                           const struct orma_ftrace_plan *plan)
{
    const struct orma_ftrace_format *format = format_of(plan);
    const char *before = "";

    for (unsigned i = 0; i < ev->fields_num; i++) {
        const struct ft_field *f = &ev->fields[i];
        const struct orma_ftrace_format_field *k = orma_ftrace_format_field(format, f->name);
        struct orma_str text;

        if (!strcmp(before, f->name))
            continue; /* the rest of an array */
        before = f->name;
        if (k && text_value(want, format, f->name, &text) &&
            orma_str_eq_c(text, "<INVALID-SIZE>")) {
            if (strcmp(plan->name, "sys_enter"))
                t.unprintable++;
            else if (!usual_syscall_equals(ev))
                differ(want, f->name, "arguments", t.usual.events[t.text.at - 1].all, 0);
            continue;
        }
        if (!k || !text_value(want, format, f->name, &text)) {
            differ(want, f->name, "not in the text", (struct orma_str){NULL, 0}, f->num);
            continue;
        }
        bool is_array = k->kind == ORMA_FTRACE_KIND_ARRAY ||
                        k->kind == ORMA_FTRACE_KIND_LOC_ARRAY ||
                        k->kind == ORMA_FTRACE_KIND_ARRAY_TO_END;
        bool is_word = orma_str_starts(text, ORMA_STR("0x")) && k->size <= 8;
        if (is_array && !is_word && f->type != FT_BYTES && f->type != FT_TEXT)
            compare_array(want, k, ev, f->name, text);
        else
            compare_field(want, k, f, text, !strcmp(plan->group, "syscalls"));
    }
    /* A generic event must have all that the kernel shows. */
    for (unsigned i = 0; ev->is_generic && i < format->fields_num; i++) {
        const struct orma_ftrace_format_field *k = &format->fields[i];
        struct orma_str text;

        if (!ft_find(ev, k->name) && text_value(want, format, k->name, &text) && text.len)
            differ(want, k->name, "missing in ours", text, 0);
    }
}

static void on_event(void *ctx, const struct ft_event *ev)
{
    static const struct text_event nothing = {0};
    const struct text_event *want;
    const struct orma_ftrace_plan *plan;

    (void)ctx;
    if (t.text.at == t.text.num) {
        differ(&nothing, ev->name, "more events than in the text", (struct orma_str){NULL, 0},
               ev->ts);
        return;
    }
    want = &t.text.events[t.text.at++];
    plan = plan_of(want->name, ev->field_id);
    t.events_compared++;
    if (!plan)
        differ(want, ev->name, "another event", want->name, ev->field_id);
    else if (ev->pid != want->pid)
        differ(want, "common_pid", "process", want->name, ev->pid);
    else if ((ev->ts + 500) / 1000 != want->ts_us)
        differ(want, "timestamp", "time", want->name, ev->ts);
    else
        compare_fields(want, ev, plan);
    if (plan)
        t.compared[plan->id]++;
}

static int sink_put(struct orma_source_sink *self, const void *packet, size_t len)
{
    struct ft_bundle b = ft_decode(packet, len, &t.names, on_event, NULL);

    (void)self;
    if (b.malformed || b.errors_num) {
        printf("bundle: malformed %d, errors %u (%d)\n", b.malformed, b.errors_num, b.last_error);
        t.differences++;
    }
    return 0;
}

static void sink_flush(struct orma_source_sink *self)
{
    (void)self;
}

/* ---- the run ---- */

static int make_instance(void)
{
    char *root = NULL, path[256];
    int r = orma_tracefs_find(NULL, &root);

    if (r == -ENOENT && geteuid() == 0 &&
        mount("nodev", "/sys/kernel/tracing", "tracefs", 0, NULL) == 0)
        r = orma_tracefs_find(NULL, &root);
    if (r < 0)
        return r;
    snprintf(t.instance, sizeof(t.instance), "orma_diff_%d", (int)getpid());
    snprintf(path, sizeof(path), "%s/instances/%s", root, t.instance);
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        r = -errno;
    if (!r)
        r = orma_tracefs_open(&t.fs, root, t.instance);
    free(root);
    return r;
}

static void remove_instance(void)
{
    char path[300];

    snprintf(path, sizeof(path), "%s", t.fs.path);
    orma_tracefs_close(&t.fs);
    if (rmdir(path) < 0)
        printf("cannot remove %s: %s\n", path, strerror(errno));
}

static bool record(const char *const *groups, size_t groups_num, int rounds)
{
    char dir[] = "/tmp/orma-diff-XXXXXX", path[128];

    if (!mkdtemp(dir))
        return false;
    orma_tracefs_write(&t.fs, "tracing_on", "0");
    orma_tracefs_write(&t.fs, "buffer_size_kb", "24000");
    orma_tracefs_write(&t.fs, "trace_clock", "boot");
    orma_tracefs_write(&t.fs, "options/fields", "1");
    orma_tracefs_write(&t.fs, "options/overwrite", "0"); /* keep the beginning */
    for (size_t i = 0; i < groups_num; i++) {
        snprintf(path, sizeof(path), "events/%s/enable", groups[i]);
        orma_tracefs_write(&t.fs, path, "1");
    }
    orma_tracefs_write(&t.fs, "tracing_on", "1");
    for (int i = 0; i < rounds; i++)
        workload_round(dir);
    orma_tracefs_write(&t.fs, "tracing_on", "0");
    orma_tracefs_write(&t.fs, "events/enable", "0");
    rmdir(dir);
    return true;
}

static bool compile(const char *const *groups, size_t groups_num)
{
    Perfetto__Protos__FtraceConfig config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    Perfetto__Protos__FtraceConfig__CompactSchedConfig compact =
        PERFETTO__PROTOS__FTRACE_CONFIG__COMPACT_SCHED_CONFIG__INIT;
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_ftrace_generic_ids *ids;
    char names[64][64], *list[64];

    compact.has_enabled = 1;
    compact.enabled = 0;
    config.compact_sched = &compact;
    for (size_t i = 0; i < groups_num; i++) {
        snprintf(names[i], sizeof(names[i]), "%s/*", groups[i]);
        list[i] = names[i];
    }
    config.n_ftrace_events = groups_num;
    config.ftrace_events = list;
    if (orma_ftrace_generic_ids_new(&ids) < 0 || orma_ftrace_translate_init(&t.translate) < 0 ||
        orma_ftrace_bundle_init(&t.bundle) < 0)
        return false;
    t.translate.bundle = &t.bundle;
    t.sink = (struct orma_source_sink){sink_put, sink_flush};
    t.translate.sink = &t.sink;
    orma_tracefs_page_layout(&t.fs, &t.translate.page_layout);
    if (orma_ftrace_events_select(&t.events, &t.fs, &config) < 0 ||
        orma_ftrace_events_compile(&t.events, &t.fs, &config, 8, ids, &t.translate) < 0)
        return false;
    orma_ftrace_generic_ids_free(ids);
    if (orma_tracefs_read_top(&t.fs, "printk_formats", &text) == 0)
        orma_ftrace_printk_parse(&t.events.arena, orma_buf_str(&text), &t.printk);
    t.translate.printk = &t.printk;
    (void)orma_kallsyms_read(AT_FDCWD, "/proc/kallsyms",
                             &t.kallsyms); /* none: no names to compare */
    orma_ftrace_symbols_init(&t.symbols, t.kallsyms);
    t.translate.symbols = &t.symbols;
    t.compared = calloc(65536, sizeof(*t.compared));
    return t.compared != NULL;
}

static void compare_cpu(uint32_t cpu)
{
    struct orma_ftrace_translate_cpu state = {0};
    uint8_t page[4096];
    char path[64];
    int fd;

    snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", cpu);
    fd = openat(t.fs.dir_fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    while (fd >= 0 && read(fd, page, sizeof(page)) == (ssize_t)sizeof(page)) {
        orma_ftrace_translate_begin(&t.translate, cpu, &state);
        orma_ftrace_translate_page(&t.translate, page, sizeof(page));
        orma_ftrace_translate_end(&t.translate);
    }
    orma_fd_close(&fd);
    if (t.text.at != t.text.num) {
        printf("cpu %u: %zu events of the text, %zu of ours\n", cpu, t.text.num, t.text.at);
        t.differences++;
    }
}

static unsigned kinds(void)
{
    unsigned num = 0;

    for (unsigned i = 0; i < 65536; i++)
        num += t.compared[i] > 0;
    return num;
}

static void fini(void)
{
    ORMA_MAP_EACH (slot, &formats)
        free((void *)(uintptr_t)slot->val);
    orma_map_fini(&formats);
    orma_map_fini(&t.raw_of_index);
    orma_map_fini(&t.printk);
    orma_kallsyms_free(t.kallsyms);
    orma_ftrace_symbols_fini(&t.symbols);
    ft_symbols_fini(&t.names);
    orma_ftrace_bundle_fini(&t.bundle);
    orma_ftrace_translate_fini(&t.translate);
    orma_ftrace_events_fini(&t.events);
    orma_buf_fini(&t.text.buf);
    free(t.text.events);
    orma_buf_fini(&t.usual.buf);
    free(t.usual.events);
    free(t.compared);
}

int main(int argc, char **argv)
{
    static const char *const groups[] = {
        "sched",
        "irq",
        "syscalls",
        "timer",
        "power",
        "kmem",
        "block",
        "workqueue",
        "signal",
        "task",
        "raw_syscalls",
        "ext4",
        "jbd2",
        "writeback",
        "filemap",
        "net",
        "skb",
        "tcp",
        "sock",
        "udp",
        "rcu",
        "mmap",
        "mmap_lock",
        "napi",
        "csd",
        "ipi",
        "irq_vectors",
        "exceptions",
        "maple_tree",
        "notifier",
        "percpu",
        "pagemap",
        "compaction",
        "lock",
        "filelock",
        "cgroup",
        "rseq",
        "tlb",
        "vmalloc",
        "readahead",
        "capability",
        "x86_fpu",
        "context_tracking",
        "thermal",
        "icmp",
        "fib",
        "neigh",
        "qdisc",
        "oom",
        "vmscan",
        "migrate",
        "huge_memory",
        "dma",
        "random",
        "clk",
        "alarmtimer",
    };
    size_t num = ORMA_ARRAY_LEN(groups);
    uint32_t cpus[64];
    int rounds = argc > 1 ? atoi(argv[1]) : 2;

    if (make_instance() < 0)
        return skip("no right to use tracefs, or no private instance");
    if (!orma_tracefs_has(&t.fs, "options/fields")) {
        remove_instance();
        return skip("this kernel cannot print the fields of events");
    }
    bool ok = record(groups, num, rounds) && compile(groups, num);
    unsigned cpus_num = orma_tracefs_cpus(&t.fs, cpus, 64);
    for (unsigned i = 0; ok && i < cpus_num; i++) {
        ok = load_text(cpus[i], "0", &t.usual) && load_text(cpus[i], "1", &t.text) &&
             t.usual.num == t.text.num;
        if (ok)
            compare_cpu(cpus[i]);
        else
            printf("cpu %u: the kernel printed %zu and %zu events\n", cpus[i], t.usual.num,
                   t.text.num);
    }
    printf("%" PRIu64 " events of %u kinds, %" PRIu64 " fields compared; %" PRIu64
           " pointers to text that the kernel does not list, %" PRIu64
           " arrays that it cannot print; %" PRIu64 " differences\n",
           t.events_compared, ok ? kinds() : 0, t.fields, t.unknown_pointers, t.unprintable,
           t.differences);
    remove_instance();
    ok = ok && !t.differences && kinds() >= KINDS_MIN;
    fini();
    return ok ? 0 : 1;
}
