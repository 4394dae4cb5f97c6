/*
 * A trace as one page that opens anywhere: packed, and written whole or not at all.
 */
#ifndef ORMA_TOOLS_VIEW_FILE_H
#define ORMA_TOOLS_VIEW_FILE_H
#include "processor/view/view.h"
#include "tools/output/output.h"

/* The largest page that is written unless the user says otherwise, in bytes. */
#define ORMA_VIEW_FILE_BYTES ((uint64_t)28 << 20)

/* The budget of packed blocks (orma_view_config) for a page of so many bytes. */
uint64_t orma_view_file_budget(uint64_t page_bytes);

/* What to exit with; what was written, or what is wrong, is said on stderr. */
int orma_view_file_write(const struct orma_view *view, const struct orma_output_want *want);
#endif
