/*
 * What the tests of symbols look into: it prints addresses in itself, of which the lines and the
 * functions compiled into others are known. Built with -g -O2.
 */
#include <link.h>
#include <stdint.h>
#include <stdio.h>

static volatile int sink;
static uintptr_t bias;

static int first_object(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(uintptr_t *)data = info->dlpi_addr;
    return 1; /* the program is the first one; enough */
}

/* Where it was called, as an address of the file. */
__attribute__((noinline)) static void note(const char *name)
{
    printf("%s %lx\n", name, (unsigned long)((uintptr_t)__builtin_return_address(0) - 1 - bias));
    sink++;
}

#line 1000 "sample_inner.h"
__attribute__((always_inline)) static inline void sample_innermost(int x)
{
    note("inlined");
    sink += x;
}

#line 2000 "sample_middle.h"
__attribute__((always_inline)) static inline void sample_middle(int x)
{
    sample_innermost(x + 1);
    sink++;
}

#line 3000 "sample_outer.c"
void sample_outer(int x);
__attribute__((noinline)) void sample_outer(int x)
{
    sample_middle(x);
    sink++;
}

#line 4000 "sample_plain.c"
void sample_plain(void);
__attribute__((noinline)) void sample_plain(void)
{
    note("plain");
    sink++;
}

/* As a C++ compiler would call demo::shop(int). */
void sample_shop(int x) __asm__("_ZN4demo4shopEi");
__attribute__((noinline)) void sample_shop(int x)
{
    note("shop");
    sink += x;
}

int main(int argc, char **argv)
{
    (void)argv;
    (void)dl_iterate_phdr(first_object, &bias);
    sample_outer(argc);
    sample_plain();
    sample_shop(argc);
    return 0;
}
