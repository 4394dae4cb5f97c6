/*
 * Names of system calls by architecture: x86, x86_64, arm32, arm64.
 * Source: the interface tables of the format, through tools/gen_protos.py.
 */
#ifndef ORMA_PROTOS_TABLES_SYSCALLS_H
#define ORMA_PROTOS_TABLES_SYSCALLS_H

struct orma_syscall_table {
    const char *arch;
    unsigned names_num;
    const char *const *names; /* by number; NULL where there is none. Each begins with "sys_". */
};

extern const struct orma_syscall_table orma_syscall_tables[];
extern const unsigned orma_syscall_tables_num;

/* The table of an architecture, by the name that uname has for it, or NULL. */
const struct orma_syscall_table *orma_syscall_table_find(const char *arch);
#endif
