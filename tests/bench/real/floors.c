/*
 * Texts are numbers here, as they are in any table that is worth measuring: 1 per distinct text.
 * Ids are the numbers of rows, so a join on an id is a look into an array. Sorting is a radix sort
 * of 8-byte items by 11 bits a pass.
 */
#include "tests/bench/real/floors.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "processor/processor.h"
#include "protos/fields/ftrace.h"
#include "protos/fields/trace.h"
#include "sdk/base/defs.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"
#include "tests/bench/bench.h"

#define RUNS 5
#define TOP 100
#define NAMES_MAX 65536
#define RADIX_BITS 11
#define ROWS_OUT 1000000
#define NESTING_MAX 8

/* ---- the columns ---- */

static const char read_sql[] =
    "SELECT ts, dur, track_id, depth, parent_id, name, extract_arg(arg_set_id, 'debug.i') "
    "FROM slice";

static uint32_t number_of(struct real_columns *self, const char *text)
{
    static uint32_t last;

    if (last < self->names_num && !strcmp(self->names[last], text))
        return last;
    for (last = 0; last < self->names_num && strcmp(self->names[last], text); last++)
        ;
    if (last == self->names_num && last < NAMES_MAX)
        self->names[self->names_num++] = strdup(text);
    return ORMA_MIN(last, NAMES_MAX - 1);
}

static void allocate(struct real_columns *self, uint64_t num)
{
    self->ts = calloc(num, sizeof(*self->ts));
    self->dur = calloc(num, sizeof(*self->dur));
    self->arg = calloc(num, sizeof(*self->arg));
    self->track = calloc(num, sizeof(*self->track));
    self->name = calloc(num, sizeof(*self->name));
    self->depth = calloc(num, sizeof(*self->depth));
    self->parent = calloc(num, sizeof(*self->parent));
    self->names = calloc(NAMES_MAX, sizeof(*self->names));
}

static struct orma_query *prepare(struct orma_processor *tp, const char *sql)
{
    struct orma_query *q = NULL;

    if (orma_query_prepare(tp, sql, SIZE_MAX, &q, NULL))
        fprintf(stderr, "%s\n", orma_processor_error(tp));
    return q;
}

static int64_t one_number(struct orma_processor *tp, const char *sql)
{
    struct orma_query *q = prepare(tp, sql);
    int64_t ret = q && orma_query_step(q) == 1 ? orma_query_int64(q, 0) : 0;

    orma_query_free(q);
    return ret;
}

static void read_row(struct real_columns *self, const struct orma_query *q)
{
    uint64_t i = self->num++;

    self->ts[i] = orma_query_int64(q, 0);
    self->dur[i] = orma_query_int64(q, 1);
    self->track[i] = (uint32_t)orma_query_int64(q, 2);
    self->depth[i] = (uint32_t)orma_query_int64(q, 3);
    self->parent[i] =
        orma_query_type(q, 4) == ORMA_VALUE_NULL ? UINT32_MAX : (uint32_t)orma_query_int64(q, 4);
    self->name[i] =
        number_of(self, orma_query_type(q, 5) == ORMA_VALUE_NULL ? "" : orma_query_text(q, 5));
    self->arg[i] = orma_query_type(q, 6) == ORMA_VALUE_NULL ? INT64_MIN : orma_query_int64(q, 6);
}

static void read_threads(struct real_columns *self, struct orma_processor *tp)
{
    struct orma_query *q = prepare(
        tp, "SELECT tt.id, coalesce(t.name, '') FROM thread_track tt JOIN thread t USING (utid)");

    self->tracks_num = (uint32_t)one_number(tp, "SELECT max(id) + 1 FROM track");
    self->thread_of = calloc(self->tracks_num + 1, sizeof(*self->thread_of));
    while (q && orma_query_step(q) == 1) {
        uint32_t track = (uint32_t)orma_query_int64(q, 0);

        if (track < self->tracks_num)
            self->thread_of[track] = number_of(self, orma_query_text(q, 1));
    }
    orma_query_free(q);
}

bool real_columns_read(struct real_columns *self, const char *trace)
{
    struct orma_processor *tp = NULL;
    struct orma_query *q;

    *self = (struct real_columns){0};
    if (orma_processor_new(NULL, &tp) < 0)
        return false;
    if (orma_processor_load_file(tp, trace, NULL, NULL) < 0) {
        fprintf(stderr, "%s\n", orma_processor_error(tp));
        orma_processor_free(tp);
        return false;
    }
    allocate(self, (uint64_t)one_number(tp, "SELECT count(*) + 1 FROM slice"));
    q = prepare(tp, read_sql);
    while (q && orma_query_step(q) == 1)
        read_row(self, q);
    orma_query_free(q);
    read_threads(self, tp);
    orma_processor_free(tp);
    return self->num > 0;
}

void real_columns_fini(struct real_columns *self)
{
    for (uint32_t i = 0; i < self->names_num; i++)
        free(self->names[i]);
    free(self->names);
    free(self->ts);
    free(self->dur);
    free(self->arg);
    free(self->track);
    free(self->name);
    free(self->depth);
    free(self->parent);
    free(self->thread_of);
    *self = (struct real_columns){0};
}

/* ---- queries ---- */

static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

double real_floor(real_floor_fn *fn, const struct real_columns *cols)
{
    double best = 0;

    for (int i = 0; i < RUNS; i++) {
        double begun = now();

        fn(cols);
        double took = now() - begun;
        best = i && best < took ? best : took;
    }
    return best;
}

void real_floor_group(const struct real_columns *cols)
{
    static int64_t count[NAMES_MAX], sum[NAMES_MAX];

    for (uint64_t i = 0; i < cols->num; i++) {
        count[cols->name[i]]++;
        sum[cols->name[i]] += cols->dur[i];
    }
    BENCH_USE(sum[0] + count[0]);
}

/* The rows lie in order of time: they are put in order of the track, and each looks at the next. */
void real_floor_lead(const struct real_columns *cols)
{
    uint64_t *start = calloc(cols->tracks_num + 1, sizeof(*start));
    uint32_t *order = malloc(cols->num * sizeof(*order));
    int64_t sum = 0;

    for (uint64_t i = 0; i < cols->num; i++)
        start[cols->track[i] + 1]++;
    for (uint32_t t = 0; t < cols->tracks_num; t++)
        start[t + 1] += start[t];
    for (uint64_t i = 0; i < cols->num; i++)
        order[start[cols->track[i]]++] = (uint32_t)i;
    for (uint64_t i = 0; i + 1 < cols->num; i++) {
        if (cols->track[order[i]] == cols->track[order[i + 1]])
            sum += cols->ts[order[i + 1]] - cols->ts[order[i]];
    }
    BENCH_USE(sum);
    free(order);
    free(start);
}

/* The best so far, the smallest of them first to go. */
void real_floor_top(const struct real_columns *cols)
{
    int64_t best[TOP], least = INT64_MIN, sum = 0;
    unsigned num = 0, at = 0;

    for (uint64_t i = 0; i < cols->num; i++) {
        if (num == TOP && cols->dur[i] <= least)
            continue;
        best[num < TOP ? num++ : at] = cols->dur[i];
        for (unsigned k = at = 0; k < num; k++)
            at = best[k] < best[at] ? k : at;
        least = best[at];
    }
    for (unsigned k = 0; k < num; k++)
        sum += best[k];
    BENCH_USE(sum);
}

void real_floor_joins(const struct real_columns *cols)
{
    static int64_t count[NAMES_MAX], sum[NAMES_MAX];

    for (uint64_t i = 0; i < cols->num; i++) {
        uint32_t name = cols->thread_of[cols->track[i]];

        count[name]++;
        sum[name] += cols->dur[i];
    }
    BENCH_USE(sum[0] + count[0]);
}

void real_floor_self_join(const struct real_columns *cols)
{
    int64_t sum = 0, count = 0;

    for (uint64_t i = 0; i < cols->num; i++) {
        if (cols->parent[i] < cols->num && cols->dur[cols->parent[i]] > 200) {
            sum += cols->dur[i];
            count++;
        }
    }
    BENCH_USE(sum + count);
}

void real_floor_like(const struct real_columns *cols)
{
    static bool is[NAMES_MAX];
    int64_t count = 0;

    for (uint32_t i = 0; i < cols->names_num; i++)
        is[i] = strcasestr(cols->names[i], "te");
    for (uint64_t i = 0; i < cols->num; i++)
        count += is[cols->name[i]];
    BENCH_USE(count);
}

void real_floor_arg(const struct real_columns *cols)
{
    int64_t sum = 0, count = 0;

    for (uint64_t i = 0; i < cols->num; i++) {
        if (cols->depth[i] == 0 && cols->dur[i] > 200) {
            count++;
            sum += cols->arg[i] != INT64_MIN ? cols->arg[i] : 0;
        }
    }
    BENCH_USE(sum + count);
}

void real_floor_sum(const struct real_columns *cols)
{
    int64_t sum = 0;

    for (uint64_t i = 0; i < cols->num; i++)
        sum += cols->dur[i] % 1000 == 7 ? cols->ts[i] : 0;
    BENCH_USE(sum);
}

/* All rows by duration: key and row in 8 bytes. */
void real_floor_sorted(const struct real_columns *cols)
{
    static uint64_t count[1 << RADIX_BITS];
    uint64_t *from = malloc(cols->num * sizeof(*from)), *to = malloc(cols->num * sizeof(*to));
    int64_t max = 0;

    for (uint64_t i = 0; i < cols->num; i++) {
        max = ORMA_MAX(max, cols->dur[i]);
        from[i] = (uint64_t)ORMA_MAX(cols->dur[i], 0) << 24 | (i & 0xffffff);
    }
    for (unsigned shift = 24; shift < 64 && (uint64_t)max >> (shift - 24); shift += RADIX_BITS) {
        memset(count, 0, sizeof(count));
        for (uint64_t i = 0; i < cols->num; i++)
            count[from[i] >> shift & ((1 << RADIX_BITS) - 1)]++;
        for (uint64_t i = 0, sum = 0; i < 1 << RADIX_BITS; i++) {
            uint64_t n = count[i];

            count[i] = sum;
            sum += n;
        }
        for (uint64_t i = 0; i < cols->num; i++)
            to[count[from[i] >> shift & ((1 << RADIX_BITS) - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    BENCH_USE(from[0]);
    free(from);
    free(to);
}

/* Four numbers and a text of each of a million rows, as varints and bytes. */
void real_floor_rows_out(const struct real_columns *cols)
{
    uint8_t *out = malloc((size_t)64 << 20), *p = out, *end = out + ((size_t)60 << 20);

    for (uint64_t i = 0; i < ORMA_MIN(cols->num, ROWS_OUT) && p < end; i++) {
        size_t len = strlen(cols->names[cols->name[i]]);

        p = orma_varint_write(p, i);
        p = orma_varint_write(p, (uint64_t)cols->ts[i]);
        p = orma_varint_write(p, (uint64_t)cols->dur[i]);
        p = orma_varint_write(p, cols->depth[i]);
        memcpy(p, cols->names[cols->name[i]], ORMA_MIN(len, 4096));
        p += ORMA_MIN(len, 4096);
    }
    BENCH_USE(p[-1]);
    free(out);
}

/* ---- imports ---- */

/* Packets, track events and annotations, bundles, events and their payloads; what is read as a
 * message and is none ends early. */
static uint64_t walk(struct orma_pb_reader r, unsigned depth)
{
    struct orma_pb_field f;
    uint64_t sum = 0;

    while (orma_pb_next(&r, &f)) {
        sum += f.num;
        bool inside = depth == 0 ||
                      (depth == 1 && (f.id == ORMA_PB_TRACE_PACKET_TRACK_EVENT ||
                                      f.id == ORMA_PB_TRACE_PACKET_FTRACE_EVENTS ||
                                      f.id == ORMA_PB_TRACE_PACKET_INTERNED_DATA)) ||
                      depth > 1;
        if (inside && f.data && f.len > 1 && depth < NESTING_MAX)
            sum += walk(orma_pb_sub(&f), depth + 1);
    }
    return sum;
}

/* Strings are skipped, the rest is told apart by one table. */
static uint64_t scan_json(const char *at, size_t len)
{
    static uint8_t kind[256];
    const char *end = at + len;
    uint64_t sum = 0;

    for (const char *p = "{}[]:,"; *p; p++)
        kind[(uint8_t)*p] = 1;
    for (; at < end; at++) {
        sum += kind[(uint8_t)*at];
        if (*at == '"') {
            for (at++; at < end && *at != '"'; at++)
                at += *at == '\\';
        }
    }
    return sum;
}

double real_floor_import(const char *path, bool json)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    double best = 0;
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return 0;
    void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (data == MAP_FAILED)
        return 0;
    for (int i = 0; i < RUNS; i++) {
        double begun = now();
        uint64_t sum = json ? scan_json(data, (size_t)st.st_size)
                            : walk(orma_pb_reader(data, (size_t)st.st_size), 0);

        BENCH_USE(sum);
        best = i && best < now() - begun ? best : now() - begun;
    }
    munmap(data, (size_t)st.st_size);
    return best;
}
