/* Names of symbols; test_rust_demangle.c has those of Rust. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor/symbols/demangle.h"
#include "tests/support/leaks.h"

static void expect(const char *name, const char *want)
{
    char *text = orma_demangle(name);

    cr_expect(want ? text && !strcmp(text, want) : !text, "%s: %s, not %s", name,
              text ? text : "nothing", want ? want : "nothing");
    free(text);
}

Test(demangle, what_is_no_name)
{
    static const char *const bad[] = {
        "",
        "_",
        "_R",
        "_RN",
        "_RNvC4dem",
        "_RNvC99999999999999999999a1b",
        "main",
        "_RNvC4demo",
        "_RINvC4demo1fl",
        "_RB_",
        "_RNvB_4main",
        "_RNvC4demo4mainjunk",
        "_RINvC4demo1fRL5_eE",
        "_RINvC4demo1fDNtC4demo4LikeEE",
        "_RINvC4demo1fKb2_E",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        expect(bad[i], NULL);
    expect(NULL, NULL);
    orma_assert_no_leaks();
}

/* A short name of a tree that doubles with each level, and one that is deep. */
Test(demangle, names_that_would_fill_the_memory)
{
    char name[4096] = "_RINvC1a1b";
    size_t at = strlen(name);

    for (unsigned i = 0; i < 60; i++)
        at += (size_t)snprintf(name + at, sizeof(name) - at, "TB%c_B%c_E", i ? 'a' : '7',
                               i ? 'a' : '7');
    snprintf(name + at, sizeof(name) - at, "E");
    free(orma_demangle(name));
    memcpy(name, "_RINvC1a1b", 10);
    memset(name + 10, 'S', 4000);
    memcpy(name + 4010, "lE", 3);
    expect(name, NULL);
    orma_assert_no_leaks();
}

/* The same for C++, whose demangler has no limit of its own: two letters that name the level before
 * make twice of it. Names with as many parts that do not are shown. */
Test(demangle, names_of_cxx_that_would_fill_the_memory)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char name[4096];

    if (!orma_demangle_available())
        cr_skip_test("no library with a demangler");
    for (unsigned levels = 5; levels < 36; levels += 30) {
        size_t at = (size_t)snprintf(name, sizeof(name), "_Z1f1AIiiE");

        for (unsigned i = 0; i < levels; i++)
            at += (size_t)snprintf(name + at, sizeof(name) - at, "S_IS%c_S%c_E", digits[i],
                                   digits[i]);
        char *text = orma_demangle_careful(name);
        cr_assert_eq(text != NULL, levels == 5, "%u: %s", levels, name);
        free(text);
    }
    size_t at = (size_t)snprintf(name, sizeof(name), "_Z1f1AIiiE");
    for (unsigned i = 0; i < 30; i++)
        at += (size_t)snprintf(name + at, sizeof(name) - at, "S_IS%c_iE", digits[i]);
    char *text = orma_demangle_careful(name);
    cr_assert_not_null(text, "%s", name);
    free(text);
    memset(name, 'P', sizeof(name) - 1);
    memcpy(name, "_Z1f", 4);
    name[sizeof(name) - 1] = '\0';
    name[sizeof(name) - 2] = 'i';
    free(orma_demangle_careful(name)); /* deep */
    orma_assert_no_leaks();
}

Test(demangle, names_of_cxx)
{
    if (!orma_demangle_available())
        cr_skip_test("no library with a demangler");
    expect("_ZN4demo4shopEi", "demo::shop(int)");
    expect("__ZN4demo4shopEi", "demo::shop(int)");
    expect("_ZN4demo10T$LT$A$GT$4shop17h27ae28b8a3f47fddE.llvm.54007334070978",
           "demo::T<A>::shop (.llvm.54007334070978)");
    expect("_Z", NULL);
    expect("i", NULL);
    orma_assert_no_leaks();
}
