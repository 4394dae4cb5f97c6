/*
 * sqlstats: what was asked last, and how long it took. And perfetto_tables: what
 * there is to ask.
 */
#include <stdlib.h>

#include "processor/sql/base/builtins.h"
#include "processor/sql/script/sqlstats.h"
#include "sdk/base/clock.h"

#define KEPT 100

struct entry {
    char *query;
    int64_t started, first_next, ended; /* wall time in ns; 0: not yet */
};

/* A ring; the id of a query is its number since the engine was opened. */
struct orma_sqlstats {
    struct entry entries[KEPT];
    uint64_t num;
};

static int64_t wall_clock(void)
{
    return (int64_t)orma_clock_now(ORMA_CLOCK_REALTIME);
}

void orma_sqlstats_free(struct orma_sqlstats *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < KEPT; i++)
        free(self->entries[i].query);
    free(self);
}

uint64_t orma_sqlstats_begin(struct orma_sql *sql, struct orma_str query)
{
    struct orma_sqlstats *s = sql->stats;
    struct entry *e;

    if (!s)
        s = sql->stats = calloc(1, sizeof(*s));
    if (!s)
        return ORMA_SQLSTATS_NONE; /* figures only: queries go on without */
    e = &s->entries[s->num % KEPT];
    free(e->query);
    *e = (struct entry){.query = orma_str_dup(query), .started = wall_clock()};
    return s->num++;
}

static struct entry *find(struct orma_sql *sql, uint64_t id)
{
    struct orma_sqlstats *s = sql->stats;

    return s && id < s->num && s->num - id <= KEPT ? &s->entries[id % KEPT] : NULL;
}

void orma_sqlstats_row(struct orma_sql *sql, uint64_t id)
{
    struct entry *e = find(sql, id);

    if (e && !e->first_next)
        e->first_next = wall_clock();
}

void orma_sqlstats_end(struct orma_sql *sql, uint64_t id)
{
    struct entry *e = find(sql, id);

    if (e && !e->ended)
        e->ended = wall_clock();
}

static int run_sqlstats(struct orma_tvf_call *call)
{
    const struct orma_sqlstats *s = call->sql->stats;
    struct orma_dataframe *f = call->frame;

    for (uint64_t id = s && s->num > KEPT ? s->num - KEPT : 0; s && id < s->num; id++) {
        const struct entry *e = &s->entries[id % KEPT];
        uint32_t row = orma_dataframe_add(f);

        orma_dataframe_put_text(f, 0, row, orma_str_from(e->query ? e->query : ""));
        orma_dataframe_put_int(f, 1, row, e->started);
        orma_dataframe_put_int(f, 2, row, e->first_next);
        orma_dataframe_put_int(f, 3, row, e->ended);
    }
    return 0;
}

const struct orma_tvf orma_sqlstats_tvf = {
    .name = "sqlstats",
    .columns = {"query", "started", "first_next", "ended"},
    .types = "TIII",
    .run = run_sqlstats,
    .usage = "",
    .doc = "The last 100 statements, with the wall times in ns at which they started, returned "
           "their first row and ended; 0: not yet.",
};
