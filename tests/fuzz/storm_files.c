/*
 * Mutated trace files through the whole processor: loaded, all tables read, modules
 * included, and statements nobody should write asked of what came of them. Every run
 * is a child's; what ends in a signal, a report of a sanitizer, a leak, an account that
 * does not balance or 40 seconds of the cpu is kept with its report.
 *
 *     storm_files [--runs N] [--seed S] [--only K] [--load] [--out FOLDER] SEEDS...
 *
 * Run k of seed S is always the same: --only K repeats it in this process. --load asks for nothing
 * but the account, which is many times as fast. In the
 * normal run of the tests it is short; for a night, give it a build with
 * -Db_sanitize=address,undefined, many runs and all traces there are.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "processor/api/processor_impl.h"
#include "processor/processor.h"
#include "sdk/base/fd.h"
#include "tests/support/account.h"
#include "tests/support/hostile_sql.h"
#include "tests/support/leaks.h"

#define BATCH 16
#define CPU_SECONDS 40
#define QUERY_MS 1500
#define SEEDS_MAX 4096
#define SEED_BYTES_MAX ((size_t)4 << 20)
#define INPUT_MAX ((size_t)8 << 20)
#define STATEMENTS 24
#define EXIT_LEAK 23

struct storm {
    char *seeds[SEEDS_MAX];
    size_t seeds_num;
    uint64_t seed, state, loaded;
    const char *out;
    bool load_only;
    struct hostile_sql hostile;
};

static uint64_t random_u64(struct storm *s)
{
    s->state ^= s->state << 13;
    s->state ^= s->state >> 7;
    s->state ^= s->state << 17;
    return s->state;
}

static size_t pick(struct storm *s, size_t num)
{
    return num ? random_u64(s) % num : 0;
}

static void start_run(struct storm *s, uint64_t run)
{
    s->state = (s->seed * 1000003 + run) * 0x9e3779b97f4a7c15u + 1;
    for (int i = 0; i < 8; i++)
        (void)random_u64(s);
    s->hostile.state = random_u64(s) | 1;
}

/* ---- seeds ---- */

static void add_seeds(struct storm *s, const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return;
    if (S_ISREG(st.st_mode) && st.st_size > 0 && (size_t)st.st_size <= SEED_BYTES_MAX &&
        s->seeds_num < SEEDS_MAX)
        s->seeds[s->seeds_num++] = strdup(path);
    if (!S_ISDIR(st.st_mode))
        return;
    struct dirent **names = NULL;
    int num = scandir(path, &names, NULL, alphasort); /* sorted: runs can be repeated */
    for (int i = 0; i < num; i++) {
        char file[4096];

        snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.')
            add_seeds(s, file);
        free(names[i]);
    }
    free(names);
}

/* ---- mutation ---- */

static const uint64_t borders[] = {0,
                                   1,
                                   0x7f,
                                   0x80,
                                   0xff,
                                   0x7fff,
                                   0xffff,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   INT64_MAX,
                                   UINT64_MAX,
                                   (uint64_t)INT64_MIN,
                                   1000000007};

static void insert(struct orma_buf *b, size_t at, const void *data, size_t len)
{
    if (b->len + len > INPUT_MAX || !orma_buf_reserve(b, len))
        return;
    memmove(b->data + at + len, b->data + at, b->len - at);
    memcpy(b->data + at, data, len);
    b->len += len;
}

static size_t put_varint(uint8_t *to, uint64_t val)
{
    size_t len = 0;

    for (; val >= 0x80; val >>= 7)
        to[len++] = (uint8_t)(val | 0x80);
    to[len++] = (uint8_t)val;
    return len;
}

/* A piece of this file, or of another one, somewhere else. */
static void put_piece(struct storm *s, struct orma_buf *b, size_t at, bool other)
{
    struct orma_buf from = {0};
    const struct orma_buf *src = b;

    if (other) {
        (void)orma_fd_read_file(AT_FDCWD, s->seeds[pick(s, s->seeds_num)], SEED_BYTES_MAX, &from);
        src = &from;
    }
    if (src->len) {
        size_t begin = pick(s, src->len), len = 1 + pick(s, pick(s, 3) ? 200 : 20000);
        struct orma_buf piece = {0};

        len = ORMA_MIN(len, src->len - begin);
        orma_buf_put(&piece, src->data + begin, len);
        insert(b, at, piece.data, piece.len);
        orma_buf_fini(&piece);
    }
    orma_buf_fini(&from);
}

static void mutate_once(struct storm *s, struct orma_buf *b)
{
    static const char *const numbers[] = {"99999999999999999999",
                                          "-1",
                                          "0",
                                          "-9223372036854775808",
                                          "1e400",
                                          "\"",
                                          "\\u0000",
                                          "]]]]"};
    size_t at = pick(s, b->len);
    uint64_t val = borders[pick(s, ORMA_ARRAY_LEN(borders))];
    uint8_t bytes[300];

    switch (pick(s, 12)) {
    case 0:
        b->data[at] ^= (uint8_t)(1u << pick(s, 8));
        break;
    case 1:
        b->data[at] = (uint8_t)random_u64(s);
        break;
    case 2:
        if (pick(s, 8) == 0)
            b->len = at;
        break;
    case 3: {
        size_t len = 1 + pick(s, 40);

        len = ORMA_MIN(len, b->len - at);
        memmove(b->data + at, b->data + at + len, b->len - at - len);
        b->len -= len;
        break;
    }
    case 4: {
        size_t len = 1 + pick(s, pick(s, 3) ? 8 : sizeof(bytes) - 1);

        for (size_t i = 0; i < len; i++)
            bytes[i] = (uint8_t)random_u64(s);
        insert(b, at, bytes, len);
        break;
    }
    case 5: {
        size_t width = (size_t)1 << pick(s, 4);

        if (b->len - at >= width)
            memcpy(b->data + at, &val, width);
        break;
    }
    case 6:
    case 7: {
        size_t len = put_varint(bytes, val);

        if (pick(s, 2))
            insert(b, at, bytes, len);
        else if (b->len - at >= len)
            memcpy(b->data + at, bytes, len);
        break;
    }
    case 8:
        put_piece(s, b, at, false);
        break;
    case 9:
        put_piece(s, b, at, true);
        break;
    case 10:
        b->data[at] = (uint8_t)(b->data[at] + pick(s, 3) - 1);
        break;
    case 11: {
        const char *text = numbers[pick(s, ORMA_ARRAY_LEN(numbers))];

        insert(b, at, text, strlen(text));
        break;
    }
    }
}

static void make_input(struct storm *s, struct orma_buf *b)
{
    size_t times = pick(s, 40) == 0 ? 0 : 1 + pick(s, pick(s, 4) ? 6 : 40);

    (void)orma_fd_read_file(AT_FDCWD, s->seeds[pick(s, s->seeds_num)], SEED_BYTES_MAX, b);
    for (size_t i = 0; i < times && b->len; i++)
        mutate_once(s, b);
}

/* ---- a run ---- */

static int load(struct storm *s, struct orma_processor *tp, const struct orma_buf *b)
{
    size_t step = pick(s, 3) ? b->len : 1 + pick(s, b->len + 1);
    int r = 0;

    for (size_t at = 0; at < b->len && r == 0; at += step) {
        size_t len = ORMA_MIN(step, b->len - at);
        uint8_t *exact = malloc(len); /* a sanitizer sees the first byte too far */

        memcpy(exact, b->data + at, len);
        r = orma_processor_feed(tp, exact, len);
        free(exact);
    }
    return r ? r : orma_processor_finish(tp);
}

/* Each unit of the file was read, or is counted with a reason. */
static void check_account(struct orma_processor *tp)
{
    struct orma_query *q = NULL;

    if (orma_query_prepare(tp, ACCOUNT_WRONG_SQL, SIZE_MAX, &q, NULL) < 0)
        return; /* no memory or no time */
    if (orma_query_step(q) == 1) {
        fprintf(stderr, "the account is wrong: %s: %s units, %s of them ended\n",
                orma_query_text(q, 1), orma_query_text(q, 2), orma_query_text(q, 3));
        abort();
    }
    orma_query_free(q);
}

static void ask(struct storm *s, struct orma_sql *sql, bool all)
{
    (void)hostile_sql_prepare(sql);
    for (size_t i = 0; i < hostile_sql_tables(&s->hostile); i++) {
        char text[256];
        const char *name = ((struct hostile_name *)(void *)s->hostile.tables.data)[i].name;

        if (!all && pick(s, 6))
            continue;
        snprintf(text, sizeof(text), "SELECT * FROM \"%s\"", name);
        (void)hostile_sql_run(sql, text, 3000);
    }
    for (int i = 0; i < (all ? 4 : 1) * STATEMENTS; i++)
        (void)hostile_sql_run(sql, hostile_sql_any(&s->hostile), 3000);
}

/* True if it could be loaded. */
static bool run_once(struct storm *s, uint64_t run, bool keep)
{
    struct orma_processor_config config = {.size = sizeof(config), .query_timeout_ms = QUERY_MS};
    struct orma_processor *tp = NULL;
    struct orma_buf b = {0};
    char path[4096];

    start_run(s, run);
    make_input(s, &b);
    if (keep) { /* to be kept if this is the last thing we do */
        snprintf(path, sizeof(path), "%s/run-%llu-%llu", s->out, (unsigned long long)s->seed,
                 (unsigned long long)run);
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        (void)orma_fd_write_all(fd, b.data, b.len); /* without it the run can still be repeated */
        orma_fd_close(&fd);
    }
    config.one_thread = pick(s, 2);
    config.full_sort = pick(s, 2);
    config.analyze_content = pick(s, 4) == 0;
    if (orma_processor_new(&config, &tp) < 0)
        abort();
    (void)sqlite3_limit(orma_processor_sql(tp)->db, SQLITE_LIMIT_LENGTH, 16 << 20);
    int r = load(s, tp, &b);
    if (r == 0) {
        check_account(tp);
        if (!s->load_only)
            ask(s, orma_processor_sql(tp), run % 4 == 0);
    }
    if (!keep)
        printf("run %llu: %zu bytes, %s\n", (unsigned long long)run, b.len,
               r ? orma_processor_error(tp) : "loaded");
    orma_processor_free(tp);
    orma_buf_fini(&b);
    if (keep)
        (void)unlink(path);
    return r == 0;
}

/* ---- children ---- */

static void limit_cpu(int seconds)
{
    struct itimerval val = {.it_value = {.tv_sec = seconds}};

    (void)setitimer(ITIMER_PROF, &val, NULL); /* SIGPROF ends the process */
}

static void child(struct storm *s, uint64_t from, uint64_t to, int done_fd)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/report-%llu-%llu", s->out, (unsigned long long)s->seed,
             (unsigned long long)from);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    (void)dup2(fd, STDERR_FILENO); /* else reports are in between */
    (void)dup2(fd, STDOUT_FILENO);
    for (uint64_t run = from; run < to; run++) {
        limit_cpu(CPU_SECONDS);
        bool loaded = run_once(s, run, true);
        limit_cpu(0);
        (void)!write(done_fd, loaded ? "l" : "x", 1);
    }
    int code = orma_found_leaks() ? EXIT_LEAK : 0;
    if (!code)
        (void)unlink(path);
    _exit(code);
}

/* Runs done; *ret_bad is set when the child ended badly, in the run behind them or with a leak. */
static uint64_t run_batch(struct storm *s, uint64_t from, uint64_t to, const char **ret_bad)
{
    static char how[64];
    uint64_t done = 0;
    int fds[2], status;
    char piece[64];

    if (pipe(fds) < 0)
        abort();
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(fds[0]);
        child(s, from, to, fds[1]);
    }
    (void)close(fds[1]);
    for (ssize_t n; (n = read(fds[0], piece, sizeof(piece))) > 0;)
        for (done += (uint64_t)n; n > 0; n--)
            s->loaded += piece[n - 1] == 'l';
    (void)close(fds[0]);
    if (waitpid(pid, &status, 0) != pid)
        abort();
    *ret_bad = NULL;
    if (WIFSIGNALED(status))
        snprintf(how, sizeof(how), WTERMSIG(status) == SIGPROF ? "took too long" : "signal %d",
                 WTERMSIG(status));
    else if (WEXITSTATUS(status) == EXIT_LEAK)
        snprintf(how, sizeof(how), "leaked");
    else
        snprintf(how, sizeof(how), "exit code %d", WEXITSTATUS(status));
    if (WIFSIGNALED(status) || WEXITSTATUS(status))
        *ret_bad = how;
    return done;
}

static unsigned storm(struct storm *s, uint64_t runs)
{
    uint64_t at = 0, done = 0;
    unsigned bad_num = 0;

    while (at < runs) {
        uint64_t to = ORMA_MIN(at + BATCH, runs);
        const char *bad;
        uint64_t n = run_batch(s, at, to, &bad);

        done += n;
        if (bad) {
            bad_num++;
            fprintf(stderr, "--seed %llu --only %llu: %s (from run %llu; report in %s)\n",
                    (unsigned long long)s->seed, (unsigned long long)(at + n), bad,
                    (unsigned long long)at, s->out);
        }
        at = bad && at + n < to ? at + n + 1 : to;
    }
    printf("%llu mutated files of %zu, %llu of them loaded: %u bad\n", (unsigned long long)done,
           s->seeds_num, (unsigned long long)s->loaded, bad_num);
    return bad_num;
}

/* ---- command line ---- */

static int list_names(struct storm *s)
{
    struct orma_processor *tp = NULL;
    int r = orma_processor_new(NULL, &tp);

    if (!r)
        r = orma_processor_finish(tp);
    if (!r)
        r = hostile_sql_init(&s->hostile, orma_processor_sql(tp), 1);
    orma_processor_free(tp);
    return r;
}

static void finish(struct storm *s)
{
    hostile_sql_fini(&s->hostile);
    for (size_t i = 0; i < s->seeds_num; i++)
        free(s->seeds[i]);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"runs", 1, NULL, 'r'}, {"seed", 1, NULL, 's'},
                                            {"only", 1, NULL, 'k'}, {"out", 1, NULL, 'o'},
                                            {"load", 0, NULL, 'l'}, {0}};
    static struct storm s = {.seed = 1, .out = "."};
    uint64_t runs = 100, only = UINT64_MAX;
    unsigned bad = 0;

    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'r')
            runs = strtoull(optarg, NULL, 0);
        else if (c == 's')
            s.seed = strtoull(optarg, NULL, 0);
        else if (c == 'k')
            only = strtoull(optarg, NULL, 0);
        else if (c == 'o')
            s.out = optarg;
        else if (c == 'l')
            s.load_only = true;
        else
            return 2;
    }
    for (int i = optind; i < argc; i++)
        add_seeds(&s, argv[i]);
    if (!s.seeds_num || list_names(&s) < 0) {
        fprintf(stderr, "no seeds, or no memory\n");
        return 2;
    }
    if (only != UINT64_MAX)
        (void)run_once(&s, only, false); /* it says itself */
    else
        bad = storm(&s, runs);
    finish(&s);
    return bad ? 1 : 0;
}
