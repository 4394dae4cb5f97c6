#include "traced/sessions/boost.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

#include "traced/sessions/registry.h"
#include "traced/sessions/session.h"

#define FIFO PERFETTO__PROTOS__PRIORITY_BOOST_CONFIG__BOOST_POLICY__POLICY_SCHED_FIFO
#define OTHER PERFETTO__PROTOS__PRIORITY_BOOST_CONFIG__BOOST_POLICY__POLICY_SCHED_OTHER
#define NICE_BEST 20
#define FIFO_BEST 99

static struct traced_boost boost_of(const struct traced_session *s)
{
    const Perfetto__Protos__PriorityBoostConfig *c = s->config->priority_boost;

    if (!c || s->state == TRACED_CLONED || s->state == TRACED_DISABLED)
        return (struct traced_boost){0};
    return (struct traced_boost){.policy = (int)c->policy, .priority = c->priority};
}

static bool is_better(struct traced_boost a, struct traced_boost b)
{
    return a.policy != b.policy ? a.policy > b.policy : a.priority > b.priority;
}

static int apply(struct traced_boost boost)
{
    struct sched_param param = {.sched_priority = (int)boost.priority};

    if (boost.policy == (int)FIFO) {
        if (!boost.priority || boost.priority > FIFO_BEST)
            return -EINVAL;
        return sched_setscheduler(0, SCHED_FIFO, &param) < 0 ? -errno : 0;
    }
    if (boost.policy && (boost.policy != (int)OTHER || boost.priority > NICE_BEST))
        return -EINVAL;
    param.sched_priority = 0;
    if (sched_setscheduler(0, SCHED_OTHER, &param) < 0 ||
        setpriority(PRIO_PROCESS, 0, -(int)boost.priority) < 0)
        return -errno;
    return 0;
}

int traced_boost_update(struct traced_sessions *sessions)
{
    struct traced_boost best = {0};

    ORMA_LIST_EACH (struct traced_session, s, &sessions->list, link)
        if (is_better(boost_of(s), best))
            best = boost_of(s);
    if (best.policy == sessions->boost.policy && best.priority == sessions->boost.priority)
        return 0;
    int r = apply(best);
    if (r == 0)
        sessions->boost = best;
    return r;
}
