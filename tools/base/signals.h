/* Signals as something to poll for. */
#ifndef ORMA_TOOLS_BASE_SIGNALS_H
#define ORMA_TOOLS_BASE_SIGNALS_H
#include <stdbool.h>

/* Does nohup, or who else started us, want the end of the terminal to end nothing? */
bool orma_signals_hangup_ignored(void);

/*
 * Blocks `signals`, up to a 0, and returns a signalfd of them, without a SIGHUP that is ignored.
 * Before threads are started. -errno, with a message of `program`: without it nothing would end the
 * command.
 */
int orma_signals_open(const char *program, const int *signals);
#endif
