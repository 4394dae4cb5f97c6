/* Signals as something to poll for. */
#ifndef ORMA_TOOLS_BASE_SIGNALS_H
#define ORMA_TOOLS_BASE_SIGNALS_H

/*
 * Blocks `signals`, up to a 0, and returns a signalfd of them. Before threads are started. -errno,
 * with a message of `program`: without it nothing would end the command.
 */
int orma_signals_open(const char *program, const int *signals);
#endif
