#include "tools/report/notes.h"

#include <ctype.h>
#include <inttypes.h>

#include "tools/load/loss.h"

/* "cpu 0: 12, cpu 1: 3" of a statistic with an index. */
static int64_t put_per_cpu(struct orma_processor *tp, struct orma_buf *out)
{
    static const char sql[] =
        "SELECT idx, sum(value) FROM stats WHERE value > 0 AND name IN "
        "('ftrace_cpu_overrun_delta', 'ftrace_cpu_dropped_events_delta') GROUP BY idx ORDER BY idx";
    struct orma_query *q;
    int64_t sum = 0;

    if (orma_query_prepare(tp, sql, SIZE_MAX, &q, NULL) != 0)
        return 0;
    while (orma_query_step(q) == 1) {
        orma_buf_printf(out, "%scpu %" PRId64 ": %" PRId64, sum ? ", " : "", orma_query_int64(q, 0),
                        orma_query_int64(q, 1));
        sum += orma_query_int64(q, 1);
    }
    orma_query_free(q);
    return sum;
}

static void read_kernel(struct orma_report_notes *self, struct orma_processor *tp)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf cpus = {0};
    int64_t lost = put_per_cpu(tp, &cpus);

    if (lost)
        orma_buf_printf(&self->kernel,
                        "%" PRId64 " kernel events were lost (%s): counts and sums are too low, "
                        "and times near the gaps are unknown",
                        lost, orma_buf_cstr(&cpus));
}

static void read_sched(struct orma_report_notes *self, struct orma_processor *tp)
{
    int64_t switches = orma_load_missing_switches(tp);

    if (switches)
        orma_buf_printf(
            &self->sched,
            "%" PRId64
            " %s in the kernel's record: what threads did near them counts as \"unknown\" only",
            switches, switches == 1 ? "switch is missing" : "switches are missing");
}

/* So many sentences about what could not be read stand in each note. */
#define UNREAD_SHOWN 2

static void read_trace(struct orma_report_notes *self, struct orma_processor *tp,
                       const struct orma_ledger *loss)
{
    unsigned num = orma_processor_unread_num(tp);

    if (orma_ledger_total(loss))
        orma_buf_printf(&self->trace,
                        "%" PRIu64 " %s lost on the way to the file: counts may be too low; runs, "
                                   "waits and calls with missing kernel events count as unknown",
                        orma_ledger_total(loss), loss->has_ledger ? "packets were" : "chunks were");
    for (unsigned i = 0; i < num && i < UNREAD_SHOWN; i++)
        orma_buf_printf(&self->trace, "%s%s", self->trace.len ? "; " : "",
                        orma_processor_unread(tp, i));
    if (num > UNREAD_SHOWN)
        orma_buf_printf(&self->trace, "; and %u more: orma stats", num - UNREAD_SHOWN);
}

void orma_report_notes_read(struct orma_report_notes *self, struct orma_processor *tp)
{
    struct orma_ledger loss;

    *self = (struct orma_report_notes){0};
    orma_load_loss(tp, &loss);
    orma_load_put_losses(tp, &loss, &self->losses);
    read_kernel(self, tp);
    read_sched(self, tp);
    read_trace(self, tp, &loss);
}

void orma_report_notes_fini(struct orma_report_notes *self)
{
    orma_buf_fini(&self->losses);
    orma_buf_fini(&self->kernel);
    orma_buf_fini(&self->sched);
    orma_buf_fini(&self->trace);
}

static void print_one(struct orma_buf *note, bool *told, void (*print)(void *ctx, const char *note),
                      void *ctx)
{
    if (note->len && !(told && *told))
        print(ctx, orma_buf_cstr(note));
    if (told)
        *told = true;
}

void orma_report_notes_each(struct orma_report_notes *self, unsigned basis, bool once,
                            void (*print)(void *ctx, const char *note), void *ctx)
{
    print_one(&self->trace, once ? &self->told_trace : NULL, print, ctx);
    if (basis & ORMA_REPORT_OF_KERNEL)
        print_one(&self->kernel, once ? &self->told_kernel : NULL, print, ctx);
    if (basis & ORMA_REPORT_OF_SCHED)
        print_one(&self->sched, once ? &self->told_sched : NULL, print, ctx);
}
