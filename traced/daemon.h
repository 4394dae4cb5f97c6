/*
 * The program `traced`: flags, permissions of the sockets, signals. The service
 * itself is a library; this is what a process that is nothing else does with it.
 */
#ifndef ORMA_TRACED_DAEMON_H
#define ORMA_TRACED_DAEMON_H

/* Runs until SIGINT or SIGTERM; the exit code. Once per process. */
int traced_main(int argc, char **argv);
#endif
