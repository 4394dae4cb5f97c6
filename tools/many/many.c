/*
 * A process writes what it found to a file without a name, which it shares with us:
 *
 *   head: 'H', columns (u32), then the name of each as a text cell
 *   row:  'R' and its cells: a byte for the type, then 8 bytes, or a length (u32) and so many bytes
 *   end:  'D', then a text cell for each sentence on what of the trace could not be read
 *
 * or instead of all that 'E' and a text cell: what was wrong.
 *
 * The database belongs to a processor without a trace: rows go in by its parameters, and the last
 * question may use all that PerfettoSQL has.
 */
#include "tools/many/many.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/vec.h"
#include "tools/base/cli.h"
#include "tools/base/inputs.h"
#include "tools/base/temporary.h"
#include "tools/load/sql_error.h"
#include "tools/load/threads.h"
#include "tools/many/ask.h"
#include "tools/many/columns.h"
#include "tools/many/find.h"
#include "tools/many/processes.h"
#include "tools/output/output.h"

#define COLUMNS_MAX 2000

struct job {
    const char *path;
    int64_t size, changed_ns;
    pid_t pid; /* 0: it does not run */
    FILE *file;
    bool done;
};

struct many {
    const struct orma_many *args;
    struct orma_processor *db;
    struct orma_buf paths;
    ORMA_VEC(struct job) jobs;
    struct orma_query *insert; /* NULL: the table is not made yet */
    unsigned columns;          /* of a trace's rows, those of metadata included */
    size_t running, finished, failed, kept;
    bool fresh; /* the file did not exist */
};

/* ---- the database ---- */

/* Runs a statement with texts for its parameters, up to a NULL. The first cell, if there is one,
 * into *ret. */
static int run_sql(struct many *m, const char *sql, const char *const *params, int64_t *ret)
{
    struct orma_query *q;
    int r = orma_query_prepare(m->db, sql, ORMA_WHOLE, &q, NULL);

    for (unsigned i = 0; !r && params && params[i]; i++)
        r = orma_query_bind_text(q, i + 1, params[i], ORMA_WHOLE);
    if (!r)
        r = orma_query_step(q);
    if (r == 1 && ret)
        *ret = orma_query_int64(q, 0);
    orma_query_free(q);
    return r;
}

static int complain(const struct many *m, const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", m->args->program, m->args->file ? m->args->file : "results",
            what);
    return -EIO;
}

static int fail_db(const struct many *m)
{
    return complain(m, orma_load_sql_message(orma_processor_error(m->db)));
}

/* A database that has something, and is not one that was made here, gets no table. */
static int check_maker(struct many *m)
{
    int64_t others = 0;

    if (run_sql(m,
                "SELECT EXISTS (SELECT 1 FROM many.sqlite_master) AND NOT ("
                "(SELECT group_concat(name) FROM pragma_table_info('question', 'many')) IS "
                "'sql,metadata' AND "
                "(SELECT group_concat(name) FROM pragma_table_info('traces', 'many')) IS "
                "'path,size,changed_ns,state,error')",
                NULL, &others) < 0)
        return fail_db(m);
    return others ? complain(m, "this is a database of something else, to which no table is "
                                "added: choose another file")
                  : 0;
}

/* Which question the database has the answers of. */
static int check_question(struct many *m)
{
    const char *question[] = {m->args->sql, m->args->metadata ? m->args->metadata : "", NULL};
    int64_t others = 0;

    if (run_sql(m, "CREATE TABLE IF NOT EXISTS many.question(sql, metadata)", NULL, NULL) < 0 ||
        run_sql(m,
                "CREATE TABLE IF NOT EXISTS many.traces(path PRIMARY KEY, size, changed_ns, state, "
                "error)",
                NULL, NULL) < 0 ||
        run_sql(m, "SELECT count(*) FROM many.question WHERE (sql, metadata) != (?1, ?2)", question,
                &others) < 0 ||
        run_sql(m,
                "INSERT INTO many.question SELECT ?1, ?2 WHERE NOT EXISTS (SELECT * FROM "
                "many.question)",
                question, NULL) < 0)
        return fail_db(m);
    return others ? complain(
                        m, "this file holds the results of a different query: choose another file")
                  : 0;
}

/* The file is none of the traces, and one that can be kept. */
static int check_file(struct many *m)
{
    const struct orma_output_want want = {
        .program = m->args->program, .path = m->args->file, .force = true, .no_force = true};
    struct stat st;

    for (uint32_t i = 0; i < m->jobs.len; i++)
        orma_inputs_add(m->jobs.data[i].path, ORMA_INPUTS_FILE);
    if (!m->args->file)
        return 0;
    if (orma_output_check(&want) < 0)
        return -EINVAL;
    m->fresh = stat(m->args->file, &st) < 0;
    if (m->fresh || (S_ISREG(st.st_mode) && strcmp(m->args->file, "-")))
        return 0;
    return complain(m, "a database cannot be stored there: name a regular file");
}

/* A file that was made for results which could not be written is of no use. */
static void drop_file(const struct many *m)
{
    static const char *const beside[] = {"", "-journal"};

    for (size_t i = 0; m->fresh && i < ORMA_ARRAY_LEN(beside); i++) {
        ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};

        orma_buf_printf(&path, "%s%s", m->args->file, beside[i]);
        (void)unlink(orma_buf_cstr(&path)); /* the journal is mostly gone already */
    }
}

/* A database without a name is a file that nobody sees, and is gone with us however we end. */
static int open_db(struct many *m)
{
    const struct orma_processor_config config = {
        .size = sizeof(config), .sql_file_access = true, .threads = orma_load_threads()};
    const char *path[] = {m->args->file ? m->args->file : "", NULL};

    if (orma_processor_new(&config, &m->db) || orma_processor_finish(m->db))
        return complain(m, strerror(ENOMEM));
    if (run_sql(m, "ATTACH ? AS many", path, NULL) < 0)
        return fail_db(m);
    orma_processor_close_files(m->db); /* the last question is about this file, and no other */
    int r = check_maker(m);
    if (r)
        return r;
    if (run_sql(m, "BEGIN", NULL, NULL) < 0) /* both tables, or none */
        return fail_db(m);
    r = check_question(m);
    return !r && run_sql(m, "COMMIT", NULL, NULL) < 0 ? fail_db(m) : r;
}

/* ---- what a process found ---- */

struct cell {
    enum orma_value_type type;
    union {
        int64_t whole;
        double real;
    };
    struct orma_buf bytes;
};

static bool get(FILE *in, void *to, size_t len)
{
    return fread(to, 1, len, in) == len;
}

static bool get_cell(FILE *in, struct cell *c)
{
    int type = getc(in);
    uint32_t len = 0;

    c->type = (enum orma_value_type)type;
    switch (type) {
    case ORMA_VALUE_NULL:
        return true;
    case ORMA_VALUE_INT64:
    case ORMA_VALUE_DOUBLE:
        return get(in, &c->whole, sizeof(c->whole));
    case ORMA_VALUE_TEXT:
    case ORMA_VALUE_BLOB:
        break;
    default:
        return false;
    }
    orma_buf_clear(&c->bytes);
    if (!get(in, &len, sizeof(len)) || len > ORMA_MANY_CELL_MAX)
        return false;
    uint8_t *to = orma_buf_extend(&c->bytes, len);
    return (to || !len) && get(in, to, len);
}

static int bind(struct orma_query *q, unsigned param, const struct cell *c)
{
    const char *bytes = c->bytes.data ? (const char *)c->bytes.data : "";

    switch (c->type) {
    case ORMA_VALUE_NULL:
        return orma_query_bind_null(q, param);
    case ORMA_VALUE_INT64:
        return orma_query_bind_int64(q, param, c->whole);
    case ORMA_VALUE_DOUBLE:
        return orma_query_bind_double(q, param, c->real);
    case ORMA_VALUE_TEXT:
        return orma_query_bind_text(q, param, bytes, c->bytes.len);
    case ORMA_VALUE_BLOB:
        return orma_query_bind_blob(q, param, bytes, c->bytes.len);
    }
    return -EINVAL;
}

/* Makes the table for these columns, if it is not there, and the statement that fills it. */
static int prepare_insert(struct many *m, const struct orma_buf *names, uint32_t num)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf make = {0}, insert = {0};

    orma_buf_printf(&make, "CREATE TABLE IF NOT EXISTS many.result(trace%s)",
                    orma_buf_cstr((struct orma_buf *)(uintptr_t)names));
    orma_buf_put_str(&insert, "INSERT INTO many.result VALUES (?");
    for (uint32_t i = 0; i < num; i++)
        orma_buf_put_str(&insert, ", ?");
    orma_buf_put_byte(&insert, ')');
    if (make.failed || insert.failed || run_sql(m, orma_buf_cstr(&make), NULL, NULL) < 0)
        return -EIO;
    int r = orma_query_prepare(m->db, orma_buf_cstr(&insert), ORMA_WHOLE, &m->insert, NULL);
    m->columns = num;
    return r ? -EIO : 0;
}

/* Rows of before decide what columns there are. */
static int open_result(struct many *m)
{
    struct orma_buf names = {0};
    int64_t columns = 0;

    m->columns = 0;
    if (run_sql(m, "SELECT count(*) FROM pragma_table_info('result', 'many')", NULL, &columns) < 0)
        return fail_db(m);
    int r = columns > 1 && prepare_insert(m, &names, (uint32_t)columns - 1) ? fail_db(m) : 0;
    orma_buf_fini(&names);
    return r;
}

/* The names of columns, each behind a comma. The first column is the path of the trace. */
static bool get_names(FILE *in, struct cell *c, uint32_t num, struct orma_buf *names)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf taken = {0};

    orma_buf_put_str(&taken, "trace");
    orma_buf_put_byte(&taken, '\0');
    for (uint32_t i = 0; i < num; i++) {
        if (!get_cell(in, c) || c->type != ORMA_VALUE_TEXT)
            return false;
        orma_many_put_name(names, &taken, orma_buf_cstr(&c->bytes));
    }
    return !names->failed && !taken.failed;
}

static int insert_rows(struct many *m, const struct job *job, FILE *in, struct cell *c)
{
    int kind, r = 0;

    while (!r && (kind = getc(in)) == 'R') {
        r = orma_query_reset(m->insert);
        if (!r)
            r = orma_query_bind_text(m->insert, 1, job->path, ORMA_WHOLE);
        for (unsigned i = 0; !r && i < m->columns; i++)
            r = get_cell(in, c) ? bind(m->insert, i + 2, c) : -EBADMSG;
        if (!r)
            r = orma_query_step(m->insert);
    }
    return r ? r : kind == 'D' ? 0 : -EBADMSG;
}

/* Behind the rows. */
static void take_unread(FILE *in, struct cell *c, struct orma_buf *unread)
{
    while (get_cell(in, c) && c->type == ORMA_VALUE_TEXT)
        orma_buf_printf(unread, "%s%s", unread->len ? "; " : "", orma_buf_cstr(&c->bytes));
}

/* 0, and what could not be read; -EBADMSG and the text in `error`: the trace failed; -EIO: the
 * database did. */
static int take_rows(struct many *m, const struct job *job, struct orma_buf *error,
                     struct orma_buf *unread)
{
    struct cell c = {0};
    ORMA_AUTO(orma_buf_fini) struct orma_buf names = {0};
    uint32_t num = 0;
    int kind = fseek(job->file, 0, SEEK_SET) ? EOF : getc(job->file), r = -EBADMSG;

    if (kind == 'E' && get_cell(job->file, &c))
        orma_buf_put(error, c.bytes.data, c.bytes.len);
    else if (kind == 'H' && get(job->file, &num, sizeof(num)) && num < COLUMNS_MAX &&
             get_names(job->file, &c, num, &names))
        r = m->insert || !prepare_insert(m, &names, num) ? 0 : -EIO;
    if (!r && num != m->columns) {
        orma_buf_printf(error, "the query returns %u columns here, but %u for earlier traces", num,
                        m->columns);
        r = -EBADMSG;
    }
    if (!r)
        r = insert_rows(m, job, job->file, &c);
    if (!r)
        take_unread(job->file, &c, unread);
    orma_buf_fini(&c.bytes);
    return r && r != -EBADMSG ? -EIO : r;
}

static int note(struct many *m, const struct job *job, const char *state, const char *error)
{
    char size[24], changed[24];
    const char *row[] = {job->path, size, changed, state, error, NULL};

    snprintf(size, sizeof(size), "%" PRId64, job->size);
    snprintf(changed, sizeof(changed), "%" PRId64, job->changed_ns);
    return run_sql(m,
                   "INSERT OR REPLACE INTO many.traces VALUES (?1, CAST(?2 AS INT), CAST(?3 AS "
                   "INT), ?4, nullif(?5, ''))",
                   row, NULL);
}

static void show_progress(const struct many *m)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%zu of %" PRIu32 " traces%s\033[K", m->finished, m->jobs.len,
                m->finished < m->jobs.len ? "" : "\r\033[K");
}

/* A transaction without rows of the trace, be they of a run before. */
static int begin(struct many *m, const struct job *job)
{
    const char *path[] = {job->path, NULL};
    int r = run_sql(m, "BEGIN", NULL, NULL);

    return r < 0 || !m->insert ? r
                               : run_sql(m, "DELETE FROM many.result WHERE trace = ?", path, NULL);
}

/* As if it had not come: the table may have been made for it. */
static int begin_again(struct many *m, const struct job *job)
{
    orma_query_free(ORMA_STEAL(m->insert));
    int r = run_sql(m, "ROLLBACK", NULL, NULL);

    if (r >= 0)
        r = open_result(m);
    return r < 0 ? r : begin(m, job);
}

/* The process of a trace is done: all of its rows come in, or none. */
static int store_rows(struct many *m, struct job *job, int status)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf error = {0}, unread = {0};
    int r = begin(m, job);

    if (r >= 0 && !orma_many_put_signal(&error, "its process", status) &&
        (r = take_rows(m, job, &error, &unread)) == -EBADMSG && !error.len)
        orma_buf_put_str(&error, ORMA_MANY_NO_RESULT);
    if (error.len) {
        r = begin_again(m, job);
        m->failed++;
    }
    if (r >= 0)
        r = note(m, job, error.len ? "failed" : "done",
                 orma_buf_cstr(error.len ? &error : &unread));
    if (r >= 0)
        r = run_sql(m, "COMMIT", NULL, NULL);
    (void)fclose(job->file); /* it has no name, nothing is lost */
    job->file = NULL;
    job->pid = 0;
    m->running--;
    m->finished++;
    show_progress(m);
    return r < 0 ? fail_db(m) : 0;
}

/* Signals that end us wait meanwhile: a journal would stay beside the file. */
static int finish_job(struct many *m, struct job *job, int status)
{
    sigset_t ends, before;

    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &ends, &before); /* fails for bad arguments only */
    int r = store_rows(m, job, status);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return r;
}

static int wait_for_one(struct many *m)
{
    int status;
    pid_t pid;
    const int r = orma_many_wait(&pid, &status);

    for (uint32_t i = 0; !r && i < m->jobs.len; i++) {
        if (m->jobs.data[i].pid == pid)
            return finish_job(m, &m->jobs.data[i], status);
    }
    return r && r != -EINTR ? complain(m, strerror(-r)) : 0;
}

static int start_job(struct many *m, struct job *job)
{
    job->file = orma_temporary_open();
    if (!job->file) {
        char text[128];

        snprintf(text, sizeof(text), "no temporary file ($TMPDIR, /tmp): %s", strerror(errno));
        return complain(m, text);
    }
    job->pid = orma_many_fork();
    if (job->pid == 0)
        orma_many_ask(m->args, job->path, job->file);
    if (job->pid < 0) {
        job->pid = 0;
        return complain(m, strerror(errno));
    }
    m->running++;
    return 0;
}

/* ---- all of it ---- */

/* A pattern that is a folder means the files in it, but which? */
static int check_folders(const struct many *m)
{
    for (size_t i = 0; i < m->args->patterns_num; i++) {
        const char *path = m->args->patterns[i];
        int len = (int)strlen(path);
        struct stat st;

        if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
            continue;
        while (len > 1 && path[len - 1] == '/')
            len--;
        fprintf(stderr,
                "%s: '%s' is a folder: the traces in it are '%.*s/**/*.pftrace', all files "
                "'%.*s/**'\n",
                m->args->program, path, len, path, len, path);
        return -EISDIR;
    }
    return 0;
}

static int find_traces(struct many *m)
{
    int r = check_folders(m);

    if (r)
        return r;
    for (size_t i = 0; !r && i < m->args->patterns_num; i++)
        r = strcmp(m->args->patterns[i], "-") ? orma_many_find(m->args->patterns[i], &m->paths)
                                              : orma_many_list("-", &m->paths);
    if (!r)
        r = orma_many_sort(&m->paths);
    for (size_t at = 0; !r && at < m->paths.len; at += strlen((char *)m->paths.data + at) + 1)
        r = ORMA_VEC_PUSH(&m->jobs, (struct job){.path = (const char *)m->paths.data + at});
    if (r)
        return complain(m, strerror(-r));
    if (!m->jobs.len) {
        fprintf(stderr, "%s: no file matches '%s'\n", m->args->program, m->args->patterns[0]);
        return -ENOENT;
    }
    return 0;
}

static int64_t ns_of(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Those that the database has as they are now. */
static int skip_known(struct many *m)
{
    for (uint32_t i = 0; i < m->jobs.len; i++) {
        struct job *job = &m->jobs.data[i];
        char size[24], changed[24];
        const char *known[] = {job->path, size, changed, NULL};
        struct stat st = {0};
        int64_t num = 0;

        (void)stat(job->path, &st); /* if it is gone, its process says so */
        job->size = st.st_size;
        /* The time of its bytes can be set to any, as by 'cp -p'; that of its inode cannot. */
        job->changed_ns = ORMA_MAX(ns_of(st.st_mtim), ns_of(st.st_ctim));
        snprintf(size, sizeof(size), "%" PRId64, job->size);
        snprintf(changed, sizeof(changed), "%" PRId64, job->changed_ns);
        if (run_sql(
                m,
                "SELECT count(*) FROM many.traces WHERE path = ?1 AND size = CAST(?2 AS INT) AND "
                "changed_ns = CAST(?3 AS INT) AND state = 'done'",
                known, &num) < 0)
            return fail_db(m);
        job->done = num > 0;
        m->kept += job->done;
        m->finished += job->done;
    }
    return 0;
}

static int run_jobs(struct many *m)
{
    const unsigned most = orma_many_at_once(m->args->jobs);

    orma_load_threads_share(ORMA_MIN(most, m->jobs.len));
    int r = 0;

    for (uint32_t i = 0; !r && i < m->jobs.len; i++) {
        while (!r && m->running >= most)
            r = wait_for_one(m);
        if (!r && !m->jobs.data[i].done)
            r = start_job(m, &m->jobs.data[i]);
    }
    for (uint32_t i = 0; r && i < m->jobs.len; i++) {
        if (m->jobs.data[i].pid > 0)
            (void)kill(m->jobs.data[i].pid, SIGKILL); /* it may have ended */
    }
    while (m->running && !r)
        r = wait_for_one(m);
    return r;
}

/* So many traces with the same sentence are listed one by one. */
#define SAME_SHOWN 3

/* Traces in this state that there is a sentence about; what is the same of many stands once. */
static void print_traces(struct many *m, const char *state)
{
    static const char sql[] =
        "SELECT iif(num > ?2, min(path), path), error, iif(num > ?2, num, 1) FROM (SELECT *, "
        "count(*) OVER (PARTITION BY error) AS num FROM many.traces WHERE state = ?1 AND error IS "
        "NOT NULL) GROUP BY error, iif(num > ?2, '', path) ORDER BY 1";
    struct orma_query *q;

    if (orma_query_prepare(m->db, sql, ORMA_WHOLE, &q, NULL))
        return;
    int r = orma_query_bind_text(q, 1, state, ORMA_WHOLE);
    if (!r)
        r = orma_query_bind_int64(q, 2, SAME_SHOWN);
    while (!r && orma_query_step(q) == 1) {
        if (orma_query_int64(q, 2) > 1)
            fprintf(stderr, "  %" PRId64 " traces, %s first: %s\n", orma_query_int64(q, 2),
                    orma_query_text(q, 0), orma_query_text(q, 1));
        else
            fprintf(stderr, "  %s: %s\n", orma_query_text(q, 0), orma_query_text(q, 1));
    }
    orma_query_free(q);
}

/* Failed ones, with the reason, and those that were not read as a whole; those of the whole
 * database, which are what its rows lack. */
static int tell_failures(struct many *m)
{
    int64_t partly = 0, all = 0;

    if (run_sql(m, "SELECT count(*) FROM many.traces", NULL, &all) < 0)
        return ORMA_EXIT_FAILURE;
    if (m->args->file && all > m->jobs.len)
        fprintf(
            stderr, "%s: %s also has the results of %" PRId64 " other trace%s from earlier runs\n",
            m->args->program, m->args->file, all - m->jobs.len, all - m->jobs.len == 1 ? "" : "s");
    if (m->kept)
        fprintf(stderr, "%s: %zu of %" PRIu32 " traces were loaded before\n", m->args->program,
                m->kept, m->jobs.len);
    if (run_sql(m, "SELECT count(*) FROM many.traces WHERE state = 'done' AND error IS NOT NULL",
                NULL, &partly) < 0)
        return ORMA_EXIT_FAILURE;
    if (partly) {
        fprintf(stderr, "%s: %" PRId64 " %s could be read only in part:\n", m->args->program,
                partly, partly == 1 ? "trace" : "traces");
        print_traces(m, "done");
    }
    if (!m->failed)
        return ORMA_EXIT_OK;
    fprintf(stderr, "%s: %zu of %" PRIu32 " traces failed:\n", m->args->program, m->failed,
            m->jobs.len);
    print_traces(m, "failed");
    return ORMA_EXIT_FAILURE;
}

/* The name by which rows have numbers: one that is no column's. */
static const char *rowid_of(struct many *m)
{
    static const char *const names[] = {"rowid", "oid", "_rowid_"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        const char *name[] = {names[i], NULL};
        int64_t columns = 0;

        if (run_sql(m,
                    "SELECT count(*) FROM pragma_table_info('result', 'many') WHERE lower(name) = "
                    "?1",
                    name, &columns) >= 0 &&
            !columns)
            return names[i];
    }
    return "1"; /* all three are columns: the order within a trace is that of SQLite */
}

static int print_result(struct many *m)
{
    char all[80];
    const char *sql = m->args->then ? m->args->then : all;
    int64_t there = 0;

    snprintf(all, sizeof(all), "SELECT * FROM result ORDER BY trace, %s", rowid_of(m));

    if (run_sql(m, "SELECT count(*) FROM pragma_table_info('result', 'many')", NULL, &there) < 0)
        return fail_db(m);
    if (!there || (m->args->file && !m->args->then))
        return 0; /* the file is the answer */
    int r = orma_print_query(m->db, sql, ORMA_WHOLE, m->args->form, stdout, NULL);
    if (r == -EIO)
        return orma_cli_output_failed(m->args->program, errno) ? -EIO : 0;
    if (r < 0)
        orma_load_print_sql_error("", "--then", m->db);
    return r;
}

static void say_file(const struct many *m)
{
    struct stat st;
    char what[96];

    snprintf(what, sizeof(what), "results of %zu of %" PRIu32 " traces", m->finished - m->failed,
             m->jobs.len);
    if (stat(m->args->file, &st) == 0)
        orma_output_say(m->args->file, (int64_t)st.st_size, what);
}

int orma_many_run(const struct orma_many *self)
{
    struct many m = {.args = self};
    int r = find_traces(&m);

    if (!r)
        r = check_file(&m);
    if (!r)
        r = open_db(&m);
    if (!r)
        r = skip_known(&m);
    if (!r)
        r = open_result(&m);
    if (!r)
        r = run_jobs(&m);
    orma_query_free(m.insert);
    const bool lost = r != 0;
    if (!r)
        r = print_result(&m);
    int code = r ? ORMA_EXIT_FAILURE : tell_failures(&m);
    orma_processor_free(m.db);
    if (lost)
        drop_file(&m);
    else if (self->file)
        say_file(&m);
    orma_buf_fini(&m.paths);
    ORMA_VEC_FINI(&m.jobs);
    return code;
}
