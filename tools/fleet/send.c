/*
 * A batch of traces to a server. Each attempt has numbers of its own, so what an attempt before
 * left is of loads that are not there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "tools/fleet/load.h"
#include "tools/fleet/native.h"
#include "tools/fleet/packed.h"

#define PAUSE_MS 200
#define PAUSE_MAX_MS 30000

/* The blocks of one table out of the files of a batch, as the body of a request. */
struct body {
    struct orma_fleet_batch *batch;
    size_t from, to; /* of the files */
    unsigned table;
    uint64_t loads; /* of files[0]; the others follow */
    struct orma_buf now;
    size_t used; /* of it */
    size_t at;   /* the file */
    bool open;   /* it stands behind a frame */
    struct orma_fleet_packed head;
    struct orma_buf build, machine;
    uint64_t left; /* bytes of blocks in it */
};

static bool get(FILE *in, void *to, size_t len)
{
    return fread(to, 1, len, in) == len;
}

static bool get_buf(FILE *in, struct orma_buf *to, size_t len)
{
    uint8_t *at = (orma_buf_clear(to), orma_buf_extend(to, len));

    return !len || (at && get(in, at, len));
}

static bool open_file(struct body *b, FILE *in)
{
    rewind(in);
    if (!get(in, &b->head, sizeof(b->head)) || fseek(in, (long)b->head.bytes, SEEK_CUR) ||
        !get_buf(in, &b->build, b->head.build) || !get_buf(in, &b->machine, b->head.machine) ||
        fseek(in, sizeof(b->head), SEEK_SET))
        return false;
    b->left = b->head.bytes;
    return true;
}

/* The next block of the table. 1, 0: there is no more, -EIO. */
static int next_block(struct body *b)
{
    struct orma_fleet_frame frame;

    for (; b->at < b->to; b->at++, b->open = false) {
        FILE *in = b->batch->files[b->at];

        if (!b->open && !open_file(b, in))
            return -EIO;
        b->open = true;
        while (b->left) {
            if (!get(in, &frame, sizeof(frame)))
                return -EIO;
            b->left -= sizeof(frame) + frame.len;
            if (frame.table != b->table && fseek(in, (long)frame.len, SEEK_CUR))
                return -EIO;
            if (frame.table != b->table)
                continue;
            const struct orma_fleet_trace_cells cells = {b->head.day, orma_buf_str(&b->build),
                                                         orma_buf_str(&b->machine),
                                                         b->loads + (b->at - b->from)};
            struct orma_fleet_column c;
            unsigned columns = 4; /* of the head */
            for (const char *list = orma_fleet_tables[b->table].columns;
                 orma_fleet_next_column(&list, &c);)
                columns++;
            orma_buf_clear(&b->now);
            orma_fleet_put_varint(&b->now, columns);
            orma_fleet_put_varint(&b->now, frame.rows);
            orma_fleet_put_head(&b->now, &cells, frame.rows);
            uint8_t *to = orma_buf_extend(&b->now, frame.len);
            b->used = 0;
            return to && get(in, to, frame.len) ? 1 : -EIO;
        }
    }
    return 0;
}

static size_t read_body(void *ctx, void *to, size_t size)
{
    struct body *b = ctx;
    int r = 1;

    if (b->used == b->now.len)
        r = next_block(b);
    if (r <= 0)
        return r ? SIZE_MAX : 0;
    const size_t n = ORMA_MIN(size, b->now.len - b->used);
    memcpy(to, b->now.data + b->used, n);
    b->used += n;
    return n;
}

static bool has_rows(struct orma_fleet_batch *batch, size_t from, size_t to, unsigned table)
{
    struct orma_fleet_packed head;

    for (size_t i = from; i < to; i++) {
        rewind(batch->files[i]);
        if (get(batch->files[i], &head, sizeof(head)) && head.tables >> table & 1)
            return true;
    }
    return false;
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

/* All tables of these traces once. */
static void send_once(struct orma_fleet_batch *batch, size_t from, size_t to, uint64_t loads,
                      struct orma_fleet_answer *ret)
{
    for (unsigned t = 0; t < ORMA_FLEET_TABLES; t++) {
        ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
        struct body body = {
            .batch = batch, .from = from, .to = to, .at = from, .table = t, .loads = loads};

        if (!has_rows(batch, from, to, t))
            continue;
        put_insert(&sql, batch->to->database, t);
        orma_buf_fini(&ret->body);
        orma_fleet_ask(batch->to, batch->host, orma_buf_cstr(&sql), "", read_body, &body, ret);
        orma_buf_fini(&body.now);
        orma_buf_fini(&body.build);
        orma_buf_fini(&body.machine);
        if (ret->fault != ORMA_FLEET_FINE)
            return;
    }
}

/*
 * Microseconds since 1970 and 12 bits of chance: later ones are larger. Two of 100,000 traces a day
 * on many machines are the same once in a hundred years.
 */
static uint64_t new_loads(void)
{
    struct timespec now;
    uint64_t chance = 0;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (getrandom(&chance, sizeof(chance), 0) != sizeof(chance))
        chance = (uint64_t)getpid();
    return ((uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000) << ORMA_FLEET_LOAD_BITS |
           (chance & ((1U << ORMA_FLEET_LOAD_BITS) - 1));
}

static void pause_ms(unsigned ms)
{
    const struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};

    (void)nanosleep(&time, NULL); /* cut short: it is tried earlier */
}

/* Until it is there, or the server says no, or has been away for too long. */
static void send_until(struct orma_fleet_batch *batch, size_t from, size_t to,
                       struct orma_fleet_answer *ret)
{
    const uint64_t end = orma_clock_boottime() + batch->retry_s * UINT64_C(1000000000);
    bool told = false;

    for (unsigned ms = PAUSE_MS;; ms = ORMA_MIN(2 * ms, (unsigned)PAUSE_MAX_MS)) {
        send_once(batch, from, to, new_loads(), ret);
        if (ret->fault != ORMA_FLEET_AWAY || orma_clock_boottime() + ms * UINT64_C(1000000) > end)
            return;
        if (!told) {
            ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

            orma_buf_printf(&text, "%s: trying again for %u s", orma_buf_cstr(&ret->body),
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

    send_until(batch, 0, batch->num, &answer);
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

        send_until(batch, i, i + 1, &one);
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
}
