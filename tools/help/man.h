/*
 * Manual pages from the tables of options, in the macros that every man reads.
 */
#ifndef ORMA_TOOLS_MAN_H
#define ORMA_TOOLS_MAN_H
#include "sdk/base/buf.h"
#include "tools/help/help.h"

void orma_help_man_put(const struct orma_help_tables *tables, const struct orma_help_page *page,
                       struct orma_buf *out);
#endif
