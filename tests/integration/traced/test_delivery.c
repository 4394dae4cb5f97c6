/*
 * Random schedules: writers emit, commit and drop; producers are killed, end in
 * order or just stay; a consumer flushes, clones and stops; the loop turns now
 * and then. Whatever the order, for each writer
 *
 *     emitted = delivered + lost       or the row says that its last report is missing
 *
 * and what was handed over before the session was stopped is in the trace,
 * unless the buffer was too small for it.
 *
 * A schedule is its seed: ORMA_TEST_SEED=N runs only that one, ORMA_TEST_SEEDS=FIRST-LAST those.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "tests/integration/traced/rig.h"
#include "tests/support/leaks.h"

#define SEEDS 500
#define STEPS 120
#define PRODUCERS 3
#define WRITERS 2
#define PACKETS_MAX 1000
#define PAGES 24
/* What may wait in a socket: who sends more would wait for the loop, which rests. */
#define SOCKET_MAX (48 << 10)

enum fate { PKT_NONE, PKT_DROPPED, PKT_WRITTEN, PKT_HANDED_OVER };

struct held {
    struct orma_shm_chunk chunk;
    struct writer *writer;
    uint64_t first, num;
};

struct writer {
    uint16_t id;
    uint32_t next_chunk;
    uint64_t emitted, dropped;
    bool reported, ended; /* ended: its last report was sent */
    uint8_t fate[PACKETS_MAX];
    bool is_open; /* `open` is being written: its last packet may not be whole */
    struct held open;
    /* What came out. */
    uint64_t texts, last_text;
};

struct maker {
    struct rig_producer rig;
    bool alive, scraping;
    struct writer writers[WRITERS];
    struct held held[PAGES]; /* complete, and not named in a commit */
    size_t held_num;
};

struct world {
    uint64_t seed, state;
    struct rig rig;
    struct orma_ipc_client *consumer, *cloner;
    struct rig_reply enabled, cloned;
    struct maker makers[PRODUCERS];
    bool large, stopped, cloning;
    struct orma_buf trace;
};

static uint32_t dice(struct world *w, uint32_t sides)
{
    w->state = w->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(w->state >> 33) % sides;
}

/* ---- setting up ---- */

static void register_writer(struct maker *m, uint16_t id)
{
    struct orma_buf args = {0};

    orma_pb_put_u64(&args, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TRACE_WRITER_ID, id);
    orma_pb_put_u64(&args, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TARGET_BUFFER,
                    m->rig.target_buffer);
    rig_send(m->rig.client, "RegisterTraceWriter", &args, -1, NULL);
    orma_buf_fini(&args);
}

static void maker_init(struct world *w, struct maker *m)
{
    m->scraping = dice(w, 2);
    rig_producer_init(&m->rig, &w->rig, "test.maker", m->scraping);
    rig_producer_register(&m->rig, "test.source", NULL);
    rig_producer_wait(&m->rig, &m->rig.starts, 1);
    for (uint16_t i = 0; i < WRITERS; i++) {
        m->writers[i].id = (uint16_t)(i + 1);
        register_writer(m, m->writers[i].id);
    }
    rig_producer_sync(&m->rig);
    m->alive = true;
}

static void world_init(struct world *w, uint64_t seed)
{
    struct orma_buf config = {0};

    *w = (struct world){.seed = seed, .state = seed * 2654435761u + 1};
    rig_init(&w->rig);
    w->consumer = rig_connect(w->rig.consumer_addr, "ConsumerPort");
    w->cloner = rig_connect(w->rig.consumer_addr, "ConsumerPort");
    w->large = dice(w, 3);
    rig_config_buffer(&config, w->large ? 16384 : 4 + dice(w, 32), 1 + dice(w, 2));
    rig_config_source(&config, "test.source", 0);
    size_t producer = orma_pb_begin(&config, ORMA_PB_TRACE_CONFIG_PRODUCERS);
    orma_pb_put_cstr(&config, ORMA_PB_TRACE_CONFIG_PRODUCER_CONFIG_PRODUCER_NAME, "test.maker");
    orma_pb_put_u64(&config, ORMA_PB_TRACE_CONFIG_PRODUCER_CONFIG_SHM_SIZE_KB, PAGES * 4);
    orma_pb_end(&config, producer);
    rig_enable(w->consumer, &config, -1, &w->enabled);
    for (size_t i = 0; i < PRODUCERS; i++)
        maker_init(w, &w->makers[i]);
    orma_buf_fini(&config);
    rig_pause(&w->rig);
}

static void world_fini(struct world *w)
{
    for (size_t i = 0; i < PRODUCERS; i++)
        if (w->makers[i].alive)
            rig_producer_fini(&w->makers[i].rig);
    orma_ipc_client_free(w->consumer);
    orma_ipc_client_free(w->cloner);
    rig_reply_fini(&w->enabled);
    rig_reply_fini(&w->cloned);
    orma_buf_fini(&w->trace);
    rig_fini(&w->rig);
}

/* ---- what producers do ---- */

static void turns(struct world *w, uint32_t num)
{
    for (uint32_t i = 0; i < num; i++)
        rig_turn(&w->rig);
}

/* Makes room in the socket. */
static void before_send(struct world *w, struct maker *m)
{
    int waiting = 0;

    while (ioctl(orma_ipc_client_fd(m->rig.client), TIOCOUTQ, &waiting) == 0 &&
           waiting > SOCKET_MAX)
        rig_turn(&w->rig);
    cr_assert_eq(orma_ipc_client_dispatch(m->rig.client), 0, "seed %llu",
                 (unsigned long long)w->seed);
}

/* A free page; false: none, as far as the producer can see. */
static bool find_page(const struct maker *m, uint32_t *ret)
{
    for (uint32_t page = 0; page < PAGES; page++)
        if (!atomic_load(orma_shm_page_header(&m->rig.shm, page))) {
            *ret = page;
            return true;
        }
    return false;
}

/* The chunk that is being written is whole. */
static void complete(struct maker *m, struct writer *wr)
{
    if (!wr->is_open)
        return;
    wr->is_open = false;
    orma_shm_complete(&m->rig.shm, &wr->open.chunk);
    m->held[m->held_num++] = wr->open;
}

static void emit(struct world *w, struct maker *m)
{
    struct writer *wr = &m->writers[dice(w, WRITERS)];
    uint64_t num = 1 + dice(w, 5), first = wr->emitted;
    char texts[5][32];
    const char *list[6] = {NULL};
    uint32_t page;

    complete(m, wr);
    if (first + num > PACKETS_MAX || wr->ended)
        return;
    bool fits = find_page(m, &page);
    for (uint64_t i = 0; i < num; i++) {
        snprintf(texts[i], sizeof(texts[i]), "%u.%u.%u", (unsigned)(m - w->makers), wr->id,
                 (unsigned)(first + i));
        list[i] = texts[i];
        wr->fate[first + i] = fits ? PKT_WRITTEN : PKT_DROPPED;
    }
    wr->emitted += num;
    wr->dropped += fits ? 0 : num;
    if (!fits)
        return;
    struct orma_shm_chunk chunk =
        rig_producer_write(&m->rig, page, wr->id, wr->next_chunk++, 0, list);
    wr->open = (struct held){chunk, wr, first, num};
    wr->is_open = true;
    if (dice(w, 3))
        complete(m, wr);
}

static void hand_over(const struct held *h, uint64_t num)
{
    for (uint64_t p = h->first; p < h->first + num; p++)
        h->writer->fate[p] = PKT_HANDED_OVER;
}

/* Chunks that may be scraped are handed over as well, but for a packet that is being written. */
static void hand_over_memory(struct world *w, struct maker *m)
{
    if (!m->scraping || w->stopped)
        return;
    for (size_t i = 0; i < m->held_num; i++)
        hand_over(&m->held[i], m->held[i].num);
    for (size_t i = 0; i < WRITERS; i++)
        if (m->writers[i].is_open)
            hand_over(&m->writers[i].open, m->writers[i].open.num - 1);
}

static void put_counts(struct orma_buf *args, struct maker *m)
{
    for (size_t i = 0; i < WRITERS; i++) {
        struct writer *wr = &m->writers[i];

        uint64_t emitted = wr->emitted - wr->is_open;

        if (!emitted)
            continue;
        size_t counts = orma_pb_begin(args, 90001);
        orma_pb_put_u64(args, 1, wr->id);
        orma_pb_put_u64(args, 2, m->rig.target_buffer);
        orma_pb_put_u64(args, 3, emitted);
        orma_pb_put_u64(args, 4, wr->dropped);
        orma_pb_end(args, counts);
        wr->reported = true;
    }
}

/* Names what is held; with `flush_id` it answers a flush. */
static void commit(struct world *w, struct maker *m, uint64_t flush_id)
{
    struct orma_buf args = {0};

    before_send(w, m);
    for (size_t i = 0; i < m->held_num; i++) {
        const struct held *h = &m->held[i];
        size_t move = orma_pb_begin(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE);

        orma_pb_put_u64(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_PAGE, h->chunk.page);
        orma_pb_put_u64(&args, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_TARGET_BUFFER,
                        m->rig.target_buffer);
        orma_pb_end(&args, move);
        if (!w->stopped)
            hand_over(h, h->num);
    }
    m->held_num = 0;
    put_counts(&args, m);
    if (flush_id)
        orma_pb_put_u64(&args, ORMA_PB_COMMIT_DATA_REQUEST_FLUSH_REQUEST_ID, flush_id);
    rig_send(m->rig.client, "CommitData", &args, -1, NULL);
    orma_buf_fini(&args);
}

static void answer_flush(struct world *w, struct maker *m)
{
    before_send(w, m);
    if (m->rig.stream.payload.len == m->rig.seen)
        return;
    m->rig.flush_id = 0;
    rig_producer_wait(&m->rig, &m->rig.starts, 1); /* looks at all commands */
    if (m->rig.flush_id)
        commit(w, m, m->rig.flush_id);
}

static void unregister_writers(struct maker *m)
{
    for (size_t i = 0; i < WRITERS; i++) {
        struct orma_buf args = {0};

        orma_pb_put_u64(&args, ORMA_PB_UNREGISTER_TRACE_WRITER_REQUEST_TRACE_WRITER_ID,
                        m->writers[i].id);
        rig_send(m->rig.client, "UnregisterTraceWriter", &args, -1, NULL);
        m->writers[i].ended = !m->writers[i].emitted || m->writers[i].reported;
        orma_buf_fini(&args);
    }
}

static void leave(struct world *w, struct maker *m)
{
    bool in_order = dice(w, 2);

    if (in_order) {
        for (size_t i = 0; i < WRITERS; i++)
            complete(m, &m->writers[i]);
        commit(w, m, 0);
        unregister_writers(m);
    } else {
        hand_over_memory(w, m);
    }
    rig_producer_fini(&m->rig);
    m->alive = false;
}

/* ---- what the consumer does ---- */

static void stop(struct world *w)
{
    for (size_t i = 0; i < PRODUCERS; i++)
        if (w->makers[i].alive)
            hand_over_memory(w, &w->makers[i]);
    w->stopped = true;
    rig_send(w->consumer, "DisableTracing", NULL, -1, NULL);
}

static void ask_clone(struct world *w)
{
    struct orma_buf args = {0};

    if (w->cloning)
        return;
    w->cloning = true;
    orma_pb_put_u64(&args, ORMA_PB_CLONE_SESSION_REQUEST_SESSION_ID, 1);
    rig_send(w->cloner, "CloneSession", &args, -1, &w->cloned);
    orma_buf_fini(&args);
}

static void flush(struct world *w)
{
    struct orma_buf args = {0};

    orma_pb_put_u64(&args, ORMA_PB_FLUSH_REQUEST_TIMEOUT_MS, 1 + dice(w, 20));
    rig_send(w->consumer, "Flush", &args, -1, NULL);
    orma_buf_fini(&args);
}

static void step(struct world *w)
{
    struct maker *m = &w->makers[dice(w, PRODUCERS)];
    uint32_t what = dice(w, 100);

    cr_assert_eq(orma_ipc_client_dispatch(w->consumer), 0);
    if (what < 45 && m->alive)
        emit(w, m);
    else if (what < 65 && m->alive)
        commit(w, m, 0);
    else if (what < 72 && m->alive)
        answer_flush(w, m);
    else if (what < 85)
        turns(w, 1 + dice(w, 4));
    else if (what < 92)
        flush(w);
    else if (what < 94)
        ask_clone(w);
    else if (what < 97 && m->alive)
        leave(w, m);
    else if (what == 99 && !w->stopped)
        stop(w);
}

/* ---- what came out ---- */

static void check_text(struct world *w, struct orma_str text)
{
    char copy[40];
    unsigned maker, writer, num;

    snprintf(copy, sizeof(copy), "%.*s", ORMA_STR_ARG(text));
    cr_assert_eq(sscanf(copy, "%u.%u.%u", &maker, &writer, &num), 3);
    cr_assert(maker < PRODUCERS && writer >= 1 && writer <= WRITERS && num < PACKETS_MAX);
    struct writer *wr = &w->makers[maker].writers[writer - 1];
    cr_assert(wr->fate[num] >= PKT_WRITTEN, "seed %llu: %s", (unsigned long long)w->seed, copy);
    cr_assert(!wr->texts || num > wr->last_text, "seed %llu: %s after %llu",
              (unsigned long long)w->seed, copy, (unsigned long long)wr->last_text);
    if (wr->fate[num] == PKT_HANDED_OVER)
        wr->fate[num] = PKT_NONE; /* found */
    wr->last_text = num;
    wr->texts++;
}

static void check_row(struct world *w, struct orma_pb_reader row, uint32_t first_producer)
{
    uint64_t v[14] = {0};
    struct orma_pb_field f;
    bool has_emitted = false;

    while (orma_pb_next(&row, &f)) {
        if (f.id < ORMA_ARRAY_LEN(v))
            v[f.id] = f.num;
        has_emitted |= f.id == 5;
    }
    struct maker *m = &w->makers[v[3] - first_producer];
    struct writer *wr = &m->writers[v[4] - 1];
    unsigned long long seed = w->seed;

    cr_assert_eq(v[6], wr->texts, "seed %llu: %llu delivered, %llu in the trace", seed,
                 (unsigned long long)v[6], (unsigned long long)wr->texts);
    if (!has_emitted)
        return;
    cr_assert_eq(v[5], v[6] + v[7] + v[8] + v[9] + v[10] + v[11] + v[12], "seed %llu", seed);
    cr_assert_leq(v[5], wr->emitted, "seed %llu", seed);
    if (m->alive || v[13])
        return;
    cr_assert(wr->ended || w->stopped, "seed %llu: no mark", seed);
    if (wr->ended && !w->stopped)
        cr_assert(v[5] == wr->emitted && v[7] == wr->dropped, "seed %llu", seed);
}

static void check_ledger(struct world *w)
{
    struct orma_pb_field stats, f;

    cr_assert(rig_find(&w->trace, ORMA_PB_TRACE_PACKET_TRACE_STATS, &stats), "seed %llu",
              (unsigned long long)w->seed);
    struct orma_pb_reader r = orma_pb_sub(&stats);
    while (orma_pb_next(&r, &f))
        if (f.id == 90001)
            check_row(w, orma_pb_sub(&f), 1);
}

static void check_nothing_missing(const struct world *w)
{
    for (size_t i = 0; i < PRODUCERS && w->large; i++)
        for (size_t k = 0; k < WRITERS; k++)
            for (unsigned p = 0; p < PACKETS_MAX; p++)
                cr_assert_neq(w->makers[i].writers[k].fate[p], PKT_HANDED_OVER,
                              "seed %llu: %zu.%zu.%u was handed over, and is not there",
                              (unsigned long long)w->seed, i, k + 1, p);
}

static void check(struct world *w)
{
    struct orma_pb_reader r = orma_pb_reader(w->trace.data, w->trace.len);
    struct orma_pb_field packet, f;

    while (orma_pb_next(&r, &packet)) {
        struct orma_pb_reader p = orma_pb_sub(&packet);

        while (orma_pb_next(&p, &f))
            if (f.id == RIG_TEXT)
                check_text(w, orma_pb_str(&f));
    }
    check_ledger(w);
    check_nothing_missing(w);
}

static void schedule(uint64_t seed)
{
    static struct world w;

    world_init(&w, seed);
    for (int i = 0; i < STEPS; i++)
        step(&w);
    if (!w.stopped)
        stop(&w);
    rig_resume(&w.rig);
    rig_wait(w.consumer, &w.enabled);
    rig_read(w.consumer, &w.trace);
    check(&w);
    world_fini(&w);
}

Test(traced_delivery, every_packet_is_delivered_or_counted)
{
    const char *one = getenv("ORMA_TEST_SEED"), *range = getenv("ORMA_TEST_SEEDS");
    unsigned long long first = 1, last = SEEDS;

    if (one)
        first = last = strtoull(one, NULL, 10);
    else if (range)
        cr_assert_eq(sscanf(range, "%llu-%llu", &first, &last), 2, "ORMA_TEST_SEEDS=FIRST-LAST");
    for (uint64_t seed = first; seed <= last; seed++)
        schedule(seed);
    orma_assert_no_leaks();
}
