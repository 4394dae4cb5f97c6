#include "tools/flight/flight.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/transport/consumer.h"
#include "tools/base/units.h"
#include "tools/flight/latency.h"
#include "tools/flight/snap.h"
#include "tools/flight/watch.h"
#include "tools/follow/snapshot.h"
#include "tools/load/sql_error.h"
#include "tools/record/handover.h"

/* Between two looks: with a flush and a reading, what happens is seen well within 200 ms. */
#define TURN_MS 60
#define MS UINT64_C(1000000)
/* SQL is asked at most once a second, and so that it needs a twentieth of a CPU. */
#define SQL_PERIOD_MS 1000
#define SQL_SHARE 20
/* Longer than a query of a whole ring, or it does not end by itself. */
#define SQL_PATIENCE_S 30
#define COMMANDS_MAX 16
#define PIECE ((size_t)1 << 18) /* of a file, at a time */

/* told = the sum of the others, and the one that is pending. */
struct count {
    uint64_t told, taken, failed, with_another, paused, too_many;
};

struct orma_flight {
    const struct orma_flight_plan *plan;
    struct orma_flight_rule of_slices[ORMA_FLIGHT_CONDITIONS_MAX];
    struct orma_flight_rule of_threads[ORMA_FLIGHT_CONDITIONS_MAX];
    int stop_fd; /* readable: the end */
    pthread_t watcher, asker;
    bool watches, asks;

    /* Of the watcher alone. */
    struct orma_consumer *watch;
    struct orma_flight_slices slices;
    struct orma_flight_latency latency;
    bool watch_failed;
    uint64_t incomplete; /* flushes that some program did not answer */
    uint64_t cpu_ns;     /* of the watcher, at its end */
    pthread_t snapper;
    bool snaps;
    pid_t commands[COMMANDS_MAX];
    unsigned commands_left_out;

    /* Of the asker alone. */
    bool held[ORMA_FLIGHT_CONDITIONS_MAX], broken[ORMA_FLIGHT_CONDITIONS_MAX];
    uint64_t patience_ns; /* until then the condition that is asked may take */
    uint64_t asked, not_asked;

    pthread_mutex_t lock; /* of all below */
    struct count counts[ORMA_FLIGHT_CONDITIONS_MAX];
    bool pending, busy, done; /* a snapshot: to be made, being made, to be joined */
    unsigned condition, number;
    uint64_t moment, due_ns, quiet_until_ns;
    uint64_t seen_after_ns; /* at most */
    struct orma_flight_snap snap;
    int snap_result;
};

static uint64_t thread_cpu_ns(void)
{
    struct timespec t;

    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) < 0
               ? 0
               : (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* True: it is the end. */
static bool wait_ms(struct orma_flight *f, uint64_t ms)
{
    struct pollfd pfd = {.fd = f->stop_fd, .events = POLLIN};

    return poll(&pfd, 1, (int)ORMA_MIN(ms, UINT64_C(3600000))) > 0;
}

/* ---- conditions ---- */

/* A condition was met at that moment. Any thread. */
static void tell(struct orma_flight *f, unsigned condition, uint64_t moment)
{
    uint64_t now = orma_clock_monotonic(), boot = orma_clock_boottime();
    struct count *c = &f->counts[condition];

    pthread_mutex_lock(&f->lock);
    c->told++;
    if (boot > moment && boot - moment > f->seen_after_ns)
        f->seen_after_ns = boot - moment;
    if (f->pending || f->busy) {
        c->with_another++;
    } else if (f->plan->max && f->number >= f->plan->max) {
        c->too_many++;
    } else if (now < f->quiet_until_ns) {
        c->paused++;
    } else {
        f->pending = true;
        f->condition = condition;
        f->moment = moment;
        f->due_ns = now + f->plan->after_ms * MS;
    }
    pthread_mutex_unlock(&f->lock);
}

static void on_rule(void *ctx, unsigned rule, uint64_t moment, uint64_t ns)
{
    (void)ns;
    tell(ctx, rule, moment);
}

/* ---- snapshots ---- */

static void *make_snapshot(void *ctx)
{
    struct orma_flight *f = ctx;
    int r = orma_flight_snap(&f->snap);

    pthread_mutex_lock(&f->lock);
    f->snap_result = r;
    f->done = true;
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

static void run_command(struct orma_flight *f)
{
    unsigned i = 0;

    for (unsigned n = 0; n < COMMANDS_MAX; n++) {
        if (f->commands[n] && waitpid(f->commands[n], NULL, WNOHANG) != 0)
            f->commands[n] = 0;
    }
    while (i < COMMANDS_MAX && f->commands[i])
        i++;
    if (i == COMMANDS_MAX) {
        f->commands_left_out++;
        return;
    }
    int pid = orma_flight_snap_tell(&f->snap);
    f->commands[i] = pid > 0 ? pid : 0;
}

static void say_snapshot(const struct orma_flight *f)
{
    char size[ORMA_UNITS_TEXT_MAX];

    fprintf(stderr, "%s.%u: %s, snapshot at '%s'\n", f->plan->path, f->snap.number,
            orma_units_format_size(f->snap.bytes, size), f->snap.condition);
}

/* After its thread has ended, or instead of one. */
static void end_snapshot(struct orma_flight *f)
{
    struct count *c = &f->counts[f->condition];
    bool ok = f->snap_result == 0;

    pthread_mutex_lock(&f->lock);
    c->taken += ok;
    c->failed += !ok;
    f->busy = f->done = false;
    f->quiet_until_ns = orma_clock_monotonic() + f->plan->pause_ms * MS;
    pthread_mutex_unlock(&f->lock);
    if (ok && !f->plan->quiet)
        say_snapshot(f);
    if (ok && f->plan->then)
        run_command(f);
}

/* `last`: now or never, and it is waited for. */
static void step(struct orma_flight *f, bool last)
{
    pthread_mutex_lock(&f->lock);
    bool join = f->snaps && (f->done || last);
    pthread_mutex_unlock(&f->lock);
    if (join) {
        pthread_join(f->snapper, NULL);
        f->snaps = false;
        end_snapshot(f);
    }
    pthread_mutex_lock(&f->lock);
    bool begin = f->pending && (last || orma_clock_monotonic() >= f->due_ns);
    if (begin) {
        f->pending = false;
        f->busy = true;
        f->snap = (struct orma_flight_snap){.plan = f->plan,
                                            .number = f->number++,
                                            .condition = f->plan->conditions[f->condition].text,
                                            .moment = f->moment};
    }
    pthread_mutex_unlock(&f->lock);
    if (!begin)
        return;
    f->snaps = !last && pthread_create(&f->snapper, NULL, make_snapshot, f) == 0;
    if (f->snaps)
        return;
    (void)make_snapshot(f); /* conditions wait for it, then */
    end_snapshot(f);
}

/* ---- the thread of conditions ---- */

static int take_packet(void *ctx, const uint8_t *packet, size_t len)
{
    struct orma_flight *f = ctx;

    if (f->slices.rules)
        orma_flight_slices_take(&f->slices, packet, len);
    if (f->latency.rules)
        orma_flight_latency_take(&f->latency, packet, len);
    return 0;
}

static void look(struct orma_flight *f)
{
    uint64_t until = orma_clock_boottime();

    if (!f->watch || f->watch_failed)
        return;
    int r = orma_flight_watch_read(f->watch, take_packet, f);
    if (r < 0) {
        fprintf(stderr, "%s: conditions are no longer looked at: %s\n", f->plan->program,
                strerror(-r));
        f->watch_failed = true;
    } else if (r == 0) {
        f->incomplete++;
    } else {
        orma_flight_slices_look(&f->slices, until);
        orma_flight_latency_look(&f->latency, until);
    }
}

static void *watch(void *ctx)
{
    struct orma_flight *f = ctx;

    while (!wait_ms(f, TURN_MS)) {
        look(f);
        step(f, false);
    }
    look(f);
    step(f, true);
    f->cpu_ns = thread_cpu_ns();
    return NULL;
}

/* ---- the thread of SQL ---- */

/* 1: it returns a row; 0: none; negative: it cannot be asked. */
static int ask(const char *sql, struct orma_processor *tp)
{
    struct orma_script_run *run;
    struct orma_query *q;
    int r = orma_script_open(tp, sql, strlen(sql), "condition", &run), rows = 0;

    if (r < 0)
        return r;
    while ((r = orma_script_step(run, &q)) > 0) {
        int row = orma_query_has_output(q) ? orma_query_step(q) : 0;

        orma_query_free(q);
        if (row < 0)
            r = row;
        rows |= row > 0;
        if (r < 0)
            break;
    }
    orma_script_close(run);
    return r < 0 ? r : rows;
}

static bool is_ending(const struct orma_flight *f)
{
    struct pollfd pfd = {.fd = f->stop_fd, .events = POLLIN};

    return poll(&pfd, 1, 0) > 0;
}

/* An orma_stop_fn. */
static int is_enough(void *ctx)
{
    const struct orma_flight *f = ctx;

    return is_ending(f) || orma_clock_monotonic() >= f->patience_ns;
}

/* An orma_progress_fn. */
static int load_on(void *ctx, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    return is_ending(ctx);
}

static const char *why_not(int r, struct orma_processor *tp)
{
    return r == -ECANCELED ? "it takes too long" : orma_load_sql_message(orma_processor_error(tp));
}

static void ask_all(struct orma_flight *f, struct orma_processor *tp, uint64_t moment)
{
    orma_processor_ask_to_stop(tp, is_enough, f);
    for (unsigned i = 0; i < f->plan->num; i++) {
        const struct orma_flight_condition *c = &f->plan->conditions[i];

        if (c->kind != ORMA_FLIGHT_SQL || f->broken[i])
            continue;
        f->patience_ns = orma_clock_monotonic() + SQL_PATIENCE_S * UINT64_C(1000000000);
        int r = ask(c->text, tp);
        if (r < 0 && is_ending(f))
            return;
        if (r < 0) {
            fprintf(stderr, "%s: the condition '%s' is no longer asked: %s\n", f->plan->program,
                    c->text, why_not(r, tp));
            f->broken[i] = true;
            continue;
        }
        if (r && !f->held[i])
            tell(f, i, moment);
        f->held[i] = r;
    }
}

static int feed_file(struct orma_flight *f, struct orma_processor *tp, int fd, uint8_t *room)
{
    ssize_t n = 1;
    int r = 0;

    while (r == 0 && n > 0) {
        n = read(fd, room, PIECE);
        r = n < 0 ? -errno : is_ending(f) ? -ECANCELED : orma_processor_feed(tp, room, (size_t)n);
    }
    return r;
}

/* The file that is written now, as far as it has come, behind the one before it. */
static int load_files(struct orma_flight *f, uint64_t *ret_taken_ns, struct orma_processor **ret)
{
    const struct orma_processor_config config = {
        .size = sizeof(config), .threads = 1, .one_thread = true};
    struct orma_record_files files = {0};
    struct orma_processor *tp = NULL;
    uint8_t *room = malloc(PIECE);
    int r = room ? orma_record_handover_current(f->plan->handover, &files) : -ENOMEM;

    *ret_taken_ns = orma_clock_boottime();
    if (r == 0)
        r = orma_processor_new(&config, &tp);
    for (size_t i = 0; r == 0 && i < files.fds.len; i++)
        r = feed_file(f, tp, files.fds.data[i], room);
    if (r == 0)
        r = orma_processor_finish(tp);
    if (r == 0)
        *ret = tp;
    else
        orma_processor_free(tp);
    orma_record_files_fini(&files);
    free(room);
    return r;
}

static int load_ring(struct orma_flight *f, uint64_t *ret_taken_ns, struct orma_processor **ret)
{
    struct orma_follow_snapshot snapshot = {
        .program = f->plan->program,
        .session = f->plan->session,
        .addr = f->plan->addr,
        .config = {.size = sizeof(snapshot.config), .threads = 1, .one_thread = true},
        .quiet = f->not_asked > 0,
        .progress = load_on,
        .ctx = f};
    int r = orma_follow_snapshot(&snapshot, ret);

    *ret_taken_ns = snapshot.taken_ns;
    return r;
}

static void *ask_now_and_then(void *ctx)
{
    struct orma_flight *f = ctx;
    uint64_t pause_ms = SQL_PERIOD_MS;

    while (!wait_ms(f, pause_ms)) {
        struct orma_processor *tp = NULL;
        uint64_t before = thread_cpu_ns(), taken_ns = 0;
        int r = f->plan->handover ? load_files(f, &taken_ns, &tp) : load_ring(f, &taken_ns, &tp);

        if (r == 0)
            ask_all(f, tp, taken_ns);
        f->asked += r == 0;
        f->not_asked += r < 0 && !is_ending(f);
        orma_processor_free(tp);
        pause_ms = ORMA_MAX((thread_cpu_ns() - before) / MS * SQL_SHARE, SQL_PERIOD_MS);
    }
    return NULL;
}

/* ---- beginning and end ---- */

static void free_flight(struct orma_flight *f)
{
    orma_flight_slices_fini(&f->slices);
    orma_flight_latency_fini(&f->latency);
    orma_consumer_free(f->watch);
    pthread_mutex_destroy(&f->lock);
    orma_fd_close(&f->stop_fd);
    free(f);
}

static bool has_sql(const struct orma_flight_plan *plan)
{
    for (unsigned i = 0; i < plan->num; i++) {
        if (plan->conditions[i].kind == ORMA_FLIGHT_SQL)
            return true;
    }
    return false;
}

static void set_rules(struct orma_flight *f)
{
    for (unsigned i = 0; i < f->plan->num; i++) {
        const struct orma_flight_condition *c = &f->plan->conditions[i];
        const struct orma_flight_rule rule = {c->name, c->longer_ns};

        if (c->kind == ORMA_FLIGHT_SLICE) {
            f->of_slices[i] = rule;
            f->slices.rules = f->of_slices;
        } else if (c->kind == ORMA_FLIGHT_LATENCY) {
            f->of_threads[i] = rule;
            f->latency.rules = f->of_threads;
        }
    }
    f->slices.told = f->latency.told = on_rule;
    f->slices.ctx = f->latency.ctx = f;
}

int orma_flight_start(const struct orma_flight_plan *plan, struct orma_flight **ret)
{
    struct orma_flight *f = calloc(1, sizeof(*f));
    int r = 0;

    if (!f)
        return -ENOMEM;
    f->plan = plan;
    pthread_mutex_init(&f->lock, NULL);
    f->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    set_rules(f);
    if (f->stop_fd < 0)
        r = -errno;
    if (r == 0 && orma_flight_watch_wanted(plan))
        r = orma_flight_watch_begin(plan, &f->watch);
    if (r == 0)
        r = -pthread_create(&f->watcher, NULL, watch, f);
    f->watches = r == 0;
    if (r == 0 && has_sql(plan)) {
        int err = pthread_create(&f->asker, NULL, ask_now_and_then, f);

        f->asks = err == 0;
        if (err)
            fprintf(stderr, "%s: conditions of SQL are not looked at: %s\n", plan->program,
                    strerror(err));
    }
    if (r < 0) {
        free_flight(f);
        return r;
    }
    *ret = f;
    return 0;
}

static void put(struct orma_buf *out, uint64_t num, const char *what)
{
    if (num)
        orma_buf_printf(out, ", %" PRIu64 " %s", num, what);
}

static void say_counts(const struct orma_flight *f)
{
    char text[ORMA_UNITS_TEXT_MAX];

    for (unsigned i = 0; i < f->plan->num; i++) {
        const struct count *c = &f->counts[i];
        ORMA_AUTO(orma_buf_fini) struct orma_buf line = {0};

        orma_buf_printf(&line, "%s: %s: held %" PRIu64 " time%s: %" PRIu64 " snapshot%s",
                        f->plan->program, f->plan->conditions[i].text, c->told,
                        c->told == 1 ? "" : "s", c->taken, c->taken == 1 ? "" : "s");
        put(&line, c->with_another, "while another was made");
        put(&line, c->paused, "in the pause after one");
        put(&line, c->too_many, "beyond --max-snapshots");
        put(&line, c->failed, "failed");
        fprintf(stderr, "%s\n", orma_buf_cstr(&line));
    }
    if (f->watch)
        fprintf(stderr, "%s: looked at %" PRIu64 " events with %s of CPU", f->plan->program,
                f->slices.events + f->latency.events, orma_units_format_duration(f->cpu_ns, text));
    if (f->watch && f->seen_after_ns)
        fprintf(stderr, ", conditions were seen within %s",
                orma_units_format_duration(f->seen_after_ns, text));
    if (f->watch)
        fputc('\n', stderr);
    if (f->asks)
        fprintf(stderr, "%s: SQL was asked %" PRIu64 " time%s", f->plan->program, f->asked,
                f->asked == 1 ? "" : "s");
    if (f->asks && f->not_asked)
        fprintf(stderr, ", and %" PRIu64 " times the %s could not be read", f->not_asked,
                f->plan->handover ? "files" : "ring");
    if (f->asks)
        fputc('\n', stderr);
    if (f->slices.given_up || f->slices.names_given_up)
        fprintf(stderr,
                "%s: programs had more than is kept: %" PRIu64 " open slices and %" PRIu64
                " names were forgotten, and what depends on them was not seen\n",
                f->plan->program, f->slices.given_up, f->slices.names_given_up);
    if (f->slices.forgotten)
        fprintf(stderr,
                "%s: %" PRIu64 " slices were open when packets were lost: how long they took is "
                "unknown\n",
                f->plan->program, f->slices.forgotten);
    if (f->latency.forgotten)
        fprintf(stderr,
                "%s: %" PRIu64 " threads waited when kernel events were lost: for how long is "
                "unknown\n",
                f->plan->program, f->latency.forgotten);
    if (f->incomplete)
        fprintf(stderr,
                "%s: programs did not answer in time %" PRIu64
                " times when they were asked for events\n",
                f->plan->program, f->incomplete);
    if (f->commands_left_out)
        fprintf(stderr, "%s: '%s' was not run %u times: %u were still running\n", f->plan->program,
                f->plan->then, f->commands_left_out, COMMANDS_MAX);
}

struct orma_flight_result orma_flight_stop(struct orma_flight *self)
{
    struct orma_flight_result ret = {0};

    if (!self)
        return ret;
    (void)eventfd_write(self->stop_fd, 1); /* an empty eventfd has room */
    pthread_join(self->watcher, NULL);
    if (self->asks)
        pthread_join(self->asker, NULL);
    step(self, true); /* of what SQL has found after the watcher's last look */
    for (unsigned i = 0; i < self->plan->num; i++) {
        ret.taken += (unsigned)self->counts[i].taken;
        ret.failed += (unsigned)self->counts[i].failed;
    }
    if (!self->plan->quiet)
        say_counts(self);
    free_flight(self);
    return ret;
}
