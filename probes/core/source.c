#include "probes/core/source.h"

#include "protos/fields/common.h"
#include "protos/fields/trace.h"
#include "sdk/wire/pb_writer.h"

struct orma_source *orma_source_of_processes(const struct orma_source_env *env, uint64_t session_id)
{
    ORMA_LIST_EACH (struct orma_source, s, (struct orma_list *)&env->sources, link) {
        if (s->session_id == session_id && s->type->processes)
            return s;
    }
    return NULL;
}

struct orma_source *orma_source_of_inodes(const struct orma_source_env *env, uint64_t session_id)
{
    ORMA_LIST_EACH (struct orma_source, s, (struct orma_list *)&env->sources, link) {
        if (s->session_id == session_id && s->type->inodes_seen)
            return s;
    }
    return NULL;
}

void orma_source_put_time(struct orma_buf *packet, uint64_t boottime_ns)
{
    orma_pb_put_u64(packet, ORMA_PB_TRACE_PACKET_TIMESTAMP, boottime_ns);
    orma_pb_put_u64(packet, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID,
                    ORMA_PB_BUILTIN_CLOCK_BOOTTIME);
}

void orma_source_flushed(struct orma_source *self, uint64_t flush_id)
{
    self->sink->flush(self->sink);
    if (self->env->flushed)
        self->env->flushed(self, flush_id);
}

void orma_source_stopped(struct orma_source *self)
{
    self->sink->flush(self->sink);
    if (self->env->stopped)
        self->env->stopped(self);
}
