#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>

#include "sdk/base/buf.h"
#include "sdk/ftrace/format.h"
#include "tests/support/leaks.h"

#define COMMON                                                                                     \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                 \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define HEAD(name, id) "name: " name "\nID: " id "\nformat:\n" COMMON

Test(format, reads_names_offsets_and_the_common_fields)
{
    struct orma_arena arena = {0};
    struct orma_ftrace_format f;
    const char *text =
        HEAD("sched_thing", "314") "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
                                   "\tfield:u64 when;\toffset:16;\tsize:8;\tsigned:0;\n"
                                   "\nprint fmt: \"field:bogus x;\", REC->pid\n";

    cr_assert_eq(orma_ftrace_format_parse(&arena, orma_str_from(text), 8, &f), 0);
    cr_assert_str_eq(f.name, "sched_thing");
    cr_assert_eq(f.id, 314);
    cr_assert_eq(f.fields_num, 2);
    cr_assert_eq(f.common_pid_offset, 4);
    cr_assert_eq(f.common_flags_offset, 2);
    cr_assert_eq(f.size, 24);
    cr_assert_eq(f.odd_lines, 0);
    cr_assert_eq(orma_ftrace_format_field(&f, "when")->offset, 16);
    cr_assert_null(orma_ftrace_format_field(&f, "common_pid"));
    orma_arena_fini(&arena);
    orma_assert_no_leaks();
}

Test(format, tells_the_kind_of_a_field_from_its_declaration)
{
    static const struct {
        const char *decl;
        unsigned size;
        int is_signed;
        enum orma_ftrace_kind kind;
        unsigned elem, count;
    } cases[] = {
        {"char comm[16]", 16, 0, ORMA_FTRACE_KIND_CHARS, 0, 0},
        {"char prev_comm[TASK_COMM_LEN]", 16, 0, ORMA_FTRACE_KIND_CHARS, 0, 0},
        {"char buf[]", 0, 0, ORMA_FTRACE_KIND_CHARS_TO_END, 0, 0},
        {"char buf", 0, 0, ORMA_FTRACE_KIND_CHARS_TO_END, 0, 0},
        {"__data_loc char[] name", 4, 0, ORMA_FTRACE_KIND_LOC_CHARS, 0, 0},
        {"__rel_loc char[] name", 4, 0, ORMA_FTRACE_KIND_LOC_CHARS, 0, 0},
        {"__data_loc u8[] mac", 4, 0, ORMA_FTRACE_KIND_LOC_ARRAY, 1, 0},
        {"__data_loc unsigned char[] mac", 4, 0, ORMA_FTRACE_KIND_LOC_ARRAY, 1, 0},
        {"__data_loc unsigned long[] mask", 4, 0, ORMA_FTRACE_KIND_LOC_ARRAY, 8, 0},
        {"__data_loc cpumask_t mask", 4, 0, ORMA_FTRACE_KIND_LOC_ARRAY, 8, 0},
        {"__data_loc char[] name", 8, 0, ORMA_FTRACE_KIND_OPAQUE, 0, 0},
        {"unsigned long args[6]", 48, 0, ORMA_FTRACE_KIND_ARRAY, 8, 6},
        {"u8 saddr[4]", 4, 0, ORMA_FTRACE_KIND_ARRAY, 1, 4},
        {"unsigned char h_dest[ETH_ALEN]", 6, 0, ORMA_FTRACE_KIND_ARRAY, 1, 6},
        {"u32 buf[]", 0, 0, ORMA_FTRACE_KIND_ARRAY_TO_END, 4, 0},
        {"struct odd things[3]", 24, 0, ORMA_FTRACE_KIND_ARRAY, 8, 3},
        {"struct odd things[5]", 24, 0, ORMA_FTRACE_KIND_OPAQUE, 0, 0},
        {"const char * name", 8, 0, ORMA_FTRACE_KIND_PRINTK, 0, 0},
        {"char *name", 8, 0, ORMA_FTRACE_KIND_PRINTK, 0, 0},
        {"void * function", 8, 0, ORMA_FTRACE_KIND_SYMBOL, 0, 0},
        {"void* caller", 8, 0, ORMA_FTRACE_KIND_SYMBOL, 0, 0},
        {"const void * ptr", 8, 0, ORMA_FTRACE_KIND_UINT, 0, 0},
        {"struct file_lock * fl", 8, 0, ORMA_FTRACE_KIND_UINT, 0, 0},
        {"bool write", 1, 0, ORMA_FTRACE_KIND_BOOL, 0, 0},
        {"ino_t ino", 8, 0, ORMA_FTRACE_KIND_INODE, 0, 0},
        {"dev_t dev", 4, 0, ORMA_FTRACE_KIND_DEV, 0, 0},
        {"pid_t pid", 4, 1, ORMA_FTRACE_KIND_PID, 0, 0},
        {"pid_t pid", 8, 0, ORMA_FTRACE_KIND_UINT, 0, 0},
        {"int ret", 4, 1, ORMA_FTRACE_KIND_INT, 0, 0},
        {"enum zone_type idx", 4, 0, ORMA_FTRACE_KIND_UINT, 0, 0},
        {"struct thing t", 12, 0, ORMA_FTRACE_KIND_OPAQUE, 0, 0},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_arena arena = {0};
        struct orma_ftrace_format f;
        char text[1024];

        snprintf(text, sizeof(text),
                 HEAD("e", "1") "\tfield:%s;\toffset:8;\tsize:%u;\tsigned:%d;\n", cases[i].decl,
                 cases[i].size, cases[i].is_signed);
        cr_assert_eq(orma_ftrace_format_parse(&arena, orma_str_from(text), 8, &f), 0, "%s",
                     cases[i].decl);
        cr_assert_eq(f.fields_num, 1, "%s", cases[i].decl);
        cr_expect_eq(f.fields[0].kind, cases[i].kind, "%s: kind %u", cases[i].decl,
                     f.fields[0].kind);
        if (cases[i].elem)
            cr_expect_eq(f.fields[0].elem_size, cases[i].elem, "%s", cases[i].decl);
        if (cases[i].count)
            cr_expect_eq(f.fields[0].count, cases[i].count, "%s", cases[i].decl);
        orma_arena_fini(&arena);
    }
    orma_assert_no_leaks();
}

Test(format, leaves_out_and_counts_lines_that_make_no_sense)
{
    struct orma_arena arena = {0};
    struct orma_ftrace_format f;
    const char *text = HEAD("e", "7") "\tfield:int good;\toffset:8;\tsize:4;\tsigned:1;\n"
                                      "\tfield:;\toffset:8;\tsize:4;\tsigned:1;\n"
                                      "\tfield:int;\toffset:8;\tsize:4;\tsigned:1;\n"
                                      "\tfield:int a;\toffset:x;\tsize:4;\tsigned:1;\n"
                                      "\tfield:int a;\toffset:8;\n"
                                      "\tfield:int far;\toffset:99999;\tsize:4;\tsigned:1;\n"
                                      "\tfield:int wrap;\toffset:32000;\tsize:32000;\tsigned:1;\n"
                                      "\tfield:int x];\toffset:8;\tsize:4;\tsigned:1;\n";

    cr_assert_eq(orma_ftrace_format_parse(&arena, orma_str_from(text), 8, &f), 0);
    cr_assert_eq(f.fields_num, 1);
    cr_assert_eq(f.odd_lines, 7);
    cr_assert_eq(f.size, 12);
    orma_arena_fini(&arena);
    orma_assert_no_leaks();
}

Test(format, refuses_text_that_is_no_format)
{
    static const char *const cases[] = {"",
                                        "\n\n\n",
                                        "name: x\n",
                                        "ID: 3\n",
                                        "name: x\nID: 0\nformat:\n" COMMON,
                                        "name: x\nID: 70000\nformat:\n" COMMON,
                                        "name: x\nID: -1\nformat:\n" COMMON,
                                        "name:\nID: 1\nformat:\n" COMMON,
                                        "name: x\nID: 1\nformat:\n",
                                        "\xff\xfe\x00garbage"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_arena arena = {0};
        struct orma_ftrace_format f;

        cr_expect_eq(orma_ftrace_format_parse(&arena, orma_str_from(cases[i]), 8, &f), -EBADMSG,
                     "%zu", i);
        orma_arena_fini(&arena);
    }
    orma_assert_no_leaks();
}

Test(format, keeps_no_more_fields_than_the_limit)
{
    struct orma_arena arena = {0};
    struct orma_buf text = {0};
    struct orma_ftrace_format f;

    orma_buf_put_str(&text, HEAD("e", "1"));
    for (unsigned i = 0; i < ORMA_FTRACE_FORMAT_FIELDS_MAX + 5; i++)
        orma_buf_printf(&text, "\tfield:int f%u;\toffset:%u;\tsize:4;\tsigned:1;\n", i, 8 + 4 * i);
    cr_assert_eq(orma_ftrace_format_parse(&arena, orma_buf_str(&text), 8, &f), 0);
    cr_assert_eq(f.fields_num, ORMA_FTRACE_FORMAT_FIELDS_MAX);
    cr_assert_eq(f.odd_lines, 5);
    orma_buf_fini(&text);
    orma_arena_fini(&arena);
    orma_assert_no_leaks();
}
