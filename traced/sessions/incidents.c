/*
 * What happens once is encoded when it happens; what is so all the time (nobody
 * offers a data source, a producer gives no count) is found when statistics are
 * written. Names come from producers and are cut; there are at most
 * ORMA_INCIDENTS_MAX of each kind, and then one that says that there are more.
 */
#include "traced/sessions/incidents.h"

#include <string.h>

#include "protos/incident.h"
#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "traced/producers/producer.h"
#include "traced/sessions/session.h"

#define NAME_MAX_BYTES 128

void traced_incidents_fini(struct traced_incidents *self)
{
    orma_buf_fini(&self->list);
}

/* ---- while the session runs ---- */

static struct orma_str cut_name(const char *name)
{
    return (struct orma_str){name, strnlen(name, NAME_MAX_BYTES)};
}

/* False: there are too many. */
static bool put(struct orma_buf *out, unsigned *num, const struct orma_incident *incident)
{
    static const struct orma_incident more = {.kind = ORMA_PB_ORMA_INCIDENT_MORE};

    if (*num > ORMA_INCIDENTS_MAX)
        return false;
    orma_incident_put(out, ORMA_PB_TRACE_STATS_ORMA_INCIDENTS,
                      (*num)++ < ORMA_INCIDENTS_MAX ? incident : &more);
    return true;
}

static struct orma_incident incident_of(const struct traced_instance *inst, uint32_t kind)
{
    return (struct orma_incident){
        .kind = kind,
        .pid = inst->producer->pid,
        .source = cut_name(inst->name),
        .producer = cut_name(inst->producer->name),
        .until_ns = orma_clock_boottime(),
    };
}

static void note(struct traced_session *s, const struct orma_incident *incident)
{
    (void)put(&s->incidents.list, &s->incidents.num, incident);
    s->rescue.due = true;
}

void traced_incidents_note_offered(struct traced_session *s, uint32_t entry)
{
    s->incidents.offered[entry / 64] |= UINT64_C(1) << entry % 64;
}

void traced_incidents_note_end_asked(struct traced_session *s)
{
    if (!s->incidents.end_asked_ns)
        s->incidents.end_asked_ns = orma_clock_boottime();
}

static bool owes_report(const struct traced_instance *inst)
{
    ORMA_LIST_EACH (struct traced_seq, seq, &inst->producer->seqs, producer_link) {
        const struct traced_target *target = seq->buf->owner;

        if (target->group == &inst->session->targets && seq->owes_report)
            return true;
    }
    return false;
}

/* What watches the whole machine does not end with a program. */
static bool is_of_machine(const char *name)
{
    return !strncmp(name, "linux.", strlen("linux."));
}

void traced_incidents_note_gone(struct traced_instance *inst)
{
    struct traced_session *s = inst->session;

    if ((s->state != TRACED_STARTED && s->state != TRACED_STOPPING) ||
        inst->state == TRACED_INSTANCE_CONFIGURED || inst->state == TRACED_INSTANCE_STOPPED)
        return;
    if (is_of_machine(inst->name)) {
        struct orma_incident early = incident_of(inst, ORMA_PB_ORMA_INCIDENT_ENDED_EARLY);

        note(s, &early);
    } else if (s->incidents.killed != inst->producer->id &&
               (inst->producer->has_orphans || owes_report(inst) ||
                traced_standstill_may_write(inst->producer))) {
        struct orma_incident killed = incident_of(inst, ORMA_PB_ORMA_INCIDENT_KILLED);

        s->incidents.killed = inst->producer->id;
        note(s, &killed);
    }
}

static bool is_silent(const struct traced_instance *inst)
{
    return inst->state == TRACED_INSTANCE_STOPPING ||
           inst->owes_flush > inst->producer->flush_acked;
}

/* The first of its producer's in this session that is silent: one sentence for all of them. */
static bool is_first_silent(const struct traced_session *s, const struct traced_instance *inst)
{
    ORMA_LIST_EACH (struct traced_instance, other, (struct orma_list *)&s->instances.list,
                    session_link) {
        if (other == inst)
            return true;
        if (other->producer == inst->producer && is_silent(other))
            return false;
    }
    return false;
}

static void put_silent(struct orma_buf *out, unsigned *num, const struct traced_session *s)
{
    ORMA_LIST_EACH (struct traced_instance, inst, (struct orma_list *)&s->instances.list,
                    session_link) {
        if (*num > ORMA_INCIDENTS_MAX)
            return;
        if (!is_silent(inst) || !is_first_silent(s, inst))
            continue;
        struct orma_incident silent = incident_of(inst, ORMA_PB_ORMA_INCIDENT_SILENT);
        silent.from_ns = s->incidents.end_asked_ns;
        (void)put(out, num, &silent);
    }
}

void traced_incidents_copy(struct traced_session *to, const struct traced_session *from)
{
    to->incidents = from->incidents;
    to->incidents.list = (struct orma_buf){0};
    orma_buf_put(&to->incidents.list, from->incidents.list.data, from->incidents.list.len);
    put_silent(&to->incidents.list, &to->incidents.num, from);
}

void traced_incidents_note_end(struct traced_session *s)
{
    put_silent(&s->incidents.list, &s->incidents.num, s);
    ORMA_LIST_EACH (struct traced_instance, inst, &s->instances.list, session_link) {
        struct orma_incident never = incident_of(inst, ORMA_PB_ORMA_INCIDENT_NOT_STARTED);

        if (inst->never_started)
            note(s, &never);
    }
}

/* ---- statistics ---- */

/* Programs with track events may as well not run: then there is nothing of them. */
static void put_not_offered(struct orma_buf *out, const struct traced_session *s, unsigned *num)
{
    for (uint32_t i = 0; i < s->config->n_data_sources; i++) {
        const Perfetto__Protos__DataSourceConfig *config = s->config->data_sources[i]->config;
        const char *name = config && config->name ? config->name : "";

        if (s->incidents.offered[i / 64] >> i % 64 & 1 || !strcmp(name, "track_event"))
            continue;
        const struct orma_incident incident = {.kind = ORMA_PB_ORMA_INCIDENT_NOT_OFFERED,
                                               .source = cut_name(name)};
        if (!put(out, num, &incident))
            return;
    }
}

static bool gives_no_count(const struct traced_seq *seq)
{
    struct traced_ledger ledger = traced_seq_ledger(seq);

    return ledger.emitted == UINT64_MAX && (ledger.delivered || ledger.overwritten);
}

static void put_uncounted(struct orma_buf *out, const struct traced_session *s,
                          const struct traced_buffer *buf, unsigned *num)
{
    uint16_t last = 0; /* sequences of one producer mostly follow each other */

    ORMA_LIST_EACH (struct traced_seq, seq, (struct orma_list *)&buf->seqs, link) {
        if (seq->producer_id == last || !gives_no_count(seq))
            continue;
        const struct traced_producer *p =
            orma_map_get_ptr(&s->registry->producers->by_id, seq->producer_id);
        const struct orma_incident incident = {.kind = ORMA_PB_ORMA_INCIDENT_UNCOUNTED,
                                               .pid = p ? p->pid : 0,
                                               .producer =
                                                   p ? cut_name(p->name) : (struct orma_str){0}};
        last = seq->producer_id;
        if (!put(out, num, &incident))
            return;
    }
}

static void put_no_trigger(struct orma_buf *out, const struct traced_session *s)
{
    const Perfetto__Protos__TraceConfig__TriggerConfig *config = s->config->trigger_config;
    ORMA_AUTO(orma_buf_fini) struct orma_buf names = {0};

    if (!config || !config->n_triggers || s->incidents.triggered || s->state != TRACED_DISABLED)
        return;
    for (size_t i = 0; i < config->n_triggers && names.len < NAME_MAX_BYTES; i++)
        orma_buf_printf(&names, "%s%.*s", i ? ", " : "", NAME_MAX_BYTES,
                        config->triggers[i]->name ? config->triggers[i]->name : "");
    const struct orma_incident incident = {.kind = ORMA_PB_ORMA_INCIDENT_NO_TRIGGER,
                                           .what = orma_buf_str(&names)};
    orma_incident_put(out, ORMA_PB_TRACE_STATS_ORMA_INCIDENTS, &incident);
}

void traced_incidents_put(struct orma_buf *out, const struct traced_session *s)
{
    unsigned not_offered = 0, uncounted = 0, num = s->incidents.num;

    orma_buf_put(out, s->incidents.list.data, s->incidents.list.len);
    if (s->state == TRACED_STOPPING) /* it is read before its end: nobody waits any more */
        put_silent(out, &num, s);
    if (s->state != TRACED_CONFIGURED)
        put_not_offered(out, s, &not_offered);
    for (size_t i = 0; i < s->buffers_num; i++)
        put_uncounted(out, s, s->buffers[i].buf, &uncounted);
    put_no_trigger(out, s);
}
