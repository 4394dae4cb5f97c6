/*
 * The program `traced_probes`: the system producer as a process of its own.
 */
#ifndef ORMA_PROBES_DAEMON_H
#define ORMA_PROBES_DAEMON_H

/* Runs until SIGINT or SIGTERM; the exit code. Once per process. */
int orma_probes_main(int argc, char **argv);
#endif
