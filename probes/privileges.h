/*
 * Privileges of the daemon: what it keeps of root's.
 *
 *   CAP_DAC_READ_SEARCH  walks of linux.inode_file_map, programs of probes
 *   CAP_SYS_PTRACE       /proc/PID/fd and smaps_rollup of other users
 *   CAP_SYSLOG           addresses in /proc/kallsyms, /dev/kmsg
 *   CAP_PERFMON          perf_event_open(2)
 *
 * The user stays root, since tracefs belongs to root; but nothing of root's
 * power over other users, devices and mounts is left, and no program that is
 * executed can get it back.
 */
#ifndef ORMA_PROBES_PRIVILEGES_H
#define ORMA_PROBES_PRIVILEGES_H

/* 1: dropped; 0: there was nothing to drop (not root); -errno. */
int orma_probes_drop_privileges(void);
#endif
