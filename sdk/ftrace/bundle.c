/*
 *   data: [ reserve: packet tag, length ][ content ............ ][ columns ][ extra ]
 *         ^ HEAD_MAX bytes, filled from the right at the end
 */
#include "sdk/ftrace/bundle.h"

#include <errno.h>
#include <stdlib.h>

#include "protos/fields/ftrace.h"
#include "protos/fields/trace.h"

#define HEAD_MAX (1 + 5)
#define FIRST_SIZE (256 * 1024)
#define SIZE_MAX_HARD (64u * 1024 * 1024)
#define COLUMN_SIZE (ORMA_FTRACE_BUNDLE_COMPACT_MAX * ORMA_VARINT_MAX + 16)

static const uint8_t column_fields[ORMA_FTRACE_COLUMNS_NUM] = {
    [ORMA_FTRACE_COLUMN_SWITCH_TIME] = ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_TIMESTAMP,
    [ORMA_FTRACE_COLUMN_SWITCH_PREV_STATE] =
        ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_PREV_STATE,
    [ORMA_FTRACE_COLUMN_SWITCH_NEXT_PID] =
        ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_PID,
    [ORMA_FTRACE_COLUMN_SWITCH_NEXT_PRIO] =
        ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_PRIO,
    [ORMA_FTRACE_COLUMN_SWITCH_NEXT_COMM] =
        ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_COMM_INDEX,
    [ORMA_FTRACE_COLUMN_WAKING_TIME] = ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_TIMESTAMP,
    [ORMA_FTRACE_COLUMN_WAKING_PID] = ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_PID,
    [ORMA_FTRACE_COLUMN_WAKING_CPU] = ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_TARGET_CPU,
    [ORMA_FTRACE_COLUMN_WAKING_PRIO] = ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_PRIO,
    [ORMA_FTRACE_COLUMN_WAKING_COMM] = ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_COMM_INDEX,
    [ORMA_FTRACE_COLUMN_WAKING_FLAGS] =
        ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_COMMON_FLAGS,
};

static void set_limit(struct orma_ftrace_bundle *self)
{
    size_t room = self->cap - ORMA_FTRACE_PLAN_SIMPLE_MAX;

    self->limit = self->data + ORMA_MIN(room, (size_t)ORMA_FTRACE_BUNDLE_SIZE_SOFT_MAX);
}

int orma_ftrace_bundle_init(struct orma_ftrace_bundle *self)
{
    uint8_t *columns = malloc((size_t)COLUMN_SIZE * ORMA_FTRACE_COLUMNS_NUM);

    *self = (struct orma_ftrace_bundle){.data = malloc(FIRST_SIZE), .cap = FIRST_SIZE};
    for (unsigned i = 0; columns && i < ORMA_FTRACE_COLUMNS_NUM; i++)
        self->columns[i] = columns + (size_t)i * COLUMN_SIZE;
    if (!self->data || !columns) {
        orma_ftrace_bundle_fini(self);
        return -ENOMEM;
    }
    self->pos = self->data;
    set_limit(self);
    return 0;
}

void orma_ftrace_bundle_fini(struct orma_ftrace_bundle *self)
{
    free(self->data);
    free(self->columns[0]); /* one allocation for all */
    *self = (struct orma_ftrace_bundle){0};
}

bool orma_ftrace_bundle_grow(struct orma_ftrace_bundle *self, size_t n)
{
    size_t used = (size_t)(self->pos - self->data);
    size_t cap = self->cap;

    if (self->failed || n > SIZE_MAX_HARD - used) {
        self->failed = true;
        return false;
    }
    while (cap < used + n)
        cap *= 2;
    uint8_t *data = realloc(self->data, cap);
    if (!data) {
        self->failed = true;
        return false;
    }
    self->data = data;
    self->pos = data + used;
    self->cap = cap;
    set_limit(self);
    return true;
}

static void put_varint_field(struct orma_ftrace_bundle *self, uint32_t field, uint64_t val)
{
    *self->pos++ = (uint8_t)(field << 3 | ORMA_PB_VARINT);
    self->pos = orma_varint_write(self->pos, val);
}

static void put_len_field(struct orma_ftrace_bundle *self, uint32_t field, size_t len)
{
    *self->pos++ = (uint8_t)(field << 3 | ORMA_PB_LEN);
    self->pos = orma_varint_write(self->pos, len);
}

void orma_ftrace_bundle_open(struct orma_ftrace_bundle *self,
                             const struct orma_ftrace_bundle_head *head)
{
    self->pos = self->data + HEAD_MAX;
    self->failed = false;
    self->serial++;
    self->switches = self->wakings = self->comms_num = 0;
    self->switch_time = self->waking_time = 0;
    for (unsigned i = 0; i < ORMA_FTRACE_COLUMNS_NUM; i++)
        self->column_pos[i] = self->columns[i];
    put_varint_field(self, ORMA_PB_FTRACE_EVENT_BUNDLE_CPU, head->cpu);
    if (head->lost)
        put_varint_field(self, ORMA_PB_FTRACE_EVENT_BUNDLE_LOST_EVENTS, 1);
    put_varint_field(self, ORMA_PB_FTRACE_EVENT_BUNDLE_PREVIOUS_BUNDLE_END_TIMESTAMP,
                     head->previous_end_ts);
    if (!head->clock)
        return;
    put_varint_field(self, ORMA_PB_FTRACE_EVENT_BUNDLE_FTRACE_CLOCK, head->clock);
    if (!head->ftrace_ts)
        return;
    put_varint_field(self, ORMA_PB_FTRACE_EVENT_BUNDLE_FTRACE_TIMESTAMP, (uint64_t)head->ftrace_ts);
    put_varint_field(self, ORMA_PB_FTRACE_EVENT_BUNDLE_BOOT_TIMESTAMP, (uint64_t)head->boot_ts);
}

void orma_ftrace_bundle_error(struct orma_ftrace_bundle *self, uint64_t page_ts, int status)
{
    uint8_t body[2 * (1 + ORMA_VARINT_MAX)], *end = body;

    *end++ = ORMA_PB_FTRACE_EVENT_BUNDLE_FTRACE_ERROR_TIMESTAMP << 3;
    end = orma_varint_write(end, page_ts);
    *end++ = ORMA_PB_FTRACE_EVENT_BUNDLE_FTRACE_ERROR_STATUS << 3;
    end = orma_varint_write(end, (uint64_t)status);
    if (!orma_ftrace_bundle_room(self, sizeof(body) + 2))
        return;
    put_len_field(self, ORMA_PB_FTRACE_EVENT_BUNDLE_ERROR, (size_t)(end - body));
    memcpy(self->pos, body, (size_t)(end - body));
    self->pos += end - body;
}

void orma_ftrace_bundle_raw(struct orma_ftrace_bundle *self, const void *data, size_t len)
{
    if (!orma_ftrace_bundle_room(self, len))
        return;
    memcpy(self->pos, data, len);
    self->pos += len;
}

const struct orma_ftrace_task_slot *orma_ftrace_bundle_task_add(struct orma_ftrace_bundle *self,
                                                                uint32_t pid, const uint8_t *comm)
{
    struct orma_ftrace_task_slot *slot = &self->tasks[pid % ORMA_FTRACE_TASK_SLOTS];
    uint8_t bytes[ORMA_VARINT_MAX] = {0};

    memcpy(slot->name, comm, sizeof(slot->name));
    slot->pid = pid;
    slot->serial = (uint32_t)self->serial;
    slot->comm = (uint8_t)orma_ftrace_bundle_comm(self, comm);
    slot->pid_len = (uint8_t)(orma_varint_write(bytes, pid) - bytes);
    memcpy(&slot->pid_bytes, bytes, sizeof(slot->pid_bytes));
    return slot;
}

static size_t comm_len(const uint64_t *comm)
{
    return strnlen((const char *)comm, ORMA_FTRACE_COMM_LEN);
}

/* Bytes of a column; see orma_ftrace_bundle_column_small(). */
static size_t column_len(const struct orma_ftrace_bundle *self,
                         enum orma_ftrace_compact_column column)
{
    static const enum {
        PLAIN,
        SMALL_SWITCH,
        SMALL_WAKING
    } kinds[ORMA_FTRACE_COLUMNS_NUM] = {
        [ORMA_FTRACE_COLUMN_SWITCH_PREV_STATE] = SMALL_SWITCH,
        [ORMA_FTRACE_COLUMN_SWITCH_NEXT_PRIO] = SMALL_SWITCH,
        [ORMA_FTRACE_COLUMN_SWITCH_NEXT_COMM] = SMALL_SWITCH,
        [ORMA_FTRACE_COLUMN_WAKING_CPU] = SMALL_WAKING,
        [ORMA_FTRACE_COLUMN_WAKING_PRIO] = SMALL_WAKING,
        [ORMA_FTRACE_COLUMN_WAKING_COMM] = SMALL_WAKING,
        [ORMA_FTRACE_COLUMN_WAKING_FLAGS] = SMALL_WAKING,
    };
    const uint8_t *end = self->column_pos[column];

    if (kinds[column] == SMALL_SWITCH)
        end += self->switches;
    else if (kinds[column] == SMALL_WAKING)
        end += self->wakings;
    return (size_t)(end - self->columns[column]);
}

static size_t columns_size(const struct orma_ftrace_bundle *self)
{
    size_t size = 0;

    for (unsigned i = 0; i < ORMA_FTRACE_COLUMNS_NUM; i++) {
        size_t len = column_len(self, i);

        if (len)
            size += 1 + orma_varint_size(len) + len;
    }
    for (unsigned i = 0; i < self->comms_num; i++)
        size += 2 + comm_len(self->comms[i]);
    return size;
}

static void put_columns(struct orma_ftrace_bundle *self)
{
    size_t size = columns_size(self);

    if (!size || !orma_ftrace_bundle_room(self, size + 1 + ORMA_VARINT_MAX))
        return;
    put_len_field(self, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED, size);
    for (unsigned i = 0; i < ORMA_FTRACE_COLUMNS_NUM; i++) {
        size_t len = column_len(self, i);

        if (!len)
            continue;
        put_len_field(self, column_fields[i], len);
        memcpy(self->pos, self->columns[i], len);
        self->pos += len;
    }
    for (unsigned i = 0; i < self->comms_num; i++) {
        size_t len = comm_len(self->comms[i]);

        put_len_field(self, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_INTERN_TABLE, len);
        memcpy(self->pos, self->comms[i], len);
        self->pos += len;
    }
}

int orma_ftrace_bundle_close(struct orma_ftrace_bundle *self, struct orma_str extra,
                             struct orma_source_sink *sink)
{
    uint8_t head[HEAD_MAX], *end = head;

    put_columns(self);
    size_t len = (size_t)(self->pos - self->data) - HEAD_MAX;
    if (extra.len)
        orma_ftrace_bundle_raw(self, extra.data, extra.len);
    if (self->failed)
        return -ENOMEM;
    *end++ = ORMA_PB_TRACE_PACKET_FTRACE_EVENTS << 3 | ORMA_PB_LEN;
    end = orma_varint_write(end, len);
    size_t head_len = (size_t)(end - head);
    uint8_t *start = self->data + HEAD_MAX - head_len;
    memcpy(start, head, head_len);
    return sink->put(sink, start, (size_t)(self->pos - start));
}
