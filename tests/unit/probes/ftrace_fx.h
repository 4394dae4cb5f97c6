/*
 * For tests: sessions of linux.ftrace on a small tree that looks like tracefs.
 */
#ifndef ORMA_TESTS_UNIT_PROBES_FTRACE_FX_H
#define ORMA_TESTS_UNIT_PROBES_FTRACE_FX_H
#include "probes/ftrace/instance.h"
#include "probes/ftrace/source.h"
#include "protos/fields/ftrace.h"
#include "protos/fields/trace.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_reader.h"
#include "tests/support/ftrace_decode.h"
#include "tests/unit/probes/tracefs_tree.h"

struct fx {
    struct pf pf;
    Perfetto__Protos__DataSourceConfig config;
    Perfetto__Protos__FtraceConfig ftrace;
    unsigned events;
};

static inline void fx_init(struct fx *f)
{
    memset(f, 0, sizeof(*f));
    orma_log_init("test", ORMA_LOG_ERROR);
    pf_init(&f->pf);
    tree_make(&f->pf, "tracing");
    perfetto__protos__data_source_config__init(&f->config);
    perfetto__protos__ftrace_config__init(&f->ftrace);
    f->config.ftrace_config = &f->ftrace;
    f->ftrace.has_drain_period_ms = 1;
    f->ftrace.drain_period_ms = 10;
}

static inline struct orma_source *fx_session(struct fx *f, char **events, size_t num)
{
    f->ftrace.ftrace_events = events;
    f->ftrace.n_ftrace_events = num;
    return pf_source(&f->pf, &orma_ftrace_source, &f->config);
}

static inline void on_event(void *ctx, const struct ft_event *ev)
{
    (void)ev;
    ((struct fx *)ctx)->events++;
}

/* Events in all packets so far. */
static inline unsigned count_events(struct fx *f)
{
    f->events = 0;
    for (size_t i = 0; i < f->pf.packets_num; i++)
        (void)ft_decode(f->pf.packets[i].data, f->pf.packets[i].len, NULL, on_event, f);
    return f->events;
}

/* The field of the last FtraceStats with this phase; false: there is none. */
static inline bool stats_field(struct fx *f, uint32_t phase, uint32_t field,
                               struct orma_pb_field *ret)
{
    bool found = false;

    for (size_t i = 0; i < f->pf.packets_num; i++) {
        struct orma_pb_reader r = orma_pb_reader(f->pf.packets[i].data, f->pf.packets[i].len);
        struct orma_pb_field p, s;

        while (orma_pb_next(&r, &p)) {
            if (p.id != ORMA_PB_TRACE_PACKET_FTRACE_STATS)
                continue;
            struct orma_pb_reader sub = orma_pb_sub(&p);
            bool is_phase = false;
            while (orma_pb_next(&sub, &s)) {
                if (s.id == ORMA_PB_FTRACE_STATS_PHASE)
                    is_phase = s.num == phase;
                if (s.id == field && is_phase) {
                    *ret = s;
                    found = true;
                }
            }
        }
    }
    return found;
}
#endif
