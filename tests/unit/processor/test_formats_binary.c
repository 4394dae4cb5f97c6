/* Binary formats and containers: what rows come of them, and what damage costs. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "processor/processor.h"
#include "protos/reflect/schema.h"
#include "protos/reflect/text.h"
#include "sdk/base/buf.h"
#include "sdk/base/fd.h"
#include "tests/support/leaks.h"
#include "tests/unit/processor/formats_fx.h"

/* ---- bytes ---- */

/* The sample comes before what it refers to. */
static const char simpleperf[] = "SIMPLEPERF\x01\0"
                                 "\x16\0\0\0\x0a\x14\x08\x05\x10\x08\x1a\x06\x08\x10\x10\x01\x18\0"
                                 "\x1a\x06\x08\x20\x10\x01\x18\x01"
                                 "\x0e\0\0\0\x1a\x0c\x08\x01\x12\x02/x\x1a\x01"
                                 "f\x1a\x01m"
                                 "\x09\0\0\0\"\x07\x08\x08\x10\x09\x1a\x01t\0\0\0";

Test(formats, samples_of_simpleperf)
{
    struct orma_buf got = {0};
    struct orma_processor *tp;

    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(load(tp, simpleperf, sizeof(simpleperf), 7), 0, "%s", orma_processor_error(tp));
    rows(tp,
         "SELECT s.ts, t.tid, t.name, p.pid, f.name, f.rel_pc, m.name, c.depth FROM stack_sample s "
         "JOIN stack_sample_task_context x ON x.id = s.task_context_id JOIN thread t ON t.id = "
         "x.utid JOIN process p ON p.id = x.upid JOIN stack_profile_callsite c ON c.id = "
         "s.callsite_id JOIN stack_profile_frame f ON f.id = c.frame_id "
         "JOIN stack_profile_mapping m ON m.id = f.mapping",
         &got);
    cr_assert_str_eq(orma_buf_cstr(&got), "5|8|t|9|f|16|/x|1\n", "%s", orma_buf_cstr(&got));
    orma_processor_free(tp);
    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_lt(load(tp, simpleperf, sizeof(simpleperf) - 9, 7), 0);
    cr_assert(strstr(orma_processor_error(tp), "Unexpected end of simpleperf_proto"));
    orma_processor_free(tp);
    orma_buf_fini(&got);
    orma_assert_no_leaks();
}

/* ---- records of perf.data ---- */

static uint64_t le64(const uint8_t *at)
{
    uint64_t val;

    memcpy(&val, at, 8);
    return val;
}

/* Bytes before the first record, which the header counts from then on; features lie behind. */
static void insert_records(struct orma_buf *file, const void *bytes, size_t len)
{
    size_t at = (size_t)le64(file->data + 40);
    uint64_t size = le64(file->data + 48) + len;
    uint8_t *features = file->data + at + le64(file->data + 48);
    struct orma_buf out = {0};

    for (int i = __builtin_popcountll(le64(file->data + 72)); i-- > 0;) {
        uint64_t place = le64(features + 16 * i) + len;

        memcpy(features + 16 * i, &place, 8);
    }
    memcpy(file->data + 48, &size, 8);
    orma_buf_put(&out, file->data, at);
    orma_buf_put(&out, bytes, len);
    orma_buf_put(&out, file->data + at, file->len - at);
    orma_buf_fini(file);
    *file = out;
}

static unsigned count_samples(const struct orma_buf *file, struct orma_processor_damage *ret)
{
    struct orma_buf got = {0};
    struct orma_processor *tp;

    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(load(tp, file->data, file->len, 7), 0, "%s", orma_processor_error(tp));
    rows(tp, "SELECT count(*) FROM perf_sample", &got);
    *ret = orma_processor_damage(tp);
    unsigned num = (unsigned)strtoul(orma_buf_cstr(&got), NULL, 10);
    orma_processor_free(tp);
    orma_buf_fini(&got);
    return num;
}

Test(formats, what_lies_behind_or_between_records_of_perf_is_stepped_over)
{
    static const struct {
        const char *what;
        uint8_t bytes[40];
        size_t len;
        unsigned damaged;
    } odd[] = {
        {"trace data of a processor",
         {71, 0, 0, 0, 0, 0, 16, 0, 24, [16] = 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9},
         40,
         0},
        {"formats of the kernel", {66, 0, 0, 0, 0, 0, 16, 0, 13, [16] = 9, 0xff, 0xff}, 32, 0},
        {"a record without a size", {9, [8] = 1}, 16, 1},
        {"bytes that are no record", {0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee}, 16, 1},
    };
    struct orma_buf file = {0};
    struct orma_processor_damage damage;

    cr_assert_eq(orma_fd_read_file(AT_FDCWD, CASES "/perf_data/trace.perf", (size_t)1 << 20, &file),
                 0);
    unsigned all = count_samples(&file, &damage);
    cr_assert_gt(all, 0);
    cr_assert_eq(damage.places + damage.truncated_bytes, 0);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(odd); i++) {
        struct orma_buf other = {0};

        orma_buf_put(&other, file.data, file.len);
        insert_records(&other, odd[i].bytes, odd[i].len);
        cr_assert_eq(count_samples(&other, &damage), all, "%s", odd[i].what);
        cr_assert_eq(damage.places, odd[i].damaged, "%s: %llu", odd[i].what,
                     (unsigned long long)damage.places);
        orma_buf_fini(&other);
    }
    orma_buf_fini(&file);
    orma_assert_no_leaks();
}

/* ---- containers ---- */

static void tar_bytes(struct orma_buf *out, const char *name, const void *body, size_t len)
{
    char header[512] = "";

    strcpy(header, name);
    snprintf(header + 124, 12, "%011o", (unsigned)len);
    header[156] = '0';
    memcpy(header + 257, "ustar", 5);
    orma_buf_put(out, header, sizeof(header));
    orma_buf_put(out, body, len);
    while (out->len % 512)
        orma_buf_put_byte(out, 0);
}

static void tar_member(struct orma_buf *out, const char *name, const char *body)
{
    tar_bytes(out, name, body, strlen(body));
}

/* A trace whose events begin at `begin`, of a boot that began at `boot` of the wall clock. */
static void tar_packets(struct orma_buf *out, const char *name, int boot, int begin)
{
    const struct orma_schema *schema = orma_schema_default();
    struct orma_buf text = {0}, bytes = {0};

    orma_buf_printf(
        &text,
        "packet { trusted_packet_sequence_id: 1 clock_snapshot { clocks { clock_id: 6 "
        "timestamp: %d } clocks { clock_id: 1 timestamp: %d } } } packet { "
        "trusted_packet_sequence_id: 1 timestamp: %d service_event { "
        "tracing_started: true } } packet { trusted_packet_sequence_id: 1 "
        "ftrace_events { cpu: 0 event { timestamp: %d pid: 5 print { buf: \"I|5|early\" "
        "} } event { timestamp: %d pid: 5 print { buf: \"I|5|%s\" } } } }",
        begin, boot + begin, begin, begin - 1, begin + 1, name);
    cr_assert_eq(orma_text_parse(schema,
                                 orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.Trace")),
                                 orma_buf_str(&text), NULL, &bytes),
                 0);
    tar_bytes(out, name, bytes.data, bytes.len);
    orma_buf_fini(&text);
    orma_buf_fini(&bytes);
}

/* Each with its own beginning, figures and facts. */
Test(formats, an_archive_with_several_traces_of_packets)
{
    struct orma_buf tar = {0}, got = {0};
    struct orma_processor *tp;

    tar_packets(&tar, "a", 1000000, 100);
    tar_packets(&tar, "b", 1000000, 900);
    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(load(tp, tar.data, tar.len, 700), 0, "%s", orma_processor_error(tp));
    rows(tp, "SELECT ts, name FROM slice", &got);
    cr_assert_str_eq(orma_buf_cstr(&got), "101|a\n901|b\n", "%s", orma_buf_cstr(&got));
    rows(tp,
         "SELECT name, trace_id, int_value FROM metadata WHERE name = 'tracing_started_ns' "
         "UNION ALL SELECT name, trace_id, value FROM stats "
         "WHERE name = 'ftrace_packet_before_tracing_start'",
         &got);
    cr_assert_str_eq(orma_buf_cstr(&got),
                     "tracing_started_ns|1|100\ntracing_started_ns|2|900\n"
                     "ftrace_packet_before_tracing_start|1|1\n"
                     "ftrace_packet_before_tracing_start|2|1\n",
                     "%s", orma_buf_cstr(&got));
    orma_processor_free(tp);
    orma_buf_fini(&tar);
    orma_buf_fini(&got);
    orma_assert_no_leaks();
}

Test(formats, an_archive_with_several_traces)
{
    struct orma_buf tar = {0}, got = {0};
    struct orma_processor *tp;

    tar_member(&tar, "b.txt", "# tracer: nop\n a-1 (1) [000] d..1 0.000009: print: I|1|kernel\n");
    tar_member(&tar, "sub/.hidden/c.json", "{\"traceEvents\":");
    tar_member(&tar, "sub/a.txt",
               "# tracer: nop\n a-1 (1) [000] d..1 0.000004: print: I|1|first\n");
    for (int i = 0; i < 1024; i++)
        orma_buf_put_byte(&tar, 0);
    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(load(tp, tar.data, tar.len, 700), 0, "%s", orma_processor_error(tp));
    rows(tp, "SELECT ts, name FROM slice", &got);
    cr_assert_str_eq(orma_buf_cstr(&got), "4000|first\n9000|kernel\n", "%s", orma_buf_cstr(&got));
    rows(tp, "SELECT id, parent_id, name, trace_type, is_container FROM __intrinsic_trace_file",
         &got);
    cr_assert_str_eq(orma_buf_cstr(&got),
                     "0|||tar|1\n1|0|b.txt|systrace|0\n2|0|sub/a.txt|systrace|0\n", "%s",
                     orma_buf_cstr(&got));
    orma_processor_free(tp);
    orma_buf_fini(&tar);
    orma_buf_fini(&got);
    orma_assert_no_leaks();
}

static void put_le(struct orma_buf *out, uint64_t val, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        orma_buf_put_byte(out, i < 8 ? (uint8_t)(val >> (8 * i)) : 0);
}

/* The local header, or with `place` the entry in the list, of a stored member; sizes and place
 * are in the extra field. */
static void zip_header(struct orma_buf *out, const char *name, size_t len, const uint64_t *place)
{
    size_t extra = place ? 28 : 20;

    orma_buf_put(out, place ? "PK\1\2\x2d\0" : "PK\3\4", place ? 6 : 4);
    put_le(out, 45, 2);
    put_le(out, 0, 2 + 2 + 4 + 4); /* flags, stored, no date, no checksum */
    put_le(out, UINT64_MAX, 8);
    put_le(out, strlen(name), 2);
    put_le(out, extra, 2);
    if (place) {
        put_le(out, 0, 8);
        put_le(out, 0, 2);
        put_le(out, UINT32_MAX, 4);
    }
    orma_buf_put_str(out, name);
    put_le(out, 1, 2);
    put_le(out, extra - 4, 2);
    put_le(out, len, 8);
    put_le(out, len, 8);
    if (place)
        put_le(out, *place, 8);
}

/* An archive of one deflated member, as everyday tools write it. */
static void zip_plain(struct orma_buf *out)
{
    static const uint8_t packed[] = {
        0x53, 0x56, 0x28, 0x29, 0x4a, 0x4c, 0x4e, 0x2d, 0xb2, 0x52, 0xc8, 0xcb, 0x2f,
        0xe0, 0x52, 0x48, 0xd4, 0x35, 0x54, 0xd0, 0x30, 0xd4, 0x54, 0x88, 0x36, 0x30,
        0x30, 0x88, 0x55, 0x48, 0xd1, 0xd3, 0x33, 0x54, 0x30, 0xd0, 0x33, 0x00, 0x01,
        0x4b, 0x2b, 0x85, 0x82, 0xa2, 0xcc, 0xbc, 0x12, 0x2b, 0x05, 0xcf, 0x1a, 0xc3,
        0x9a, 0xec, 0xd4, 0xa2, 0xbc, 0xd4, 0x1c, 0x2e, 0x00};

    for (unsigned list = 0; list < 2; list++) {
        orma_buf_put(out, list ? "PK\1\2\x14\0" : "PK\3\4", list ? 6 : 4);
        put_le(out, 20, 2);
        put_le(out, 0, 2);
        put_le(out, 8, 2 + 4 + 4);
        put_le(out, sizeof(packed), 4);
        put_le(out, 62, 4);
        put_le(out, 5, list ? 2 + 2 + 2 + 2 + 2 + 4 + 4 : 2 + 2);
        orma_buf_put_str(out, "a.txt");
        if (!list)
            orma_buf_put(out, packed, sizeof(packed));
    }
    orma_buf_put(out, "PK\5\6\0\0\0\0", 8);
    put_le(out, 1 | 1 << 16, 4);
    put_le(out, 46 + 5, 4);
    put_le(out, 30 + 5 + sizeof(packed), 4);
    put_le(out, 0, 2);
}

static void zip64_end(struct orma_buf *out, uint64_t list)
{
    uint64_t at = out->len;

    orma_buf_put(out, "PK\6\6", 4);
    put_le(out, 44, 8);
    put_le(out, 45 | 45 << 16, 4);
    put_le(out, 0, 8);
    put_le(out, 1, 8);
    put_le(out, 1, 8);
    put_le(out, at - list, 8);
    put_le(out, list, 8);
    orma_buf_put(out, "PK\6\7\0\0\0\0", 8);
    put_le(out, at, 8);
    put_le(out, 1, 4);
    orma_buf_put(out, "PK\5\6\0\0\0\0", 8);
    put_le(out, UINT32_MAX, 4); /* members: 65535, twice */
    put_le(out, UINT64_MAX, 8);
    put_le(out, 0, 2);
}

Test(formats, a_zip_archive_with_packed_members)
{
    struct orma_buf zip = {0}, got = {0};
    struct orma_processor *tp;

    zip_plain(&zip);
    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(load(tp, zip.data, zip.len, 33), 0, "%s", orma_processor_error(tp));
    rows(tp, "SELECT ts, name FROM slice", &got);
    cr_assert_str_eq(orma_buf_cstr(&got), "9000|kernel\n", "%s", orma_buf_cstr(&got));
    orma_processor_free(tp);
    orma_buf_fini(&zip);
    orma_buf_fini(&got);
    orma_assert_no_leaks();
}

Test(formats, a_zip_archive_with_sizes_of_64_bits)
{
    static const char body[] = "# tracer: nop\n a-1 (1) [000] d..1 0.000009: print: I|1|here\n";
    struct orma_buf zip = {0}, got = {0};
    struct orma_processor *tp;
    uint64_t place = 0;

    zip_header(&zip, "one.txt", sizeof(body) - 1, NULL);
    orma_buf_put(&zip, body, sizeof(body) - 1);
    uint64_t list = zip.len;
    zip_header(&zip, "one.txt", sizeof(body) - 1, &place);
    zip64_end(&zip, list);
    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(load(tp, zip.data, zip.len, 33), 0, "%s", orma_processor_error(tp));
    rows(tp, "SELECT ts, name FROM slice", &got);
    cr_assert_str_eq(orma_buf_cstr(&got), "9000|here\n", "%s", orma_buf_cstr(&got));
    orma_processor_free(tp);
    /* Cut anywhere behind its event, that is read; anywhere before, it is refused. */
    for (size_t len = 5; len < zip.len; len += 3) {
        cr_assert_eq(orma_processor_new(NULL, &tp), 0);
        int r = load(tp, zip.data, len, 1000);
        cr_assert(r == 0 ? len > list - sizeof(body) : len < list, "%zu: %s", len,
                  orma_processor_error(tp));
        if (r == 0) {
            rows(tp, "SELECT name FROM slice", &got);
            cr_assert(len < list || !strcmp(orma_buf_cstr(&got), "here\n"), "%zu", len);
            cr_assert_gt(orma_processor_damage(tp).truncated_bytes, 0);
        }
        orma_processor_free(tp);
    }
    orma_buf_fini(&zip);
    orma_buf_fini(&got);
    orma_assert_no_leaks();
}

/* ---- Fuchsia ---- */

static void fxt(struct orma_buf *out, unsigned num, const uint64_t *words)
{
    for (unsigned i = 0; i < num; i++)
        put_le(out, words[i] | (i ? 0 : (uint64_t)num << 4), 8);
}

/* A record: its words, the first without the number of words. */
#define FXT(...) fxt(&trace, sizeof((uint64_t[]){__VA_ARGS__}) / 8, (const uint64_t[]){__VA_ARGS__})
/* Text of up to 8 bytes as a word, and a reference to such a one that follows. */
#define TEXT(a, b, c, d) ((a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24)
#define INLINE(len) (0x8000ull | (len))
/* An event of thread 1, category 1, named by the word behind its time. */
#define EVENT(type, args) (4 | (type) << 16 | (args) << 20 | 1 << 24 | 1ull << 32 | INLINE(4) << 48)

Test(formats, a_trace_of_fuchsia)
{
    struct orma_buf trace = {0}, got = {0};
    struct orma_processor *tp;

    put_le(&trace, 0x0016547846040010, 8);
    FXT(0 | 1 << 16 | 7ull << 20 | 4ull << 52, TEXT('p', 'r', 'o', 'v'));
    FXT(1, 500000000); /* a tick is 2 ns */
    FXT(2 | 1 << 16 | 3ull << 32, TEXT('c', 'a', 't', 0));
    FXT(3 | 1 << 16, 10, 11);
    FXT(7 | 1 << 16 | INLINE(4) << 24, 10, TEXT('P', 'r', 'o', 'c'));
    /* its thread, with the argument process=10 */
    FXT(7 | 2 << 16 | INLINE(4) << 24 | 1ull << 40, 11, TEXT('T', 'h', 'r', 'd'),
        8 | 3 << 4 | INLINE(7) << 16, 0x737365636f7270, 10);
    FXT(EVENT(2, 1), 50, TEXT('o', 'u', 't', 'e'), 1 | 2 << 4 | INLINE(1) << 16 | 7ull << 32, 'x');
    FXT(EVENT(4, 0), 60, TEXT('c', 'o', 'm', 'p'), 70);
    FXT(EVENT(8, 0), 62, TEXT('f', 'l', 'o', 'w'), 99);
    FXT(EVENT(3, 0), 100, TEXT('o', 'u', 't', 'e'));
    FXT(EVENT(0, 0), 110, TEXT('i', 'n', 's', 't'));
    FXT(EVENT(10, 0), 110, TEXT('f', 'l', 'o', 'w'), 99);
    FXT(EVENT(1, 1), 120, TEXT('c', 'n', 't', 'r'), 3 | 3 << 4 | INLINE(1) << 16, 'v', 12, 5);
    FXT(EVENT(5, 0), 130, TEXT('a', 's', 'y', 'n'), 42);
    FXT(EVENT(7, 0), 140, TEXT('a', 's', 'y', 'n'), 42);
    FXT(EVENT(4, 0), 200, TEXT('b', 'a', 'd', '!'), 100);       /* ends before it begins */
    FXT(8 | 3ull << 20 | 3ull << 36 | 1ull << 60, 150, 12, 11); /* cpu 3: 12 blocks, 11 runs */
    FXT(8 | 3ull << 20 | 3ull << 36 | 1ull << 60, 160, 11, 12);
    FXT(8 | 3ull << 20 | 2ull << 60, 170, 11);
    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(load(tp, trace.data, trace.len, 60), 0, "%s", orma_processor_error(tp));
    rows(
        tp,
        "SELECT s.ts, s.dur, s.category, s.name, t.type, extract_arg(s.arg_set_id, 'x') FROM slice "
        "s JOIN track t ON s.track_id = t.id ORDER BY s.ts",
        &got);
    cr_assert_str_eq(orma_buf_cstr(&got),
                     "100|100|cat|oute|thread_execution|7\n"
                     "120|20|cat|comp|thread_execution|\n"
                     "220|0|cat|inst|thread_execution|\n"
                     "260|20|cat|asyn|legacy_async_global_slice|\n",
                     "%s", orma_buf_cstr(&got));
    rows(tp,
         "SELECT c.ts, t.name, c.value, p.pid, p.name FROM counter c JOIN process_counter_track t "
         "ON c.track_id = t.id JOIN process p USING (upid)",
         &got);
    cr_assert_str_eq(orma_buf_cstr(&got), "240|cntr:v:5|12.0|10|Proc\n", "%s", orma_buf_cstr(&got));
    rows(tp,
         "SELECT s.ts, s.dur, s.cpu, t.tid, s.end_state, t.name FROM sched s JOIN thread t USING "
         "(utid) ORDER BY s.ts",
         &got);
    cr_assert_str_eq(orma_buf_cstr(&got), "300|20|3|11|S|Thrd\n320|-1|3|12||\n", "%s",
                     orma_buf_cstr(&got));
    rows(tp,
         "SELECT s.ts, s.dur, t.tid, s.state FROM thread_state s JOIN thread t USING (utid) ORDER "
         "BY s.id",
         &got);
    cr_assert_str_eq(orma_buf_cstr(&got),
                     "300|20|12|S\n300|20|11|Running\n320|20|11|S\n320|-1|12|Running\n"
                     "340|-1|11|R\n",
                     "%s", orma_buf_cstr(&got));
    rows(tp,
         "SELECT a.name, b.name FROM flow JOIN slice a ON a.id = slice_out JOIN slice b ON b.id = "
         "slice_in UNION ALL SELECT name, value FROM stats WHERE name GLOB 'fuchsia*' AND value > "
         "0",
         &got);
    cr_assert_str_eq(orma_buf_cstr(&got), "comp|inst\nfuchsia_timestamp_overflow|1\n", "%s",
                     orma_buf_cstr(&got));
    orma_processor_free(tp);
    orma_buf_fini(&trace);
    orma_buf_fini(&got);
    orma_assert_no_leaks();
}

/* Records before and behind broken ones, wherever those begin. */
Test(formats, damage_in_a_trace_of_fuchsia)
{
    static const struct {
        const char *what, *bytes;
        size_t len;
    } bad[] = {
        {"no words", "\0\0\0\0\0\0\0\0", 8},
        {"an impossible size", "\xf4\xff\0\0\0\0\0\0", 8},
        {"garbage of odd length", "\xee\xee\xee\xee\xee\xee\xee\xee\xee\xee\xee", 11},
        {"an argument without words", "\x44\0\x10\0\0\0\0\0AAAAAAAA\0\0\0\0\0\0\0\0BBBBBBBB", 32},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(bad); i++) {
        struct orma_buf trace = {0}, got = {0};
        struct orma_processor *tp;

        put_le(&trace, 0x0016547846040010, 8);
        FXT(1, 1000000000);
        FXT(3 | 1 << 16, 10, 11);
        FXT(EVENT(0, 0), 10, TEXT('o', 'n', 'e', '1'));
        FXT(EVENT(0, 0), 20, TEXT('t', 'w', 'o', '2'));
        size_t at = trace.len;
        orma_buf_put(&trace, bad[i].bytes, bad[i].len);
        FXT(EVENT(0, 0), 30, TEXT('t', 'h', 'r', 'e'));
        FXT(EVENT(0, 0), 40, TEXT('f', 'o', 'u', 'r'));
        cr_assert_eq(orma_processor_new(NULL, &tp), 0);
        cr_assert_eq(load(tp, trace.data, trace.len, 60), 0, "%s: %s", bad[i].what,
                     orma_processor_error(tp));
        rows(tp, "SELECT name FROM slice ORDER BY ts", &got);
        cr_assert_str_eq(orma_buf_cstr(&got), "one1\ntwo2\nthre\nfour\n", "%s: %s", bad[i].what,
                         orma_buf_cstr(&got));
        const struct orma_processor_damage d = orma_processor_damage(tp);
        cr_assert_eq(d.places, 1, "%s", bad[i].what);
        cr_assert_eq(d.first_offset, (int64_t)at, "%s", bad[i].what);
        cr_assert_eq(d.bytes, bad[i].len, "%s", bad[i].what);
        orma_processor_free(tp);
        orma_buf_fini(&trace);
        orma_buf_fini(&got);
    }
    orma_assert_no_leaks();
}

#define THREAD(samples, end)                                                                       \
    "{\"name\":\"T\",\"pid\":\"5\",\"tid\":6,\"stringTable\":[\"f\"],\"frameTable\":{\"schema\":{" \
    "\"location\":0},\"data\":[[0]]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},"       \
    "\"data\":[["                                                                                  \
    "null,0]]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[" samples "]}" end

/* A broken thread costs that thread, a broken list what follows in it. Where a quote is missing
 * both are told. */
Test(formats, damage_in_a_profile_of_firefox)
{
    static const struct {
        const char *what, *threads, *samples;
        unsigned places;
    } bad[] = {
        {"whole", THREAD("[0,1],[0,2]", "}") "," THREAD("[0,3]", "}"), "3\n", 0},
        {"brackets", THREAD("[0,1],[0,2", "}") "," THREAD("[0,3]", "}"), "1\n", 1},
        {"a quote", THREAD("[0,1]", "}") "," THREAD("\",[0,1]", "}") "," THREAD("[0,3]", "}"),
         "2\n", 2},
        {"a row", THREAD("[0,1],[0,@],[0,2]", "}"), "2\n", 1},
        {"a list", THREAD("[0,1],@,[0,2]", "}"), "1\n", 1},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(bad); i++) {
        struct orma_buf text = {0}, got = {0};
        struct orma_processor *tp;

        orma_buf_printf(&text, "{\"meta\":{\"categories\":[]},\"threads\":[%s]}", bad[i].threads);
        cr_assert_eq(orma_processor_new(NULL, &tp), 0);
        cr_assert_eq(load(tp, text.data, text.len, 60), 0, "%s: %s", bad[i].what,
                     orma_processor_error(tp));
        rows(tp, "SELECT count(*) FROM stack_sample", &got);
        const struct orma_processor_damage d = orma_processor_damage(tp);
        cr_assert_str_eq(orma_buf_cstr(&got), bad[i].samples, "%s: %s", bad[i].what,
                         orma_buf_cstr(&got));
        cr_assert_eq(d.places, bad[i].places, "%s: %llu", bad[i].what,
                     (unsigned long long)d.places);
        orma_processor_free(tp);
        orma_buf_fini(&text);
        orma_buf_fini(&got);
    }
    orma_assert_no_leaks();
}

/* gzip in gzip: a systrace of 300 MiB of blanks. */
static const uint8_t bomb[] = {
#include "tests/unit/processor/bomb.inc"
};

Test(formats, a_bomb_is_refused)
{
    struct orma_processor *tp;

    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(load(tp, bomb, sizeof(bomb), 64), -EFBIG);
    cr_assert(strstr(orma_processor_error(tp), "refused as a zip bomb"), "%s",
              orma_processor_error(tp));
    orma_processor_free(tp);
    orma_assert_no_leaks();
}
