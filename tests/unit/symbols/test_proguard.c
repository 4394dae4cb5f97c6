/* Mappings of ProGuard and R8. */
#include <criterion/criterion.h>
#include <errno.h>

#include "processor/symbols/proguard.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "sdk/wire/pb_reader.h"
#include "tests/support/leaks.h"

static void print_member(struct orma_pb_reader r, const char *what, struct orma_buf *out)
{
    struct orma_pb_field f;

    orma_buf_printf(out, "  %s", what);
    while (orma_pb_next(&r, &f))
        orma_buf_printf(out, " %.*s", ORMA_STR_ARG(orma_pb_str(&f)));
    orma_buf_put_byte(out, '\n');
}

static void print_class(struct orma_pb_reader r, struct orma_buf *out)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_OBFUSCATED_CLASS_OBFUSCATED_NAME)
            orma_buf_printf(out, "%.*s =", ORMA_STR_ARG(orma_pb_str(&f)));
        else if (f.id == ORMA_PB_OBFUSCATED_CLASS_DEOBFUSCATED_NAME)
            orma_buf_printf(out, " %.*s\n", ORMA_STR_ARG(orma_pb_str(&f)));
        else
            print_member(orma_pb_sub(&f),
                         f.id == ORMA_PB_OBFUSCATED_CLASS_OBFUSCATED_METHODS ? "method" : "field",
                         out);
    }
}

/* The packets as text: each begins with its package. */
static void print(const struct orma_buf *packets, struct orma_buf *out)
{
    struct orma_pb_reader r = orma_pb_reader(packets->data, packets->len);
    struct orma_pb_field packet, map, f;

    while (orma_pb_next(&r, &packet)) {
        struct orma_pb_reader p = orma_pb_sub(&packet);

        cr_assert_eq(packet.id, ORMA_PB_TRACE_PACKET);
        cr_assert(orma_pb_next(&p, &map));
        cr_assert_eq(map.id, ORMA_PB_TRACE_PACKET_DEOBFUSCATION_MAPPING);
        for (p = orma_pb_sub(&map); orma_pb_next(&p, &f);) {
            if (f.id == ORMA_PB_DEOBFUSCATION_MAPPING_PACKAGE_NAME)
                orma_buf_printf(out, "[%.*s]\n", ORMA_STR_ARG(orma_pb_str(&f)));
            else
                print_class(orma_pb_sub(&f), out);
        }
    }
}

static void expect(const char *mapping, const char *package, const char *want)
{
    struct orma_buf packets = {0}, text = {0};
    unsigned line = 0;

    cr_assert_eq(
        orma_proguard_packets(orma_str_from(mapping), orma_str_from(package), &packets, &line), 0,
        "line %u", line);
    print(&packets, &text);
    cr_expect_str_eq(orma_buf_cstr(&text), want);
    orma_buf_fini(&packets);
    orma_buf_fini(&text);
}

Test(proguard, classes_fields_and_methods)
{
    expect("# compiler: R8\n"
           "com.example.Shop -> a.b:\n"
           "# {\"id\":\"sourceFile\",\"fileName\":\"Shop.java\"}\n"
           "    int price -> a\n"
           "    12:15:void sell(int,java.lang.String):40:43 -> c\n"
           "    void <init>() -> <init>\n"
           "\r\n"
           "com.example.Cart -> a.c:\n",
           "com.example",
           "[com.example]\n"
           "a.b = com.example.Shop\n"
           "  field a com.example.Shop.price\n"
           "  method <init> com.example.Shop.<init>\n"
           "  method c com.example.Shop.sell\n"
           "a.c = com.example.Cart\n");
    expect("", "", "");
    orma_assert_no_leaks();
}

Test(proguard, one_short_name_for_several_methods)
{
    expect("x.Y -> y:\n"
           "    1:1:void same():1:1 -> a\n"
           "    2:2:void same(int):2:2 -> a\n"
           "    1:1:void one():1:1 -> b\n"
           "    2:2:void two():2:2 -> b\n"
           "    3:3:void z.Other.far():9:9 -> b\n"
           "    4:4:void home():4 -> c\n"
           "    4:4:void z.Other.inlined():4 -> c",
           "",
           "y = x.Y\n"
           "  method a x.Y.same\n"
           "  method b x.Y.[ambiguous] | z.Other.far\n"
           "  method c x.Y.home | z.Other.inlined\n");
    orma_assert_no_leaks();
}

Test(proguard, lines_that_are_none)
{
    static const struct {
        const char *text;
        unsigned line;
    } cases[] = {
        {"    int a -> b\n", 1},
        {"a.B -> c\n", 1},
        {"a.B -> c:\n  nothing\n", 2},
        {"a.B -> c:\n\n  x ->\n", 3},
        {"a.B -> :\n", 1},
        {"a.B -> c:\n  int -> b\n", 2},
        {"\x7f"
         "ELF\n",
         1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct orma_buf out = {0};
        unsigned line = 0;

        orma_buf_put_str(&out, "kept");
        cr_expect_eq(
            orma_proguard_packets(orma_str_from(cases[i].text), (struct orma_str){0}, &out, &line),
            -EBADMSG);
        cr_expect_eq(line, cases[i].line, "%s: line %u", cases[i].text, line);
        cr_expect_str_eq(orma_buf_cstr(&out), "kept");
        orma_buf_fini(&out);
    }
    orma_assert_no_leaks();
}

/* Many packets, none of them large. */
Test(proguard, large_mappings_are_cut)
{
    struct orma_buf text = {0}, out = {0};
    struct orma_pb_field packet;
    unsigned line = 0, packets = 0;

    for (unsigned i = 0; i < 20000; i++)
        orma_buf_printf(&text, "com.example.names.Class%u -> a%u:\n    int field -> a\n", i, i);
    cr_assert_eq(orma_proguard_packets(orma_buf_str(&text), ORMA_STR("p"), &out, &line), 0);
    struct orma_pb_reader r = orma_pb_reader(out.data, out.len);
    for (; orma_pb_next(&r, &packet); packets++)
        cr_expect_lt(packet.len, 300u << 10);
    cr_expect_gt(packets, 3);
    orma_buf_fini(&text);
    orma_buf_fini(&out);
    orma_assert_no_leaks();
}
