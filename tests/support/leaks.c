#include "tests/support/leaks.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_LSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_LSAN 1
#endif
#endif

#ifdef HAVE_LSAN
#include <sanitizer/lsan_interface.h>
#endif

bool orma_found_leaks(void)
{
#ifdef HAVE_LSAN
    return __lsan_do_recoverable_leak_check() != 0;
#else
    return false;
#endif
}

void orma_assert_no_leaks(void)
{
    if (orma_found_leaks()) {
        fputs("memory leaked\n", stderr);
        abort(); /* criterion reports the crash as a failure of this test */
    }
}

/* ---- behind every body ---- */

void __real_criterion_internal_test_main(void (*body)(void));
void __wrap_criterion_internal_test_main(void (*body)(void));

static void (*body_of_test)(void);

static void run_and_check(void)
{
    body_of_test();
    orma_assert_no_leaks();
}

void __wrap_criterion_internal_test_main(void (*body)(void))
{
    body_of_test = body;
    __real_criterion_internal_test_main(run_and_check);
}
