/* The end of `orma record`: what came of it, in one line, and what did not. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "protos/fields/config.h"
#include "tools/base/units.h"
#include "tools/load/loss.h"
#include "tools/load/threads.h"
#include "tools/record/names.h"
#include "tools/record/record_impl.h"
#include "tools/record/recorder.h"
#include "tools/record/trace_scan.h"
#include "tools/service/trace_config.h"

/* Larger traces are not loaded to learn how much time a ring holds, or what a compressed one
 * lost. */
#define LOAD_MAX ((uint64_t)256 << 20)

struct outcome {
    struct orma_record *rec;
    const struct orma_recorder *run;
    const struct orma_service_trace_config *config_info;
    struct orma_record_trace_scan scan;
    bool scanned;
    bool failed; /* its end is missing: what is not in it may have been there */
    struct orma_ledger loss;
    /* Of the config, but for track_event; those that took no part. */
    unsigned others_num, missing_num;
    bool wants_kernel, wants_programs, others_took_part;
    bool knows_ring;  /* it has overwritten data, and kept_ns is known */
    uint64_t kept_ns; /* how long a time it holds; 0: nothing that can be read */
};

static const char *shown_name(const struct orma_record *rec)
{
    return rec->to_stdout ? "standard output" : rec->out_path;
}

/* Packets of a trace that cannot be scanned; what else it counts, a load tells. */
static bool load_losses(struct outcome *o)
{
    struct orma_processor *tp = NULL;
    struct stat st;

    if (o->rec->to_stdout || fstat(o->rec->out_fd, &st) < 0 || !S_ISREG(st.st_mode) ||
        (uint64_t)st.st_size > LOAD_MAX || orma_processor_new(orma_load_config(), &tp) < 0)
        return false;
    int r = orma_processor_load_file(tp, o->rec->out_path, NULL, NULL);
    if (r == 0)
        orma_load_loss(tp, &o->loss);
    orma_processor_free(tp);
    return r == 0;
}

static void look_for_kernel(void *ctx, const char *name)
{
    bool *found = ctx;

    *found |= !strcmp(name, "linux.ftrace") || !strcmp(name, "linux.perf");
}

/* The service knows nothing of what the kernel lost before it was read: that is in the trace only,
 * and of a compressed one into a pipe nothing is left to look at. */
static void doubt_kernel(struct outcome *o)
{
    bool kernel = false;

    orma_record_names_sources(orma_buf_str(&o->rec->config), look_for_kernel, &kernel);
    if (kernel && !o->loss.unknown)
        o->loss.unknown =
            "what the kernel lost is counted in the trace only ('orma stats' says it)";
}

/* What was seen of a pipe. */
static bool watched_losses(struct outcome *o)
{
    struct orma_record_trace_scan seen;
    bool ok = o->rec->watch && orma_record_trace_watch_end(o->rec->watch, &seen);

    o->rec->watch = NULL;
    if (!ok)
        return false;
    o->loss = seen.loss;
    orma_record_trace_scan_fini(&seen);
    return true;
}

static void sum_up_losses(struct outcome *o, bool failed)
{
    o->scanned = orma_record_trace_scan(o->rec->out_fd, &o->scan);
    if (o->scanned) {
        o->loss = o->scan.loss;
    } else if (o->run->has_loss && !watched_losses(o) && !load_losses(o)) {
        o->loss = o->run->loss;
        doubt_kernel(o);
    }
    o->loss.ring = !o->config_info->write_into_file;
    if (!o->scanned && !o->run->has_loss)
        o->loss.unknown = "the service gave no statistics";
    else if (failed && !o->loss.unknown)
        o->loss.unknown = "the end of the recording is missing";
}

/* How long a time the ring holds. False: nothing was overwritten, or nobody knows. */
static bool ring_kept(const struct outcome *o, uint64_t *ret_ns)
{
    struct orma_processor *tp = NULL;

    if (!orma_ledger_aged_out(&o->loss) || !o->scanned || o->rec->to_stdout ||
        o->run->bytes > LOAD_MAX || orma_processor_new(orma_load_config(), &tp) < 0)
        return false;
    int r = orma_processor_load_file(tp, o->rec->out_path, NULL, NULL);
    if (r == 0)
        *ret_ns = orma_load_span_ns(tp);
    orma_processor_free(tp);
    return r == 0;
}

/* The service ended it before its time, or had to leave out the end: only a full file does that. */
static bool file_was_full(const struct outcome *o)
{
    uint64_t max = o->config_info->max_file_size_bytes, asked = o->config_info->duration_ms;

    if (!max || !o->config_info->write_into_file)
        return false;
    if (o->run->ended_by_itself && (!asked || o->run->duration_ns < asked * 1000000))
        return true;
    return o->loss.lost[ORMA_LOST_CUT] && o->run->bytes >= max - max / 8;
}

/* Of several files: what there is of them, and their size. */
static void print_files(const struct outcome *o)
{
    const struct orma_record_rotation *rot = &o->rec->rotation;
    ORMA_AUTO(orma_buf_fini) struct orma_buf names = {0};
    char size[ORMA_UNITS_TEXT_MAX], text[ORMA_UNITS_TEXT_MAX];

    orma_record_rotation_put_names(rot, &names);
    fprintf(stderr, "%s: %" PRIu32 " file%s, %s, %s", orma_buf_cstr(&names), rot->made,
            rot->made == 1 ? "" : "s",
            orma_units_format_size(rot->complete_bytes + o->run->bytes, size),
            orma_units_format_duration(o->run->duration_ns, text));
    if (rot->removed)
        fprintf(stderr, " (the oldest %" PRIu32 " removed by --keep)", rot->removed);
}

static void print_behind(const struct outcome *o)
{
    if (o->rec->rotation.behind && !orma_ledger_total(&o->loss))
        fprintf(stderr,
                "orma record: %" PRIu64 " packets need names from the file before theirs, because "
                "their program did not repeat them: join the files with 'orma merge'\n",
                o->rec->rotation.behind);
}

static void print_last_line(const struct outcome *o)
{
    char size[ORMA_UNITS_TEXT_MAX], text[ORMA_UNITS_TEXT_MAX];
    char loss[ORMA_LEDGER_TEXT_MAX];

    orma_ledger_format(&o->loss, loss, sizeof(loss));
    if (orma_record_rotation_wanted(&o->rec->rotation))
        print_files(o);
    else
        fprintf(stderr, "%s: %s, %s", shown_name(o->rec),
                orma_units_format_size(o->run->bytes, size),
                orma_units_format_duration(o->run->duration_ns, text));
    if (file_was_full(o))
        fprintf(stderr, " (%s reached)",
                o->rec->config_path ? "max_file_size_bytes" : "--max-size");
    fprintf(stderr, ", %s", loss);
    if (o->kept_ns)
        fprintf(stderr, ", the ring kept the newest %s",
                orma_units_format_duration(o->kept_ns, text));
    fputc('\n', stderr);
    const char *remedy = orma_ledger_remedy(&o->loss);
    if (remedy)
        fprintf(stderr, "orma record: %s\n", remedy);
    print_behind(o);
}

/*
 * Whoever removes a file, or puts another one in its place, while it is written, leaves the
 * recording without a name: it is gone with our descriptor. False: there is nothing to read.
 */
static bool is_still_there(const struct outcome *o)
{
    const struct orma_record_rotation *rot = &o->rec->rotation;
    struct stat ours, named;

    if (orma_record_rotation_wanted(rot)) {
        size_t num = rot->files.len, gone = orma_record_rotation_count_gone(rot);

        if (gone)
            fprintf(stderr,
                    "orma record: %zu of these %zu files are not there any more under their "
                    "names: they were moved, removed or replaced meanwhile\n",
                    gone, num);
        return gone < num || !num;
    }
    if (o->rec->to_stdout || fstat(o->rec->out_fd, &ours) < 0 || !S_ISREG(ours.st_mode) ||
        (stat(o->rec->out_path, &named) == 0 && named.st_dev == ours.st_dev &&
         named.st_ino == ours.st_ino))
        return true;
    if (ours.st_nlink) {
        fprintf(stderr, "orma record: %s: the trace is not called so any more: it was moved\n",
                o->rec->out_path);
        return true;
    }
    fprintf(stderr,
            "orma record: %s: the trace is lost: its file was removed, or replaced, while it was "
            "written\n",
            o->rec->out_path);
    return false;
}

static void look_at_source(void *ctx, const char *name)
{
    struct outcome *o = ctx;
    bool had = orma_recorder_had_source(o->run, name);

    o->others_num += strcmp(name, "track_event") != 0;
    o->wants_programs |= !strcmp(name, "track_event");
    if (!strcmp(name, "linux.ftrace"))
        o->wants_kernel = true;
    else if (o->rec->config_path || !strcmp(name, "track_event"))
        o->others_took_part |= had;
    if (had || !strcmp(name, "track_event")) /* of programs that may as well not run */
        return;
    o->missing_num++;
    if (!o->rec->allow_unknown && (o->rec->quiet || !o->scanned)) /* else the last line says it */
        fprintf(stderr,
                "orma record: no producer offered the data source '%s': it was not recorded\n",
                name);
}

/* Presets and events that need no kernel events can do without them. */
static bool kernel_is_all(const struct outcome *o)
{
    const struct orma_record_request *rq = &o->rec->request;

    if (o->others_took_part)
        return false;
    for (size_t i = 0; !o->rec->config_path && i < rq->words_num; i++) {
        if (!orma_record_word_is_kernel(rq->words[i]))
            return false;
    }
    return true;
}

static bool was_named(const struct orma_record *rec, struct orma_str event)
{
    for (size_t i = 0; i < rec->request.events_num; i++) {
        if (orma_str_eq_c(event, rec->request.events[i]))
            return rec->request.event_named[i];
    }
    return rec->config_path != NULL;
}

/* Prints those of the list that were asked for by name; returns how many. */
static unsigned print_names(const struct outcome *o, const struct orma_buf *list, const char *what)
{
    struct orma_str rest = orma_buf_str(list), line;
    unsigned num = 0;

    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (!was_named(o->rec, line))
            continue;
        fprintf(stderr, "orma record: %s '%.*s'\n", what, ORMA_STR_ARG(line));
        num++;
    }
    return num;
}

static const char *why_no_kernel(const struct outcome *o)
{
    if (file_was_full(o))
        return o->rec->config_path
                   ? "the file was full before the first of them arrived: use a larger "
                     "max_file_size_bytes"
                   : "the file was full before the first of them arrived: use a larger --max-size";
    if (o->loss.incident_is_loss) /* the last line has them */
        return "their source did not run to the end";
    if (orma_ledger_total(&o->loss))
        return o->rec->config_path ? "all data of linux.ftrace was lost: use a larger buffer"
                                   : "all data of linux.ftrace was lost: use a larger buffer (-b)";
    return orma_recorder_had_source(o->run, "linux.ftrace") ? "linux.ftrace never responded"
                                                            : "no producer offered linux.ftrace";
}

/* Why there are none, or fewer than asked for. True: that makes the recording a failure. */
static bool judge_kernel_events(const struct outcome *o)
{
    const struct orma_record_trace_scan *scan = &o->scan;

    if (!o->wants_kernel || !o->scanned)
        return false;
    bool silent = !o->failed && !scan->has_kernel_stats && !scan->has_kernel_events;
    unsigned unknown = 0;
    if (!o->rec->allow_unknown)
        unknown = print_names(o, &scan->unknown, "this kernel has no event");
    (void)print_names(o, &scan->failed, "the kernel could not enable the event");
    if (scan->setup_error.len) /* anybody may have written it: events are there all the same */
        fprintf(stderr, "orma record: %s kernel events: %.*s\n",
                scan->has_kernel_events ? "problems with" : "no", (int)scan->setup_error.len - 1,
                (const char *)scan->setup_error.data);
    else if (silent)
        fprintf(stderr, "orma record: no kernel events: %s\n", why_no_kernel(o));
    else if (!unknown && !scan->has_kernel_events && scan->unknown.len)
        fprintf(stderr, "orma record: no kernel events: this kernel has none of those asked for\n");
    if (unknown)
        return true;
    return !scan->has_kernel_events && kernel_is_all(o) &&
           (scan->setup_error.len || scan->unknown.len || scan->failed.len ||
            !scan->has_kernel_stats);
}

static const char *why_nothing(const struct outcome *o)
{
    if (orma_ledger_total(&o->loss))
        return "all of it was lost";
    if (o->wants_kernel && (o->others_num == 1 || kernel_is_all(o)))
        return "none of the kernel's events happened, or filters removed them all";
    if (o->others_num && o->missing_num == o->others_num)
        return "no producer offered a data source that was asked for";
    if (o->loss.incident_is_loss || o->loss.incident_is_doubt)
        return "the data may not have arrived";
    if (!o->wants_programs || (o->others_num && o->rec->config_path))
        return "no data source had anything to write";
    return "no program wrote events";
}

/*
 * Nothing of what was asked for came, and nothing of the above is why. Words on the command line
 * ask for more than the lists of processes that go along with them.
 */
static bool judge_data(const struct outcome *o)
{
    bool nothing = !o->scan.has_data || (o->scan.has_lists_only && !o->rec->config_path);

    /* Of several files only the last one was looked at, and nothing need have happened in it. */
    if (!o->scanned || !nothing || o->failed || o->rec->rotation.made > 1)
        return false;
    fprintf(stderr, "orma record: nothing was recorded: %s\n", why_nothing(o));
    /* Of some sources it was known that they may not come; the others had nothing to say. */
    return !o->rec->allow_unknown || !o->missing_num || o->missing_num == o->others_num;
}

static bool judge(struct outcome *o)
{
    if (o->knows_ring && !o->kept_ns) {
        fprintf(stderr,
                "orma record: nothing in the ring can be read: names and clocks that its data "
                "refer to were overwritten; make it larger%s\n",
                o->rec->config_path ? "" : " (-b)");
        return false;
    }
    if (o->config_info->trigger_mode == ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_START_TRACING)
        return true; /* without the trigger nothing starts */
    orma_record_names_sources(orma_buf_str(&o->rec->config), look_at_source, o);
    bool bad = judge_kernel_events(o);
    if (o->missing_num && !o->rec->allow_unknown)
        bad = true;
    return !bad && !judge_data(o);
}

int orma_record_outcome(struct orma_record *rec, const struct orma_recorder *run,
                        const struct orma_service_trace_config *config_info, bool failed)
{
    struct outcome o = {.rec = rec, .run = run, .config_info = config_info, .failed = failed};

    if (run->reader_left)
        return ORMA_EXIT_PIPE;
    if (run->not_spawned || (failed && !run->bytes))
        return ORMA_MAX(run->child_code, ORMA_EXIT_FAILURE);
    if (!run->bytes && rec->request.trigger) {
        fprintf(stderr, "orma record: the trigger '%s' never fired: nothing was recorded\n",
                rec->request.trigger);
        return ORMA_EXIT_FAILURE;
    }
    if (!run->bytes && !failed) { /* a file of no bytes is no trace */
        fprintf(stderr, "orma record: nothing was recorded: %s\n",
                config_info->trigger_mode ? "none of the config's triggers fired"
                                          : "the service wrote nothing");
        return ORMA_EXIT_FAILURE;
    }
    rec->out_created = false; /* something to read: it stays */
    sum_up_losses(&o, failed);
    o.knows_ring = ring_kept(&o, &o.kept_ns);
    if (o.knows_ring && !o.kept_ns && !o.loss.unknown)
        o.loss.unknown = "nothing in the ring can be read";
    if (!rec->quiet)
        print_last_line(&o);
    bool good = is_still_there(&o);
    good &= judge(&o);
    orma_record_trace_scan_fini(&o.scan);
    if (run->child_code > 0)
        return run->child_code;
    return failed || !good ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}
