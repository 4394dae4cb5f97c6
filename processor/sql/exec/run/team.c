#include "processor/sql/exec/run/team.h"

#include <stdlib.h>

#include "processor/threads/crew.h"

/* Pieces that are made and not taken, by thread. */
#define AHEAD 4

static uint32_t pieces_of(uint32_t rows, uint32_t piece_rows)
{
    return rows / piece_rows + (rows % piece_rows != 0);
}

bool orma_exec_run_team_init(struct orma_exec_team *self, struct orma_exec_plan *plan,
                             uint32_t rows)
{
    const struct orma_sql_planner *planner = &plan->sql->planner;
    const unsigned threads = orma_crew_threads(plan->sql->crew);

    *self = (struct orma_exec_team){.plan = plan,
                                    .piece_rows = planner->piece_rows,
                                    .pieces = pieces_of(rows, planner->piece_rows)};
    if (threads < 2 || plan->helps || rows < planner->shared_rows_min || rows < 2)
        return false;
    self->views = calloc(threads, sizeof(*self->views));
    if (!self->views)
        return false;
    self->threads = threads;
    for (unsigned i = 0; i < threads; i++) {
        self->views[i] = *plan;
        self->views[i].spare_num = 0;
        self->views[i].looked = 0;
        self->views[i].helps = i > 0;
    }
    return true;
}

void orma_exec_run_team_fini(struct orma_exec_team *self)
{
    for (unsigned i = 0; i < self->threads; i++) {
        struct orma_exec_plan *view = &self->views[i];

        self->plan->looked += view->looked;
        while (view->spare_num)
            free(view->spare[--view->spare_num]);
    }
    free(self->views);
    *self = (struct orma_exec_team){0};
}

struct run {
    struct orma_exec_team *team;
    uint32_t from, to, piece_rows;
    orma_exec_work *work;
    orma_exec_take *take;
    void *data;
};

static bool work_on(void *data, size_t piece, unsigned thread)
{
    const struct run *run = data;
    const uint32_t from = run->from + (uint32_t)piece * run->piece_rows;
    const struct orma_exec_piece p = {
        .view = &run->team->views[thread],
        .thread = thread,
        .piece = (uint32_t)piece,
        .from = from,
        .to = run->to - from > run->piece_rows ? from + run->piece_rows : run->to,
    };

    return !orma_exec_should_stop(p.view) && run->work(&p, run->data) && !p.view->why;
}

static bool take_over(void *data, size_t piece)
{
    const struct run *run = data;

    return run->take((uint32_t)piece, run->data);
}

/* What a piece of another thread takes counts for the query, however long that goes on. */
static void look_at_limits(void *data)
{
    const struct run *run = data;

    orma_sql_look_at_limits(run->team->plan->sql);
}

static bool run_all(struct run *run)
{
    struct orma_exec_team *team = run->team;
    const struct orma_crew_job job = {
        .work = work_on,
        .take = run->take ? take_over : NULL,
        .wait = look_at_limits,
        .data = run,
        .pieces = pieces_of(run->to - run->from, run->piece_rows),
        .ahead = run->take ? (size_t)team->threads * AHEAD : 0,
    };

    for (unsigned i = 0; i < team->threads; i++)
        team->views[i].shared = true;
    const bool ok = orma_crew_run(team->plan->sql->crew, &job);
    for (unsigned i = 0; i < team->threads; i++) {
        team->views[i].why = NULL;
        team->views[i].shared = false;
    }
    if (orma_sql_is_told_to_stop(team->plan->sql))
        return orma_exec_give_up(team->plan, "interrupted");
    team->plan->sql->planner.shared += ok;
    return ok && !team->plan->why;
}

bool orma_exec_run_team_run(struct orma_exec_team *self, uint32_t from, uint32_t to,
                            orma_exec_work *work, orma_exec_take *take, void *data)
{
    return run_all(&(struct run){self, from, to, self->piece_rows, work, take, data});
}

bool orma_exec_run_team_each(struct orma_exec_team *self, uint32_t num, orma_exec_work *work,
                             void *data)
{
    return run_all(&(struct run){self, 0, num, 1, work, NULL, data});
}
