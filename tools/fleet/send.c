/*
 * A batch of traces to a server. Each attempt has numbers of its own, so what an attempt before
 * left is of loads that are not there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "tools/fleet/load.h"
#include "tools/fleet/native.h"
#include "tools/fleet/packed.h"

#define PAUSE_MS 200
#define PAUSE_MAX_MS 30000
/* What the server takes as one part. */
#define ROWS_TOGETHER (UINT64_C(1) << 20)

/* What a reader left, mapped. */
struct packed_rows {
    const uint8_t *data;
    size_t size;
    const struct orma_fleet_packed *head;
    struct orma_fleet_trace_cells cells;
};

struct sending {
    struct orma_fleet_batch *batch;
    struct packed_rows sources[ORMA_FLEET_BATCH_MAX];
    size_t order[ORMA_FLEET_BATCH_MAX]; /* of the sources, as the tables are sorted */
};

/* The rows of one table as the body of a request: blocks of blocks. */
struct body {
    const struct orma_fleet_table *table;
    ORMA_VEC(struct orma_fleet_block) blocks;
    uint32_t at;        /* blocks before it were given */
    uint64_t rows_left; /* of the others */
    bool open;          /* those of `native` are being given */
    struct orma_fleet_native native;
    struct orma_buf now;
    size_t used; /* of it */
};

/* ---- what is there ---- */

static bool map_source(FILE *file, struct packed_rows *ret)
{
    struct stat st;

    if (fstat(fileno(file), &st) || (size_t)st.st_size < sizeof(*ret->head))
        return false;
    ret->size = (size_t)st.st_size;
    void *data = mmap(NULL, ret->size, PROT_READ, MAP_SHARED, fileno(file), 0);
    if (data == MAP_FAILED)
        return false;
    ret->data = data;
    ret->head = data;
    const uint64_t texts = (uint64_t)ret->head->build + ret->head->machine,
                   rest = ret->size - sizeof(*ret->head);
    if (ret->head->bytes > rest || texts > rest - ret->head->bytes)
        return false;
    const char *text = (const char *)(ret->head + 1) + ret->head->bytes;
    ret->cells =
        (struct orma_fleet_trace_cells){.day = ret->head->day,
                                        .build = {text, ret->head->build},
                                        .machine = {text + ret->head->build, ret->head->machine}};
    return true;
}

static int compare_sources(const void *a, const void *b, void *sources)
{
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const struct packed_rows *x = (const struct packed_rows *)sources + i,
                             *y = (const struct packed_rows *)sources + j;
    int r = orma_fleet_compare(x->cells.build, y->cells.build);

    if (!r)
        r = orma_fleet_compare(x->cells.machine, y->cells.machine);
    return r ? r : i < j ? -1 : 1;
}

/* False: with the reason in `answer`. */
static bool open_sources(struct sending *s, struct orma_fleet_answer *answer)
{
    for (size_t i = 0; i < s->batch->num; i++) {
        s->order[i] = i;
        if (!map_source(s->batch->files[i], &s->sources[i])) {
            answer->fault = ORMA_FLEET_REFUSED;
            orma_buf_put_str(&answer->body, "its stored rows cannot be read back");
            return false;
        }
    }
    qsort_r(s->order, s->batch->num, sizeof(*s->order), compare_sources, s->sources);
    return true;
}

static void close_sources(struct sending *s)
{
    for (size_t i = 0; i < s->batch->num; i++) {
        if (s->sources[i].data)
            (void)munmap((void *)(uintptr_t)s->sources[i].data, s->sources[i].size);
    }
}

/* ---- bodies ---- */

/* The blocks that a source has of the table. */
static int add_blocks(struct body *b, const struct packed_rows *from)
{
    const uint8_t *at = (const uint8_t *)(from->head + 1);
    uint64_t left = from->head->bytes;
    int r = 0;

    while (!r && left) {
        const struct orma_fleet_frame *frame = (const void *)at;

        if (left < sizeof(*frame) || frame->len > left - sizeof(*frame) || frame->len % 8 ||
            frame->table >= ORMA_FLEET_TABLES)
            return -EIO;
        struct orma_fleet_block block = {.trace = &from->cells, .rows = frame->rows};
        if (&orma_fleet_tables[frame->table] == b->table) {
            b->rows_left += frame->rows;
            r = orma_fleet_block_read(at + sizeof(*frame), frame->len, b->table, &block)
                    ? ORMA_VEC_PUSH(&b->blocks, block)
                    : -EIO;
        }
        at += sizeof(*frame) + frame->len;
        left -= sizeof(*frame) + frame->len;
    }
    return r;
}

/* The next blocks become one: enough rows for the server to keep them as they are, and no rest. */
static int open_blocks(struct body *b)
{
    const bool all = b->rows_left < 2 * ROWS_TOGETHER;
    uint64_t rows = 0;
    uint32_t end = b->at;

    while (end < b->blocks.len && (all || rows < ROWS_TOGETHER))
        rows += b->blocks.data[end++].rows;
    const int r = orma_fleet_native_init(&b->native, b->table, b->blocks.data + b->at, end - b->at);
    b->at = end;
    b->rows_left -= rows;
    b->open = true;
    return r;
}

/* 1: there are more bytes; 0: that was all; -errno. */
static int fill(struct body *b)
{
    orma_buf_clear(&b->now);
    b->used = 0;
    for (;;) {
        int r = 0;

        if (!b->open && b->at == b->blocks.len)
            return 0;
        if (!b->open)
            r = open_blocks(b);
        if (!r)
            r = orma_fleet_native_next(&b->native, &b->now);
        if (r)
            return r;
        orma_fleet_native_fini(&b->native);
        b->open = false;
    }
}

static size_t read_body(void *ctx, void *to, size_t size)
{
    struct body *b = ctx;
    int r = 1;

    if (b->used == b->now.len)
        r = fill(b);
    if (r <= 0)
        return r ? SIZE_MAX : 0;
    const size_t n = ORMA_MIN(size, b->now.len - b->used);
    memcpy(to, b->now.data + b->used, n);
    b->used += n;
    return n;
}

static void put_insert(struct orma_buf *sql, const char *database, unsigned table)
{
    const char *lists[] = {orma_fleet_head, orma_fleet_tables[table].columns};
    struct orma_fleet_column c;
    const char *comma = "";

    orma_buf_printf(sql, "INSERT INTO %s.%s_rows (", database, orma_fleet_tables[table].name);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(lists); i++) {
        while (orma_fleet_next_column(&lists[i], &c)) {
            orma_buf_printf(sql, "%s%s", comma, c.name);
            comma = ", ";
        }
    }
    orma_buf_put_str(sql, ") FORMAT Native");
}

static void send_table(struct sending *s, size_t from, size_t to, unsigned table,
                       struct orma_fleet_answer *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct body body = {.table = &orma_fleet_tables[table]};
    int r = 0;

    for (size_t i = 0; !r && i < s->batch->num; i++) {
        if (s->order[i] >= from && s->order[i] < to)
            r = add_blocks(&body, &s->sources[s->order[i]]);
    }
    if (r) {
        ret->fault = ORMA_FLEET_REFUSED;
        orma_buf_put_str(&ret->body, strerror(-r));
    } else if (body.blocks.len) {
        put_insert(&sql, s->batch->to->database, table);
        orma_buf_fini(&ret->body);
        orma_fleet_ask(s->batch->to, s->batch->host, orma_buf_cstr(&sql), "", read_body, &body,
                       ret);
    }
    if (body.open)
        orma_fleet_native_fini(&body.native);
    ORMA_VEC_FINI(&body.blocks);
    orma_buf_fini(&body.now);
}

/* All tables of these traces once. */
static void send_once(struct sending *s, size_t from, size_t to, uint64_t loads,
                      struct orma_fleet_answer *ret)
{
    orma_buf_fini(&ret->body);
    ret->fault = ORMA_FLEET_FINE;
    for (size_t i = from; i < to; i++)
        s->sources[i].cells.load = loads + (i - from);
    for (unsigned t = 0; t < ORMA_FLEET_TABLES && ret->fault == ORMA_FLEET_FINE; t++)
        send_table(s, from, to, t, ret);
}

/*
 * Microseconds since 1970 and 12 bits of chance: later ones are larger. Two of 100,000 traces a day
 * on many machines are the same once in a hundred years.
 */
static uint64_t new_loads(void)
{
    uint64_t chance = 0;

    if (getrandom(&chance, sizeof(chance), 0) != sizeof(chance))
        chance = (uint64_t)getpid();
    return orma_clock_now(ORMA_CLOCK_REALTIME) / 1000 << ORMA_FLEET_LOAD_BITS |
           (chance & ((1U << ORMA_FLEET_LOAD_BITS) - 1));
}

static void pause_ms(unsigned ms)
{
    const struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};

    (void)nanosleep(&time, NULL); /* cut short: it is tried earlier */
}

/* Until it is there, or the server says no, or has been away for too long. */
static void send_until(struct sending *s, size_t from, size_t to, struct orma_fleet_answer *ret)
{
    struct orma_fleet_batch *batch = s->batch;
    const uint64_t end = orma_clock_boottime() + batch->retry_s * UINT64_C(1000000000);
    bool told = false;

    for (unsigned ms = PAUSE_MS;; ms = ORMA_MIN(2 * ms, (unsigned)PAUSE_MAX_MS)) {
        send_once(s, from, to, new_loads(), ret);
        if (ret->fault != ORMA_FLEET_AWAY || orma_clock_boottime() + ms * UINT64_C(1000000) > end)
            return;
        if (!told) {
            ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

            orma_buf_printf(&text, "%s: retrying for %u s", orma_buf_cstr(&ret->body),
                            batch->retry_s);
            orma_fleet_complain(batch->to, batch->host, orma_buf_cstr(&text));
        }
        told = true;
        pause_ms(ms);
    }
}

static void note(struct orma_fleet_sent *sent, size_t i, struct orma_fleet_answer *answer)
{
    snprintf(sent->why[i], sizeof(sent->why[i]), "%s", orma_buf_cstr(&answer->body));
}

void orma_fleet_send(struct orma_fleet_batch *batch, struct orma_fleet_sent *ret)
{
    struct orma_fleet_answer answer = {0};
    struct sending s = {.batch = batch};

    if (open_sources(&s, &answer))
        send_until(&s, 0, batch->num, &answer);
    for (size_t i = 0; i < batch->num; i++) {
        /* One of them may be what the server does not take. */
        if (batch->num > 1 && answer.fault == ORMA_FLEET_REFUSED)
            break;
        ret->done[i] = answer.fault == ORMA_FLEET_FINE;
        if (!ret->done[i])
            note(ret, i, &answer);
    }
    for (size_t i = 0; batch->num > 1 && answer.fault == ORMA_FLEET_REFUSED && i < batch->num;
         i++) {
        struct orma_fleet_answer one = {0};

        if (s.sources[i].head)
            send_until(&s, i, i + 1, &one);
        ret->done[i] = one.fault == ORMA_FLEET_FINE;
        if (!ret->done[i])
            note(ret, i, &one);
        const bool stop = one.fault == ORMA_FLEET_BROKEN || one.fault == ORMA_FLEET_AWAY;
        if (stop)
            snprintf(ret->broken, sizeof(ret->broken), "%s", ret->why[i]);
        orma_buf_fini(&one.body);
        if (stop)
            break;
    }
    if (answer.fault == ORMA_FLEET_BROKEN || answer.fault == ORMA_FLEET_AWAY)
        snprintf(ret->broken, sizeof(ret->broken), "%s", orma_buf_cstr(&answer.body));
    orma_buf_fini(&answer.body);
    close_sources(&s);
}
