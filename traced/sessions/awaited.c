/*
 * A round of looks covers everybody once; a timer that goes off does a part of
 * it, so that thousands of silent producers cost the others no time.
 */
#include "traced/sessions/awaited.h"

#include "sdk/base/clock.h"
#include "traced/producers/producer.h"
#include "traced/sessions/session.h"

/* At one go; each reads one or two files of /proc. */
#define LOOKS_MAX 64

static bool awaits_stop(const struct traced_instance *inst)
{
    return inst->session->state == TRACED_STOPPING && inst->state == TRACED_INSTANCE_STOPPING &&
           !inst->given_up;
}

static bool awaits_flush(const struct traced_instance *inst)
{
    return inst->session->flushes.num > 0 && inst->asked_flush > inst->producer->flush_acked &&
           inst->asked_flush > inst->given_up_flush;
}

/* Of one that stands still: in all that it was asked for. */
static void give_up(struct traced_instance *inst)
{
    if (awaits_stop(inst))
        inst->given_up = true;
    if (awaits_flush(inst)) {
        inst->given_up_flush = inst->asked_flush;
        traced_flush_give_up(inst->session, inst->producer);
    }
}

/* It owes an answer to the last flush, and nothing has come from it since. */
static bool is_silent(const struct traced_instance *inst)
{
    const struct traced_producer *p = inst->producer;

    return inst->owes_flush > p->flush_acked && p->conn->received == p->heard_when_asked;
}

/* Who said nothing during the flush has as long as those who have to stop, beginning with it. */
static bool had_its_time(const struct traced_session *s)
{
    uint64_t limit_ns = (uint64_t)traced_instances_stop_timeout_ms(s) * 1000000;

    return s->incidents.end_asked_ns &&
           orma_clock_boottime() - s->incidents.end_asked_ns >= limit_ns;
}

void traced_awaited_stopping(struct traced_session *self)
{
    bool over = had_its_time(self);

    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances.list, session_link) {
        if (!awaits_stop(inst))
            continue;
        inst->given_up = (over && is_silent(inst)) ||
                         (inst->producer->still.sure && traced_standstill_look(inst->producer));
    }
    traced_session_arm_look(self);
}

/* One after the other; false: there are more than can be looked at now. */
static bool look_at_all(struct traced_session *self, bool *ret_any)
{
    bool over = had_its_time(self);
    unsigned looks = 0;

    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances.list, session_link) {
        struct traced_producer *p = inst->producer;

        if (!awaits_stop(inst) && !awaits_flush(inst))
            continue;
        if (over && awaits_stop(inst) && is_silent(inst)) {
            inst->given_up = true;
            continue;
        }
        *ret_any = true;
        if (p->still.round != self->look_round) {
            if (looks++ == LOOKS_MAX)
                return false;
            p->still.round = self->look_round;
            (void)traced_standstill_look(p); /* kept in `sure` */
        }
        if (p->still.sure)
            give_up(inst);
    }
    return true;
}

void traced_awaited_look(struct traced_session *self)
{
    bool any = false;

    if (look_at_all(self, &any))
        self->look_round = ++self->registry->last_look_round;
    if (any)
        traced_session_arm_look(self);
    traced_instances_check_stopped(self);
}
