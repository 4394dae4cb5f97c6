/* Probes and function graphs as users write them, and what is said of those that cannot be had. */
#include <criterion/criterion.h>
#include <string.h>

#include "probes/ftrace/functions.h"
#include "probes/ftrace/names.h"
#include "probes/ftrace/probe_args.h"
#include "tests/support/leaks.h"
#include "tests/unit/probes/ftrace_fx.h"

#define ARGS(...)                                                                                  \
    (char *[])                                                                                     \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

Test(probe_specs, arguments_become_the_kernels)
{
    static const struct {
        const char *in, *out; /* NULL: refused */
    } cases[] = {
        {"", ""},
        {"$arg2:string", " +0($arg2):string"},
        {"  file=$arg2:ustring\tdfd=$arg1:s32 ", " file=+0($arg2):ustring dfd=$arg1:s32"},
        {"filename:string", " +0(filename):string"},
        {"$comm:string", " $comm:string"},
        {"+8(%sp):x64", " +8(%sp):x64"},
        {"+0($arg1):string", " +0($arg1):string"},
        {"line=$retval:string", " line=+0($retval):string"},
        {"$arg*", " $arg*"},
        {"how->flags", " how->flags"},
        {"b=$arg1:b4@4/32", NULL},
        {"a;b", NULL},
        {"1a=$arg1", NULL},
        {"x=", NULL},
        {"$arg1:", NULL},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_buf out = {0};
        const char *why = orma_ftrace_probe_args_put(&out, orma_str_from(cases[i].in));

        cr_assert_eq(why != NULL, cases[i].out == NULL, "'%s': %s", cases[i].in, why ? why : "");
        if (!why)
            cr_assert_str_eq(out.len ? orma_buf_cstr(&out) : "", cases[i].out);
        orma_buf_fini(&out);
    }
    orma_assert_no_leaks();
}

Test(probe_specs, kernel_probes_with_arguments_are_made_and_removed)
{
    struct orma_source *s;
    struct fx f;

    fx_init(&f);
    pf_file(&f.pf, "tracing/kprobe_events", "");
    tree_event(&f.pf, "tracing", "orma_kprobes", "do_open", 60, "");
    tree_event(&f.pf, "tracing", "orma_kretprobes", "do_open__return", 61, "");
    s = fx_session(&f,
                   ARGS((char[]){"kprobe:do_open file=$arg2:string"},
                        (char[]){"kretprobe:do_open $retval:s32"}, (char[]){"kprobe:rm;x"}),
                   3);
    cr_assert_str_eq(pf_read(&f.pf, "tracing/kprobe_events"),
                     "p:orma_kprobes/do_open do_open file=+0($arg2):string\n"
                     "r1024:orma_kretprobes/do_open__return do_open $retval:s32");
    cr_assert_str_eq(pf_read(&f.pf, "tracing/events/orma_kprobes/do_open/enable"), "1");
    pf_free_source(&f.pf, s);
    cr_assert_not_null(strstr(pf_read(&f.pf, "tracing/kprobe_events"), "-:orma_kprobes/do_open"));
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

struct said {
    char text[1024];
};

static void note(void *ctx, enum orma_ftrace_name kind, const char *name)
{
    struct said *said = ctx;
    size_t len = strlen(said->text);

    snprintf(said->text + len, sizeof(said->text) - len, "%d %s\n", (int)kind, name);
}

static const char *ask(struct fx *f, struct said *said)
{
    said->text[0] = '\0';
    cr_assert_eq(orma_ftrace_unknown_names(f->pf.env.tracefs_root, &f->ftrace, note, said), 0);
    return said->text;
}

Test(probe_specs, what_the_kernel_lacks_is_said_before)
{
    struct said said;
    struct fx f;

    fx_init(&f);
    f.ftrace.has_enable_function_graph = f.ftrace.enable_function_graph = 1;
    f.ftrace.function_graph_roots = ARGS((char[]){"vfs_r*"}, (char[]){"nfs_*"});
    f.ftrace.n_function_graph_roots = 2;
    f.ftrace.ftrace_events =
        ARGS((char[]){"kprobe:do_open"}, (char[]){"usdt:/nowhere:a:b"}, (char[]){"kprobe:x $a;"});
    f.ftrace.n_ftrace_events = 3;
    pf_file(&f.pf, "tracing/available_tracers", "blk function nop\n");
    cr_assert_str_eq(ask(&f, &said), "5 graphs of its functions (CONFIG_FUNCTION_GRAPH_TRACER)\n"
                                     "5 probes of its functions (CONFIG_KPROBE_EVENTS)\n"
                                     "4 usdt:/nowhere:a:b: No such file or directory\n"
                                     "4 kprobe:x $a;: arguments are words such as "
                                     "name=$arg2:string\n");
    pf_file(&f.pf, "tracing/available_tracers", "function_graph nop\n");
    pf_file(&f.pf, "tracing/available_filter_functions", "vfs_read\nnfsd_open [nfsd]\n");
    pf_file(&f.pf, "tracing/kprobe_events", "");
    f.ftrace.n_ftrace_events = 1;
    cr_assert_str_eq(ask(&f, &said), "3 nfs_*\n");
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(probe_specs, symbols_are_whole_words)
{
    struct orma_str text = orma_str_from("ff T vfs_read\nff t open_it\t[ext4]\nff t vfs_readv");

    cr_assert(orma_ftrace_functions_has_symbol(text, "vfs_read"));
    cr_assert(orma_ftrace_functions_has_symbol(text, "vfs_readv+0x10"));
    cr_assert(orma_ftrace_functions_has_symbol(text, "ext4:open_it"));
    cr_assert_not(orma_ftrace_functions_has_symbol(text, "vfs_rea"));
    cr_assert_not(orma_ftrace_functions_has_symbol(text, "fs_read"));
    cr_assert(orma_ftrace_functions_has_symbol((struct orma_str){0}, "anything"), "not readable");
}
