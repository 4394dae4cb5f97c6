#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "processor/symbols/rust_demangle.h"
#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "tests/support/leaks.h"

Test(rust_demangle, names)
{
    static const char *const names[][2] = {
        {"_RNvC6_123foo3bar", "123foo::bar"},
        {"_RNvNtCs1234_4core3fmt5write", "core::fmt::write"},
        {"_RNvC1a3foo.llvm.123", "a::foo (.llvm.123)"},
        {"_RNvC1a3fooC1b", "a::foo"},
        {"_RNvC1au8gdel_5qa", "a::g\xc3\xb6"
                              "del"},
        {"_RNvC1au5fwqa", NULL},
        {"_RNCNvC4main3foo0", "main::foo::{closure#0}"},
        {"_RNCNvC4main3foos_0", "main::foo::{closure#1}"},
        {"_RNSC1as_6vtable", "a::{shim:vtable#1}"},
        {"_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<usize>"},
        {"_RNvMNtC1a1bNtB2_3Foo3new", "<a::b::Foo>::new"},
        {"_RNvXs_C1aNtB4_1TNtB4_2Tr1m", "<a::T as a::Tr>::m"},
        {"_RNvYmNtC1a2Tr1m", "<u32 as a::Tr>::m"},
        {"_RIC1aRlQhPxOySsAcj3_TEThETahEFUKCmEuE",
         "a::<&i32, &mut u8, *const i64, *mut u64, [i16], [char; 3], (), (u8,), (i8, u8), unsafe "
         "extern \"C\" fn(u32)>"},
        {"_RIC1aFK11sysv64_unwizEzE", "a::<extern \"sysv64-unwi\" fn(!) -> !>"},
        {"_RIC1aFK8a_b_cdefuEzE", "a::<extern \"a-b-cdef\" fn(()) -> !>"},
        {"_RIC1aDINtC1b1ThEp4ItemmEL_E", "a::<dyn b::T<u8, Item = u32>>"},
        {"_RIC1aDNtC1b1Tp1AmNtC1b1UEL_E", "a::<dyn b::T<A = u32> + b::U>"},
        {"_RIC1aFG_RL0_mEmE", "a::<for<'a> fn(&'a u32) -> u32>"},
        {"_RIC1aFG0_RL1_mRL0_hEuE", "a::<for<'a, 'b> fn(&'a u32, &'b u8)>"},
        {"_RIC1aKj7b_Kb1_Kc41_Kc9_Kcf6_Kln5_Ky0_Kpm", NULL},
        {"_RIC1aKj7b_Kb1_Kc41_Kc9_Kcf6_Kln5_Ky0_KpE",
         "a::<123, true, 'A', '\\t', '\\u{f6}', -5, 0, _>"},
        {"_RIC1aKo123456789abcdef01_E", "a::<0x123456789abcdef01>"},
        {"_RINvC1a1fB2_E", "a::f::<a>"},
        {"_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_"
         "ECs1iopQbuBiw2_3std",
         "alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>"},
        /* No names. */
        {"_R", NULL},
        {"_RC", NULL},
        {"_RC2a", NULL},
        {"_RC1aX", NULL},
        {"_RB_", NULL},
        {"_RNvB_1a", NULL},
        {"_RC99999999999999999999999a", NULL},
        {"_RIC1aRL0_mE", NULL},
        {"_RIC1aKb2_E", NULL},
        {"_RIC1aFGzzzzzzzzzz_mEuE", NULL},
        {"_Z3foov", NULL},
        {"", NULL},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        char *text = orma_rust_demangle(names[i][0]);

        cr_expect(names[i][1] ? text && !strcmp(text, names[i][1]) : !text, "%s: %s", names[i][0],
                  text ? text : "nothing");
        free(text);
    }
    cr_expect_null(orma_rust_demangle(NULL));
    orma_assert_no_leaks();
}

Test(rust_demangle, legacy_names)
{
    static const char *const names[][2] = {
        {"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
        {"_ZN50_$LT$r..geo..S$LT$u64$GT$$u20$as$u20$r..geo..A$GT$2go17h4444aaa5754fccc1E",
         "<r::geo::S<u64> as r::geo::A>::go"},
        {"_ZN4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "main::{{closure}}"},
        {"_ZN3a.b28$RF$$BP$$SP$$LP$$C$$u5b$$RP$17h0123456789abcdefE.llvm.12",
         "a.b::&*@(,[) (.llvm.12)"},
        {"_ZN1a1b17h0123456789abcdef", NULL},
        {"_ZN1a1b17h0123456789abcdegE", NULL},
        {"_ZN1a1b17h0000000000000001E", NULL}, /* somebody's own function */
        {"_ZN4demo4shopEi", NULL},
        {"_ZN17h0123456789abcdefE", NULL},
        {"_ZN9$u110000$17h0123456789abcdefE", NULL},
        {"_ZN5$u1b$17h0123456789abcdefE", NULL},
        {"_ZN99a17h0123456789abcdefE", NULL},
        {"_ZN0E", NULL},
        {"_ZN", NULL},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        char *text = orma_rust_demangle(names[i][0]);

        cr_expect(names[i][1] ? text && !strcmp(text, names[i][1]) : !text, "%s: %s", names[i][0],
                  text ? text : "NULL");
        free(text);
    }
    orma_assert_no_leaks();
}

/* Depth, and types that double with each reference, end with nothing. */
Test(rust_demangle, hostile_names)
{
    struct orma_buf name = {0};

    orma_buf_put_str(&name, "_RIC1a");
    for (unsigned i = 0; i < 100000; i++)
        orma_buf_put_byte(&name, 'R');
    orma_buf_put_str(&name, "mE");
    cr_expect_null(orma_rust_demangle(orma_buf_cstr(&name)));
    orma_buf_clear(&name);
    orma_buf_put_str(&name, "_RIC1aTmmE"); /* the tuple is at 4, behind "_R" */
    for (unsigned i = 0; i < 24; i++) {
        static const char digits[] =
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        size_t at = i ? 8 + 10 * (i - 1) : 4; /* of the tuple before */
        char ref[] = {'B', digits[(at - 1) / 62], digits[(at - 1) % 62], '_', '\0'};

        orma_buf_printf(&name, "T%s%sE", ref, ref);
    }
    orma_buf_put_str(&name, "E");
    cr_expect_null(orma_rust_demangle(orma_buf_cstr(&name)));
    orma_buf_fini(&name);
    orma_assert_no_leaks();
}
