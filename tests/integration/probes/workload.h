/*
 * For tests: keeps a machine busy in as many different ways as an ordinary
 * user can, so that many kinds of kernel events happen.
 */
#ifndef ORMA_TESTS_INTEGRATION_PROBES_WORKLOAD_H
#define ORMA_TESTS_INTEGRATION_PROBES_WORKLOAD_H

/* One round: processes, pipes, files, sockets, signals, timers, memory. Tens of milliseconds. */
void workload_round(const char *scratch_dir);
#endif
