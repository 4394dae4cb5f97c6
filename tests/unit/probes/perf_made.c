/* Records as the kernel writes them, word by word. */
#include "tests/unit/probes/perf_made.h"

#include <criterion/criterion.h>
#include <string.h>

#include "sdk/wire/pb_reader.h"

int perf_make(struct orma_perf_plan *plan, const perf_config_t *config, char why[256])
{
    return orma_perf_plan_make(plan, config, NULL, why, 256);
}

size_t perf_sample_record(uint64_t words[PERF_WORDS])
{
    const struct perf_event_header head = {
        .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .size = PERF_WORDS * 8};
    const uint32_t pids[2] = {77, 78}, cpu[2] = {3, 0};
    const uint64_t rest[] = {1, 4242, 4, (uint64_t)PERF_CONTEXT_USER, 0x1000, 0x2000, 0x3000};

    memset(words, 0, PERF_WORDS * 8);
    memcpy(words, &head, 8);
    memcpy(words + 1, pids, 8);
    words[2] = 123456789;
    memcpy(words + 3, cpu, 8);
    memcpy(words + 4, rest, sizeof(rest));
    return PERF_WORDS * 8;
}

void perf_stacks_plan(struct orma_perf_plan *plan)
{
    Perfetto__Protos__PerfEventConfig__CallstackSampling cs = STACKS_INIT;
    perf_config_t config = CONFIG_INIT;
    char why[256];

    cs.has_user_frames = true;
    cs.user_frames = PERFETTO__PROTOS__PERF_EVENT_CONFIG__UNWIND_MODE__UNWIND_FRAME_POINTER;
    config.callstack_sampling = &cs;
    cr_assert_eq(perf_make(plan, &config, why), 0);
    cr_assert(plan->stacks);
    cr_assert_not(plan->unwind);
    cr_assert_eq(plan->leaf, ORMA_PERF_REGS_MASK != 0);
    cr_assert_eq(plan->events[0].attr.sample_stack_user, plan->leaf ? ORMA_PERF_LEAF_BYTES : 0);
}

void perf_begin(struct perf_made *m, uint32_t type, uint16_t misc)
{
    const struct perf_event_header head = {.type = type, .misc = misc};

    memcpy(m->words, &head, 8);
    m->len = 1;
}

void perf_add(struct perf_made *m, uint64_t word)
{
    m->words[m->len++] = word;
}

void perf_add_pair(struct perf_made *m, uint32_t a, uint32_t b)
{
    perf_add(m, (uint64_t)b << 32 | a);
}

void perf_add_text(struct perf_made *m, const char *text)
{
    size_t words = strlen(text) / 8 + 1;

    memset(m->words + m->len, 0, words * 8);
    memcpy(m->words + m->len, text, strlen(text));
    m->len += words;
}

struct orma_perf_record perf_finish(struct perf_made *m, const struct orma_perf_plan *plan,
                                    uint64_t time)
{
    struct orma_perf_record ret;
    struct perf_event_header head;
    bool skip;

    perf_add_pair(m, 1, 1);
    perf_add(m, time);
    perf_add_pair(m, 3, 0);
    memcpy(&head, m->words, 8);
    head.size = (uint16_t)(m->len * 8);
    memcpy(m->words, &head, 8);
    for (size_t cut = 1; cut < m->len; cut++) /* a shorter one is refused, or means less */
        (void)orma_perf_record_decode(plan, m->words, cut * 8, &ret, &skip);
    cr_assert(orma_perf_record_decode(plan, m->words, m->len * 8, &ret, &skip));
    cr_assert_not(skip);
    return ret;
}

struct orma_perf_record perf_comm(struct perf_made *m, const struct orma_perf_plan *plan,
                                  uint32_t pid, const char *name, bool exec)
{
    perf_begin(m, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
    perf_add_pair(m, pid, pid);
    perf_add_text(m, name);
    return perf_finish(m, plan, 100);
}

struct orma_perf_record perf_fork_of(struct perf_made *m, const struct orma_perf_plan *plan,
                                     uint32_t parent, uint32_t child)
{
    perf_begin(m, PERF_RECORD_FORK, 0);
    perf_add_pair(m, child, parent);
    perf_add_pair(m, child, parent);
    perf_add(m, 200);
    return perf_finish(m, plan, 200);
}

struct orma_perf_record perf_used(struct perf_made *m, const struct orma_perf_plan *plan,
                                  uint32_t tid, uint64_t ns)
{
    perf_begin(m, PERF_RECORD_READ, 0);
    perf_add_pair(m, 7, tid);
    perf_add(m, ns);
    return perf_finish(m, plan, 300);
}

struct orma_perf_record perf_mapped(struct perf_made *m, const struct orma_perf_plan *plan,
                                    uint32_t pid, uint64_t start, uint64_t len, const char *path)
{
    perf_begin(m, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
    perf_add_pair(m, pid, pid);
    perf_add(m, start);
    perf_add(m, len);
    perf_add(m, 0x1000);
    perf_add_pair(m, 8, 1);
    perf_add(m, 4711);
    perf_add(m, 0);
    perf_add(m, 5);
    perf_add_text(m, path);
    return perf_finish(m, plan, 150);
}
