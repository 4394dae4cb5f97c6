/* Files of others are refused by name, in words that say what reads them; ours are not taken for
 * them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/processor.h"
#include "sdk/base/buf.h"
#include "tests/support/leaks.h"

#define BYTES(text) text, sizeof(text) - 1
/* What is no text, whatever it begins with. */
#define BINARY(text) BYTES(text "\1\2\3\4\5\6\7\x08")

static const struct kind {
    const char *bytes;
    size_t len;
    const char *says; /* in the error */
} kinds[] = {
    {BINARY("\xc1\x1f\xfc\xc1"), "Common Trace Format"},
    {BINARY("\xc1\xfc\x1f\xc1"), "Common Trace Format"},
    {BINARY("\x57\x1d\xd1\x75"), "CTF trace: give the folder"},
    {BINARY("\x75\xd1\x1d\x57"), "CTF trace: give the folder"},
    {BYTES("/* CTF 1.8 */\ntrace {\n\tmajor = 1;\n};\n"), "CTF trace: give the folder"},
    {BINARY("go 1.22 trace\0\0\0"), "`go tool trace` reads it"},
    {BINARY("tracy\0\11\1\0"), "Tracy"},
    {BINARY("tlZ\4\0\0"), "Tracy"},
    {BINARY("tZst\0\0"), "Tracy"},
    {BINARY("trac\0\1"), "Tracy"},
    {BINARY("trac\1\1"), "Tracy"},
    {BINARY("Nettrace\x14\0\0\0!FastSerialization.1"), "`dotnet-trace convert"},
    {BINARY("\x0d\xf0\xad\x0b\0\0\0\0"), "Spall"},
    {BINARY("PERFFILE"), "before 2010"},
    {BINARY("\x81rforpl\xff"), "LLVM"},
    {BINARY("\xfflprofr\x81"), "LLVM"},
    {BINARY("{\xa9\2\xda\1~"), "cProfile"},
    {BINARY("{\xa8\3\0\0\0"), "cProfile"},
    {BINARY("{\xe9\3\0\0\0"), "cProfile"},
    {BINARY("LPKSHHRH"), "`journalctl --file` reads it"},
    {BINARY("\xd4\xc3\xb2\xa1\2\0\4\0"), "Wireshark"},
    {BINARY("\xa1\xb2\xc3\xd4\0\2\0\4"), "Wireshark"},
    {BINARY("\x4d\x3c\xb2\xa1\2\0\4\0"), "Wireshark"},
    {BINARY("\xa1\xb2\x3c\x4d\0\2\0\4"), "Wireshark"},
    {BINARY("\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a"), "pcapng"},
    {BINARY("SQLite format 3\0"), "a database of SQLite; `sqlite3` reads it"},
    {BINARY("PAR1"), "Parquet"},
    {BINARY("ARROW1\0\0"), "Arrow's file format"},
    {BINARY("\xff\xff\xff\xff\x70\0\0\0\x10\0\0\0"), "Arrow's stream format"},
    {BINARY("\xca\xfe\xba\xbe\0\0\0\x3d"), "Java"},
    {BINARY("\xcf\xfa\xed\xfe"), "macOS"},
    {BINARY("\0asm\1\0\0\0"), "WebAssembly"},
    {BINARY("MDMP\x93\xa7"), "minidump"},
    {BINARY("\x89PNG\r\n\x1a\n"), "PNG"},
    {BINARY("\xff\xd8\xff\xe0"), "JPEG"},
    {BINARY("GIF87a"), "GIF"},
    {BINARY("GIF89a"), "GIF"},
    {BINARY("%PDF-1.7\n"), "PDF"},
    {BINARY("\x04\x22\x4d\x18"), "`lz4 -d` unpacks it"},
    {BYTES("\x0a\x1e\x0a\x1c\x0a\x1a\x0a\x0c"
           "service.name\x12\x0a\x0a\x08shopping"),
     "OpenTelemetry (OTLP)"},
    {BYTES("\0\0\0\x20\x0a\x1e\x0a\x1c\x0a\x1a\x0a\x0c"
           "service.name\x12\x0a\x0a\x08shopping"),
     "OpenTelemetry (OTLP)"},
    {BINARY("\x1f\x9d\x90"), "`gzip -d` unpacks it"},
    {BINARY("7z\xbc\xaf\x27\x1c"), "7-Zip"},
    {BINARY("Rar!\x1a\x07\1\0"), "RAR"},
    {BINARY("!<arch>\n"), "static library"},
    {BINARY("memray\0"), "memray"},
    {BINARY("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0"), "an ELF file"},
    {BINARY("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0"), "a core file"},
    {BINARY("\177ELF\2\2\1\0\0\0\0\0\0\0\0\0\0\4"), "a core file"},
    {BINARY("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\x27\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
     "gperftools; `pprof -proto`"},
    {BYTES("desc: (none)\ncmd: a\ntime_unit: i\n#-----------\n"), "`ms_print`"},
    {BYTES("heap profile:  1: 2 [ 3: 4] @ heapprofile\n"), "`pprof -proto`"},
    {BYTES("heap_v2/524288\n  t*: 1: 2 [0: 0]\n"), "`jeprof`"},
    {BYTES("goroutine profile: total 3\n2 @ 0x1 0x2\n"), "without `debug=1`"},
    {BYTES("threadcreate profile: total 3\n2 @ 0x1 0x2\n"), "without `debug=1`"},
    {BYTES("--- contention:\ncycles/second=1\n"), "without `debug=1`"},
    {BYTES("--- mutex:\ncycles/second=1\n"), "without `debug=1`"},
    {BYTES("Flat profile:\n\nEach sample counts as 0.01 seconds.\n"), "gprof"},
    {BYTES("2026-01-02 03:04:05\nFull thread dump OpenJDK 64-Bit Server VM (17):\n"), "jstack"},
    {BYTES("# To display the perf.data header info, please use --header/--header-only options.\n#\n"
           "# Overhead  Command\n    99.00%  a\n"),
     "`perf script` can be read"},
    {BYTES("name: my_event\nID: 7\nformat:\n\tfield:int a;\toffset:8;\n\nprint fmt: \"\"\n"),
     "format file of a kernel event"},
    {BYTES("MODULE Linux x86_64 0123 a.so\nFUNC 10 4 0 f\n"), "Breakpad"},
    {BYTES("packet {\n  timestamp: 5\n}\n"), "`orma convert binary`"},
    {BYTES("# made by hand\npacket: {\n  timestamp: 5\n}\n"), "`orma convert binary`"},
    {BYTES("packet <\n  timestamp: 5\n>\n"), "`orma convert binary`"},
    {BYTES("# a config\nbuffers {\n  size_kb: 5\n}\n"), "`orma record -c` records with it"},
    {BYTES("buffers: {\n  size_kb: 5\n}\n"), "`orma record -c` records with it"},
    {BYTES("data_sources {\n  config { name: \"a\" }\n}\n"), "`orma record -c` records with it"},
    {BYTES("duration_ms: 500\nbuffers {\n}\n"), "`orma record -c` records with it"},
    {BYTES("{\"snapshot\":{\"meta\":{\"node_fields\":[]}}}"), "heap snapshot of V8"},
    {BYTES("{\"resourceMetrics\":[{}]}"), "OTLP"},
    {BYTES("{\"resourceLogs\":[{}]}"), "OTLP"},
    {BYTES("{\"log\":{\"version\":\"1.2\",\"creator\":{},\"entries\":[]}}"), "HAR"},
    {BYTES("{\"constants\":{\"logEventTypes\":{}},\"events\":[]}"), "network log of Chrome"},
    {BYTES("{\"start_time\":1,\"sample_count\":2,\"root_frame\":{\"time\":1}}"), "pyinstrument"},
    {BYTES("{\"version\":5,\"dataForRoots\":[]}"), "React"},
    /* by their form */
    {BYTES("<!DOCTYPE html>\n<html><body>hello</body></html>\n"),
     "an HTML page that contains no trace"},
    {BYTES("<html><body>hello</body></html>\n"), "an HTML page that contains no trace"},
    {BYTES("<?xml version=\"1.0\"?>\n<a/>\n"), "this is XML"},
    {BYTES("{\"type\":\"a\",\"data\":{}}\n{\"type\":\"b\",\"data\":{}}\n"), "lines of JSON"},
    {BYTES("{\"type\":\"a\",\"data\":[]}"), "JSON without trace events"},
    {BYTES("{\"list\":[],\"displayTimeUnit\":\"ns\"}"), "JSON without trace events"},
    {BYTES("[{\"a\":1}]"), "JSON without trace events"},
    {BYTES("Dear reader,\n\nthis is a letter.\n"), "text in an unknown format"},
    /* of those that can be read, what they lack */
    {BYTES("% time     seconds  usecs/call     calls    errors syscall\n"), "strace -c"},
    {BYTES("read(3, \"\", 5) = 0\n"), "`strace` output without times"},
};

/* What loading says; NULL: it can be read. */
static const char *load(struct orma_processor *tp, const char *bytes, size_t len, size_t step)
{
    int r = 0;

    for (size_t at = 0; at < len && r == 0; at += step)
        r = orma_processor_feed(tp, bytes + at, len - at < step ? len - at : step);
    if (r == 0)
        r = orma_processor_finish(tp);
    return r ? orma_processor_error(tp) : NULL;
}

Test(foreign, each_kind_is_named)
{
    for (unsigned i = 0; i < 2 * ORMA_ARRAY_LEN(kinds); i++) {
        const struct kind *k = &kinds[i / 2];
        struct orma_processor *tp;

        cr_assert_eq(orma_processor_new(NULL, &tp), 0);
        const char *error = load(tp, k->bytes, k->len, i % 2 ? 7 : k->len);
        cr_assert(error, "kind %u loads: %s", i / 2, k->says);
        cr_assert(strstr(error, k->says), "kind %u: %s, and not %s", i / 2, error, k->says);
        orma_processor_free(tp);
    }
    orma_assert_no_leaks();
}

/* Ours that hold the words of others. */
Test(foreign, what_can_be_read_is_not_taken_for_it)
{
    static char long_args[6000]; /* what tells that it is ours lies behind what is looked at */
    const char *const texts[] = {
        "{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"{\\\"resourceSpans\\\":[\"}]"
        "}",
        "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\",\"args\":{\"nodes\":[{\"callFrame\":{}}]}"
        "}]",
        "{\"nodes\":[{\"callFrame\":{}}],\"traceEvents\":[]}",
        long_args,
        "buffers of a;b 12\nc;d 3\n",
        "packet {;a 12\nb;c 3\n",
        "GIF89a;b 12\nMDMP;c 3\n",
        "format:;a 12\nb;c 3\n",
        "<html>\n<script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n"
        "#  TASK-PID\n"
        "  sh-10  (   10) [001] d..2 1.000100: sched_waking: comm=a pid=1 prio=120 target_cpu=000\n"
        "</script>\n</html>\n",
    };

    snprintf(long_args, sizeof(long_args),
             "[{\"args\":{\"cpuProfile\":{\"nodes\":[{\"callFrame\":{}}],\"x\":\"%05000d\"}},"
             "\"name\":\"a\",\"ph\":\"X\",\"ts\":1,\"dur\":1}]",
             0);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(texts); i++) {
        struct orma_processor *tp;

        cr_assert_eq(orma_processor_new(NULL, &tp), 0);
        const char *error = load(tp, texts[i], strlen(texts[i]), 1000);
        cr_assert_null(error, "%s: %s", texts[i], error);
        orma_processor_free(tp);
    }
    orma_assert_no_leaks();
}

static void put_file(const char *path, const char *bytes, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    cr_assert_eq(write(fd, bytes, len), (ssize_t)len);
    (void)close(fd);
}

/* As many as are looked at, and nothing behind them. */
Test(foreign, blanks_are_nothing)
{
    char *blanks = malloc(4096);
    struct orma_processor *tp;

    cr_assert(blanks);
    memset(blanks, ' ', 4096);
    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert(load(tp, blanks, 4096, 4096));
    orma_processor_free(tp);
    free(blanks);
    orma_assert_no_leaks();
}

Test(foreign, folders_without_a_trace_are_refused)
{
    static const struct {
        const char *file, *bytes;
        size_t len;
        const char *says;
    } folders[] = {
        {"other", BYTES("a"), "Is a directory"},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(folders); i++) {
        char dir[] = "/tmp/orma-foreign-XXXXXX", path[64];
        struct orma_processor *tp;

        cr_assert(mkdtemp(dir));
        snprintf(path, sizeof(path), "%s/%s", dir, folders[i].file);
        put_file(path, folders[i].bytes, folders[i].len);
        cr_assert_eq(orma_processor_new(NULL, &tp), 0);
        cr_assert_eq(orma_processor_load_file(tp, dir, NULL, NULL), -EISDIR);
        cr_assert(strstr(orma_processor_error(tp), folders[i].says), "%s",
                  orma_processor_error(tp));
        orma_processor_free(tp);
        (void)unlink(path);
        (void)rmdir(dir);
    }
    orma_assert_no_leaks();
}
