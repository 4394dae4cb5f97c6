#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/ftrace/print_filter.h"
#include "probes/ftrace/setup.h"
#include "probes/kernel/tracefs.h"
#include "sdk/ftrace/kallsyms.h"
#include "sdk/ftrace/printk.h"
#include "sdk/ftrace/symbols.h"
#include "sdk/ftrace/varint.h"
#include "tests/support/ftrace_decode.h"
#include "tests/support/leaks.h"

Test(varint, equals_the_plain_encoding)
{
    for (unsigned shift = 0; shift < 64; shift++) {
        for (int d = -1; d <= 1; d++) {
            uint64_t val = ((uint64_t)1 << shift) + (uint64_t)d;
            uint8_t a[32] = {0}, b[32] = {0}, c[32] = {0}, e[32] = {0};
            size_t len = (size_t)(orma_varint_write(a, val) - a);

            cr_expect_eq(orma_ftrace_put_varint(b, val) - b, (ptrdiff_t)len);
            cr_expect_eq(memcmp(a, b, len), 0);
            if (orma_ftrace_can_deposit())
                cr_expect_eq(orma_ftrace_put_varint_deposit(e, val) - e, (ptrdiff_t)len);
            cr_expect(!orma_ftrace_can_deposit() || memcmp(a, e, len) == 0);
            for (int deposit = 0; deposit <= orma_ftrace_can_deposit(); deposit++) {
                struct orma_ftrace_time_cache cache = {0};

                for (int again = 0; again < 2; again++) {
                    memset(c, 0, sizeof(c));
                    cr_expect_eq(orma_ftrace_put_time(c, &cache, val, deposit) - c, (ptrdiff_t)len);
                    cr_expect_eq(memcmp(a, c, len), 0);
                }
            }
        }
    }
    orma_assert_no_leaks();
}

static int read_symbols(const char *text, struct orma_kallsyms **ret)
{
    char path[] = "/tmp/kallsyms-XXXXXX";
    int fd = mkstemp(path);

    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    int r = orma_kallsyms_read(AT_FDCWD, path, ret);
    unlink(path);
    return r;
}

Test(kallsyms, finds_the_function_that_an_address_lies_in)
{
    static const char text[] = "0000000000000000 A fixed_percpu_data\n"
                               "ffffffff81000000 T _stext\n"
                               "ffffffff81000000 T startup\n"
                               "ffffffff81000100 t helper\n"
                               "ffffffff81000180 d data\n"
                               "ffffffffc0000000 t mod_fn\t[mod]\n"
                               "nonsense\nffff T\n"
                               "ffffffff81000080 W weak_fn\n";
    struct orma_kallsyms *k;

    cr_assert_eq(read_symbols(text, &k), 0);
    cr_assert_eq(orma_kallsyms_num(k), 5);
    cr_assert(orma_str_eq_c(orma_kallsyms_find(k, 0xffffffff81000000), "_stext"));
    cr_assert(orma_str_eq_c(orma_kallsyms_find(k, 0xffffffff8100007f), "_stext"));
    cr_assert(orma_str_eq_c(orma_kallsyms_find(k, 0xffffffff81000080), "weak_fn"));
    cr_assert(orma_str_eq_c(orma_kallsyms_find(k, 0xffffffff81000190), "helper"));
    cr_assert(orma_str_eq_c(orma_kallsyms_find(k, 0xffffffffc0000010), "mod_fn"));
    cr_assert_eq(orma_kallsyms_find(k, 0xffffffff80ffffff).len, 0);
    cr_assert_eq(orma_kallsyms_find(k, 0xffffffffffffffff).len, 0, "too far behind");
    orma_kallsyms_free(k);
    orma_assert_no_leaks();
}

/* Read in pieces: each line lies over the end of one, sooner or later, and the last one has no end.
 */
Test(kallsyms, reads_a_file_of_any_length)
{
    char path[] = "/tmp/kallsyms-XXXXXX", name[32];
    struct orma_kallsyms *k;
    int fd = mkstemp(path);

    cr_assert_geq(fd, 0);
    for (unsigned i = 0; i < 5000; i++)
        cr_assert_gt(dprintf(fd, "%s%016lx t function_%u", i ? "\n" : "",
                             0xffffffff81000000 + (i ^ 1) * 32ul, i),
                     0);
    close(fd);
    cr_assert_eq(orma_kallsyms_read(AT_FDCWD, path, &k), 0);
    cr_assert_eq(orma_kallsyms_num(k), 5000);
    for (unsigned i = 0; i < 5000; i++) {
        snprintf(name, sizeof(name), "function_%u", i);
        cr_expect(orma_str_eq_c(orma_kallsyms_find(k, 0xffffffff81000001 + (i ^ 1) * 32ul), name));
    }
    orma_kallsyms_free(k);
    unlink(path);
    cr_expect_eq(orma_kallsyms_read(AT_FDCWD, path, &k), -ENOENT);
    orma_assert_no_leaks();
}

/* A folder that looks like /proc, and one for the state. */
struct kept {
    char proc[32], state[32];
    int proc_fd;
};

static void write_in(const struct kept *k, const char *name, const char *text)
{
    char path[128];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", k->proc, name);
    f = fopen(path, "we");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
}

static void make_proc(struct kept *k)
{
    static const char *const dirs[] = {"sys", "sys/kernel", "sys/kernel/random"};
    char path[128];

    strcpy(k->proc, "/tmp/proc-XXXXXX");
    strcpy(k->state, "/tmp/state-XXXXXX");
    cr_assert_not_null(mkdtemp(k->proc));
    cr_assert_not_null(mkdtemp(k->state));
    for (size_t i = 0; i < ORMA_ARRAY_LEN(dirs); i++) {
        snprintf(path, sizeof(path), "%s/%s", k->proc, dirs[i]);
        cr_assert_eq(mkdir(path, 0755), 0);
    }
    write_in(k, "sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n");
    write_in(k, "modules", "mod 4096 1 - Live 0xffffffffc0000000\n");
    write_in(k, "kallsyms",
             "ffffffff81000000 T first\n"
             "ffffffff81000100 t last\n"
             "ffffffffc0000000 t mod_fn\t[mod]\n"
             "ffffffffd0000000 t bpf_prog_1\t[bpf]\n");
    k->proc_fd = open(k->proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_assert_geq(k->proc_fd, 0);
}

static void remove_proc(struct kept *k)
{
    char command[128];

    close(k->proc_fd);
    snprintf(command, sizeof(command), "rm -r %s %s", k->proc, k->state);
    cr_assert_eq(system(command), 0);
    orma_assert_no_leaks();
}

static void expect_name(const struct kept *k, uint64_t address, const char *name)
{
    struct orma_kallsyms *t;

    cr_assert_eq(orma_kallsyms_open(k->proc_fd, k->state, &t), 0);
    struct orma_str found = orma_kallsyms_find(t, address);
    cr_expect(name ? orma_str_eq_c(found, name) : !found.len, "%.*s instead of %s",
              ORMA_STR_ARG(found), name ? name : "none");
    orma_kallsyms_free(t);
}

/* What was kept answers, until the boot or the modules are others; for other code never. */
Test(kallsyms, are_kept_for_those_who_come_later)
{
    struct kept k;

    make_proc(&k);
    expect_name(&k, 0xffffffff81000010, "first");
    write_in(&k, "kallsyms",
             "ffffffff81000000 T new\n"
             "ffffffffc0000000 t new_mod_fn\t[mod]\n"
             "ffffffffd0000000 t bpf_prog_2\t[bpf]\n");
    expect_name(&k, 0xffffffff81000010, "first");
    expect_name(&k, 0xffffffffc0000010, "mod_fn");
    expect_name(&k, 0xffffffffd0000010, "bpf_prog_2");
    write_in(&k, "modules", "mod 4096 7 other, Live 0xffffffffc0000000\n");
    expect_name(&k, 0xffffffffc0000010, "mod_fn"); /* it has more users, no more */
    write_in(&k, "modules", "mod 8192 1 - Live 0xffffffffc0000000\n");
    expect_name(&k, 0xffffffffc0000010, "new_mod_fn");
    write_in(&k, "kallsyms", "ffffffff81000000 T newer\n");
    expect_name(&k, 0xffffffff81000010, "new");
    write_in(&k, "sys/kernel/random/boot_id", "99999999-2222-3333-4444-555555555555\n");
    expect_name(&k, 0xffffffff81000010, "newer");
    remove_proc(&k);
}

/* Any byte of the file may be any other, and it may end anywhere. */
Test(kallsyms, that_were_kept_may_be_damaged)
{
    char path[64], bytes[512];
    struct orma_kallsyms *t;
    struct kept k;

    make_proc(&k);
    expect_name(&k, 0xffffffff81000010, "first");
    snprintf(path, sizeof(path), "%s/kallsyms", k.state);
    FILE *f = fopen(path, "re");
    cr_assert_not_null(f);
    size_t len = fread(bytes, 1, sizeof(bytes), f);
    fclose(f);
    cr_assert(len > 100 && len < sizeof(bytes));
    for (size_t i = 0; i < 2 * len; i++) {
        char damaged[sizeof(bytes)];

        memcpy(damaged, bytes, len);
        if (i < len)
            damaged[i] = (char)~damaged[i];
        f = fopen(path, "we");
        cr_assert_not_null(f);
        fwrite(damaged, 1, i < len ? len : i - len, f);
        fclose(f);
        cr_assert_eq(orma_kallsyms_open(k.proc_fd, k.state, &t), 0);
        (void)orma_kallsyms_find(t, 0xffffffff81000110);
        (void)orma_kallsyms_find(t, 0xffffffffc0000001);
        orma_kallsyms_free(t);
    }
    remove_proc(&k);
}

/* A file that somebody else may have written, and a folder that somebody else may write to. */
Test(kallsyms, that_others_may_write_are_not_used)
{
    char path[64];
    struct kept k;

    make_proc(&k);
    expect_name(&k, 0xffffffff81000010, "first");
    write_in(&k, "kallsyms", "ffffffff81000000 T new\n");
    snprintf(path, sizeof(path), "%s/kallsyms", k.state);
    cr_assert_eq(chmod(path, 0666), 0);
    expect_name(&k, 0xffffffff81000010, "new"); /* and is written anew */
    write_in(&k, "kallsyms", "ffffffff81000000 T newer\n");
    expect_name(&k, 0xffffffff81000010, "new");
    cr_assert_eq(chmod(k.state, 0777), 0);
    expect_name(&k, 0xffffffff81000010, "newer");
    remove_proc(&k);
}

Test(kallsyms, says_when_all_addresses_are_hidden)
{
    struct orma_kallsyms *k;

    cr_assert_eq(read_symbols("0000000000000000 T _stext\n", &k), -ENOENT);
    cr_assert_eq(read_symbols("", &k), -ENOENT);
    orma_assert_no_leaks();
}

Test(symbols, gives_numbers_for_good_and_names_anew_in_each_tick)
{
    struct orma_kallsyms *k;
    struct orma_ftrace_symbols s;

    cr_assert_eq(read_symbols("ffffffff81000000 T alpha\n", &k), 0);
    orma_ftrace_symbols_init(&s, k);
    cr_assert_eq(orma_ftrace_symbols_take(&s).len, 0, "nothing was asked");
    cr_assert_eq(orma_ftrace_symbols_index(&s, 0), 0);
    cr_assert_eq(orma_ftrace_symbols_index(&s, 0xffffffff81000004), 1);
    cr_assert_eq(orma_ftrace_symbols_index(&s, 0xffff888100000000), 2, "no name, but a number");
    struct orma_str first = orma_ftrace_symbols_take(&s);
    cr_assert(memmem(first.data, first.len, "alpha", 5));
    cr_assert_eq(first.data[0], 0x68, "sequence_flags in the first packet of a tick");
    cr_assert_eq(orma_ftrace_symbols_index(&s, 0xffffffff81000004), 1);
    cr_assert_eq(orma_ftrace_symbols_take(&s).len, 0, "said before in this tick");
    orma_ftrace_symbols_tick(&s);
    cr_assert_eq(orma_ftrace_symbols_index(&s, 0xffffffff81000004), 1);
    struct orma_str again = orma_ftrace_symbols_take(&s);
    cr_assert(memmem(again.data, again.len, "alpha", 5));
    orma_ftrace_symbols_fini(&s);
    orma_kallsyms_free(k);
    orma_assert_no_leaks();
}

Test(printk, reads_addresses_and_escaped_texts)
{
    static const char text[] = "0xffffffff82000010 : \"plain\"\n"
                               "0xffffffff82000020 : \"a\\nb \\\"c\\\" \\\\\"\n"
                               "rubbish\n0x12 : no quotes\n : \"x\"\n";
    struct orma_arena arena = {0};
    struct orma_map map = {0};

    cr_assert_eq(orma_ftrace_printk_parse(&arena, orma_str_from(text), &map), 0);
    cr_assert_eq(map.len, 2);
    cr_assert_str_eq(orma_map_get_ptr(&map, 0xffffffff82000010), "plain");
    cr_assert_str_eq(orma_map_get_ptr(&map, 0xffffffff82000020), "a\nb \"c\" \\");
    orma_map_fini(&map);
    orma_arena_fini(&arena);
    orma_assert_no_leaks();
}

Test(print_filter, decides_by_the_first_rule_that_matches)
{
    typedef Perfetto__Protos__FtraceConfig__PrintFilter__Rule rule_t;
    typedef Perfetto__Protos__FtraceConfig__PrintFilter__Rule__AtraceMessage message_t;
    message_t begin = PERFETTO__PROTOS__FTRACE_CONFIG__PRINT_FILTER__RULE__ATRACE_MESSAGE__INIT;
    rule_t rules[3] = {PERFETTO__PROTOS__FTRACE_CONFIG__PRINT_FILTER__RULE__INIT,
                       PERFETTO__PROTOS__FTRACE_CONFIG__PRINT_FILTER__RULE__INIT,
                       PERFETTO__PROTOS__FTRACE_CONFIG__PRINT_FILTER__RULE__INIT};
    rule_t *list[3] = {&rules[0], &rules[1], &rules[2]};
    Perfetto__Protos__FtraceConfig__PrintFilter config =
        PERFETTO__PROTOS__FTRACE_CONFIG__PRINT_FILTER__INIT;
    struct orma_ftrace_print_filter *filter;

    begin.type = (char[]){"B"};
    begin.prefix = (char[]){"draw"};
    rules[0].match_case = PERFETTO__PROTOS__FTRACE_CONFIG__PRINT_FILTER__RULE__MATCH_ATRACE_MSG;
    rules[0].atrace_msg = &begin;
    rules[0].has_allow = rules[0].allow = 1;
    rules[1].match_case = PERFETTO__PROTOS__FTRACE_CONFIG__PRINT_FILTER__RULE__MATCH_PREFIX;
    rules[1].prefix = (char[]){"B|"};
    rules[2] = rules[1];
    rules[2].prefix = (char[]){"no"};
    config.n_rules = 3;
    config.rules = list;
    cr_assert_eq(orma_ftrace_print_filter_new(&config, &filter), 0);
    cr_assert(orma_ftrace_print_filter_allows(filter, ORMA_STR("B|12|drawFrame")));
    cr_assert_not(orma_ftrace_print_filter_allows(filter, ORMA_STR("B|12|other")));
    cr_assert_not(orma_ftrace_print_filter_allows(filter, ORMA_STR("nothing")));
    cr_assert(orma_ftrace_print_filter_allows(filter, ORMA_STR("E|12")));
    cr_assert(orma_ftrace_print_filter_allows(filter, (struct orma_str){NULL, 0}));
    orma_ftrace_print_filter_free(filter);
    rules[0].match_case = 0;
    rules[0].atrace_msg = NULL;
    cr_assert_eq(orma_ftrace_print_filter_new(&config, &filter), -EINVAL);
    cr_assert_eq(orma_ftrace_print_filter_new(NULL, &filter), 0);
    cr_assert_null(filter);
    orma_assert_no_leaks();
}

Test(tracefs, reads_statistics_of_a_ring_whatever_the_locale)
{
    static const char text[] = "entries: 129\noverrun: 7\ncommit overrun: 1\nbytes: 8492\n"
                               "oldest event ts:  5247.542531\nnow ts:  5250.000001\n"
                               "dropped events: 3\nread events: 94\nsomething new: 12\n";
    struct orma_tracefs_cpu_stats s;

    cr_assert(orma_tracefs_parse_cpu_stats(orma_str_from(text), &s));
    cr_assert_eq(s.entries, 129);
    cr_assert_eq(s.overrun, 7);
    cr_assert_eq(s.commit_overrun, 1);
    cr_assert_eq(s.bytes, 8492);
    cr_assert_eq(s.dropped, 3);
    cr_assert_eq(s.read_events, 94);
    cr_assert_float_eq(s.oldest_ts, 5247.542531, 1e-7);
    cr_assert_float_eq(s.now_ts, 5250.000001, 1e-7);
    cr_assert_not(orma_tracefs_parse_cpu_stats(ORMA_STR("garbage\n::\n"), &s));
    orma_assert_no_leaks();
}

Test(tracefs, reads_the_header_of_pages)
{
    static const char text64[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                                 "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                                 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                                 "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
    static const char text32[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                                 "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
                                 "\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n";
    struct orma_tracefs_page_layout layout;

    cr_assert(orma_tracefs_parse_header_page(orma_str_from(text64), &layout));
    cr_assert_eq(layout.commit_size, 8);
    cr_assert_eq(layout.data_offset, 16);
    cr_assert(orma_tracefs_parse_header_page(orma_str_from(text32), &layout));
    cr_assert_eq(layout.commit_size, 4);
    cr_assert_eq(layout.data_offset, 12);
    cr_assert_not(
        orma_tracefs_parse_header_page(ORMA_STR("field: local_t commit;size:99;"), &layout));
    cr_assert_not(orma_tracefs_parse_header_page(ORMA_STR(""), &layout));
    orma_assert_no_leaks();
}

Test(setup, chooses_sizes_of_rings_and_their_pieces)
{
    static const struct {
        uint32_t wish_kb;
        bool lower_bound;
        uint64_t ram_gb, want_kb;
    } cases[] = {
        {0, false, 24, 8192},     {0, false, 4, 2048},
        {512, false, 24, 512},    {512, true, 24, 8192},
        {16384, true, 24, 16384}, {1, false, 24, 4},
        {5, false, 24, 4},        {4294967295, false, 24, 4194304},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        Perfetto__Protos__FtraceConfig config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;

        config.has_buffer_size_kb = cases[i].wish_kb > 0;
        config.buffer_size_kb = cases[i].wish_kb;
        config.has_buffer_size_lower_bound = 1;
        config.buffer_size_lower_bound = cases[i].lower_bound;
        cr_expect_eq(orma_ftrace_setup_buffer_kb(&config, cases[i].ram_gb << 30, 4096),
                     cases[i].want_kb, "case %zu", i);
    }
    cr_assert_eq(orma_ftrace_setup_subbuf_kb(8192, 4096), 64);
    cr_assert_eq(orma_ftrace_setup_subbuf_kb(1024, 4096), 64);
    cr_assert_eq(orma_ftrace_setup_subbuf_kb(1020, 4096), 32);
    cr_assert_eq(orma_ftrace_setup_subbuf_kb(64, 4096), 4);
    cr_assert_eq(orma_ftrace_setup_subbuf_kb(4, 4096), 4);
    cr_assert_eq(orma_ftrace_setup_subbuf_kb(8192, 65536), 64);
    orma_assert_no_leaks();
}
