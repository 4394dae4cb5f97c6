/* Functions of the kernel: tables as perf keeps them, of another boot, broken, hidden, and of
 * others. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "processor/symbols/kernel.h"
#include "processor/symbols/lookup.h"
#include "sdk/base/defs.h"
#include "tests/support/leaks.h"

#define ID "0123456789abcdef0123456789abcdef01234567"

static const char table[] = "0000000000000000 A fixed_percpu_data\n"
                            "ffffffff81000000 T startup_64\n"
                            "ffffffff81000000 T _text\n"
                            "ffffffff81000100 t do_work\n"
                            "nonsense\n"
                            "ffffffff8100zz00 T broken\n"
                            "ffffffff81000300 W weak_one\n"
                            "ffffffff81000200 T read_zero\n"
                            "ffffffff81000280 D some_data\n"
                            "ffffffff81001000 T _etext\n"
                            "ffffffffc0000000 t of_a_module\t[ext4]\n"
                            "ffffffff81002000 T past_the_code";

struct scratch {
    char dir[64], path[256];
};

static struct scratch scratch_new(const char *text)
{
    struct scratch s = {.dir = "/tmp/orma-kernel-XXXXXX"};
    char folder[200];

    cr_assert(mkdtemp(s.dir));
    snprintf(folder, sizeof(folder), "%s/[kernel.kallsyms]", s.dir);
    cr_assert_eq(mkdir(folder, 0700), 0);
    snprintf(folder, sizeof(folder), "%s/[kernel.kallsyms]/" ID, s.dir);
    cr_assert_eq(mkdir(folder, 0700), 0);
    snprintf(s.path, sizeof(s.path), "%s/kallsyms", folder);
    FILE *f = fopen(s.path, "we");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    return s;
}

static void scratch_fini(const struct scratch *s)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf %s", s->dir);
    cr_assert_eq(system(command), 0);
}

/* Of a boot that had its kernel 0x5000000 further up than the table. */
static const struct orma_symbolizer_module later = {
    .path = {"[kernel.kallsyms]_text", 22}, .build_id = {ID, 40}, .load_bias = 0xffffffff86000000};

static const char *at(struct orma_lookup_kernel *k, uint64_t offset)
{
    const char *name = orma_lookup_kernel_function(k, 0xffffffff86000000 + offset);

    return name ? name : "";
}

Test(kernel, finds_functions_wherever_the_boot_put_them)
{
    struct scratch s = scratch_new(table);
    struct orma_lookup_kernel *k = NULL;

    cr_assert_eq(orma_lookup_kernel_open(s.path, &later, &k), 0);
    cr_assert_str_eq(at(k, 0), "startup_64");
    cr_assert_str_eq(at(k, 0xff), "startup_64");
    cr_assert_str_eq(at(k, 0x100), "do_work");
    cr_assert_str_eq(at(k, 0x2ff), "read_zero");
    cr_assert_str_eq(at(k, 0x300), "weak_one");
    cr_assert_str_eq(at(k, 0x1000), "");
    cr_assert_str_eq(at(k, 0x2004), "");
    cr_assert_str_eq(at(k, (uint64_t)-1), "");
    cr_assert_null(orma_lookup_kernel_function(k, 0x1000));
    orma_lookup_kernel_free(k);
    scratch_fini(&s);
}

Test(kernel, takes_no_table_without_addresses_or_the_first_symbol)
{
    struct scratch s = scratch_new("0000000000000000 T _text\n0000000000000000 T do_work\n");
    struct orma_symbolizer_module m = later;
    struct orma_lookup_kernel *k = NULL;

    cr_assert_eq(orma_lookup_kernel_open(s.path, &m, &k), -ENOENT);
    scratch_fini(&s);
    s = scratch_new(table);
    m.path = ORMA_STR("[kernel.kallsyms]_stext");
    cr_assert_eq(orma_lookup_kernel_open(s.path, &m, &k), -ENOENT);
    cr_assert_eq(orma_lookup_kernel_open("/nowhere/at/all", &m, &k), -ENOENT);
    scratch_fini(&s);
    s = scratch_new("");
    cr_assert_eq(orma_lookup_kernel_open(s.path, &later, &k), -ENOENT);
    cr_assert_null(k);
    scratch_fini(&s);
}

Test(kernel, is_looked_for_by_its_build_id_only)
{
    struct scratch s = scratch_new(table);
    struct orma_symbolizer_module m = later;
    char *found = orma_lookup_kernel_find(s.dir, &m);

    cr_assert_str_eq(found, s.path);
    free(found);
    cr_assert_eq(setenv("HOME", s.dir, 1), 0);
    cr_assert_null(orma_lookup_kernel_find("/:/usr/lib/debug", &m)); /* ~/.debug, not ~ */
    static const char *const others[] = {"", "../" ID, "0123456789ABCDEF",
                                         "1123456789abcdef0123456789abcdef01234567"};
    for (size_t i = 0; i < ORMA_ARRAY_LEN(others); i++) {
        m.build_id = orma_str_from(others[i]);
        cr_assert_null(orma_lookup_kernel_find(s.dir, &m), "%s", others[i]);
    }
    m.build_id = ORMA_STR(ID);
    m.path = ORMA_STR("/usr/bin/kernel");
    cr_assert_null(orma_lookup_kernel_find(s.dir, &m));
    scratch_fini(&s);
}

Test(kernel, answers_as_binaries_do)
{
    struct scratch s = scratch_new(table);
    struct orma_source_frame frames[ORMA_SOURCE_FRAMES_MAX];
    struct orma_lookup *lookup = orma_lookup_new();

    cr_assert_eq(orma_lookup_add(lookup, s.dir, ORMA_SYMBOLIZER_FIND), 0);
    cr_assert_eq(orma_lookup_frames(lookup, &later, 0xffffffff86000120, frames), 1);
    cr_assert_str_eq(frames[0].function, "do_work");
    cr_assert_str_eq(frames[0].file, "");
    cr_assert_eq(frames[0].line, 0);
    cr_assert_eq(orma_lookup_frames(lookup, &later, 0xffffffff86002004, frames), 0);
    cr_assert_str_eq(orma_lookup_file(lookup, &later), s.path);
    orma_lookup_free(lookup);
    scratch_fini(&s);
}
