/*
 * A wait begins with the sample of a thread that leaves its cpu, and becomes a packet when it is
 * back: then it is known how long it was away, and who woke it.
 */
#include "probes/perf/encode_parts.h"

#include "probes/perf/plan.h"
#include "sdk/base/clock.h"
#include "sdk/base/log.h"

#define LOOK_AFTER_NS UINT64_C(3000000)
#define LOOKS_AT_ONCE 4u /* in each round of 5 ms: below 2 % of a cpu */

static void encode_waker(struct orma_perf_encoder *self, const struct orma_perf_record *record)
{
    struct orma_perf_sampled what = {0};
    struct orma_perf_process *process =
        record->interrupt
            ? NULL
            : orma_perf_process_get(self->processes, record->pid, orma_clock_boottime());

    orma_buf_clear(&self->interned);
    if (process) {
        if (self->plan->names)
            orma_perf_tell_names(self, process, record);
        what.stack = orma_perf_encode_stack_of(self, process, record, NULL, &what.error);
    }
    orma_perf_encode_record(self, record, &what);
}

static void encode_wait(struct orma_perf_encoder *self, struct orma_perf_wait *wait, uint64_t until)
{
    const struct orma_perf_record *record = &wait->record;
    struct orma_perf_sampled what = {.away_ns = until - record->time};
    struct orma_perf_process *process =
        orma_perf_process_get(self->processes, record->pid, orma_clock_boottime());

    if (!process || !process->wanted)
        return;
    if (self->plan->names)
        orma_perf_tell_names(self, process, record);
    const char *leaf = wait->preempted       ? "[preempted]"
                       : *wait->wait_channel ? wait->wait_channel
                                             : NULL;
    if (wait->has_stack || leaf)
        what.stack = orma_perf_encode_stack_of(self, process, record, leaf, &what.error);
    orma_perf_encode_record(self, record, &what);
    if (wait->waker)
        encode_waker(self, &wait->waker->record);
}

static void end_wait(struct orma_perf_encoder *self, struct orma_perf_wait *wait, uint64_t until)
{
    if (!wait)
        return;
    if (wait->look_end > until) { /* it ran on while it was looked at */
        wait->has_stack = false;
        *wait->wait_channel = '\0';
    }
    if (until > wait->record.time && until - wait->record.time >= self->plan->off_cpu_min_ns) {
        encode_wait(self, wait, until);
    } else {
        self->waits.short_num++;
        self->waits.short_ns += until > wait->record.time ? until - wait->record.time : 0;
    }
    orma_perf_wait_free(wait);
}

static void end_all_waits(struct orma_perf_encoder *self, uint64_t until)
{
    struct orma_perf_wait *wait;

    while ((wait = orma_perf_waits_take_any(&self->waits))) {
        orma_buf_clear(&self->interned);
        end_wait(self, wait, until);
    }
    if (self->waits.refused)
        orma_log_warn("linux.perf: %llu waits have no stack, because the program's memory cannot "
                      "be read: missing permission, or kernel.yama.ptrace_scope (set it to 0, or "
                      "start the program with this command)",
                      (unsigned long long)self->waits.refused);
    if (self->waits.short_num)
        orma_log_info(
            "linux.perf: %llu waits shorter than %llu us, %.1f ms in total, were left out",
            (unsigned long long)self->waits.short_num,
            (unsigned long long)self->plan->off_cpu_min_ns / 1000,
            (double)self->waits.short_ns / 1e6);
}

/* Records are as new as `until`: who was away then and is not back is worth a look. */
static void look(struct orma_perf_encoder *self, uint64_t until)
{
    if (until > LOOK_AFTER_NS)
        orma_perf_waits_look(&self->waits, self->processes->proc_fd, until - LOOK_AFTER_NS,
                             LOOKS_AT_ONCE, orma_perf_record_clock, self->plan);
}

/* What a recording of waits does with a record. */
void orma_perf_encode_switch(struct orma_perf_encoder *self, const struct orma_perf_record *record)
{
    if (record->kind == ORMA_PERF_SAMPLE && record->woken)
        orma_perf_waits_woken(&self->waits, record);
    else if (record->kind == ORMA_PERF_LOST && record->out)
        orma_perf_waits_clear(&self->waits);
    else if (record->kind == ORMA_PERF_LOOK)
        look(self, record->time);
    else if (record->kind == ORMA_PERF_SAMPLE)
        orma_perf_waits_keep(&self->waits, record);
    else if (record->kind == ORMA_PERF_EXIT)
        orma_perf_waits_end(&self->waits, record->tid);
    else if (record->kind == ORMA_PERF_FORK)
        orma_perf_waits_begin(&self->waits, record->tid);
    else if (record->kind == ORMA_PERF_END)
        end_all_waits(self, record->time);
    else if (record->kind == ORMA_PERF_SWITCH && record->pid && record->out)
        orma_perf_waits_out(&self->waits, record);
    else if (record->kind == ORMA_PERF_SWITCH && record->pid)
        end_wait(self, orma_perf_waits_take(&self->waits, record->tid), record->time);
}
