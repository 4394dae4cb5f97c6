/*
 * A part of a plan that several threads run, in pieces of rows (threads/crew.h). Each thread has a
 * view of the plan: a copy of which it writes what every evaluation writes (why it was given up,
 * spare vectors, rows looked at); all else it only reads.
 *
 * What fails in several threads is done again by one, whose result counts: so errors, and what is
 * left to SQLite, are the same. Only an interrupt is final.
 */
#ifndef ORMA_PROCESSOR_SQL_EXEC_RUN_TEAM_H
#define ORMA_PROCESSOR_SQL_EXEC_RUN_TEAM_H
#include "processor/sql/exec/run/run.h"

struct orma_exec_team {
    struct orma_exec_plan *plan;
    struct orma_exec_plan *views; /* by thread */
    unsigned threads;
    uint32_t piece_rows, pieces; /* of a job over the rows that it was made for */
};

/* Where a piece of a job is worked on. */
struct orma_exec_piece {
    struct orma_exec_plan *view;
    unsigned thread;
    uint32_t piece;
    uint32_t from, to; /* rows */
};

/* False: it failed. */
typedef bool orma_exec_work(const struct orma_exec_piece *piece, void *data);
/* In the thread of the plan, in order of pieces. */
typedef bool orma_exec_take(uint32_t piece, void *data);

/* False: so many rows are not worth it, or there is one thread, or no memory. */
bool orma_exec_run_team_init(struct orma_exec_team *self, struct orma_exec_plan *plan,
                             uint32_t rows);
void orma_exec_run_team_fini(struct orma_exec_team *self);

/* All pieces of rows [from, to); `take` may be NULL. False: it failed, and the plan is given up
 * only if it was interrupted. */
bool orma_exec_run_team_run(struct orma_exec_team *self, uint32_t from, uint32_t to,
                            orma_exec_work *work, orma_exec_take *take, void *data);

/* The same for things that are not rows: [0, num), one a piece. */
bool orma_exec_run_team_each(struct orma_exec_team *self, uint32_t num, orma_exec_work *work,
                             void *data);

/* ---- what may be evaluated in several threads: share.c ---- */

ORMA_VEC_STRUCT(orma_exec_const_exprs, const struct orma_exec_expr *);

struct orma_exec_share {
    struct orma_exec_plan *plan;
    bool refused;
    struct orma_exec_const_exprs memos; /* that must be filled before */
};

/* Zero-initialised with `plan` set: notes what `e` needs; NULL is fine. */
void orma_exec_run_share_expr(struct orma_exec_share *self, const struct orma_exec_expr *e);

/* Whether all that was noted may be evaluated by several threads from now on: what is remembered by
 * text is asked for all texts that there are. */
bool orma_exec_run_share_ready(struct orma_exec_share *self, struct orma_exec_team *team);
void orma_exec_run_share_fini(struct orma_exec_share *self);

/* ---- a scan in pieces: join.c ---- */

struct orma_exec_shared_scan {
    /* Notes what the sink evaluates, and makes what is a thread's own. False: one thread does it
     * all. */
    bool (*open)(struct orma_exec_team *team, struct orma_exec_share *share, void *data);
    /* Blocks of rows of a piece, in their order. */
    bool (*sink)(const struct orma_exec_piece *piece, const struct orma_exec_rows *rows,
                 void *data);
    orma_exec_take *take; /* NULL: there is nothing to be done in the order of pieces */
    /* After open() gave true: everything was taken, or (not `ok`) nothing counts. False: one thread
     * does it again. */
    bool (*close)(struct orma_exec_team *team, bool ok, void *data);
};
#endif
