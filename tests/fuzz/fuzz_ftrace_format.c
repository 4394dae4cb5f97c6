/*
 * Any text as a format file, and what follows the first NUL as events of that
 * format: both must be survived, and give packets that a reader understands.
 * The first byte chooses word size and encoding.
 */
#include "tests/fuzz/ftrace_plans.h"
#include "tests/support/page_builder.h"

static void translate_event(struct fuzz_translate *t, unsigned id, const uint8_t *data, size_t size)
{
    struct page_builder b = page_begin(1000);
    uint8_t event[4000] = {0};
    size_t len = ORMA_MIN(size, sizeof(event));
    struct orma_ftrace_translate_cpu cpu = {0};

    if (len)
        memcpy(event, data, len);
    event[0] = (uint8_t)id;
    event[1] = 0;
    page_data(&b, 1, event, ORMA_MAX(len, 8));
    page_end(&b);
    orma_ftrace_translate_begin(&t->translate, 0, &cpu);
    orma_ftrace_translate_page(&t->translate, b.page, sizeof(b.page));
    orma_ftrace_translate_end(&t->translate);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const groups[] = {"sched", "ftrace", "raw_syscalls", "other"};
    struct fuzz_translate t;
    struct orma_str text;
    const uint8_t *nul;

    if (!size)
        return 0;
    nul = memchr(data + 1, 0, size - 1);
    text = (struct orma_str){(const char *)data + 1, nul ? (size_t)(nul - data - 1) : size - 1};
    fuzz_translate_init(&t);
    t.translate.page_layout = (struct orma_tracefs_page_layout){8, 16};
    if (fuzz_translate_add(&t, groups[data[0] & 3], text, data[0] & 4 ? 4 : 8, data[0] & 8)) {
        for (unsigned id = 0; id < FUZZ_IDS; id++) {
            if (t.plans[id])
                translate_event(&t, id, nul ? nul + 1 : data,
                                nul ? (size_t)(data + size - nul - 1) : 0);
        }
    }
    fuzz_translate_fini(&t);
    return 0;
}
