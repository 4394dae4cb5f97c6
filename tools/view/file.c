#include "tools/view/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "tools/base/cli.h"
#include "tools/base/units.h"
#include "tools/view/page.h"

#define PAGE_BYTES ((uint64_t)250 << 10) /* what is in a page beside the blocks, or more */

uint64_t orma_view_file_budget(uint64_t page_bytes)
{
    return (page_bytes - PAGE_BYTES) / 4 * 3; /* 3 bytes are 4 characters */
}

static int put(void *ctx, const void *data, size_t len)
{
    const struct orma_output *file = ctx;

    return orma_fd_write_all(file->fd, data, len);
}

int orma_view_file_write(const struct orma_view *view, const struct orma_output_want *want)
{
    struct orma_output file;
    struct orma_view_totals totals = orma_view_totals(view);
    char shorter[ORMA_UNITS_TEXT_MAX];
    int r = orma_output_open(&file, want);

    if (r < 0)
        return ORMA_EXIT_FAILURE;
    r = orma_view_write_page(view, &orma_view_page, put, &file);
    if (r < 0)
        (void)orma_output_failed(&file, -r);
    r = orma_output_close(&file, r, "a timeline; open it in a browser");
    if (r < 0)
        return orma_output_exit(r);
    if (totals.grouped)
        fprintf(stderr,
                "%" PRIu64 " of %" PRIu64
                " slices are shown in groups: those shorter than %s; --exact shows all\n",
                totals.grouped, totals.slices,
                orma_units_format_duration((uint64_t)totals.group_ns, shorter));
    if (totals.merged)
        fprintf(stderr,
                "%" PRIu64 " thread states, switches and values are shown in groups of up to %s; "
                           "--exact shows all\n",
                totals.merged, orma_units_format_duration((uint64_t)totals.merged_ns, shorter));
    return ORMA_EXIT_OK;
}
