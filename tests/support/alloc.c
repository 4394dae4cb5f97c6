#include "tests/support/alloc.h"

#include <stddef.h>

#include "sdk/base/mem.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long left = -1;
static bool has_failed;

bool orma_alloc_has_failed(void)
{
    return has_failed;
}

static bool is_refused(void)
{
    if (left < 0)
        return false;
    if (left > 0) {
        left--;
        return false;
    }
    has_failed = true;
    return true;
}

void orma_alloc_fail_after(long n)
{
    left = n;
    has_failed = false;
    orma_mem_set_refusal(is_refused);
}

void *__wrap_malloc(size_t size)
{
    return is_refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return is_refused() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return is_refused() ? NULL : __real_realloc(old, size);
}
