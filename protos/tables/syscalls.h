/*
 * Names of system calls by architecture: x86, x86_64, arm32, arm64.
 * Source: the interface tables of the format, through tools/gen_protos.py.
 */
#ifndef ORMA_PROTOS_TABLES_SYSCALLS_H
#define ORMA_PROTOS_TABLES_SYSCALLS_H
#include <stddef.h>
#include <stdint.h>

struct orma_syscall_table {
    const char *arch;
    unsigned names_num;
    const uint16_t *names; /* by number; places in orma_syscall_names, 0 where there is none */
};

extern const char orma_syscall_names[];
extern const struct orma_syscall_table orma_syscall_tables[];
extern const unsigned orma_syscall_tables_num;

/* "sys_read", or NULL. */
static inline const char *orma_syscall_name(const struct orma_syscall_table *table, uint32_t number)
{
    return number < table->names_num && table->names[number] ? orma_syscall_names + table->names[number] : NULL;
}

/* The table of an architecture, by the name that uname has for it, or NULL. */
const struct orma_syscall_table *orma_syscall_table_find(const char *arch);
#endif
