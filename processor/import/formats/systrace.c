/*
 * Lines of the kernel's tracer as text, and the HTML pages around them.
 *
 * A state machine over lines finds what to read: the trace itself, or the process lists that HTML
 * pages bring in further script elements, with one column layout per header line.
 *
 *   at start ─► lines                                                  (plain text)
 *            ─► html ◄─► section ─► lines, processes, others       (until </script>)
 *
 * A section is a script element of data; a heading in it says what follows. The trace is the last
 * thing in a page. Pages of old tools have it in the text of their script: it is not read.
 *
 * A line of the trace is read twice: first for its time, by which it is sorted, and then, in order,
 * for what the event does (systrace_event.c). In a line, the comm may contain any character, so the
 * pid is the first "-<digits>" that the rest of the line fits. trace-cmd has forms of its own:
 *
 *     file or buffer:             comm-123   [001] ...       of several files or buffers
 *         comm-123     1d..2 ...                             report -l: the cpu and its flags
 *     ... 7726618308089: ...                                 nanoseconds, of clocks that have no
 * others
 */
#include "processor/import/formats/systrace.h"

#include <errno.h>

#include "processor/import/core/ports.h"
#include "processor/import/formats/lines.h"
#include "processor/model/sched.h"

enum where {
    AT_START,
    IN_LINES,     /* of the tracer */
    IN_HTML,      /* between what is of interest */
    IN_SCRIPT,    /* lines of the tracer in a text of old pages: each ends with \n\ */
    IN_SECTION,   /* of data: the next heading says which */
    IN_PROCESSES, /* a list of processes */
    IN_THREADS,
    IN_OTHERS,
    AT_END,
};

struct systrace {
    struct orma_formats_lines lines;
    enum where where;
    bool html, section; /* a page; one that has a trace in it */
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
    uint64_t val = 0;

    *ret = 0;
    if (!rest->len)
        return false; /* there may be no text at all */
    const char *at = rest->data, *begin = at, *end = at + ORMA_MIN(rest->len, (size_t)18);

    for (; at < end && (unsigned char)(*at - '0') < 10; at++)
        val = val * 10 + (unsigned char)(*at - '0');
    *ret = val;
    if (at == begin)
        return false;
    *rest = (struct orma_str){at, rest->len - (size_t)(at - begin)};
    return true;
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

/* "( 456) ", or nothing. */
static bool read_tgid(struct orma_str *rest, struct line *ret)
{
    uint64_t val;

    if (!letter(rest, '('))
        return true;
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
    return true;
}

static bool is_flag(char c)
{
    return c == '.' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "[001] ", or "1" with the flags behind it. */
static bool read_cpu(struct orma_str *rest, struct line *ret)
{
    bool bracket = letter(rest, '[');
    uint64_t val;

    if (!digits(rest, &val) || val >= ORMA_CPUS_MAX ||
        (bracket ? !letter(rest, ']')
                 : rest->len < 3 || !is_flag(rest->data[0]) || !is_flag(rest->data[1]) ||
                       !is_flag(rest->data[2])))
        return false;
    ret->cpu = (uint32_t)val;
    blanks(rest);
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
    return read_tgid(rest, ret) && read_cpu(rest, ret);
}

/* Numbers without a point are nanoseconds, if there are so many that they may be. */
#define NS_MIN 1000000000u

/* "12.345678:", "12345678901:" */
static bool read_time(struct orma_str *rest, int64_t *ret)
{
    struct orma_str time = *rest;
    uint64_t seconds, fraction = 0;
    unsigned n = 0;

    if (!digits(&time, &seconds))
        return false;
    if (seconds >= NS_MIN && letter(&time, ':')) {
        *ret = (int64_t)seconds;
        *rest = time;
        return true;
    }
    if (seconds > 9000000000u || !letter(&time, '.'))
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

/* Comms are moved to the right, to so many characters; they have fewer. */
#define COMM_WIDTH 16

/* What stands before the pid, without "buffer: ". */
static struct orma_str comm_of(struct orma_str s)
{
    const char *comm = s.data + s.len - ORMA_MIN(s.len, (size_t)COMM_WIDTH);

    if (s.len > COMM_WIDTH + 2 && comm[0] == ' ' && comm[-1] == ' ' && comm[-2] == ':')
        s = (struct orma_str){comm, COMM_WIDTH};
    return orma_str_trim(s);
}

static bool read_line(struct orma_str text, struct line *ret)
{
    const char *end = text.data + text.len;

    for (const char *at = text.data;
         at < end && (at = memchr(at, '-', (size_t)(end - at))) && at + 1 < end; at++) {
        struct orma_str rest = {at + 1, (size_t)(end - at) - 1};

        if (rest.data[0] < '0' || rest.data[0] > '9')
            continue;
        *ret = (struct line){0};
        if (!read_ids(&rest, ret))
            continue;
        ret->comm = comm_of((struct orma_str){text.data, (size_t)(at - text.data)});
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
    orma_file_unit(file, text.data);
    (void)orma_file_add(file, line.ts, 0, (const uint8_t *)text.data, text.len);
    return true;
}

struct orma_unit_end orma_systrace_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_import_ctx *imp = file->imp;
    struct orma_processes *p = orma_model_processes(imp->model, imp->model->base);
    struct line line;
    struct orma_buf scratch = {0};

    if (!read_line((struct orma_str){(const char *)item->data, item->len}, &line))
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "lines changed during the import");
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
    enum orma_systrace_end end =
        orma_systrace_event(imp, &e, named, line.event, line.args, &scratch);
    imp->model->storage->failed |= scratch.failed;
    orma_buf_fini(&scratch);
    if (end == ORMA_SYSTRACE_READ)
        return orma_file_took(file);
    file->account->of_use = true;
    return orma_file_skippedf(
        file, end == ORMA_SYSTRACE_UNREAD ? ORMA_ACCOUNT_NOT_READ : ORMA_ACCOUNT_DAMAGED,
        "kernel events '%.*s'", (int)ORMA_MIN(line.event.len, (size_t)100), line.event.data);
}

/* ---- lists of processes ---- */

#define SECTION "<script class=\"trace-data\" type=\"application/text\">"
#define WORDS_MAX 10

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

/* The first words of a line; *rest begins with the last of them. */
static unsigned split(struct orma_str line, struct orma_str words[WORDS_MAX],
                      struct orma_str rests[WORDS_MAX])
{
    unsigned num = 0;

    for (; num < WORDS_MAX; num++) {
        blanks(&line);
        rests[num] = orma_str_trim(line);
        if (!next_word(&line, &words[num]))
            break;
    }
    return num;
}

/* USER PID PPID VSZ RSS WCHAN PC S NAME COMMAND */
static void process_row(struct orma_file *file, const struct orma_str *words,
                        struct orma_str command)
{
    struct orma_model *model = file->imp->model;
    struct orma_processes *p = orma_model_processes(model, model->base);
    uint64_t pid, ppid;

    if (!orma_str_to_u64(words[1], &pid) || !orma_str_to_u64(words[2], &ppid)) {
        orma_file_error(file, -EBADMSG, "Could not parse PROCESS DUMP line (ERR:tp-parse)");
        return;
    }
    uint32_t parent = orma_processes_process(p, (uint32_t)ppid);
    uint32_t upid = orma_processes_process(p, (uint32_t)pid);
    (void)orma_processes_set_parent(p, upid, parent);
    orma_table_set(orma_model_table(model, ORMA_TABLE_PROCESS), ORMA_PROCESS_CMDLINE, upid,
                   orma_model_str(model, command));
    orma_processes_name_process(p, upid, orma_model_str(model, words[8]), ORMA_PROCESS_NAME_SYSTEM);
}

/* USER PID TID CMD */
static void thread_row(struct orma_file *file, const struct orma_str *words, struct orma_str name)
{
    struct orma_model *model = file->imp->model;
    struct orma_processes *p = orma_model_processes(model, model->base);
    uint64_t pid, tid;

    if (!orma_str_to_u64(words[1], &pid) || !orma_str_to_u64(words[2], &tid)) {
        orma_file_error(file, -EBADMSG, "Could not parse PROCESS DUMP line (ERR:tp-parse)");
        return;
    }
    orma_processes_name_thread(p, orma_processes_thread_of(p, (uint32_t)tid, (uint32_t)pid),
                               orma_model_str(model, name), ORMA_THREAD_NAME_OTHER);
}

static bool is_heading(const struct orma_str *words, const char *const *titles)
{
    for (unsigned i = 0; i < 4; i++)
        if (!orma_str_eq_c(words[i], titles[i]))
            return false;
    return true;
}

/* A line of a list that is no heading. */
static struct orma_unit_end list_row(struct orma_file *file, const struct systrace *s,
                                     const struct orma_str *words, const struct orma_str *rests,
                                     unsigned num)
{
    orma_file_unit(file, words[0].data);
    if (s->where == IN_PROCESSES && num == WORDS_MAX)
        process_row(file, words, rests[9]);
    else if (s->where == IN_THREADS && num >= 4)
        thread_row(file, words, rests[3]);
    else
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "lines of a process list");
    return orma_file_took(file);
}

static void list_line(struct orma_file *file, struct systrace *s, struct orma_str line)
{
    static const char *const processes[] = {"USER", "PID", "PPID", "VSZ"};
    static const char *const threads[] = {"USER", "PID", "TID", "CMD"};
    struct orma_str words[WORDS_MAX], rests[WORDS_MAX];
    unsigned num = split(line, words, rests);

    if (num >= 4 && is_heading(words, threads))
        s->where = IN_THREADS;
    else if (num >= 4 && is_heading(words, processes))
        s->where = IN_PROCESSES;
    else if (num)
        (void)list_row(file, s, words, rests, num);
}

/* ---- the file ---- */

static bool contains(struct orma_str s, const char *what)
{
    return orma_str_find(s, orma_str_from(what));
}

/* "CPU:1 [LOST 5 EVENTS]", of trace-cmd "CPU:1 [5 EVENTS DROPPED]", with or without the number: the
 * kernel's own buffer had no space for them. */
static bool lost_line(struct orma_file *file, struct orma_str line)
{
    struct orma_stats *stats = orma_model_stats(file->imp->model, file->imp->model->base);
    struct orma_str rest = line;
    uint64_t cpu, events;

    if (!orma_str_starts(line, ORMA_STR("CPU:")) && !orma_str_starts(line, ORMA_STR("CPU ")))
        return false;
    rest = (struct orma_str){line.data + 4, line.len - 4};
    if (!digits(&rest, &cpu) || cpu >= ORMA_UCPUS_PER_MACHINE)
        return true;
    blanks(&rest);
    /* "buffer started", "is empty": nothing was lost */
    if (!orma_str_starts(rest, ORMA_STR("[LOST ")) && !contains(rest, "EVENTS DROPPED]"))
        return true;
    rest = (struct orma_str){rest.data + 1, rest.len - 1};
    if (orma_str_starts(rest, ORMA_STR("LOST ")))
        rest = (struct orma_str){rest.data + 5, rest.len - 5};
    if (digits(&rest, &events) && events < INT32_MAX)
        orma_stats_add_at(stats, ORMA_STAT_FTRACE_CPU_OVERRUN_DELTA, (int32_t)cpu, (int64_t)events);
    else
        orma_stats_add_at(stats, ORMA_STAT_FTRACE_CPU_HAS_DATA_LOSS, (int32_t)cpu, 1);
    return true;
}

/* "=> function (address)" of a stack that an event of its own has. */
static bool is_stack(struct orma_str line)
{
    return orma_str_starts(line, ORMA_STR("=> ")) ||
           orma_str_starts(line, ORMA_STR("<stack trace"));
}

/* Headings, and remarks of the kernel about what it lost. */
static bool is_heading_line(struct orma_file *file, struct orma_str line)
{
    return !line.len || line.data[0] == '#' || orma_str_starts(line, ORMA_STR("TRACE:")) ||
           orma_str_starts(line, ORMA_STR("cpus=")) || orma_str_starts(line, ORMA_STR("version")) ||
           is_stack(line) || lost_line(file, line);
}

/* Without "buffer: ". */
static struct orma_str without_buffer(struct orma_str line)
{
    const char *at = orma_str_find(line, ORMA_STR(": "));

    return at ? orma_str_trim((struct orma_str){at + 2, (size_t)(line.data + line.len - at) - 2})
              : (struct orma_str){0};
}

static void on_text(struct orma_file *file, struct orma_str line)
{
    struct orma_str first = line;

    blanks(&first);
    if (is_heading_line(file, first) || orma_systrace_line(file, line))
        return;
    first = without_buffer(first);
    if (first.len && is_heading_line(file, first))
        return;
    orma_stats_inc(orma_model_stats(file->imp->model, file->imp->model->base),
                   ORMA_STAT_SYSTRACE_PARSE_FAILURE);
    orma_file_unit(file, line.data);
    (void)orma_file_damaged(file, "lines", line.data, line.len, ORMA_DAMAGED_LINE);
}

/* Without the end that it has as part of a text of a script. */
static void script_line(struct orma_file *file, struct systrace *s, struct orma_str line)
{
    static const char *const ends[] = {"\\n\\", "\\n\";"};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(ends); i++) {
        const size_t n = strlen(ends[i]);

        if (line.len < n || memcmp(line.data + line.len - n, ends[i], n))
            continue;
        line.len -= n;
        if (i)
            s->where = IN_HTML;
        if (orma_str_trim(line).len)
            on_text(file, line);
        return;
    }
    if (orma_str_eq(orma_str_trim(line), ORMA_STR("\";")))
        s->where = IN_HTML;
    else if (orma_str_trim(line).len)
        on_text(file, line); /* read or damaged: the script goes on */
}

static enum where in_section(struct orma_str line)
{
    if (line.len && line.data[0] == '#' && contains(line, "TASK-PID"))
        return IN_LINES;
    if (orma_str_starts(line, ORMA_STR("PROCESS DUMP")))
        return IN_PROCESSES;
    return orma_str_starts(line, ORMA_STR("CGROUP DUMP")) ? IN_OTHERS : IN_SECTION;
}

static void on_line(struct orma_file *file, struct systrace *s, struct orma_str line)
{
    if (s->where == AT_START) {
        s->html = line.len && line.data[0] == '<';
        s->where = s->html ? IN_HTML : IN_LINES;
    }
    if (s->html && s->where != IN_HTML && s->where != AT_END && contains(line, "</script>")) {
        s->where = s->where == IN_LINES ? AT_END : IN_HTML;
        return;
    }
    switch (s->where) {
    case IN_HTML:
        if (contains(line, SECTION))
            s->where = IN_SECTION;
        else if (contains(line, "linuxPerfData = \"\\"))
            s->where = IN_SCRIPT;
        s->section |= s->where != IN_HTML;
        break;
    case IN_SCRIPT:
        script_line(file, s, line);
        break;
    case IN_SECTION:
        s->where = in_section(line);
        break;
    case IN_PROCESSES:
    case IN_THREADS:
        list_line(file, s, line);
        break;
    case IN_LINES:
        on_text(file, line);
        break;
    case AT_START:
    case IN_OTHERS:
    case AT_END:
        break;
    }
}

static size_t systrace_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct systrace *s = file->state;
    struct orma_str rest = {(const char *)data, len}, line;

    while (!orma_file_failed(file) && orma_formats_next_line(&s->lines, file, &rest, at_end, &line))
        on_line(file, s, line);
    if (at_end && s->html && !s->section)
        orma_file_error(file, -EBADMSG, "Unknown trace type provided (ERR:fmt): this is %s",
                        file->like ? file->like : "an HTML page that contains no trace");
    if (at_end && s->html && s->section && s->where != IN_HTML && s->where != AT_END)
        orma_file_truncated(file, 1); /* nobody knows how much */
    return len - rest.len;
}

const struct orma_format_ops orma_format_systrace = {
    .state_bytes = sizeof(struct systrace),
    .clock = ORMA_CLOCK_MONOTONIC,
    .unit = "line",
    .idle_zero = true,
    .read = systrace_read,
    .parse = orma_systrace_parse,
};
