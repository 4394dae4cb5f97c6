/* Traces of other formats: what rows come of them, whatever the pieces they come in. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>

#include "processor/processor.h"
#include "sdk/base/buf.h"
#include "tests/support/alloc.h"
#include "tests/support/leaks.h"
#include "tests/unit/processor/formats_fx.h"

struct sample {
    const char *what, *text, *sql, *rows;
};

#define LINES(event)                                                                               \
    "# tracer: nop\n#\n"                                                                           \
    "  sh-10  (   10) [001] d..2 1.000100: " event "\n"

static const struct sample samples[] = {
    {"an end matches by name and category; what it leaves open inside ends with it",
     "[{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":1,\"name\":\"a\",\"cat\":\"x\"},"
     "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":2,\"name\":\"b\"},"
     "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":5,\"name\":\"a\",\"cat\":\"x\"},"
     "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":7}]",
     "SELECT name, ts, dur, depth FROM slice", "a|1000|4000|0\nb|2000|3000|1\n"},
    {"times are numbers or texts, with fractions of a microsecond",
     "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":\"1.0015\",\"dur\":2.5},"
     "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":5e0,\"dur\":\"1x\"},"
     "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1850244461563845.0,\"dur\":1}]",
     "SELECT name, ts, dur FROM slice",
     "[No name]|1002|2500\n[No name]|1850244461563845000|1000\n"},
    {"of slices that begin together the longer one is outside",
     "[{\"ph\":\"X\",\"pid\":1,\"ts\":1,\"dur\":2,\"name\":\"short\"},"
     "{\"ph\":\"X\",\"pid\":1,\"ts\":1,\"dur\":9,\"name\":\"long\"}]",
     "SELECT name, depth FROM slice", "long|0\nshort|1\n"},
    {"what overlaps goes to a track beside",
     "[{\"ph\":\"X\",\"pid\":1,\"ts\":1,\"dur\":5,\"name\":\"a\"},"
     "{\"ph\":\"X\",\"pid\":1,\"ts\":4,\"dur\":5,\"name\":\"b\"}]",
     "SELECT s.name, t.type FROM slice s JOIN track t ON t.id = s.track_id",
     "a|thread_execution\nb|thread_overlapping_slice\n"},
    {"args are flattened",
     "[{\"ph\":\"X\",\"pid\":1,\"ts\":1,\"dur\":5,\"args\":{\"a\":{\"b\":[1,{\"c\":\"\\u00e4\\\"\"}"
     "]},"
     "\"n\":null,\"t\":true,\"r\":-1.5}}]",
     "SELECT key, flat_key, display_value FROM args WHERE key GLOB 'args*'",
     "args.a.b[0]|args.a.b|1\nargs.a.b[1].c|args.a.b.c|\xc3\xa4\"\nargs.t|args.t|true\n"
     "args.r|args.r|-1.5\n"},
    {"async slices nest under their id, ids of a process are its own",
     "[{\"ph\":\"b\",\"pid\":1,\"ts\":1,\"name\":\"a\",\"id\":\"0x1\"},"
     "{\"ph\":\"b\",\"pid\":1,\"ts\":2,\"name\":\"b\",\"id\":\"0x1\"},"
     "{\"ph\":\"b\",\"pid\":1,\"ts\":3,\"name\":\"c\",\"id2\":{\"local\":1}},"
     "{\"ph\":\"e\",\"pid\":1,\"ts\":4,\"name\":\"b\",\"id\":\"0x1\"},"
     "{\"ph\":\"e\",\"pid\":1,\"ts\":5,\"name\":\"a\",\"id\":\"0x1\"}]",
     "SELECT s.name, s.dur, s.depth, t.type FROM slice s JOIN track t ON t.id = s.track_id",
     "a|4000|0|legacy_async_global_slice\nb|2000|1|legacy_async_global_slice\n"
     "c|-1|0|legacy_async_process_slice\n"},
    {"flows bind to what encloses them, or to what comes next",
     "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":5,\"name\":\"a\"},"
     "{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":2,\"id\":7,\"name\":\"f\"},"
     "{\"ph\":\"f\",\"pid\":1,\"tid\":2,\"ts\":3,\"id\":7,\"name\":\"f\"},"
     "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":4,\"dur\":1,\"name\":\"b\"}]",
     "SELECT o.name, i.name FROM flow f JOIN slice o ON o.id = slice_out "
     "JOIN slice i ON i.id = slice_in",
     "a|b\n"},
    {"a counter per member of its args",
     "[{\"ph\":\"C\",\"pid\":1,\"ts\":1,\"name\":\"m\",\"id\":\"i\",\"args\":{\"x\":1.5,"
     "\"y\":\"+2\",\"z\":\"q\"}}]",
     "SELECT t.name, c.value FROM counter c JOIN counter_track t ON t.id = c.track_id",
     "m id: i x|1.5\nm id: i y|2.0\n"},
    {"V8's profile becomes samples",
     "[{\"ph\":\"P\",\"name\":\"Profile\",\"pid\":1,\"tid\":1,\"ts\":1,\"id\":\"1\",\"args\":{"
     "\"data\":"
     "{\"startTime\":10}}},{\"ph\":\"P\",\"name\":\"ProfileChunk\",\"pid\":1,\"tid\":1,\"ts\":2,"
     "\"id\":\"1\",\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[{\"id\":1,\"callFrame\":"
     "{\"functionName\":\"r\"}},{\"id\":2,\"parent\":1,\"callFrame\":{\"functionName\":\"f\"}}],"
     "\"samples\":[2,1,8]},\"timeDeltas\":[1,2,3]}}}]",
     "SELECT s.ts, f.name, c.depth FROM stack_sample s JOIN stack_profile_callsite c "
     "ON c.id = s.callsite_id JOIN stack_profile_frame f ON f.id = c.frame_id",
     "11000|f|1\n13000|r|0\n"},
    {"slices that end later than time does",
     "[{\"ph\":\"X\",\"pid\":1,\"ts\":9223372036854775,\"dur\":9223372036854775,\"name\":\"a\"},"
     "{\"ph\":\"n\",\"pid\":1,\"ts\":9223372036854775,\"name\":\"b\",\"id\":\"1\"},"
     "{\"ph\":\"X\",\"pid\":1,\"ts\":1,\"dur\":1,\"tts\":-9223372036854775,\"name\":\"c\"}]",
     "SELECT name FROM slice ORDER BY name", "b\nc\n"},
    {"text of the kernel inside of JSON",
     "{\"systemTraceEvents\":\"# tracer: nop\\n sh-10 (10) [001] d..2 1.0001: "
     "tracing_mark_write: C|10|n|5\\n\",\"traceEvents\":[]}",
     "SELECT ts, value FROM counter", "1000100000|5.0\n"},
    {"a switch with a blank in a name",
     LINES("sched_switch: prev_comm=a b prev_pid=10 prev_prio=120 prev_state=D|K ==> next_comm=c "
           "next_pid=11 next_prio=100") "  c-11  (   10) [001] d..2 1.000200: sched_switch: "
                                        "prev_comm=c prev_pid=11 prev_prio=100 prev_state=S ==> "
                                        "next_comm=swapper/1 next_pid=0 next_prio=120\n",
     "SELECT s.ts, s.dur, s.end_state, t.name, s.priority FROM sched s JOIN thread t USING (utid) "
     "WHERE tid != 0",
     "1000100000|100000|S|c|100\n"},
    {"args of a switch",
     LINES("sched_switch: prev_comm=a prev_pid=10 prev_prio=120 prev_state=R+ ==> next_comm=c "
           "next_pid=11 next_prio=100"),
     "SELECT e.name, a.key, a.display_value FROM ftrace_event e JOIN args a USING (arg_set_id) "
     "WHERE key = 'next_comm'",
     "sched_switch|next_comm|c\n"},
    {"markers, with the process that they name", LINES("tracing_mark_write: B|9|x y|z"),
     "SELECT s.name, p.pid, t.tid FROM slice s JOIN thread_track k ON k.id = s.track_id "
     "JOIN thread t USING (utid) JOIN process p USING (upid)",
     "x y|z|9|10\n"},
    {"frequencies, limits and interrupts",
     LINES("cpu_frequency: state=1500 cpu_id=3") LINES("cpu_frequency_limits: min=1 max=2 cpu_id=3")
         LINES("irq_handler_entry: irq=5 name=nic"),
     "SELECT name, value FROM counter c JOIN track t ON t.id = c.track_id UNION ALL "
     "SELECT name, category FROM slice ORDER BY 1",
     "Cpu 3 Max Freq Limit|2.0\nCpu 3 Min Freq Limit|1.0\nIRQ (nic)|irq\ncpufreq|1500.0\n"},
    {"what the kernel had no room for is counted, a marker that has the word is none of it",
     LINES("tracing_mark_write: B|7|PACKET_LOST") "CPU:3 [LOST 25 EVENTS]\nCPU:1 buffer started\n",
     "SELECT name FROM slice UNION ALL SELECT name || idx || ' ' || value FROM stats "
     "WHERE name = 'ftrace_cpu_overrun_delta'",
     "PACKET_LOST\nftrace_cpu_overrun_delta3 25\n"},
    {"lines that are none are counted", LINES("x: y") "nonsense\n",
     "SELECT value FROM stats WHERE name = 'systrace_parse_failure'", "1\n"},
    {"a page with a list of processes",
     "<!DOCTYPE html>\n<html>\n<script class=\"trace-data\" type=\"application/text\">\n"
     "PROCESS DUMP\nUSER PID PPID VSZ RSS WCHAN PC S NAME COMM\n"
     "root 7 1 10 5 0 0 S /bin/seven /bin/seven -x\n"
     "USER PID TID CMD\nroot 7 7 seven main\n</script>\n"
     "<script class=\"trace-data\" type=\"application/text\">\n#  TASK-PID\n" LINES(
         "print: I|7|i") "</script>\n</html>\n",
     "SELECT p.name, s.name FROM slice s JOIN thread_track k ON k.id = s.track_id "
     "JOIN thread USING (utid) JOIN process p USING (upid)",
     "/bin/seven|i\n"},
    {"a page that ends in its trace",
     "<!DOCTYPE html>\n<html>\n<script class=\"trace-data\" type=\"application/text\">\n"
     "#  TASK-PID\n" LINES("print: I|7|i"),
     "SELECT s.name, (SELECT count(*) FROM import_account WHERE message GLOB '*truncated*') "
     "FROM slice s",
     "i|1\n"},
    {"perf script",
     "comm a  10/11 [002] 1.500000: 100 cycles: \n\t 4005d0 main+0x10 (/bin/x)\n"
     "\t 7f00 start (/lib/y)\n\n",
     "SELECT s.ts, t.tid, t.name, f.name, m.name, c.depth FROM stack_sample s "
     "JOIN stack_sample_task_context x ON x.id = s.task_context_id JOIN thread t ON t.id = x.utid "
     "JOIN stack_profile_callsite c ON c.id = s.callsite_id "
     "JOIN stack_profile_frame f ON f.id = c.frame_id JOIN stack_profile_mapping m "
     "ON m.id = f.mapping",
     "1500000000|11|comm a|main|/bin/x|2\n"},
    {"collapsed stacks", "main;a;b 3\nmain;a 4\nmain;b 5",
     "SELECT f.name, c.depth, s.value FROM __intrinsic_aggregate_sample s "
     "JOIN stack_profile_callsite c ON c.id = s.callsite_id "
     "JOIN stack_profile_frame f ON f.id = c.frame_id",
     "b|2|3.0\na|1|4.0\nb|1|5.0\n"},
    {"jobs of ninja are given to as few workers as there can have been",
     "# ninja log v5\n0\t10\t1\ta.o\tff\n0\t10\t1\tb.o\tff\n5\t20\t1\tc.o\t1\n12\t13\t1\td.o\t2\n",
     "SELECT s.name, s.dur, t.name || t.tid FROM slice s JOIN thread_track k ON k.id = s.track_id "
     "JOIN thread t USING (utid) ORDER BY s.id",
     "a.o b.o|10000000|Worker1\nc.o|15000000|Worker2\nd.o|1000000|Worker1\n"},
    {"calls that strace saw",
     "7 1700000000.000001 read(3, \"a = b\", 10) = 4 <0.000012>\n"
     "[pid 8] 1700000000.000002 futex(0x1, FUTEX_WAIT <unfinished ...>\n"
     "7 1700000000.000005 +++ exited with 0 +++\n"
     "8 1700000000.000009 <... futex resumed>) = -1 EAGAIN (x) <0.000007>\n",
     "SELECT s.ts, s.dur, s.name, t.tid, extract_arg(s.arg_set_id, 'args'), "
     "extract_arg(s.arg_set_id, 'ret') FROM slice s JOIN thread_track k ON k.id = s.track_id "
     "JOIN thread t USING (utid) ORDER BY s.id",
     "1700000000000001000|12000|read|7|3, \"a = b\", 10|4\n"
     "1700000000000002000|7000|futex|8|0x1, FUTEX_WAIT|-1 EAGAIN (x)\n"},
    {"a call whose duration was cut",
     "7 1700000000.000001 read(3) = 4 <0.000012>\n7 1700000000.000002 close(3) = 0 <0.000",
     "SELECT s.name, (SELECT message FROM import_account WHERE message GLOB '*duration*') "
     "FROM slice s",
     "read|1 duration of calls could not be read: it is malformed\n"
     "close|1 duration of calls could not be read: it is malformed\n"},
    {"messages of logcat, with and without a year",
     "--------- beginning of main\n01-02 00:00:01.500    20    21 W tag x : a: b\n"
     "2024-02-29 23:59:59.000001  1  1 E t: \n",
     "SELECT l.ts, t.tid, l.prio, l.tag, l.msg FROM __intrinsic_logs l JOIN thread t USING (utid) "
     "ORDER BY l.id",
     "86401500000000|21|5|tag x|a: b\n1709251199000001000|1|6|t|\n"},
    {"a time profile of Instruments, with references and entities",
     "<?xml version=\"1.0\"?>\n<trace-query-result><row><sample-time id=\"1\">1500</sample-time>"
     "<thread id=\"2\" fmt=\"main  0x8 (x &amp; y, pid: 9)\"><tid id=\"3\">8</tid>"
     "<process id=\"4\" fmt=\"x &amp; y (9)\"><pid id=\"5\">9</pid></process></thread>"
     "<core id=\"6\">3</core><backtrace id=\"7\"><frame id=\"8\" name=\"f&lt;T&gt;\" "
     "addr=\"0x1010\">"
     "<binary id=\"9\" UUID=\"AB-C\" load-addr=\"0x1000\" path=\"/x\"/></frame><frame id=\"10\" "
     "name=\"m\" addr=\"0x1020\"><binary ref=\"9\"/></frame></backtrace></row><row>"
     "<sample-time>2500</sample-time><thread ref=\"2\"/><core ref=\"6\"/><backtrace ref=\"7\"/>"
     "</row></trace-query-result>",
     "SELECT s.ts, t.tid, t.name, p.name, f.name, f.rel_pc, c.depth, m.name, m.build_id "
     "FROM stack_sample s JOIN stack_sample_task_context x ON x.id = s.task_context_id "
     "JOIN thread t ON t.id = x.utid JOIN process p ON p.id = x.upid "
     "JOIN stack_profile_callsite c ON c.id = s.callsite_id "
     "JOIN stack_profile_frame f ON f.id = c.frame_id JOIN stack_profile_mapping m "
     "ON m.id = f.mapping",
     "1500|8|main|x & y|f<T>|16|1|/x|abc\n2500|8|main|x & y|f<T>|16|1|/x|abc\n"},
    {"a profile of Firefox",
     "{\"meta\":{\"categories\":[{\"name\":\"C\"}]},\"threads\":[{\"name\":\"T\",\"pid\":\"5\","
     "\"tid\":6,\"stringTable\":[\"f\",\"g\",\"m\"],\"frameTable\":{\"schema\":{\"location\":0},"
     "\"data\":[[0],[1]]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0],"
     "[0,1]]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[1,1.5]]},\"markers\":{"
     "\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\":4},"
     "\"data\":[[2,1,0,2,0],[2,0,3,3,0]]}}]}",
     "SELECT s.ts, f.name FROM stack_sample s JOIN stack_profile_callsite c ON c.id = "
     "s.callsite_id "
     "JOIN stack_profile_frame f ON f.id = c.frame_id UNION ALL SELECT dur, category FROM slice",
     "1500000|g\n2000000|C\n"},
};

Test(formats, rows_are_the_same_whatever_the_pieces)
{
    static const size_t steps[] = {1, 13, 4096, 1 << 20};
    struct orma_buf got = {0};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(samples); i++) {
        const struct sample *s = &samples[i];

        for (unsigned n = 0; n < ORMA_ARRAY_LEN(steps); n++) {
            struct orma_processor *tp;

            cr_assert_eq(orma_processor_new(NULL, &tp), 0);
            cr_assert_eq(load(tp, s->text, strlen(s->text), steps[n]), 0, "%s: %s", s->what,
                         orma_processor_error(tp));
            rows(tp, s->sql, &got);
            cr_assert_str_eq(orma_buf_cstr(&got), s->rows, "%s, by %zu:\n%s", s->what, steps[n],
                             orma_buf_cstr(&got));
            orma_processor_free(tp);
        }
    }
    orma_buf_fini(&got);
    orma_assert_no_leaks();
}

/* An object that is cut off anywhere behind its first event gives the events before. */
Test(formats, a_json_object_that_is_truncated_gives_what_is_whole)
{
    static const char text[] =
        "{\"traceEvents\":[{\"ph\":\"X\",\"pid\":1,\"ts\":1,\"dur\":1,\"name\":"
        "\"a\"},{\"ph\":\"X\",\"pid\":1,\"ts\":3,\"dur\":1,\"name\":\"b\"}],"
        "\"other\":{\"x\":1}}";
    const size_t first = (size_t)(strchr(text, '}') - text) + 1;
    struct orma_buf got = {0};

    for (size_t len = first; len <= sizeof(text) - 1; len++) {
        bool second = len > first + 1 && memchr(text + first, '}', len - first);
        struct orma_processor *tp;

        cr_assert_eq(orma_processor_new(NULL, &tp), 0);
        cr_assert_eq(load(tp, text, len, 7), 0, "%zu: %s", len, orma_processor_error(tp));
        rows(tp, "SELECT name FROM slice", &got);
        cr_assert_str_eq(orma_buf_cstr(&got), second ? "a\nb\n" : "a\n", "%zu", len);
        cr_assert_eq(orma_processor_damage(tp).truncated_bytes > 0, len < sizeof(text) - 1, "%zu",
                     len);
        orma_processor_free(tp);
    }
    orma_buf_fini(&got);
    orma_assert_no_leaks();
}

/* A line that is none costs itself; it is told where it lies. The load is that of the good lines.
 */
Test(formats, damaged_lines_are_skipped_and_told)
{
    static const struct {
        const char *what, *before, *bad, *after, *sql, *rows;
    } cases[] = {
        {"kernel text", "# tracer: nop\n a-1 (1) [000] .... 1.000000: tracing_mark_write: I|1|x\n",
         "\1\2broken\nmore of it\n", " a-1 (1) [000] .... 2.000000: tracing_mark_write: I|1|y\n",
         "SELECT name FROM slice", "x\ny\n"},
        {"strace", "1 1700000000.000001 read(3) = 4 <0.000012>\n", "\1\2broken\nmore of it\n",
         "1 1700000000.100001 write(3) = 4 <0.000012>\n", "SELECT name FROM slice",
         "read\nwrite\n"},
        {"collapsed stacks", "a;b 1\na;b 1\na;b 1\n", "a;b what\na;c\n", "a;c 2\n",
         "SELECT CAST(sum(value) AS INT) FROM __intrinsic_aggregate_sample", "5\n"},
        {"logcat", "05-13 10:00:00.000  1  2 I tag: one\n", "05-13 10:\nmore of it\n",
         "05-13 10:00:01.000  1  2 I tag: two\n", "SELECT msg FROM android_logs", "one\ntwo\n"},
        {"perf script", "a 1/1 1.5: 1 cycles: \n\t1 f+0x1 (/x)\n\n", "b what\n\t1 g+0x1 (/x)\n\n",
         "a 1/1 2.5: 1 cycles: \n\t1 f+0x1 (/x)\n\n", "SELECT count(*) FROM stack_sample", "2\n"},
        {"ninja", "# ninja log v5\n1\t2\t0\ta\tb\n", "1\t2\nx\n", "3\t4\t0\tc\td\n",
         "SELECT name FROM slice ORDER BY ts", "a\nc\n"},
    };
    struct orma_buf text = {0}, got = {0};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        for (size_t step = 3; step < 10000; step += 9000) {
            struct orma_processor *tp;
            size_t bad = strlen(cases[i].bad);

            orma_buf_clear(&text);
            orma_buf_printf(&text, "%s%s%s", cases[i].before, cases[i].bad, cases[i].after);
            cr_assert_eq(orma_processor_new(NULL, &tp), 0);
            cr_assert_eq(load(tp, text.data, text.len, step), 0, "%s: %s", cases[i].what,
                         orma_processor_error(tp));
            rows(tp, cases[i].sql, &got);
            cr_assert_str_eq(orma_buf_cstr(&got), cases[i].rows, "%s: %s", cases[i].what,
                             orma_buf_cstr(&got));
            const struct orma_processor_damage d = orma_processor_damage(tp);
            cr_assert_eq(d.places, 1, "%s: %llu", cases[i].what, (unsigned long long)d.places);
            cr_assert_eq(d.first_offset, (int64_t)strlen(cases[i].before), "%s", cases[i].what);
            cr_assert(d.bytes < bad && d.bytes >= bad - 2, "%s", cases[i].what);
            cr_assert_eq(d.truncated_bytes, 0, "%s", cases[i].what);
            orma_processor_free(tp);
        }
    }
    orma_buf_fini(&text);
    orma_buf_fini(&got);
    orma_assert_no_leaks();
}

#define SLICE(name) "{\"ph\":\"X\",\"pid\":1,\"ts\":" #name ",\"dur\":1,\"name\":\"" #name "\"}"

/* Events before, behind and between broken bytes, in both forms of the file. */
Test(formats, damage_in_json_costs_what_is_broken)
{
    static const struct {
        const char *text, *rows; /* of what stands between the first event and the last */
        unsigned places;
    } bad[] = {
        {"\1\2 broken, more", "1\n9\n", 1},
        {"bro\"ken", "1\n9\n", 1},
        {"{\"ph\":\"X\" \"ts\" 3}", "1\n9\n", 1},
        {"{\"ph\":\"X\",\"name\":\"a," SLICE(3), "1\n3\n9\n", 1},
        {"{\"ph\":\"X\",\"args\":{\"a\":1," SLICE(3) "," SLICE(4), "1\n3\n4\n9\n", 1},
        {"}," SLICE(3), "1\n3\n9\n", 1},
        {"]," SLICE(3), "1\n3\n9\n", 1},
        {SLICE(3) ",{{{{[[\"", "1\n3\n9\n", 1},
        {"\"" SLICE(3) ",x", "1\n3\n9\n", 2},
        {"}, @" SLICE(3) "," SLICE(4) ":", "1\n3\n4\n9\n", 3},
    };
    struct orma_buf text = {0}, got = {0};

    for (unsigned i = 0; i < 4 * ORMA_ARRAY_LEN(bad); i++) {
        struct orma_processor *tp;
        const char *between = bad[i / 4].text;

        orma_buf_clear(&text);
        orma_buf_printf(&text, "%s" SLICE(1) ",%s," SLICE(9) "]%s",
                        i & 1 ? "{\"traceEvents\":[" : "[", between,
                        i & 1 ? ",\"other\":{\"x\":1}}" : "");
        cr_assert_eq(orma_processor_new(NULL, &tp), 0);
        cr_assert_eq(load(tp, text.data, text.len, i & 2 ? 7 : 100000), 0, "%s: %s", between,
                     orma_processor_error(tp));
        rows(tp, "SELECT name FROM slice ORDER BY ts", &got);
        cr_assert_str_eq(orma_buf_cstr(&got), bad[i / 4].rows, "%s: %s", between,
                         orma_buf_cstr(&got));
        const struct orma_processor_damage d = orma_processor_damage(tp);
        cr_assert_eq(d.places, bad[i / 4].places, "%s: %llu", between,
                     (unsigned long long)d.places);
        cr_assert_geq(d.first_offset, (int64_t)strlen(SLICE(1)), "%s", between);
        cr_assert_lt(d.first_offset + (int64_t)d.bytes, (int64_t)text.len, "%s", between);
        cr_assert_eq(d.truncated_bytes, 0, "%s", between);
        orma_processor_free(tp);
    }
    orma_buf_fini(&text);
    orma_buf_fini(&got);
    orma_assert_no_leaks();
}

/* The search for what follows damage is bounded, whatever the brackets are. */
Test(formats, brackets_in_brackets_are_no_long_work, .timeout = 60)
{
    struct orma_buf text = {0}, got = {0};
    struct orma_processor *tp;

    orma_buf_printf(&text, "[" SLICE(1));
    while (text.len < (size_t)4 << 20)
        orma_buf_printf(&text, ",{\"a\"");
    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(load(tp, text.data, text.len, 65536), 0, "%s", orma_processor_error(tp));
    rows(tp, "SELECT name FROM slice", &got);
    cr_assert_str_eq(orma_buf_cstr(&got), "1\n");
    cr_assert_gt(orma_processor_damage(tp).truncated_bytes, 0);
    orma_processor_free(tp);
    orma_buf_fini(&text);
    orma_buf_fini(&got);
    orma_assert_no_leaks();
}

Test(formats, what_cannot_be_read_says_why)
{
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"hello", "Unknown trace type provided (ERR:fmt)"},
        {"{\"traceEvents\":[{\"ph\":\"X\"", "JSON trace file is incomplete (ERR:tp-corrupt)"},
        {"{\"systemTraceEvents\":[1]}", "'systemTraceEvents'"},
        {"{\"traceEvents\":5}", "traceEvents is not a list"},
        {"{\"a\" 1}", "Failure parsing JSON"},
        {"SLOW....", "ART Method trace: trace is incomplete (ERR:tp-corrupt)"},
        {"*version\n3\nclock=thread-cpu\n*end\n", "only thread times"},
        {"\x48\x07\x12\x06\x0a\x01\x01\x12\x01\x05", "Invalid pprof: empty string table"},
        {"# ninja log v4\n", "version 5"},
        {"PK\3\4....", "zip archive is corrupt"},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(bad); i++) {
        struct orma_processor *tp;

        cr_assert_eq(orma_processor_new(NULL, &tp), 0);
        cr_assert_lt(load(tp, bad[i].text, strlen(bad[i].text), 4), 0, "%s", bad[i].text);
        cr_assert(strstr(orma_processor_error(tp), bad[i].error), "%s: %s", bad[i].text,
                  orma_processor_error(tp));
        orma_processor_free(tp);
    }
    orma_assert_no_leaks();
}

/* Whoever recorded nothing has a trace all the same. */
Test(formats, what_holds_nothing_is_no_error)
{
    static const char *const texts[] = {
        "[]",
        "{\"traceEvents\":[]}",
        "# ninja log v9\n",
        "{\"traceEvents\":[],\"systemTraceEvents\":[]}",
        "{\"traceEvents\":[],\"systemTraceEvents\":\"\"}",
        "{\"traceEvents\":[],\"stackFrames\":{}}",
        "[{\"ph\":\"X\",\"ts\":\"5a\",\"name\":\"a\"}]",
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(texts); i++) {
        struct orma_processor *tp;

        cr_assert_eq(orma_processor_new(NULL, &tp), 0);
        cr_assert_eq(load(tp, texts[i], strlen(texts[i]), 4), 0, "%s: %s", texts[i],
                     orma_processor_error(tp));
        orma_processor_free(tp);
    }
    orma_assert_no_leaks();
}

/* ---- memory ---- */

Test(formats, memory_may_run_out_anywhere, .timeout = 300)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(samples); i++) {
        bool failed = true;

        for (long n = 0; failed; n += n < 40 ? 1 : 1 + n / 16) {
            struct orma_processor *tp = NULL;
            int r;

            orma_alloc_fail_after(n);
            r = orma_processor_new(NULL, &tp);
            if (!r)
                r = load(tp, samples[i].text, strlen(samples[i].text), 4096);
            failed = orma_alloc_has_failed();
            orma_alloc_fail_after(-1);
            cr_assert(r == 0 || r == -ENOMEM || failed, "%s: %d", samples[i].what, r);
            cr_assert(failed || !r, "%s: %s", samples[i].what, tp ? orma_processor_error(tp) : "");
            orma_processor_free(tp);
        }
    }
    orma_assert_no_leaks();
}
