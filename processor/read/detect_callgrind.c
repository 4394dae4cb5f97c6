/*
 * The first line may be a remark that says it. Without that, the header has no line but those that
 * the format knows, up to the names of events; the first functions may follow anywhere.
 */
#include "processor/read/detect_callgrind.h"

#include "sdk/base/defs.h"
#include "sdk/base/str.h"

/* "events: Ir" ends the search; lines before it are of these kinds. */
static bool is_header(struct orma_str line)
{
    static const char *const keys[] = {
        "version:", "creator:",   "pid:",   "thread:",  "part:",   "desc:",
        "cmd:",     "positions:", "event:", "summary:", "totals:", "trigger:"};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(keys); i++)
        if (orma_str_starts(line, orma_str_from(keys[i])))
            return true;
    return false;
}

bool orma_detect_callgrind(const uint8_t *data, size_t len)
{
    struct orma_str rest = {(const char *)data, len}, line;
    unsigned headers = 0;

    if (orma_str_starts(rest, ORMA_STR("# callgrind format")))
        return true;
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        line = orma_str_trim(line);
        if (orma_str_starts(line, ORMA_STR("events:")))
            return headers || orma_str_starts(orma_str_trim(rest), ORMA_STR("fl=")) ||
                   orma_str_starts(orma_str_trim(rest), ORMA_STR("fn="));
        if (orma_str_starts(line, ORMA_STR("creator: callgrind")))
            return true;
        if (line.len && line.data[0] != '#' && !is_header(line))
            return false;
        headers += line.len && line.data[0] != '#';
    }
    return false;
}
