#include "tools/fleet/load.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sdk/base/map.h"
#include "sdk/base/vec.h"
#include "tools/base/cli.h"
#include "tools/base/inputs.h"
#include "tools/base/temporary.h"
#include "tools/fleet/packed.h"
#include "tools/load/threads.h"
#include "tools/many/find.h"
#include "tools/many/processes.h"

/* A batch is sent when it has so much, or nothing more comes soon. */
#define ROWS_ENOUGH (UINT64_C(1) << 20)
#define BYTES_ENOUGH (UINT64_C(128) << 20)
#define DAYS_MAX 50 /* servers of today refuse rows of more than 100 partitions */
/* What was read and is not sent yet. */
#define HELD_MAX 256
#define HELD_BYTES_MAX (UINT64_C(4) << 30)

enum { EXIT_KNOWN = 3 };

enum state { WAITING, READING, READY, SENDING, DONE, KNOWN, FAILED };

struct trace {
    const char *path;
    enum state state;
    pid_t pid;
    FILE *file;
    struct orma_fleet_packed head;
    char *why; /* FAILED */
};

struct sender {
    pid_t pid; /* 0: free */
    struct orma_fleet_sent *sent;
    size_t traces[ORMA_FLEET_BATCH_MAX], num;
};

struct load {
    const struct orma_fleet_load *args;
    ORMA_VEC(struct trace) traces;
    struct orma_map known; /* the first half of a hash: its place in `hashes` */
    struct orma_buf hashes;
    struct sender *senders;
    unsigned jobs, reading, sending;
    size_t oldest, next; /* traces before, and from which on, nothing happens */
    size_t held, finished;
    uint64_t held_bytes, rows;
    char *broken; /* the servers take nothing more, and why */
};

/* ---- what is there already ---- */

static uint64_t key_of(const uint8_t *hash)
{
    uint64_t key;

    memcpy(&key, hash, sizeof(key));
    return key;
}

static bool knows(const struct load *l, const uint8_t *hash)
{
    const uint64_t at = orma_map_get(&l->known, key_of(hash));

    return at != ORMA_MAP_NONE &&
           !memcmp(l->hashes.data + at * ORMA_FLEET_HASH_BYTES, hash, ORMA_FLEET_HASH_BYTES);
}

static int learn(struct load *l, const uint8_t *hash)
{
    const uint64_t at = l->hashes.len / ORMA_FLEET_HASH_BYTES;

    orma_buf_put(&l->hashes, hash, ORMA_FLEET_HASH_BYTES);
    return l->hashes.failed ? -ENOMEM : orma_map_put(&l->known, key_of(hash), at);
}

static int ask_known(struct load *l, size_t host)
{
    const struct orma_fleet_address *to = l->args->to;
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct orma_fleet_answer answer;
    int r = 0;

    orma_buf_printf(&sql,
                    "SELECT DISTINCT toFixedString(unhex(hash), %d) FROM %s.trace_rows WHERE "
                    "length(hash) = %d FORMAT RowBinary",
                    ORMA_FLEET_HASH_BYTES, to->database, 2 * ORMA_FLEET_HASH_BYTES);
    orma_fleet_ask(to, host, orma_buf_cstr(&sql), "", NULL, NULL, &answer);
    if (answer.fault != ORMA_FLEET_FINE) {
        orma_fleet_complain(to, host, orma_buf_cstr(&answer.body));
        r = -EIO;
    }
    for (size_t at = 0; !r && at + ORMA_FLEET_HASH_BYTES <= answer.body.len;
         at += ORMA_FLEET_HASH_BYTES)
        r = learn(l, answer.body.data + at);
    orma_buf_fini(&answer.body);
    return r;
}

/* Files of the table `trace`, which are written last, are named after the content. */
static int find_known(struct load *l)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf pattern = {0}, paths = {0};
    uint8_t hash[ORMA_FLEET_HASH_BYTES];
    int r;

    orma_buf_printf(&pattern, "%s/trace/date=*/build=*/*.parquet", l->args->folder);
    r = pattern.failed ? -ENOMEM : orma_many_find(orma_buf_cstr(&pattern), &paths);
    for (size_t at = 0; !r && at < paths.len; at += strlen((char *)paths.data + at) + 1) {
        const char *name = strrchr((char *)paths.data + at, '/') + 1;

        if (orma_fleet_hash_parse(name, hash))
            r = learn(l, hash);
    }
    return r;
}

/* ---- processes ---- */

/* The reason is all that is read of the file: it stands in front. */
static _Noreturn void leave(FILE *out, struct orma_buf *why)
{
    const uint32_t len = (uint32_t)ORMA_MIN(why->len, (size_t)4096);

    rewind(out);
    fwrite(&len, sizeof(len), 1, out);
    fprintf(out, "%.*s", (int)len, orma_buf_cstr(why));
    (void)fflush(out); /* without it, the exit code is what is known */
    _exit(1);
}

static _Noreturn void read_trace(const struct load *l, const struct trace *t)
{
    struct orma_buf why = {0};
    uint8_t hash[ORMA_FLEET_HASH_BYTES];
    int r = orma_fleet_trace_hash(t->path, hash);

    if (r)
        orma_buf_put_str(&why, strerror(-r));
    else if (!l->args->again && knows(l, hash))
        _exit(EXIT_KNOWN);
    else if (l->args->to)
        r = orma_fleet_pack(t->path, hash, l->args->labels, t->file, &why);
    else
        r = orma_fleet_write_files(t->path, hash, l->args->labels, l->args->folder, &why);
    if (r)
        leave(t->file, &why);
    if (!l->args->to) {
        struct orma_fleet_packed head = {0};

        memcpy(head.hash, hash, sizeof(hash));
        rewind(t->file);
        fwrite(&head, sizeof(head), 1, t->file);
        (void)fflush(t->file); /* without it, it has failed */
    }
    _exit(0);
}

static void fail_trace(struct trace *t, const char *why)
{
    t->state = FAILED;
    free(t->why);
    t->why = strdup(*why ? why : "it failed without giving a reason");
}

static void drop_file(struct load *l, struct trace *t)
{
    if (t->state == READY || t->state == SENDING) {
        l->held--;
        l->held_bytes -= t->head.bytes;
    }
    if (t->file)
        (void)fclose(t->file); /* it has no name, nothing is lost */
    t->file = NULL;
}

static void finish(struct load *l, struct trace *t, enum state state)
{
    drop_file(l, t);
    t->state = state;
    l->finished++;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%zu of %" PRIu32 " traces\033[K", l->finished, l->traces.len);
}

static int start_reader(struct load *l, struct trace *t)
{
    t->file = orma_temporary_open();
    if (!t->file)
        return -errno;
    t->pid = orma_many_fork();
    if (!t->pid)
        read_trace(l, t);
    if (t->pid < 0)
        return -errno;
    t->state = READING;
    l->reading++;
    return 0;
}

static void read_reason(struct trace *t, struct orma_buf *why)
{
    uint32_t len = 0;

    rewind(t->file);
    if (fread(&len, sizeof(len), 1, t->file) == 1 && len <= 4096) {
        uint8_t *to = orma_buf_extend(why, len);

        if (to)
            why->len = fread(to, 1, len, t->file);
    }
}

static void reader_ended(struct load *l, struct trace *t, int status)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf why = {0};

    l->reading--;
    t->pid = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_KNOWN) {
        finish(l, t, KNOWN);
        return;
    }
    rewind(t->file);
    if (orma_many_put_signal(&why, "its process", status))
        ; /* that is all there is to say */
    else if (WEXITSTATUS(status))
        read_reason(t, &why);
    else if (fread(&t->head, sizeof(t->head), 1, t->file) != 1)
        orma_buf_put_str(&why, ORMA_MANY_NO_RESULT);
    if (!WIFEXITED(status) || WEXITSTATUS(status) || why.len) {
        finish(l, t, FAILED);
        fail_trace(t, orma_buf_cstr(&why));
    } else if (knows(l, t->head.hash)) {
        finish(l, t, KNOWN); /* the same content twice among these */
    } else if (learn(l, t->head.hash)) {
        finish(l, t, FAILED);
        fail_trace(t, strerror(ENOMEM));
    } else if (!l->args->to) {
        finish(l, t, DONE);
    } else {
        t->state = READY;
        l->held++;
        l->held_bytes += t->head.bytes;
    }
}

/* ---- batches ---- */

static size_t host_of(const struct load *l, const struct trace *t)
{
    return key_of(t->head.hash) % l->args->to->hosts_num;
}

static bool has_day(const struct load *l, const struct sender *s, uint32_t day)
{
    for (size_t i = 0; i < s->num; i++) {
        if (l->traces.data[s->traces[i]].head.day == day)
            return true;
    }
    return false;
}

/* Gathers what is ready for a host. Is it enough for a batch? */
static bool gather(struct load *l, size_t host, bool all, struct sender *s)
{
    uint64_t rows = 0, bytes = 0;
    unsigned days = 0;
    bool enough = all;

    s->num = 0;
    for (size_t i = l->oldest; i < l->next; i++) {
        const struct trace *t = &l->traces.data[i];

        if (t->state != READY || host_of(l, t) != host)
            continue;
        days += !has_day(l, s, t->head.day);
        if (days > DAYS_MAX || s->num == ORMA_FLEET_BATCH_MAX || rows >= ROWS_ENOUGH ||
            bytes >= BYTES_ENOUGH) {
            enough = true;
            break;
        }
        s->traces[s->num++] = i;
        rows += t->head.rows;
        bytes += t->head.bytes;
    }
    return s->num && (enough || rows >= ROWS_ENOUGH || bytes >= BYTES_ENOUGH ||
                      s->num == ORMA_FLEET_BATCH_MAX);
}

static _Noreturn void send_batch(struct load *l, const struct sender *s, size_t host)
{
    struct orma_fleet_batch batch = {
        .to = l->args->to, .host = host, .retry_s = l->args->retry_s, .num = s->num};

    for (size_t i = 0; i < s->num; i++)
        batch.files[i] = l->traces.data[s->traces[i]].file;
    orma_fleet_send(&batch, s->sent);
    _exit(0);
}

static int start_sender(struct load *l, struct sender *s, size_t host)
{
    memset(s->sent, 0, sizeof(*s->sent));
    s->pid = orma_many_fork();
    if (!s->pid)
        send_batch(l, s, host);
    if (s->pid < 0) {
        s->pid = 0;
        return -errno;
    }
    for (size_t i = 0; i < s->num; i++)
        l->traces.data[s->traces[i]].state = SENDING;
    l->sending++;
    return 0;
}

/* `all`: nothing more comes before one is sent. */
static int start_senders(struct load *l, bool all)
{
    int r = 0;

    for (size_t host = 0; l->args->to && !l->broken && host < l->args->to->hosts_num; host++) {
        for (unsigned i = 0; !r && i < l->jobs; i++) {
            struct sender *s = &l->senders[i];

            if (s->pid)
                continue;
            if (!gather(l, host, all, s))
                break;
            r = start_sender(l, s, host);
        }
    }
    return r;
}

static void sender_ended(struct load *l, struct sender *s, int status)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf ended = {0};

    l->sending--;
    s->pid = 0;
    if (!orma_many_put_signal(&ended, "its sender", status))
        orma_buf_put_str(&ended, "it was not sent");
    for (size_t i = 0; i < s->num; i++) {
        struct trace *t = &l->traces.data[s->traces[i]];

        l->rows += s->sent->done[i] ? t->head.rows : 0;
        finish(l, t, s->sent->done[i] ? DONE : FAILED);
        if (!s->sent->done[i])
            fail_trace(t, *s->sent->why[i] ? s->sent->why[i] : orma_buf_cstr(&ended));
    }
    if (*s->sent->broken && !l->broken)
        l->broken = strdup(s->sent->broken);
}

/* ---- all of it ---- */

static int wait_for_one(struct load *l)
{
    int status;
    pid_t pid;
    const int r = orma_many_wait(&pid, &status);

    if (r)
        return r == -EINTR ? 0 : r;
    for (unsigned i = 0; i < l->jobs; i++) {
        if (l->senders[i].pid == pid) {
            sender_ended(l, &l->senders[i], status);
            return 0;
        }
    }
    for (size_t i = l->oldest; i < l->next; i++) {
        if (l->traces.data[i].pid == pid)
            reader_ended(l, &l->traces.data[i], status);
    }
    while (l->oldest < l->next && l->traces.data[l->oldest].state >= DONE)
        l->oldest++;
    return 0;
}

static bool may_read(const struct load *l)
{
    return !l->broken && l->next < l->traces.len && l->reading < l->jobs &&
           l->held + l->reading < HELD_MAX && l->held_bytes < HELD_BYTES_MAX;
}

static int run(struct load *l)
{
    int r = 0;

    while (!r) {
        while (!r && may_read(l))
            r = start_reader(l, &l->traces.data[l->next++]);
        if (!r)
            r = start_senders(l, !l->reading);
        if (r || (!l->reading && !l->sending))
            break;
        r = wait_for_one(l);
    }
    for (size_t i = 0; r && i < l->next; i++) {
        if (l->traces.data[i].pid > 0)
            (void)kill(l->traces.data[i].pid, SIGKILL); /* it may have ended */
    }
    return r;
}

static int list_traces(struct load *l)
{
    const struct orma_buf *paths = &l->args->paths;
    int r = 0;

    for (size_t at = 0; !r && at < paths->len; at += strlen((char *)paths->data + at) + 1)
        r = ORMA_VEC_PUSH(&l->traces, (struct trace){.path = (const char *)paths->data + at});
    for (uint32_t i = 0; !r && l->args->folder && i < l->traces.len; i++)
        orma_inputs_add(l->traces.data[i].path, ORMA_INPUTS_FILE);
    return r;
}

static int make_senders(struct load *l)
{
    l->jobs = orma_many_at_once(l->args->jobs);
    orma_load_threads_share(ORMA_MIN(l->jobs, l->traces.len));
    l->senders = calloc(l->jobs, sizeof(*l->senders));
    for (unsigned i = 0; l->senders && i < l->jobs; i++) {
        l->senders[i].sent = mmap(NULL, sizeof(*l->senders[i].sent), PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (l->senders[i].sent == MAP_FAILED)
            return -errno;
    }
    return l->senders ? 0 : -ENOMEM;
}

static size_t count(const struct load *l, enum state state)
{
    size_t num = 0;

    for (uint32_t i = 0; i < l->traces.len; i++)
        num += l->traces.data[i].state == state;
    return num;
}

static void tell(const struct load *l)
{
    const size_t failed = count(l, FAILED), known = count(l, KNOWN),
                 left = l->traces.len - l->finished;

    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    fprintf(stderr, "orma fleet: %zu of %" PRIu32 " traces %s", count(l, DONE), l->traces.len,
            l->args->to ? "loaded" : "written");
    if (l->args->to)
        fprintf(stderr, ", %" PRIu64 " rows", l->rows);
    if (known)
        fprintf(stderr, ", %zu were there already", known);
    fputc('\n', stderr);
    if (failed)
        fprintf(stderr, "orma fleet: %zu of %" PRIu32 " traces failed:\n", failed, l->traces.len);
    for (uint32_t i = 0; i < l->traces.len; i++) {
        if (l->traces.data[i].state == FAILED)
            fprintf(stderr, "  %s: %s\n", l->traces.data[i].path,
                    l->traces.data[i].why ? l->traces.data[i].why : "");
    }
    if (left || l->broken)
        fprintf(stderr, "orma fleet: stopped%s%s; %zu were not read: run it again to continue\n",
                l->broken ? ": " : "", l->broken ? l->broken : "", left);
}

int orma_fleet_load_run(const struct orma_fleet_load *self)
{
    struct load l = {.args = self};
    int r = list_traces(&l);

    if (!r && !self->to)
        r = find_known(&l);
    for (size_t host = 0; !r && self->to && !self->again && host < self->to->hosts_num; host++)
        r = ask_known(&l, host);
    if (!r)
        r = make_senders(&l);
    if (!r)
        r = run(&l);
    if (r && r != -EIO)
        fprintf(stderr, "orma fleet: %s\n", strerror(-r));
    if (!r)
        tell(&l);
    const bool good = !r && count(&l, DONE) + count(&l, KNOWN) == l.traces.len;
    for (uint32_t i = 0; i < l.traces.len; i++) {
        free(l.traces.data[i].why);
        if (l.traces.data[i].file)
            (void)fclose(l.traces.data[i].file); /* it has no name */
    }
    for (unsigned i = 0; l.senders && i < l.jobs; i++) {
        if (l.senders[i].sent && l.senders[i].sent != MAP_FAILED)
            (void)munmap(l.senders[i].sent, sizeof(*l.senders[i].sent));
    }
    free(l.senders);
    free(l.broken);
    orma_map_fini(&l.known);
    orma_buf_fini(&l.hashes);
    ORMA_VEC_FINI(&l.traces);
    return good ? ORMA_EXIT_OK : ORMA_EXIT_FAILURE;
}
