/* A test with an error that only valgrind sees: tests/valgrind.sh must find it. */
#include <criterion/criterion.h>
#include <stdlib.h>

Test(planted, reads_memory_that_nobody_wrote)
{
    volatile int *p = malloc(sizeof(int));

    if (*p == 0x5eed)
        cr_log_warn("chance");
    free((void *)p);
}
