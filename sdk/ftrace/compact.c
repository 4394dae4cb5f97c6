/* The cold half of translate.h: where this kernel keeps the fields of switches and wakings. */
#include "sdk/ftrace/translate.h"

void orma_ftrace_translate_set_compact(struct orma_ftrace_translate *self,
                                       const struct orma_ftrace_format *format,
                                       const struct orma_ftrace_plan *plan)
{
    struct orma_ftrace_compact_layout *to = &self->compact;

    if (plan->kind == ORMA_FTRACE_PLAN_SCHED_SWITCH) {
        self->compact_ids.switch_id = plan->id;
        self->compact_ids.switch_size = plan->size;
        to->prev_pid = orma_ftrace_format_field(format, "prev_pid")->offset;
        to->prev_state = orma_ftrace_format_field(format, "prev_state")->offset;
        to->prev_state_size = orma_ftrace_format_field(format, "prev_state")->size;
        to->next_pid = orma_ftrace_format_field(format, "next_pid")->offset;
        to->next_prio = orma_ftrace_format_field(format, "next_prio")->offset;
        to->next_comm = orma_ftrace_format_field(format, "next_comm")->offset;
    } else if (plan->kind == ORMA_FTRACE_PLAN_SCHED_WAKING) {
        self->compact_ids.waking_id = plan->id;
        self->compact_ids.waking_size = plan->size;
        to->waking_pid = orma_ftrace_format_field(format, "pid")->offset;
        to->waking_prio = orma_ftrace_format_field(format, "prio")->offset;
        to->waking_comm = orma_ftrace_format_field(format, "comm")->offset;
        to->waking_cpu = orma_ftrace_format_field(format, "target_cpu")->offset;
        to->waking_flags = format->common_flags_offset;
        to->waking_common_pid = plan->common_pid_offset;
    }
}
