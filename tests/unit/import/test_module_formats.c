/* Formats of other tracers: lines to events to rows, with a file made by hand and no reader. What
 * is packed or holds other files needs one, and so do kernel switches as text: their args are
 * decoded from a bundle. */
#include <stdio.h>

#include "processor/import/formats/chrome_json.h"
#include "processor/import/formats/formats.h"
#include "processor/import/formats/systrace.h"
#include "tests/support/module.h"

/* "read 2|1 not read events of phase D", sorted as they came. */
static void put_account(struct module *r, const struct orma_account *a, struct orma_buf *ret)
{
    orma_buf_printf(ret, "read %d", (int)a->took);
    for (uint32_t i = 0; i < a->kinds.len; i++)
        orma_buf_printf(ret, "|%d %s %s at %d", (int)a->kinds.data[i].count,
                        orma_account_reason_names[a->kinds.data[i].reason],
                        orma_strpool_cstr(&r->storage.pool, a->kinds.data[i].name),
                        (int)a->kinds.data[i].first);
}

/* The balance of every file that any test loads. */
static void check_account(const struct orma_account *a)
{
    cr_assert_eq(a->units, a->took + orma_account_counted(a), "%d units", (int)a->units);
}

/* Everything in one go, events in the order in which they lie in the file. The account, in words,
 * goes to `ret_account` (may be NULL). */
static void load_counted(struct module *r, struct orma_file *f, const struct orma_format_ops *ops,
                         const char *text, struct orma_buf *ret_account)
{
    struct orma_account account = {.unit = ops->unit};
    const uint8_t *data = (const uint8_t *)text;

    *f = (struct orma_file){.imp = &r->ctx,
                            .ops = ops,
                            .account = &account,
                            .given = {.data = data, .len = strlen(text)}};
    f->state = ops->state_bytes ? calloc(1, ops->state_bytes) : NULL;
    cr_assert_eq(ops->read(f, data, strlen(text), true), strlen(text));
    cr_assert_eq(account.units - account.took - orma_account_counted(&account), f->events.num);
    for (uint32_t i = 0; i < f->events.num; i++) {
        const struct orma_item item = {
            .ts = f->events.list[i].ts,
            .data = f->events.list[i].data,
            .len = f->events.list[i].len,
            .kind = ORMA_ITEM_OTHER,
            .aux = (uint64_t)(uintptr_t)f,
        };

        f->unit_at = item.len ? item.data : NULL;
        (void)ops->parse(f, &item);
    }
    if (ops->finish)
        ops->finish(f);
    if (ops->fini && f->state)
        ops->fini(f);
    free(f->state);
    free(f->events.list);
    check_account(&account);
    if (ret_account)
        put_account(r, &account, ret_account);
    ORMA_VEC_FINI(&account.kinds);
    f->account = NULL;
}

static void load(struct module *r, struct orma_file *f, const struct orma_format_ops *ops,
                 const char *text)
{
    load_counted(r, f, ops, text, NULL);
}

Test(module_formats, each_unit_is_read_or_counted)
{
    static const struct {
        const char *what;
        const struct orma_format_ops *ops;
        const char *text, *expected;
    } cases[] = {
        {"strace", &orma_format_strace,
         "7 1.000001 read(3) = 1\nnonsense\n1.000002 read(3) = 1\n7 10:00:00 read(3) = 1\n"
         "7 1.000003 <... read res\n7 1.000004 no call\n",
         "read 1|1 damaged lines at 23|1 clock lines with another time format than the first one "
         "at 53|1 not read lines without a pid (strace -f) at 32|2 damaged non-call lines at 76"},
        {"kernel text", &orma_format_systrace,
         " a-7 ( 7) [002] d..1 1.000001: cpu_idle: state=1 cpu_id=3\n"
         " a-7 ( 7) [002] d..1 1.000002: cpu_idle: state=1\nnonsense\n"
         " a-7 ( 7) [002] d..1 1.000003: nobody_knows: x=1\n",
         "read 1|1 damaged lines at 107|1 damaged kernel events 'cpu_idle' at 58"
         "|1 not read kernel events 'nobody_knows' at 116"},
        {"collapsed stacks", &orma_format_collapsed, "a;b 2\n# remark\n\na;c x\n",
         "read 1|1 damaged lines at 16"},
        {"ninja", &orma_format_ninja, "# ninja log v5\n1\t2\t0\ta\tff\n2\t1\t0\tb\tff\n",
         "read 1|1 damaged lines at 26"},
        {"logcat", &orma_format_logcat,
         "--------- beginning of main\n01-01 10:00:00.000  1  2 I tag: text\nnonsense\n",
         "read 1|1 damaged lines at 65"},
        {"events of JSON", &orma_format_json,
         "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"name\":\"a\"},"
         "{\"ph\":\"D\",\"pid\":1,\"ts\":2,\"name\":\"o\"},{\"ts\":3,\"name\":\"p\"},"
         "{\"ph\":\"i\",\"ts\":\"x\"},{\"ph\":\"C\",\"pid\":1,\"ts\":4,\"name\":\"c\"},{]},{},"
         "{\"ph\":\"M\",\"pid\":1,\"name\":\"other\",\"args\":{}},"
         "{\"ph\":\"D\",\"pid\":1,\"ts\":-5,\"name\":\"o\"}]",
         "read 2"
         "|1 damaged events without a phase at 91"
         "|1 damaged events without a valid time at 111"
         "|1 damaged events at -1"
         "|1 clock events with a time before zero at 219"
         "|1 not read events of phase D at 54"
         "|1 damaged events of phase C at -1"
         "|1 not read metadata events 'other' at -1"},
        {"members of JSON", &orma_format_json,
         "{\"traceEvents\":[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1}],"
         "\"displayTimeUnit\":\"ns\",\"samples\":[1,2],\"other\":{}}",
         "read 2"
         "|2 not read elements of the list 'samples' at -1"
         "|1 not read members 'other' at 106"},
        {"a CPU profile of V8", &orma_format_v8_cpu,
         "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"a\"}}],\"startTime\":5,"
         "\"endTime\":9,\"samples\":[1,2,1,1],\"timeDeltas\":[-9,8,1]}",
         "read 1|1 clock samples with a time before zero at 90"
         "|1 damaged samples whose node is not in the profile at 92"
         "|1 damaged samples without a time at 96"},
        {"a heap profile of V8", &orma_format_v8_heap,
         "{\"head\":{\"callFrame\":{\"functionName\":\"a\"},\"selfSize\":-1,\"id\":1,"
         "\"children\":[{\"callFrame\":{},\"selfSize\":2,\"id\":2}]},"
         "\"samples\":[{\"nodeId\":2},{\"nodeId\":3},4]}",
         "read 2|1 damaged nodes without a valid size at 8"
         "|2 not read samples whose node is not in the profile at 138"},
        {"a profile of callgrind", &orma_format_callgrind,
         "events: Ir\nfn=(1) a\n1 5\ncfn=b\ncalls=1 1\n+1 7\njump=1 3\n*\nx\n1 y\n",
         "read 2|1 not read jumps at 54|2 damaged lines at 56"},
        {"a heap profile of DHAT", &orma_format_dhat,
         "{\"dhatFileVersion\":2,\"pps\":[{\"tb\":5,\"fs\":[1]},{\"fs\":[1]},7,{}],"
         "\"ftbl\":[\"[root]\",\"0x1: a (a.c:2)\"]}",
         "read 1|2 damaged places without a value at 46|1 damaged places that are no objects at "
         "57"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct module *r = module_new(&orma_formats_module, NULL);
        struct orma_buf got = {0};
        struct orma_file f;

        load_counted(r, &f, cases[i].ops, cases[i].text, &got);
        cr_expect_str_eq(orma_buf_cstr(&got), cases[i].expected, "%s: %s", cases[i].what,
                         orma_buf_cstr(&got));
        orma_buf_fini(&got);
        module_free(r);
    }
}

Test(module_formats, calls_of_strace_are_slices_of_their_threads)
{
    struct module *r = module_new(&orma_formats_module, NULL);
    struct orma_file f;

    load(r, &f, &orma_format_strace,
         "7 1.000001 read(3, \"a\", 10) = 1 <0.000012>\n"
         "7 1.000020 futex(0x1, FUTEX_WAIT <unfinished ...>\n"
         "[pid     8] 1.000025 close(3) = 0\n"
         "7 1.000029 <... futex resumed>) = 0 <0.000009>\n"
         "7 1.000030 +++ exited with 0 +++\n");
    module_expect(r, ORMA_TABLE_SLICE, "ts dur name track_id.utid.tid {arg_set_id}",
                  "1000001000 12000 read 7 args='3, \"a\", 10',ret=1\n"
                  "1000020000 9000 futex 7 args='0x1, FUTEX_WAIT',ret=0\n"
                  "1000025000 0 close 8 args=3,ret=0\n");
    module_free(r);
}

Test(module_formats, lines_of_strace_that_cannot_be_read_are_damage)
{
    static const struct {
        const char *text;
        enum orma_stat stat;
        bool damaged;
    } cases[] = {
        {"1.000001 read() = 0\n", ORMA_STAT_STRACE_MISSING_PID, false},
        {"7 1.000001 --- SIGTERM ---\n7 12:00:01 read() = 0\n",
         ORMA_STAT_STRACE_UNSUPPORTED_TIMESTAMP_FORMAT, false},
        {"7 hello\n", ORMA_STAT_STRACE_PARSE_FAILURE, true},
        {"\xff\xfe\n", ORMA_STAT_STRACE_PARSE_FAILURE, true},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct module *r = module_new(&orma_formats_module, NULL);
        struct orma_file f;

        module_add_reader(r);
        load(r, &f, &orma_format_strace, cases[i].text);
        cr_assert_eq(r->storage.stats[0].single[cases[i].stat], 1, "%s", cases[i].text);
        cr_assert_eq(f.damage.to - f.damage.from, cases[i].damaged ? strlen(cases[i].text) - 1 : 0,
                     "%s", cases[i].text);
        module_expect(r, ORMA_TABLE_SLICE, "ts", "");
        module_free(r);
    }
}

/*  worker 1:  0 [== a ==] 100   100 [ d ] 110
 *  worker 2:    50 [== b c ==] 200              */
Test(module_formats, commands_of_a_build_lie_on_as_many_workers_as_ran_at_once)
{
    struct module *r = module_new(&orma_formats_module, NULL);
    struct orma_file f;

    load(r, &f, &orma_format_ninja,
         "# ninja log v5\n"
         "0\t100\t0\ta\t1\n"
         "50\t200\t0\tb\t2\n"
         "50\t200\t0\tc\t2\n"
         "100\t110\t0\td\t3\n"
         "9\t8\t0\te\t4\n");
    module_expect(r, ORMA_TABLE_SLICE, "ts dur name track_id.utid.tid",
                  "0 100000000 a 1\n"
                  "50000000 150000000 'b c' 2\n"
                  "100000000 10000000 d 1\n");
    cr_assert_eq(module_stat(r, NINJA_PARSE_ERRORS), 1);
    module_free(r);
}

static void json_event(struct module *r, int64_t ts, const char *text)
{
    struct orma_account account = {.unit = "event"};
    struct orma_file f = {.imp = &r->ctx, .account = &account};
    struct orma_json_scratch scratch = {0};

    cr_assert(orma_json_event_read(orma_str_from(text), &scratch.event));
    orma_json_event_intern(&r->ctx, &scratch.event, &scratch.text);
    orma_json_event_parse(&f, ts, &scratch);
    orma_json_event_scratch_fini(&scratch);
}

Test(module_formats, events_in_json_are_slices_counters_and_names)
{
    struct module *r = module_new(&orma_formats_module, NULL);

    json_event(r, 10,
               "{\"ph\":\"B\",\"pid\":7,\"tid\":8,\"ts\":0,\"name\":\"a\",\"cat\":\"c\","
               "\"args\":{\"n\":[1,{\"x\":\"y\"}]}}");
    json_event(r, 20, "{\"ph\":\"X\",\"pid\":7,\"tid\":8,\"ts\":0,\"dur\":0.005,\"name\":\"b\"}");
    json_event(r, 40, "{\"ph\":\"E\",\"pid\":7,\"tid\":8,\"ts\":0}");
    json_event(r, 50, "{\"ph\":\"C\",\"pid\":7,\"ts\":0,\"name\":\"m\",\"args\":{\"v\":2.5}}");
    json_event(r, 50,
               "{\"ph\":\"M\",\"pid\":7,\"tid\":8,\"name\":\"thread_name\","
               "\"args\":{\"name\":\"main\"}}");
    module_finish(r);
    module_expect(r, ORMA_TABLE_SLICE, "ts dur depth category name track_id.utid.name {arg_set_id}",
                  "10 30 0 c a main args.n[0]=1,args.n[1].x=y\n"
                  "20 5 1 - b main -\n");
    module_expect(r, ORMA_TABLE_COUNTER, "ts value track_id.name", "50 2.5 'm v'\n");
    module_free(r);
}

Test(module_formats, args_in_json_have_the_keys_of_their_own_event)
{
    static const char *const args[] = {
        "{\"a\":[1,{\"b\":2}],\"c\":3}", "{\"a\":[1,{\"b\":2}],\"c\":3}", "{\"a\":[1,2],\"d\":3}",
        "{\"a[x\":{\"y]z\":[1]},\"e]\":2}", "{\"a\":[1,{\"b\":2}],\"c\":3}"};
    struct module *r = module_new(&orma_formats_module, NULL);
    struct orma_account account = {.unit = "event"};
    struct orma_file f = {.imp = &r->ctx, .account = &account};
    struct orma_json_scratch scratch = {0};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(args); i++) {
        char text[200];

        snprintf(text, sizeof(text), "{\"ph\":\"B\",\"tid\":%u,\"args\":%s}", i + 1, args[i]);
        cr_assert(orma_json_event_read(orma_str_from(text), &scratch.event));
        orma_json_event_intern(&r->ctx, &scratch.event, &scratch.text);
        orma_json_event_parse(&f, 0, &scratch);
    }
    orma_json_event_scratch_fini(&scratch);
    module_finish(r);
    module_expect(r, ORMA_TABLE_SLICE, "{arg_set_id}",
                  "args.a[0]=1,args.a[1].b=2,args.c=3\n"
                  "args.a[0]=1,args.a[1].b=2,args.c=3\n"
                  "args.a[0]=1,args.a[1]=2,args.d=3\n"
                  "args.a[x.y]z[0]=1,args.e]=2\n"
                  "args.a[0]=1,args.a[1].b=2,args.c=3\n");
    module_expect(r, ORMA_TABLE_ARGS, "flat_key",
                  "utid\nutid\nutid\nutid\nutid\n" /* of the tracks */
                  "args.a\nargs.a.b\nargs.c\nargs.a\nargs.a\nargs.d\nargs.az\nargs.e]\n");
    module_free(r);
}

Test(module_formats, kernel_events_as_text_are_handed_to_the_kernel_module)
{
    static const char *const lines[] = {
        " a-7 ( 7) [002] d..1 1.000001: cpu_frequency: state=100 cpu_id=3",
        " a-7 ( 7) [002] d..1 1.000002: tracing_mark_write: B|7|x",
        " a-7 ( 7) [002] d..1 1.000003: nobody_knows: x=1",
    };
    struct module *r = module_new(&orma_formats_module, NULL);

    for (unsigned with = 0; with < 2; with++) {
        if (with)
            module_record_calls(r); /* before, nobody was there */
        for (unsigned i = 0; i < ORMA_ARRAY_LEN(lines); i++) {
            struct orma_account account = {.unit = "line"};
            struct orma_file f = {.imp = &r->ctx, .account = &account};
            struct orma_item item = {
                .ts = i, .data = (const uint8_t *)lines[i], .len = (uint32_t)strlen(lines[i])};

            cr_assert_eq(orma_systrace_parse(&f, &item).took, i < 2);
            ORMA_VEC_FINI(&account.kinds);
        }
    }
    module_expect_calls(r, "handle 0 field=11 cpu=2\nmarker 1 pid=7 cpu=2 B|7|x\n");
    module_expect(r, ORMA_TABLE_THREAD, "tid name upid.pid", "0 swapper 0\n7 a 7\n");
    module_free(r);
}

Test(module_formats, arguments_end_at_blanks_and_the_first_of_a_key_counts)
{
    static const struct {
        const char *args, *key, *value; /* value NULL: there is none */
    } cases[] = {
        {"prev_comm=a b prev_pid=1 ==> next_comm=c d next_pid=2", "prev_comm", "a"},
        {"prev_comm=a b prev_pid=1 ==> next_comm=c d next_pid=2", "prev_pid", "1"},
        {"prev_comm=a b prev_pid=1 ==> next_comm=c d next_pid=2", "next_comm", "c"},
        {"prev_comm=a b prev_pid=1 ==> next_comm=c d next_pid=2", "name", "b"},
        {"prev_comm=a b prev_pid=1 ==> next_comm=c d next_pid=2", "pid", NULL},
        {"comm= pid=1", "comm", ""},
        {"comm", "comm", NULL},
        {"", "comm", NULL},
        {"x=1 x=2", "x", "1"},
        {"x=1=2==3", "x", "3"},
        {"=x==1", "x", "1"},
        {"clk  state=5", "name", "clk"},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_str s = {0};
        bool found = orma_systrace_arg(orma_str_from(cases[i].args), cases[i].key, &s);

        cr_assert_eq(found, cases[i].value != NULL, "%s of %s", cases[i].key, cases[i].args);
        if (found)
            cr_assert(orma_str_eq_c(s, cases[i].value), "%s is '%.*s'", cases[i].key,
                      ORMA_STR_ARG(s));
    }
}

Test(module_formats, times_of_json_are_microseconds_as_numbers_or_text)
{
    static const struct {
        const char *text;
        bool is_time;
        int64_t ns;
    } cases[] = {
        {"1", true, 1000},   {"1.5", true, 1500}, {"\"2\"", true, 2000},
        {"\"x\"", false, 0}, {"null", false, 0},  {"-1", true, -1000},
        {"[1]", false, 0},   {"1e300", false, 0}, {"9223372036854775807", false, 0},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_json j = orma_json(orma_str_from(cases[i].text));
        struct orma_json_value v;
        int64_t ns = 0;

        cr_assert(orma_json_read(&j, &v), "%s", cases[i].text);
        cr_assert_eq(orma_json_time(&v, &ns), cases[i].is_time, "%s", cases[i].text);
        if (cases[i].is_time)
            cr_assert_eq(ns, cases[i].ns, "%s", cases[i].text);
    }
}

/* Its length and its first byte are what a sample once had. */
Test(module_formats, a_line_of_the_kernel_in_json_is_no_sample_of_a_profiler)
{
    struct module *r = module_new(&orma_formats_module, NULL);
    struct orma_file f;

    load(r, &f, &orma_format_json,
         "{\"traceEvents\":[],\"systemTraceEvents\":\"\\u0000-1[0]1.0: a:bcd\"}");
    cr_assert_eq(f.events.num, 1);
    module_finish(r);
    module_expect(r, ORMA_TABLE_PROFILER_SAMPLE, "ts", "");
    module_free(r);
}

static bool same_value(const struct orma_json_value *a, const struct orma_json_value *b)
{
    return a->type == b->type && a->escaped == b->escaped && a->boolean == b->boolean &&
           a->integer == b->integer && a->raw.data == b->raw.data && a->raw.len == b->raw.len;
}

static struct orma_json_records records;

/* What comes out of a record is what went in, but for `ts`, what the ids are of, and where numbers
 * of processes and threads, and short texts stand. */
static void keep_and_get(const struct orma_json_event *event, struct orma_str text)
{
    struct orma_json_event got = {0};
    struct orma_json_sample sample;
    const void *record = orma_json_record_event(&records, event, text.data);

    cr_assert(record);
    cr_assert_eq(orma_json_record_get(record, &got, &sample), ORMA_JSON_RECORD_EVENT);
    cr_assert_eq(got.phase, event->phase, "%.*s", ORMA_STR_ARG(text));
    for (unsigned i = ORMA_JSON_EVENT_TIMES; i < ORMA_JSON_EVENT_VALUES; i++) {
        struct orma_json_value value = event->values[i];
        const struct orma_str raw = got.values[i].raw;

        if (i == ORMA_JSON_PLACE(name) || i == ORMA_JSON_PLACE(cat))
            continue;
        if (value.type == ORMA_JSON_INT ? !raw.data : orma_str_eq(value.raw, raw))
            value.raw = raw;
        cr_assert(same_value(&got.values[i], &value), "%.*s: value %u", ORMA_STR_ARG(text), i);
    }
    cr_assert_eq(got.name_id, event->name_id);
    cr_assert_eq(got.cat_id, event->cat_id);
    for (unsigned i = 1; i < ORMA_JSON_EVENT_TIMES; i++) {
        int64_t a = 0, b = 0;

        cr_assert_eq(orma_json_event_time(event, &event->values[i], &a),
                     orma_json_event_time(&got, &got.values[i], &b), "%.*s", ORMA_STR_ARG(text));
        cr_assert_eq(a, b, "%.*s: time %u", ORMA_STR_ARG(text), i);
    }
    orma_json_records_taken(&records, record);
}

/* What the shortcut makes of the text must be what the slow path makes of it. `end`: what can be
 * read behind the text. */
static void read_up_to(struct orma_str text, const char *end, struct orma_json_event *quick)
{
    static const char *const names[ORMA_JSON_EVENT_TIMES] = {"ts", "dur", "tts", "tdur"};
    struct orma_json_event slow = {0};
    const char *at = orma_json_event_take_slow(text.data, end, &slow);

    cr_assert_eq(orma_json_event_take(text.data, end, quick), at, "%.*s", ORMA_STR_ARG(text));
    if (!at)
        return;
    if (quick->args.type == ORMA_JSON_OBJECT) { /* the shortcut may know more of it */
        slow.args.boolean = quick->args.boolean;
        cr_assert(!quick->args.boolean ||
                  orma_json_event_args_are_sound(quick->args.raw.data,
                                                 quick->args.raw.data + quick->args.raw.len));
    }
    cr_assert_eq(quick->phase, slow.phase, "%.*s", ORMA_STR_ARG(text));
    cr_assert_eq(quick->members, slow.members, "%.*s", ORMA_STR_ARG(text));
    for (unsigned i = 0; i < ORMA_JSON_EVENT_VALUES; i++)
        cr_assert(same_value(&quick->values[i], &slow.values[i]), "%.*s: value %u",
                  ORMA_STR_ARG(text), i);
    for (unsigned i = 0; i < ORMA_JSON_EVENT_TIMES; i++) {
        int64_t a = 0, b = 0;

        cr_assert_eq(orma_json_event_time(quick, &quick->values[i], &a),
                     orma_json_event_time(&slow, &slow.values[i], &b), "%.*s: %s",
                     ORMA_STR_ARG(text), names[i]);
        cr_assert_eq(a, b, "%.*s: %s", ORMA_STR_ARG(text), names[i]);
    }
    quick->name_id = (uint32_t)text.len;
    slow.cat_id = (uint32_t)text.len;
    keep_and_get(quick, text);
    keep_and_get(&slow, text);
}

/* Alone, and with what follows an event in a file. */
static void read_both_ways(struct orma_str text, struct orma_json_event *quick)
{
    static const char behind[] = ",\n{\"ph\":\"X\",\"ts\":12345,\"name\":\"another\",\"args\":{"
                                 "\"a\":1}},\n{\"ph\":\"E\",\"ts\":12346,\"name\":\"another\"}";
    char both[1024];

    cr_assert_leq(text.len, sizeof(both) - sizeof(behind));
    memcpy(both, text.data, text.len);
    memcpy(both + text.len, behind, sizeof(behind) - 1);
    read_up_to((struct orma_str){both, text.len}, both + text.len + sizeof(behind) - 1, quick);
    read_up_to(text, text.data + text.len, quick);
}

static const char *const json_events[] = {
    "{\"ph\":\"X\",\"pid\":1,\"tid\":10,\"cat\":\"work\",\"name\":\"a "
    "b\",\"ts\":1639948.750,\"dur\":5.125}",
    "{ \"ph\" : \"X\" ,\n\"ts\" : 1.5 , \"dur\":\"2.25\", \"tts\":12345678, \"tdur\":0.0009 }",
    "{\"name\":\"a\\\"b\",\"ph\":\"i\",\"s\":\"t\",\"ts\":-3,\"args\":{\"x\":[1,2,{\"y\":\"}\"}]}}",
    "{\"ph\":\"s\",\"id\":\"0x1f\",\"id2\":{\"local\":1},\"bind_id\":3,\"bp\":\"e\",\"flow_in\":"
    "true,"
    "\"flow_out\":false,\"scope\":\"none of the known\",\"ts\":123456789012345678901234567890}",
    "{\"ts\":null,\"name\":null,\"ph\":null,\"ts\":4,\"name\":\"last\",\"ph\":\"B\",\"ph\":\"\","
    "\"dur\":1.}",
    "{\"ts\":1e3,\"dur\":1.2345678901234567890,\"tts\":18446744073709551616,\"pid\":-5,\"ph\":"
    "\"\\n\"}",
    "{,\"ph\":\"E\",,\"ts\":00012.3400,}",
    "{\"na\\u006de\":\"a\",\"\\u0070h\":\"\\u0058\",\"t\\u0073\":7,\"d\\\\ur\":1,\"\\u0000\":1}",
    "{\"name\":\"a\",\"ph\":\"X\",\"ts\":1691496829063459,\"dur\":4967137043423.512,\"tts\":"
    "9223372036854775.807,\"tdur\":9223372036854775.808,\"args\":[{},\"}\"],\"id\":-1}",
    "{\"name\":\"a longer one\",\"ph\":\"X\",\"ts\":999999999999999999.9,\"dur\":9999999999999999,"
    "\"tts\":0.5,\"tdur\":12345678,\"args\":{\"a\":{\"b\":[\"\\\\\",\"}\"]}},\"id\":12345678."
    "12345678}",
    "{\n    \"ph\": \"X\", \"cat\": \"cpu_op\",\n    \"name\": \"\",\n    \"pid\": 4196, \"tid\":\n"
    "\t4197 , \"ts\": 1653.0359,\n    \"dur\": 5,\n    \"args\": {\n \"External id\": 1\n }\n  }",
    "{\"ph\":\"X\",\"name\":\"n\",\"ts\":5,\"args\":{\"first of "
    "all\":[[],[1,\"}\"],[2.5]],\"second\":"
    "{\"third\":null,\"fourth\":\"a text\"},\"fifth\":true,\"sixth\":-12}}",
    "{\"ph\":\"X\",\"ts\":1712195495526907.219,\"dur\":9999999999999999.999,\"tts\":"
    "12345678901234567.1,\"tdur\":1844674407370955161.6,\"name\":\"n\"}",
    "{\"\":1,\"a\\\"b\":2,\"ph\":\"Mm\",\"ts\":999999999999999,\"tid\":\"x\",\"p\":1,\"pi\":2,"
    "\"pidx\":3}",
    "{}",
    "{\"ph\":\"X\" \"ts\":1}",
    "{\"ph\":\"X\",\"ts\":1x}",
    "{\"ph\":\"X\",\"ts\":1]",
    "[1]",
};

Test(module_formats, the_shortcut_reads_events_of_json_as_the_long_way_does)
{
    struct orma_json_event *quick = calloc(1, sizeof(*quick));

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(json_events); i++) {
        struct orma_str text = orma_str_from(json_events[i]);

        read_both_ways(text, quick);
        cr_assert_eq(orma_json_event_read(text, quick), i < 16, "%s", json_events[i]);
        for (; text.len; text.len--) { /* ends anywhere; no byte behind may be read */
            char *copy = malloc(text.len);

            memcpy(copy, text.data, text.len);
            read_both_ways((struct orma_str){copy, text.len}, quick);
            free(copy);
        }
    }
    orma_json_records_fini(&records);
    free(quick);
}

/* Behind an event with long ones, and not after some that were no such. */
Test(module_formats, long_args_are_looked_at_while_their_end_is_found)
{
#define LONG "\"a long name of an arg\":\"and a long text\",\"another one\":[1,2,3]"
    static const char *const sound = "{\"ph\":\"X\",\"ts\":1,\"args\":{" LONG "}}",
                             *const broken = "{\"ph\":\"X\",\"ts\":1,\"args\":{" LONG ",}}",
                             *const small = "{\"ph\":\"X\",\"ts\":1,\"args\":{\"a\":1}}";
#undef LONG
    const struct {
        const char *text;
        unsigned times;
        bool known; /* from the last one of them on */
    } steps[] = {{sound, 1, false},  {sound, 1, false}, {sound, 9, true},
                 {broken, 1, false}, {sound, 1, false}, {sound, 64, true},
                 {small, 2, false},  {sound, 1, false}, {sound, 1, true}};
    struct orma_json_event *event = calloc(1, sizeof(*event));

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(steps); i++) {
        char text[512];
        const size_t len = strlen(steps[i].text);

        memset(text, ' ', sizeof(text)); /* what is near the end is read in another way */
        memcpy(text, steps[i].text, len);
        for (unsigned times = steps[i].times; times; times--)
            cr_assert_eq(orma_json_event_take(text, text + sizeof(text), event), text + len);
        cr_assert_eq(event->args.boolean, steps[i].known, "step %u", i);
    }
    free(event);
}

Test(module_formats, the_shortcut_reads_damaged_events_as_the_long_way_does)
{
    static const char bytes[] = "{}[]\":,.-0189eE \n\\tspdx\xff";
    struct orma_json_event *quick = calloc(1, sizeof(*quick));
    char copy[512];
    uint32_t random = 1;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(json_events) * 3000; i++) {
        struct orma_str text = orma_str_from(json_events[i % ORMA_ARRAY_LEN(json_events)]);

        cr_assert_lt(text.len, sizeof(copy));
        memcpy(copy, text.data, text.len);
        for (unsigned changes = 1 + i % 3; changes; changes--) {
            random = random * 1664525 + 1013904223;
            copy[(random >> 16) % text.len] = bytes[(random >> 8) % (sizeof(bytes) - 1)];
        }
        read_both_ways((struct orma_str){copy, text.len}, quick);
    }
    orma_json_records_fini(&records);
    free(quick);
}
