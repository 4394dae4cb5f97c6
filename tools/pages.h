/*
 * Every command line that Orma has, for help, manual pages and completion.
 */
#ifndef ORMA_TOOLS_PAGES_H
#define ORMA_TOOLS_PAGES_H
#include "tools/help/help.h"

extern const struct orma_help_tables orma_help_tables;
#endif
