/*
 * The map's value is `index | tick << 32`: the low half of the tick in which
 * the name was last said, or that of no tick for an address without a name.
 */
#include "sdk/ftrace/symbols.h"

#include "protos/fields/interned_data.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "sdk/ftrace/kallsyms.h"
#include "sdk/wire/pb_writer.h"

#define ADDRESSES_MAX (1u << 20)

void orma_ftrace_symbols_init(struct orma_ftrace_symbols *self, struct orma_kallsyms *table)
{
    *self = (struct orma_ftrace_symbols){.table = table, .tick = 1, .next = 1, .restart = true};
}

void orma_ftrace_symbols_fini(struct orma_ftrace_symbols *self)
{
    orma_map_fini(&self->slots);
    orma_buf_fini(&self->names);
    orma_buf_fini(&self->extra);
}

void orma_ftrace_symbols_tick(struct orma_ftrace_symbols *self)
{
    self->tick++;
    self->restart = true;
    if (self->next < ADDRESSES_MAX)
        return;
    orma_map_clear(&self->slots);
    self->next = 1;
}

static void say(struct orma_ftrace_symbols *self, uint32_t index, uint64_t address)
{
    struct orma_str name = orma_kallsyms_find(self->table, address);
    size_t begun;

    if (!name.len)
        return;
    begun = orma_pb_begin(&self->names, ORMA_PB_INTERNED_DATA_KERNEL_SYMBOLS);
    orma_pb_put_u64(&self->names, ORMA_PB_INTERNED_STRING_IID, index);
    orma_pb_put_str(&self->names, ORMA_PB_INTERNED_STRING_STR, name);
    orma_pb_end(&self->names, begun);
}

uint32_t orma_ftrace_symbols_index(struct orma_ftrace_symbols *self, uint64_t address)
{
    uint64_t tick = self->tick & 0x7fffffff, val;
    uint32_t index;

    if (!address)
        return 0;
    self->used = true;
    val = orma_map_get(&self->slots, address);
    if (ORMA_LIKELY(val != ORMA_MAP_NONE && val >> 32 == tick))
        return (uint32_t)val;
    index = val != ORMA_MAP_NONE ? (uint32_t)val : self->next;
    if (orma_map_put(&self->slots, address, index | tick << 32) < 0)
        return 0;
    self->next += index == self->next;
    if (self->table)
        say(self, index, address);
    return index;
}

struct orma_str orma_ftrace_symbols_take(struct orma_ftrace_symbols *self)
{
    orma_buf_clear(&self->extra);
    if (self->restart && self->used) {
        orma_pb_put_u64(&self->extra, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS,
                        ORMA_PB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED);
        self->restart = false;
    }
    if (self->names.len && !self->names.failed)
        orma_pb_put_bytes(&self->extra, ORMA_PB_TRACE_PACKET_INTERNED_DATA, self->names.data,
                          self->names.len);
    self->used = false;
    orma_buf_clear(&self->names);
    return self->extra.failed ? (struct orma_str){NULL, 0} : orma_buf_str(&self->extra);
}
