#include "traced/loop/loop.h"

#include <errno.h>

#include "sdk/base/clock.h"
#include "sdk/base/log.h"

#define LOG_WINDOW_NS ((uint64_t)10 * 1000000000)
#define LOG_LINES_MAX 50

/* Whoever starts a loop says why there is none. */
static void say_nothing(int severity, const char *text)
{
    (void)severity;
    (void)text;
}

int traced_loop_init(struct traced_loop *self)
{
    struct event_config *config = event_config_new();

    *self = (struct traced_loop){0};
    traced_reaper_init(&self->reaper);
    if (!config)
        return -ENOMEM;
    event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_PRECISE_TIMER);
    event_set_log_callback(say_nothing);
    self->base = event_base_new_with_config(config);
    event_set_log_callback(NULL);
    event_config_free(config);
    if (!self->base || traced_turns_init(&self->turns, self->base) < 0)
        return -ENOMEM;
    return 0;
}

void traced_loop_fini(struct traced_loop *self)
{
    traced_reaper_fini(&self->reaper);
    traced_turns_fini(&self->turns);
    if (self->base)
        event_base_free(self->base);
    self->base = NULL;
}

bool traced_loop_may_log(struct traced_loop *self)
{
    uint64_t now = orma_clock_boottime();

    if (now - self->log_since_ns >= LOG_WINDOW_NS) {
        if (self->logged > LOG_LINES_MAX)
            orma_log_warn("suppressed %u log lines about clients", self->logged - LOG_LINES_MAX);
        self->log_since_ns = now;
        self->logged = 0;
    }
    return self->logged++ < LOG_LINES_MAX;
}

void traced_loop_arm(struct event *timer, uint32_t ms)
{
    struct timeval wait = {ms / 1000, ms % 1000 * 1000};

    event_add(timer, &wait);
}

void traced_loop_arm_periodic(struct event *timer, uint32_t period_ms)
{
    uint64_t now_ms = orma_clock_now(ORMA_CLOCK_REALTIME) / 1000000;

    traced_loop_arm(timer, period_ms - (uint32_t)(now_ms % period_ms));
}
