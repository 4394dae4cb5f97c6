/* Look-ups in the generated tables. */
#include <stdlib.h>
#include <string.h>

#include "protos/tables/ftrace_events.h"
#include "protos/tables/syscalls.h"

static int by_number(const void *key, const void *row)
{
    uint32_t want = *(const uint32_t *)key;
    uint32_t have = ((const struct orma_ftrace_message *)row)->number;

    return want < have ? -1 : want > have;
}

const struct orma_ftrace_message *orma_ftrace_message_find(uint32_t number)
{
    return bsearch(&number, orma_ftrace_messages, orma_ftrace_messages_num,
                   sizeof(orma_ftrace_messages[0]), by_number);
}

const struct orma_ftrace_tracepoint *orma_ftrace_tracepoint_list(unsigned *ret_num)
{
    *ret_num = orma_ftrace_tracepoints_num;
    return orma_ftrace_tracepoints;
}

const struct orma_ftrace_tracepoint *orma_ftrace_tracepoint_find(const char *group,
                                                                 const char *name)
{
    unsigned num;
    const struct orma_ftrace_tracepoint *all = orma_ftrace_tracepoint_list(&num);

    for (unsigned i = 0; i < num; i++) {
        const struct orma_ftrace_tracepoint *tp = &all[i];

        if (!strcmp(orma_ftrace_name(tp->name), name) &&
            (!group || !strcmp(orma_ftrace_name(tp->group), group)))
            return tp;
    }
    return NULL;
}

const struct orma_syscall_table *orma_syscall_table_find(const char *arch)
{
    static const struct {
        const char *uname, *table;
    } names[] = {{"x86_64", "x86_64"}, {"aarch64", "arm64"}, {"i686", "x86"},
                 {"i386", "x86"},      {"armv7l", "arm32"},  {"armv8l", "arm32"}};
    const char *table = NULL;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!strcmp(arch, names[i].uname))
            table = names[i].table;
    }
    for (unsigned i = 0; table && i < orma_syscall_tables_num; i++) {
        if (!strcmp(table, orma_syscall_tables[i].arch))
            return &orma_syscall_tables[i];
    }
    return NULL;
}
