/* Records of the kernel's sampling ring over any bytes: nothing is read past the end, what is
 * decoded points into the record. */
#include <stdlib.h>
#include <string.h>

#include "probes/perf/ring.h"

static void check(const struct orma_perf_plan *plan, const uint64_t *words, size_t len)
{
    struct orma_perf_record rec;
    bool skip;

    if (!orma_perf_record_decode(plan, words, len, &rec, &skip) || skip)
        return;
    if (rec.counts_num > ORMA_PERF_EVENTS_MAX)
        abort();
    if (rec.chain_num &&
        (rec.chain < words || rec.chain_num > (size_t)(words + len / 8 - rec.chain)))
        abort();
    const uint8_t *first = (const uint8_t *)words, *end = first + len;
    if (rec.stack_len && (rec.stack < first || rec.stack_len > (size_t)(end - rec.stack)))
        abort();
    if (rec.calls_num &&
        rec.calls_num * ORMA_PERF_CALL_WORDS > (size_t)(words + len / 8 - rec.calls))
        abort();
    if (rec.text.len && rec.text.len > (size_t)(end - (const uint8_t *)rec.text.data))
        abort();
    for (size_t i = 0; i < rec.chain_num; i++) {
        if (rec.chain[i] == 0x5eed) /* looked at, for the sanitizers */
            return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t stacks = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_PERIOD,
                          user = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    struct orma_perf_plan plan = {.stacks = size & 1};
    size_t len = size & ~(size_t)7;
    uint64_t *words = malloc(len ? len : 1); /* exactly as long: one byte further is seen */

    plan.events[0].attr.sample_type = (size & 1 ? stacks : PERF_SAMPLE_READ) |
                                      (size & 2 ? user : 0) | (size & 4 ? PERF_SAMPLE_RAW : 0) |
                                      (size & 16 ? PERF_SAMPLE_BRANCH_STACK : 0);
    plan.woken_at = 24;
    if (!words)
        return 0;
    memcpy(words, data, len);
    check(&plan, words, len);
    free(words);
    return 0;
}
