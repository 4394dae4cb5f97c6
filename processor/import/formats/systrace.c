/*
 * Lines of the kernel's tracer as text, and the HTML pages around them.
 *
 * A state machine over lines finds what to read: the trace itself, or the process lists that HTML
 * pages bring in further script elements, with one column layout per header line.
 *
 *   at start ─► lines of the trace                        (plain text)
 *            ─► html ◄─► lines of the trace, processes    (until </script>)
 *
 * A line of the trace is read twice: first for its time, by which it is sorted, and then, in order,
 * for what the event does (systrace_event.c). In a line, the comm may contain any character, so the
 * pid is the first "-<digits>" that the rest of the line fits.
 */
#include "processor/import/formats/systrace.h"

#include "processor/import/core/ports.h"
#include "processor/model/sched.h"

/* Longer lines are not waited for. */
#define LINE_MAX ((size_t)1 << 20)

enum where {
    AT_START,
    IN_LINES,     /* of the tracer */
    IN_HTML,      /* between what is of interest */
    IN_PROCESSES, /* a list of processes or threads */
};

struct systrace {
    enum where where;
    bool html;
    /* Where columns of the list are; -1: there is none. */
    int col_pid, col_ppid, col_tid, col_name;
};

/* ---- lines ---- */

struct line {
    struct orma_str comm; /* empty: not known */
    uint32_t pid, tgid, cpu;
    bool has_tgid;
    struct orma_str flags; /* four letters or so, may be empty */
    int64_t ts;
    struct orma_str event, args;
};

static bool digits(struct orma_str *rest, uint64_t *ret)
{
    size_t n = 0;

    *ret = 0;
    while (n < rest->len && rest->data[n] >= '0' && rest->data[n] <= '9' && n < 18)
        *ret = *ret * 10 + (uint64_t)(rest->data[n++] - '0');
    *rest = (struct orma_str){rest->data + n, rest->len - n};
    return n > 0;
}

static void blanks(struct orma_str *rest)
{
    while (rest->len && (*rest->data == ' ' || *rest->data == '\t'))
        *rest = (struct orma_str){rest->data + 1, rest->len - 1};
}

static bool letter(struct orma_str *rest, char c)
{
    if (!rest->len || *rest->data != c)
        return false;
    *rest = (struct orma_str){rest->data + 1, rest->len - 1};
    return true;
}

/* "123  ( 456) [001] " */
static bool read_ids(struct orma_str *rest, struct line *ret)
{
    uint64_t val;

    if (!digits(rest, &val) || val > UINT32_MAX)
        return false;
    ret->pid = (uint32_t)val;
    blanks(rest);
    if (letter(rest, '(')) {
        blanks(rest);
        if (digits(rest, &val)) {
            ret->tgid = (uint32_t)val;
            ret->has_tgid = true;
        } else {
            while (letter(rest, '-'))
                ;
        }
        blanks(rest);
        if (!letter(rest, ')'))
            return false;
        blanks(rest);
    }
    if (!letter(rest, '[') || !digits(rest, &val) || !letter(rest, ']') || val >= ORMA_CPUS_MAX)
        return false;
    ret->cpu = (uint32_t)val;
    blanks(rest);
    return true;
}

/* "12.345678:" */
static bool read_time(struct orma_str *rest, int64_t *ret)
{
    struct orma_str time = *rest;
    uint64_t seconds, fraction = 0;
    unsigned n = 0;

    if (!digits(&time, &seconds) || seconds > 9000000000u || !letter(&time, '.'))
        return false;
    for (; time.len && *time.data >= '0' && *time.data <= '9'; n++) {
        if (n < 9)
            fraction = fraction * 10 + (uint64_t)(*time.data - '0');
        time = (struct orma_str){time.data + 1, time.len - 1};
    }
    if (!n || !letter(&time, ':'))
        return false;
    for (; n < 9; n++)
        fraction *= 10;
    *ret = (int64_t)(seconds * 1000000000 + fraction);
    *rest = time;
    return true;
}

static bool is_flag(char c)
{
    return c == '.' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_depth(char c)
{
    return c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* "d..1 12.345678:"; between the flags and the time there need not be a blank. */
static bool read_flags(struct orma_str *rest, struct line *ret)
{
    struct orma_str word, after;

    for (size_t n = 4; n <= 5 && n < rest->len; n++) {
        const char *f = rest->data;

        if (!is_flag(f[0]) || !is_flag(f[1]) || !is_flag(f[2]) || !is_depth(f[n - 1]))
            break;
        after = (struct orma_str){f + n, rest->len - n};
        blanks(&after);
        if (!read_time(&after, &ret->ts))
            continue;
        ret->flags = (struct orma_str){f, n};
        *rest = after;
        return true;
    }
    /* Other kernels have more of them. */
    after = *rest;
    if (!orma_str_cut(&after, ' ', &word) || !word.len)
        return false;
    ret->flags = word;
    blanks(&after);
    *rest = after;
    return read_time(rest, &ret->ts);
}

/* "d..1 12.345678: event: args"; the flags may be missing. */
static bool read_event(struct orma_str rest, struct line *ret)
{
    size_t n = 0, colon = 0;

    blanks(&rest);
    if (!read_time(&rest, &ret->ts) && !read_flags(&rest, ret))
        return false;
    blanks(&rest);
    for (; n < rest.len && rest.data[n] != ' ' && rest.data[n] != '\t'; n++)
        if (rest.data[n] == ':')
            colon = n;
    if (!colon)
        return false;
    ret->event = (struct orma_str){rest.data, colon};
    ret->args = orma_str_trim((struct orma_str){rest.data + colon + 1, rest.len - colon - 1});
    return true;
}

static bool read_line(struct orma_str text, struct line *ret)
{
    for (size_t i = 0; i + 1 < text.len; i++) {
        struct orma_str rest = {text.data + i + 1, text.len - i - 1};

        *ret = (struct line){0};
        if (text.data[i] != '-' || rest.data[0] < '0' || rest.data[0] > '9' ||
            !read_ids(&rest, ret))
            continue;
        ret->comm = orma_str_trim((struct orma_str){text.data, i});
        if (orma_str_eq(ret->comm, ORMA_STR("<...>")))
            ret->comm = (struct orma_str){0};
        return read_event(rest, ret);
    }
    return false;
}

bool orma_systrace_line(struct orma_file *file, struct orma_str text)
{
    struct line line;

    if (!read_line(text, &line))
        return false;
    orma_file_add(file, line.ts, 0, (const uint8_t *)text.data, text.len);
    return true;
}

void orma_systrace_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_import_ctx *imp = file->imp;
    struct orma_processes *p = orma_model_processes(imp->model, imp->model->base);
    struct line line;
    struct orma_buf scratch = {0};

    if (!read_line((struct orma_str){(const char *)item->data, item->len}, &line))
        return; /* it could be read before: the file has changed since */
    /* The name is of the thread that has the tid so far; its process may tell that it is another.
     */
    uint32_t named = orma_processes_thread(p, line.pid);
    if (line.comm.len)
        orma_processes_name_thread(p, named, orma_model_str(imp->model, line.comm),
                                   ORMA_THREAD_NAME_FTRACE);
    if (line.has_tgid)
        (void)orma_processes_thread_of(p, line.pid, line.tgid);
    struct orma_kernel_event e = {
        .ts = item->ts,
        .machine = imp->model->base,
        .cpu = line.cpu,
        .pid = line.pid,
        .utid = orma_processes_thread(p, line.pid),
        .item = item,
    };
    if (line.flags.len > 2 && memchr("hHsz", line.flags.data[2], 4)) {
        e.common_flags = line.flags.data[2] == 's' ? 0x10 : 0x08;
        e.has_flags = true;
    }
    orma_systrace_event(imp, &e, named, line.event, line.args, &scratch);
    imp->model->storage->failed |= scratch.failed;
    orma_buf_fini(&scratch);
}

/* ---- lists of processes ---- */

static bool next_word(struct orma_str *rest, struct orma_str *ret)
{
    blanks(rest);
    size_t n = 0;
    while (n < rest->len && rest->data[n] != ' ' && rest->data[n] != '\t')
        n++;
    *ret = (struct orma_str){rest->data, n};
    *rest = (struct orma_str){rest->data + n, rest->len - n};
    return n > 0;
}

static bool read_header(struct systrace *s, struct orma_str line)
{
    struct orma_str word;
    int col = 0;

    s->col_pid = s->col_ppid = s->col_tid = s->col_name = -1;
    for (; next_word(&line, &word); col++) {
        if (orma_str_eq(word, ORMA_STR("PID")))
            s->col_pid = col;
        else if (orma_str_eq(word, ORMA_STR("PPID")))
            s->col_ppid = col;
        else if (orma_str_eq(word, ORMA_STR("TID")))
            s->col_tid = col;
        else if (orma_str_eq(word, ORMA_STR("NAME")) || orma_str_eq(word, ORMA_STR("CMD")))
            s->col_name = col;
    }
    return s->col_pid >= 0 && s->col_name >= 0;
}

static void process_line(struct orma_file *file, struct systrace *s, struct orma_str line)
{
    struct orma_processes *p = orma_model_processes(file->imp->model, file->imp->model->base);
    struct orma_str word, name = {0};
    uint64_t pid = 0, ppid = 0, tid = 0, val;
    int col = 0, last = s->col_name;

    /* States are a column without a title in some lists: then all is one further right. */
    while (col < last && next_word(&line, &word)) {
        if (orma_str_to_u64(word, &val)) {
            pid = col == s->col_pid ? val : pid;
            ppid = col == s->col_ppid ? val : ppid;
            tid = col == s->col_tid ? val : tid;
        }
        col++;
    }
    name = orma_str_trim(line);
    if (name.len > 2 && name.data[1] == ' ' && memchr("RSDTZXI", name.data[0], 7))
        name = orma_str_trim((struct orma_str){name.data + 2, name.len - 2});
    if (col < last || !pid || !name.len)
        return;
    uint32_t id = orma_model_str(file->imp->model, name);
    if (s->col_tid >= 0 && tid) {
        orma_processes_name_thread(p, orma_processes_thread_of(p, (uint32_t)tid, (uint32_t)pid), id,
                                   ORMA_THREAD_NAME_TREE);
        return;
    }
    uint32_t upid = orma_processes_process(p, (uint32_t)pid);
    orma_processes_name_process(p, upid, id, ORMA_PROCESS_NAME_SYSTEM);
    if (ppid)
        (void)orma_processes_set_parent(p, upid, orma_processes_process(p, (uint32_t)ppid));
}

/* ---- the file ---- */

static bool contains(struct orma_str s, const char *what)
{
    return orma_str_find(s, orma_str_from(what));
}

/* "CPU:1 [LOST 5 EVENTS]": the kernel's own buffer had no space for them. */
static bool lost_line(struct orma_file *file, struct orma_str line)
{
    struct orma_str cpu, rest = line, num;
    uint64_t of_cpu, events;

    if (!orma_str_starts(line, ORMA_STR("CPU:")))
        return false;
    rest = (struct orma_str){line.data + 4, line.len - 4};
    const char *lost = orma_str_find(rest, ORMA_STR("[LOST "));
    if (!lost || !orma_str_cut(&rest, ' ', &cpu) || !orma_str_to_u64(cpu, &of_cpu))
        return true; /* "CPU:1 buffer started": nothing was lost */
    rest = (struct orma_str){lost + 6, (size_t)(line.data + line.len - lost) - 6};
    if (orma_str_cut(&rest, ' ', &num) && orma_str_to_u64(num, &events) &&
        of_cpu < ORMA_UCPUS_PER_MACHINE && events < INT32_MAX)
        orma_stats_add_at(orma_model_stats(file->imp->model, file->imp->model->base),
                          ORMA_STAT_FTRACE_CPU_OVERRUN_DELTA, (int32_t)of_cpu, (int64_t)events);
    return true;
}

/* Pages of old tools have the text as a string of their script: its end is not damage. */
static bool ends_script(const struct orma_file *file, struct orma_str line)
{
    const struct systrace *s = file->state;

    return s->html && line.len > 1 && !memcmp(line.data + line.len - 2, "\";", 2);
}

static void on_text(struct orma_file *file, struct orma_str line)
{
    struct orma_str first = line;

    blanks(&first);
    /* Headings, and remarks of the kernel about what it lost. */
    if (!first.len || first.data[0] == '#' || orma_str_starts(first, ORMA_STR("TRACE:")) ||
        orma_str_starts(first, ORMA_STR("cpus=")) || orma_str_starts(first, ORMA_STR("version")) ||
        lost_line(file, first))
        return;
    if (orma_systrace_line(file, line))
        return;
    orma_stats_inc(orma_model_stats(file->imp->model, file->imp->model->base),
                   ORMA_STAT_SYSTRACE_PARSE_FAILURE);
    if (!ends_script(file, line))
        orma_file_damage(file, line.data, line.len, ORMA_DAMAGED_LINE);
}

static void on_line(struct orma_file *file, struct systrace *s, struct orma_str line)
{
    if (s->where == AT_START) {
        s->html = line.len && line.data[0] == '<';
        s->where = s->html ? IN_HTML : IN_LINES;
    }
    if (s->html && contains(line, "</script>")) {
        s->where = IN_HTML;
        return;
    }
    if (s->where != IN_LINES && orma_str_starts(line, ORMA_STR("# tracer"))) {
        s->where = IN_LINES;
        return;
    }
    /* USER PID PPID ... NAME */
    if (s->where != IN_LINES && orma_str_starts(line, ORMA_STR("USER")) && read_header(s, line)) {
        s->where = IN_PROCESSES;
        return;
    }
    if (s->where == IN_PROCESSES)
        process_line(file, s, line);
    else if (s->where == IN_LINES)
        on_text(file, line);
}

static size_t systrace_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct systrace *s = file->state;
    struct orma_str rest = {(const char *)data, len};

    while (rest.len && !orma_file_failed(file)) {
        const char *end = memchr(rest.data, '\n', rest.len);
        size_t n = end ? (size_t)(end - rest.data) : rest.len;

        if (!end && !at_end && rest.len < LINE_MAX)
            break;
        struct orma_str line = {rest.data, n};
        if (n && line.data[n - 1] == '\r')
            line.len--;
        on_line(file, s, line);
        n = ORMA_MIN(n + 1, rest.len);
        rest = (struct orma_str){rest.data + n, rest.len - n};
    }
    return len - rest.len;
}

const struct orma_format_ops orma_format_systrace = {
    .state_bytes = sizeof(struct systrace),
    .clock = ORMA_CLOCK_MONOTONIC,
    .idle_zero = true,
    .read = systrace_read,
    .parse = orma_systrace_parse,
};
