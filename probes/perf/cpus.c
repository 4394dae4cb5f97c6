#include "probes/perf/cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

/* Of the text, in front. */
static bool take_number(struct orma_str *text, uint32_t *ret)
{
    size_t len = 0;
    uint64_t number;

    while (len < text->len && text->data[len] >= '0' && text->data[len] <= '9')
        len++;
    if (!orma_str_to_u64((struct orma_str){text->data, len}, &number) ||
        number >= ORMA_PERF_CPUS_MAX)
        return false;
    *text = (struct orma_str){text->data + len, text->len - len};
    *ret = (uint32_t)number;
    return true;
}

static bool take_char(struct orma_str *text, char c)
{
    if (!text->len || *text->data != c)
        return false;
    *text = (struct orma_str){text->data + 1, text->len - 1};
    return true;
}

int orma_perf_cpus_parse(struct orma_perf_cpus *ret, struct orma_str text)
{
    struct orma_perf_cpus cpus = {0};
    uint32_t first, end;

    text = orma_str_trim(text);
    do {
        if (!take_number(&text, &first))
            return -EBADMSG;
        end = first;
        if (take_char(&text, '-') && (!take_number(&text, &end) || end < first))
            return -EBADMSG;
        for (uint32_t cpu = first; cpu <= end; cpu++)
            cpus.online[cpu / 64] |= UINT64_C(1) << cpu % 64;
    } while (take_char(&text, ','));
    if (text.len)
        return -EBADMSG;
    *ret = cpus;
    return 0;
}

int orma_perf_cpus_read(struct orma_perf_cpus *ret, const char *sys_root)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    char path[300];

    if ((size_t)snprintf(path, sizeof(path), "%s/devices/system/cpu/online", sys_root) >=
        sizeof(path))
        return -ENAMETOOLONG;
    int r = orma_fd_read_file(AT_FDCWD, path, 65536, &text);

    return r < 0 ? r : orma_perf_cpus_parse(ret, orma_buf_str(&text));
}
