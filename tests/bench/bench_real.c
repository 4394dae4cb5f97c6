/*
 * Real recordings, real questions: CPU seconds of what people do, beside the least that the same
 * work can cost in plain C (`floor`), and beside another trace processor where the environment
 * names one:
 *
 *     bench_real [--orma PROGRAM] [--demo PROGRAM] [--iterations N] [--runs N] [--only TEXT]
 *                [--files FOLDER] [--keep FOLDER] [--scale M,M...]
 *     REFERENCE_SHELL=.../trace_processor_shell bench_real ...
 *
 * The traces are made at the start (real/made.c says how); --keep FOLDER keeps them there, and
 * takes those that are there already. --files measures the import of files of yours, too. --only
 * takes the lines whose title has TEXT. Each program loads and answers in a process of its own
 * (real/shell.h); answers that differ are marked. Shown are the least and the median of some runs;
 * imports run in a new process each. Queries are timed with one thread and with one for each CPU,
 * too. --scale 5,10,100 does nothing of that, but asks the same of recordings of so many million
 * slices: what a slice costs should not depend on how many there are. 100 million take 5 GB of
 * disk, and as much memory. The floors know the rows already, and what they hold: they are not what
 * can be reached, but what there is to lose.
 */
#include <dirent.h>
#include <getopt.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "tests/bench/real/floors.h"
#include "tests/bench/real/made.h"
#include "tests/bench/real/shell.h"

#define RUNS_MAX 51
#define LONG_S 1.0 /* what takes longer runs fewer times */
#define RECORD_S 4.0
#define RECORDINGS_MAX 5
#define FILE_MIN ((uint64_t)300 << 10)

static struct {
    struct real_made made;
    const char *reference, *only, *files, *scale;
    int runs;
} opt = {.made = {.iterations = 300000}, .runs = 5};

struct line {
    const char *what, *sql;
    real_floor_fn *floor;
    double rows; /* that it looks at; 0: all */
};

#define SLICES "slices with args that nearly all differ"

/* Over the recording of the demo. */
static const struct line queries[] = {
    {"group by name, sum", "SELECT name, count(*), sum(dur) FROM slice GROUP BY name",
     real_floor_group},
    {"lead() over (partition by track order by ts)",
     "SELECT count(*), sum(n - ts) FROM (SELECT ts, lead(ts) OVER (PARTITION BY track_id ORDER BY "
     "ts) AS n FROM slice)",
     real_floor_lead},
    {"row_number() over (order by dur desc) < 100",
     "SELECT count(*), sum(dur) FROM (SELECT dur, row_number() OVER (ORDER BY dur DESC) AS r FROM "
     "slice) WHERE r < 100",
     real_floor_top},
    {"slice join thread_track join thread, group by",
     "SELECT thread.name, count(*), sum(slice.dur) FROM slice JOIN thread_track ON slice.track_id "
     "= thread_track.id JOIN thread USING (utid) GROUP BY thread.name",
     real_floor_joins},
    {"slice a join slice b on a.parent_id = b.id, filter",
     "SELECT count(*), sum(a.dur) FROM slice a JOIN slice b ON a.parent_id = b.id WHERE b.dur > "
     "200",
     real_floor_self_join},
    {"name LIKE '%te%', count", "SELECT count(*) FROM slice WHERE name LIKE '%te%'",
     real_floor_like},
    {"EXTRACT_ARG over a filter",
     "SELECT count(*), sum(extract_arg(arg_set_id, 'debug.i')) FROM slice WHERE depth = 0 AND dur "
     "> 200",
     real_floor_arg},
    {"an expression as a filter", "SELECT sum(ts) FROM slice WHERE dur % 1000 = 7", real_floor_sum},
    {"all ids by duration, the last one",
     "SELECT max(id) FROM (SELECT id FROM slice ORDER BY dur DESC, id LIMIT -1 OFFSET 1000)",
     real_floor_sorted},
    {"CASE, sum by a view",
     "INCLUDE PERFETTO MODULE slices.with_context; SELECT sum(CASE WHEN depth = 0 THEN dur ELSE 0 "
     "END), count(*) FROM thread_slice",
     real_floor_sum},
    {"1 M rows of 5 columns over RPC", "SELECT id, ts, dur, depth, name FROM slice LIMIT 1000000",
     real_floor_rows_out, 1e6},
};

/* ---- the table ---- */

struct figures {
    double min, median;
    uint64_t hash;
    bool known;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static struct figures figures_of(double *runs, int num)
{
    if (!num)
        return (struct figures){0};
    qsort(runs, (size_t)num, sizeof(*runs), by_value);
    return (struct figures){.min = runs[0], .median = runs[num / 2], .known = true};
}

static bool wanted(const char *what)
{
    return !opt.only || strstr(what, opt.only);
}

static void print_head(const char *title)
{
    printf("\n%-52s %8s %8s %8s %7s", title, "floor", "min", "median", "/floor");
    if (opt.reference)
        printf(" %9s %7s", "reference", "ours");
    printf("\n");
}

static void print_line(const char *what, double floor, struct figures ours,
                       struct figures reference)
{
    printf("%-52.52s ", what);
    if (floor > 0)
        printf("%8.4f ", floor);
    else
        printf("%8s ", "");
    if (!ours.known) {
        puts("  failed");
        return;
    }
    printf("%8.4f %8.4f ", ours.min, ours.median);
    if (floor > 0)
        printf("%7.1f", ours.min / floor);
    else
        printf("%7s", "");
    if (reference.known)
        printf(" %9.4f %6.2fx%s", reference.min, reference.min / ours.min,
               reference.hash == ours.hash ? "" : "  ANSWERS DIFFER");
    printf("\n");
    fflush(stdout);
}

/* ---- imports ---- */

/* The runs of one program. */
struct runs {
    double cpu_s[RUNS_MAX], wall_s[RUNS_MAX], longest_s[RUNS_MAX], peak_mb;
    int num;
    uint64_t hash;
    bool ended;
};

static struct figures figures_of_runs(struct runs *runs)
{
    struct figures ret = figures_of(runs->cpu_s, runs->num);

    ret.hash = runs->hash;
    return ret;
}

static void note_run(struct runs *runs, const struct real_answer *a)
{
    runs->cpu_s[runs->num] = a->cpu_s;
    runs->longest_s[runs->num] = a->longest_s;
    runs->wall_s[runs->num++] = a->wall_s;
    runs->ended = runs->num > 2 && a->cpu_s > LONG_S;
}

static void import_once(const char *program, const char *path, struct runs *runs)
{
    struct real_shell shell;
    struct real_answer answer;

    if (!program || runs->ended)
        return;
    runs->ended = !real_shell_start(&shell, program, path, &answer);
    if (runs->ended)
        return;
    note_run(runs, &answer);
    runs->peak_mb = real_shell_peak_mb(&shell);
    real_shell_stop(&shell);
}

static void print_import(const char *what, const char *path, uint64_t bytes, bool json)
{
    struct runs ours = {0}, reference = {0};
    char text[128];

    /* In turns: the speed of a machine drifts. */
    for (int i = 0; i < opt.runs; i++) {
        import_once(opt.made.orma, path, &ours);
        import_once(opt.reference, path, &reference);
    }
    snprintf(text, sizeof(text), "%s, %.0f MB", what, (double)bytes / 1e6);
    print_line(text, real_floor_import(path, json), figures_of_runs(&ours),
               figures_of_runs(&reference));
    printf("    peak memory %.0f MB", ours.peak_mb);
    if (opt.reference)
        printf(", reference %.0f MB", reference.peak_mb);
    printf("\n");
}

static void imports(void)
{
    print_head("import, CPU s");
    for (unsigned i = 0; i < real_traces_num; i++) {
        struct real_trace *t = &real_traces[i];

        if (!wanted(t->what))
            continue;
        if (real_trace_make(t, &opt.made))
            print_import(t->what, t->path, t->bytes, t->json);
        else
            printf("%-52s left out: %s\n", t->what, t->missing);
    }
}

static bool is_json(const char *path)
{
    char first = 0;
    FILE *f = fopen(path, "re");

    if (f && fread(&first, 1, 1, f) != 1)
        first = 0;
    if (f)
        fclose(f);
    return first == '{' || first == '[';
}

static void import_files(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        char path[REAL_PATH_MAX];
        struct stat st;

        if (snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >= (int)sizeof(path) ||
            entry->d_name[0] == '.' || lstat(path, &st) < 0)
            continue;
        if (S_ISDIR(st.st_mode))
            import_files(path);
        else if (S_ISREG(st.st_mode) && (uint64_t)st.st_size >= FILE_MIN)
            print_import(entry->d_name, path, (uint64_t)st.st_size, is_json(path));
    }
    if (dir)
        closedir(dir);
}

/* ---- queries ---- */

static void query_once(struct real_shell *shell, const char *sql, struct runs *runs)
{
    struct real_answer answer = {0};

    if (shell->pid <= 0 || runs->ended)
        return;
    runs->ended = !real_shell_query(shell, sql, &answer);
    if (runs->ended)
        return;
    runs->hash = answer.hash;
    note_run(runs, &answer);
}

static struct figures query(struct real_shell *shell, const char *sql)
{
    struct runs runs = {0};

    for (int i = 0; i < opt.runs; i++)
        query_once(shell, sql, &runs);
    return figures_of_runs(&runs);
}

static bool any_query_wanted(void)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(queries); i++) {
        if (wanted(queries[i].what))
            return true;
    }
    return false;
}

static void run_queries(struct real_shell *ours, struct real_shell *reference,
                        const struct real_columns *cols)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(queries); i++) {
        const struct line *l = &queries[i];

        struct runs mine = {0}, theirs = {0};

        if (!wanted(l->what))
            continue;
        double floor = real_floor(l->floor, cols);
        for (int run = 0; run < opt.runs; run++) {
            query_once(ours, l->sql, &mine);
            query_once(reference, l->sql, &theirs);
        }
        print_line(l->what, floor, figures_of_runs(&mine), figures_of_runs(&theirs));
    }
    printf("    peak memory after these %.0f MB", real_shell_peak_mb(ours));
    if (reference->pid > 0)
        printf(", reference %.0f MB", real_shell_peak_mb(reference));
    printf("\n");
}

/* One thread beside one for each CPU, in turns. "Longest" is the CPU of the thread that worked
 * longest: where other programs take the CPUs, it says more than the time on the wall. */
static void print_threads(const char *trace)
{
    struct real_shell one = {.to = -1, .from = -1}, all = one;
    struct real_answer loaded;

    (void)setenv("ORMA_THREADS", "1", 1);
    bool ok = real_shell_start(&one, opt.made.orma, trace, &loaded);
    (void)unsetenv("ORMA_THREADS");
    ok = ok && real_shell_start(&all, opt.made.orma, trace, &loaded);
    printf("\n%-40s %26s %35s\n%-40s %8s %8s %8s %8s %8s %8s %8s %6s\n", "", "one thread, ms",
           "one for each CPU, ms", "", "CPU", "wall", "median", "CPU", "longest", "wall", "median",
           "/one");
    for (unsigned i = 0; ok && i < ORMA_ARRAY_LEN(queries); i++) {
        struct runs alone = {0}, together = {0};

        if (!wanted(queries[i].what))
            continue;
        for (int run = 0; run < opt.runs; run++) {
            query_once(&one, queries[i].sql, &alone);
            query_once(&all, queries[i].sql, &together);
        }
        const struct figures w1 = figures_of(alone.wall_s, alone.num);
        const struct figures w2 = figures_of(together.wall_s, together.num);
        const struct figures longest = figures_of(together.longest_s, together.num);
        printf("%-40.40s %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %6.2f%s\n", queries[i].what,
               figures_of_runs(&alone).min * 1e3, w1.min * 1e3, w1.median * 1e3,
               figures_of_runs(&together).min * 1e3, longest.min * 1e3, w2.min * 1e3,
               w2.median * 1e3, w2.min / w1.min,
               alone.hash == together.hash ? "" : "  ANSWERS DIFFER");
        fflush(stdout);
    }
    real_shell_stop(&one);
    real_shell_stop(&all);
}

static void ask(void)
{
    struct real_trace *t = &real_traces[0];
    struct real_shell ours = {.to = -1, .from = -1}, reference = {.to = -1, .from = -1};
    struct real_columns cols = {0};
    struct real_answer loaded;
    char title[96];

    if (!any_query_wanted())
        return;
    if (!real_trace_make(t, &opt.made) || !real_columns_read(&cols, t->path)) {
        printf("\nqueries left out: %s\n", t->missing ? t->missing : "the trace has no slices");
        return;
    }
    snprintf(title, sizeof(title), "queries over %.2f M slices, CPU s", (double)cols.num / 1e6);
    print_head(title);
    if (real_shell_start(&ours, opt.made.orma, t->path, &loaded)) {
        if (opt.reference)
            (void)real_shell_start(&reference, opt.reference, t->path, &loaded);
        run_queries(&ours, &reference, &cols);
    }
    real_shell_stop(&ours);
    real_shell_stop(&reference);
    print_threads(t->path);
    real_columns_fini(&cols);
}

/* ---- the first answer, and start-up ---- */

static void print_wall(const char *what, const char *program, const char *path, const char *sql)
{
    double cpu[RUNS_MAX], wall[RUNS_MAX];
    struct real_answer load, answer;
    struct real_shell shell;
    int num = 0;

    for (int i = 0; i < opt.runs; i++) {
        if (!real_shell_start(&shell, program, path, &load))
            break;
        if (real_shell_query(&shell, sql, &answer)) {
            cpu[num] = load.cpu_s + answer.cpu_s;
            wall[num++] = load.wall_s + answer.wall_s;
        }
        real_shell_stop(&shell);
    }
    struct figures c = figures_of(cpu, num), w = figures_of(wall, num);
    printf("%-52.52s CPU min %7.1f median %7.1f   wall min %7.1f median %7.1f\n", what, c.min * 1e3,
           c.median * 1e3, w.min * 1e3, w.median * 1e3);
}

static bool has_image(const char *folder)
{
    char pattern[4200];
    glob_t found = {0};

    snprintf(pattern, sizeof(pattern), "%s/*.orma", folder);
    bool ret = glob(pattern, 0, NULL, &found) == 0;
    globfree(&found);
    return ret;
}

/* The second opening: the first one leaves an image, which is written aside. */
static void print_from_image(const char *path, const char *sql)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    char folder[4096];
    struct real_answer load;
    struct real_shell shell;

    snprintf(folder, sizeof(folder), "%s/cache", opt.made.folder);
    (void)setenv("ORMA_CACHE", folder, 1);
    if (real_shell_start(&shell, opt.made.orma, path, &load)) {
        real_shell_stop(&shell);
        for (int i = 0; i < 600 && !has_image(folder); i++)
            (void)nanosleep(&pause, NULL);
        print_wall("    the same, from the cache", opt.made.orma, path, sql);
    }
    (void)unsetenv("ORMA_CACHE");
}

static void first_answers(void)
{
    static const char title[] = "first answer";
    struct real_trace *t = &real_traces[0];
    const char *sql = "SELECT count(*) FROM slice";

    if (!wanted(title))
        return;
    printf("\nprocess, trace and first answer, ms\n");
    print_wall("no trace to speak of", opt.made.orma, "/dev/null", "SELECT 1");
    if (opt.reference)
        print_wall("    reference", opt.reference, "/dev/null", "SELECT 1");
    if (!real_trace_make(t, &opt.made))
        return;
    print_wall(SLICES ": count(*)", opt.made.orma, t->path, sql);
    print_from_image(t->path, sql);
    if (opt.reference)
        print_wall("    reference", opt.reference, t->path, sql);
}

/* ---- recording ---- */

static double count_events(const char *path)
{
    struct real_shell shell;
    struct real_answer answer;
    double ret = 0;

    /* Asked as a million rows would be: the cells are counted. */
    if (!real_shell_start(&shell, opt.made.orma, path, &answer))
        return 0;
    if (real_shell_query(&shell, "SELECT id FROM ftrace_event", &answer))
        ret = (double)answer.cells;
    real_shell_stop(&shell);
    return ret;
}

/* One run of the load. */
struct recorded {
    struct real_recording cost;
    double events;
};

/* What a recording costs before and after its events: one of no length. The least of all runs is
 * kept, since whatever a dearer one took would make events look cheaper. */
static const char *record(bool compact, struct real_recording *idle, struct recorded *ret)
{
    struct real_recording once;
    const char *why = real_record_kernel(&opt.made, compact, 0.2, &once);

    if (why)
        return why;
    if (!idle->cpu_s || once.cpu_s < idle->cpu_s)
        *idle = once;
    real_load_start();
    why = real_record_kernel(&opt.made, compact, RECORD_S, &ret->cost);
    real_load_stop();
    ret->events = why ? 0 : count_events(ret->cost.path);
    return why ? why : ret->events > RECORD_S * 1e5 ? NULL : "hardly any events were recorded";
}

static double ns_an_event(const struct recorded *r, double cpu_s, double idle_s)
{
    return (cpu_s - idle_s) * 1e9 / r->events;
}

/* Of the cheapest run. Reading and translating were measured by themselves. */
static void print_shares(const struct recorded *r, const struct real_recording *idle, bool compact,
                         double floor)
{
    double translate = real_translate_kernel(compact), ns[REAL_THREADS];

    for (unsigned i = 0; i < REAL_THREADS; i++)
        ns[i] = ns_an_event(r, r->cost.threads_s[i], idle->threads_s[i]);
    printf("    probes %.1f: kernel read %.1f, translate %.1f, hand over and the rest %.1f; "
           "service %.1f; file %.1f; start, end, client %.1f\n",
           ns[REAL_PROBES], floor, translate, ns[REAL_PROBES] - floor - translate, ns[REAL_SERVICE],
           ns[REAL_FILE], ns[REAL_REST]);
}

/* Some runs of one kind: the machine makes them differ more than anything else here. */
static void print_recording(const char *what, bool compact, double floor)
{
    struct recorded all[RECORDINGS_MAX];
    struct real_recording idle = {0};
    double runs[RECORDINGS_MAX];
    const char *why = NULL;
    int num = 0, best = 0;

    for (; num < ORMA_MIN(opt.runs, RECORDINGS_MAX) && !why; num += !why)
        why = record(compact, &idle, &all[num]);
    if (why) {
        printf("%-52s left out: %s\n", what, why);
        return;
    }
    for (int i = 0; i < num; i++) {
        runs[i] = ns_an_event(&all[i], all[i].cost.cpu_s, idle.cpu_s);
        if (runs[i] < runs[best])
            best = i;
    }
    struct figures f = figures_of(runs, num);
    printf("%-52s %8.1f %8.1f %8.1f %7.1f %6.2f\n", what, floor, f.min, f.median,
           floor > 0 ? f.min / floor : 0, all[best].events / RECORD_S / 1e6);
    print_shares(&all[best], &idle, compact, floor);
    fflush(stdout);
}

static void recordings(void)
{
    static const char *const names[] = {"all of recording a scheduler load, plain",
                                        "all of recording a scheduler load, compact"};
    double cpu, floor = 0;
    uint64_t events = 0;

    if (!wanted(names[0]) && !wanted(names[1]))
        return;
    real_load_start();
    const char *why = real_read_kernel(RECORD_S / 2, &cpu, &events);
    real_load_stop();
    if (!why && events)
        floor = cpu * 1e9 / (double)events;
    printf("\n%-52s %8s %8s %8s %7s %6s\n", "recording: service, probes, client; ns per event",
           "floor", "min", "median", "/floor", "M/s");
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        if (wanted(names[i]))
            print_recording(names[i], i, floor);
    }
}

/* ---- as traces grow ---- */

#define SCALE_MAX 4
/* The disk keeps up with it; and the same of all sizes, for filters by the time that slices take.
 */
#define SCALE_SPIN_NS 300
#define SLICES_PER_ITERATION 16.4 /* of the demo */

struct scale {
    struct figures lines[ORMA_ARRAY_LEN(queries) + 1]; /* the last: import */
    double slices, peak_mb;
};

static bool scale_run(struct scale *self, unsigned millions)
{
    struct real_made made = opt.made;
    struct real_trace t = real_traces[0];
    struct real_shell shell;
    struct real_answer answer;
    char name[32];
    struct runs loads = {0};

    made.iterations = (unsigned)(millions * 1e6 / SLICES_PER_ITERATION);
    made.spin_ns = SCALE_SPIN_NS;
    snprintf(name, sizeof(name), "different_%u", millions);
    t.name = name;
    if (!real_trace_make(&t, &made)) {
        printf("%u million slices left out: %s\n", millions, t.missing);
        return false;
    }
    for (int i = 0; i < opt.runs; i++)
        import_once(made.orma, t.path, &loads);
    self->lines[ORMA_ARRAY_LEN(queries)] = figures_of_runs(&loads);
    if (!real_shell_start(&shell, made.orma, t.path, &answer))
        return false;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(queries); i++) {
        if (wanted(queries[i].what))
            self->lines[i] = query(&shell, queries[i].sql);
    }
    /* The last, for it leaves nothing to the others: the number of rows by their cells. */
    if (real_shell_query(&shell, "SELECT id FROM slice", &answer))
        self->slices = (double)answer.cells;
    self->peak_mb = real_shell_peak_mb(&shell);
    real_shell_stop(&shell);
    return self->slices > 0;
}

static void print_scale_line(const char *what, const struct scale *scales, unsigned num,
                             size_t line, double rows)
{
    double first = 0;

    if (!num || !scales[0].lines[line].known)
        return;
    printf("%-52.52s", what);
    for (unsigned i = 0; i < num; i++) {
        double ns = scales[i].lines[line].min * 1e9 / (rows > 0 ? rows : scales[i].slices);

        if (i == 0)
            first = ns;
        printf(" %9.2f %5.2fx", ns, ns / first);
    }
    printf("\n");
}

static void scale(void)
{
    struct scale scales[SCALE_MAX] = {0};
    const char *at = opt.scale;
    unsigned num = 0;

    while (num < SCALE_MAX && *at) {
        char *end;
        unsigned long millions = strtoul(at, &end, 10);

        if (end == at || !millions || millions > 1000)
            break;
        num += scale_run(&scales[num], (unsigned)millions);
        at = end + (*end == ',');
    }
    printf("\n%-52s", "ns of CPU for each slice, of so many million");
    for (unsigned i = 0; i < num; i++)
        printf(" %16.2f", scales[i].slices / 1e6);
    printf("\n");
    print_scale_line("import", scales, num, ORMA_ARRAY_LEN(queries), 0);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(queries); i++)
        print_scale_line(queries[i].what, scales, num, i, queries[i].rows);
    printf("%-52s", "peak memory after these, MB");
    for (unsigned i = 0; i < num; i++)
        printf(" %16.0f", scales[i].peak_mb);
    printf("\n");
}

/* ---- */

static bool read_args(int argc, char **argv)
{
    static const struct option longs[] = {{"orma", required_argument, NULL, 'o'},
                                          {"demo", required_argument, NULL, 'd'},
                                          {"iterations", required_argument, NULL, 'i'},
                                          {"runs", required_argument, NULL, 'r'},
                                          {"only", required_argument, NULL, 'y'},
                                          {"files", required_argument, NULL, 'f'},
                                          {"keep", required_argument, NULL, 'k'},
                                          {"scale", required_argument, NULL, 's'},
                                          {0}};

    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
        switch (c) {
        case 'o':
            opt.made.orma = optarg;
            break;
        case 'd':
            opt.made.demo = optarg;
            break;
        case 'i':
            opt.made.iterations = (unsigned)atoi(optarg);
            break;
        case 'r':
            opt.runs = ORMA_MIN(ORMA_MAX(atoi(optarg), 1), RUNS_MAX);
            break;
        case 'y':
            opt.only = optarg;
            break;
        case 'f':
            opt.files = optarg;
            break;
        case 'k':
            opt.made.folder = optarg;
            break;
        case 's':
            opt.scale = optarg;
            break;
        default:
            return false;
        }
    }
    return optind == argc;
}

/* Beside this program, as the build puts them. */
static const char *neighbour(const char *self, const char *name)
{
    char path[2 * REAL_PATH_MAX], *real;
    const char *slash = strrchr(self, '/');

    snprintf(path, sizeof(path), "%.*s/../../%s", slash ? (int)(slash - self) : 0, self, name);
    real = realpath(path, NULL);
    if (!real)
        fprintf(stderr, "bench_real: no %s: name it\n", name);
    return real;
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/orma-bench-XXXXXX", self[REAL_PATH_MAX], remove[64];

    if (!read_args(argc, argv)) {
        fprintf(stderr, "usage: bench_real [--orma PROGRAM] [--demo PROGRAM] [--iterations N] "
                        "[--runs N] [--only TEXT] [--files FOLDER] [--keep FOLDER] "
                        "[--scale M,M...]\n");
        return 2;
    }
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[n > 0 ? n : 0] = '\0';
    if (!opt.made.orma)
        opt.made.orma = neighbour(self, "tools/orma");
    if (!opt.made.demo)
        opt.made.demo = neighbour(self, "sdk/orma_demo");
    opt.reference = getenv("REFERENCE_SHELL");
    bool kept = opt.made.folder;
    if (!kept)
        opt.made.folder = mkdtemp(folder);
    else
        (void)mkdir(opt.made.folder, 0700); /* may be there already */
    if (!opt.made.orma || !opt.made.demo || !opt.made.folder)
        return 1;
    if (opt.scale) {
        scale();
    } else {
        imports();
        if (opt.files) {
            print_head("import of files, CPU s");
            import_files(opt.files);
        }
        ask();
        first_answers();
        recordings();
    }
    snprintf(remove, sizeof(remove), "rm -rf '%s'", folder);
    if (!kept && system(remove) != 0)
        puts("cannot clean up");
    return 0;
}
