#include "tools/record/command_note.h"

#include "protos/fields/common.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/wire/pb_writer.h"

#define ARGS_MAX 4096u /* bytes; a command may have megabytes of them */

static void put_args(struct orma_buf *out, char *const *argv)
{
    size_t before = out->len;

    for (; *argv && out->len - before < ARGS_MAX; argv++) {
        struct orma_str arg = orma_str_from(*argv);

        arg.len = ORMA_MIN(arg.len, ARGS_MAX);
        orma_pb_put_str(out, ORMA_PB_ORMA_COMMAND_ARGS, arg);
    }
}

void orma_record_command_put(struct orma_buf *out, const struct orma_record_command *command)
{
    size_t packet = orma_pb_begin(out, ORMA_PB_TRACE_PACKET);

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, orma_clock_boottime());
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, ORMA_PB_BUILTIN_CLOCK_BOOTTIME);
    size_t tree = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_PROCESS_TREE);
    size_t note = orma_pb_begin(out, ORMA_PB_PROCESS_TREE_ORMA_COMMAND);
    orma_pb_put_i64(out, ORMA_PB_ORMA_COMMAND_PID, command->pid);
    orma_pb_put_u64(out, ORMA_PB_ORMA_COMMAND_STARTED_NS, command->started_ns);
    put_args(out, command->argv);
    orma_pb_end(out, note);
    orma_pb_end(out, tree);
    orma_pb_end(out, packet);
}
