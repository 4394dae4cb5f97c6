/*
 * The prompt of `orma query TRACE`: SQL over several lines, commands that begin with a dot.
 *
 * A statement ends with ';' or an empty line. All results of what was typed are shown; what does
 * not fit the screen goes to a pager, and the time that is shown is without it. Ctrl-C gives up
 * what is typed, or ends the query.
 */
#ifndef ORMA_TOOLS_SHELL_PROMPT_H
#define ORMA_TOOLS_SHELL_PROMPT_H
#include "processor/processor.h"

/* Takes over the processor, which has loaded `trace`. Until the end of input; an exit code. */
int orma_shell_prompt(struct orma_processor *tp, const char *trace);
#endif
