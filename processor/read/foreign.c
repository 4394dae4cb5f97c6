/*
 * One table: bytes at a place, or words near the begin of a text or of JSON. JSON is looked at
 * without its blanks, and only where no event of a trace is in sight.
 */
#include "processor/read/foreign.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "sdk/base/defs.h"
#include "sdk/base/str.h"
#include "sdk/wire/pb_reader.h"

/* So much of a file is looked at. */
#define LOOK ((size_t)4096)
/* Blanks, remarks and headings may stand in front of what a text begins with. */
#define LINES_LOOK 12

#define READS(what, who) what "; " who

/* No byte that texts do not have. */
static bool is_text(struct orma_str head)
{
    for (size_t i = 0; i < head.len; i++)
        if ((uint8_t)head.data[i] < ' ' && !strchr("\t\n\r\f\033", head.data[i]))
            return false;
    return head.len && !memchr(head.data, 0, head.len);
}

/* ---- bytes: of files that are no text ---- */

#define BYTES(text) text, sizeof(text) - 1

static const struct {
    const char *magic;
    uint8_t len;
    const char *is;
} magics[] = {
    {BYTES("\xc1\x1f\xfc\xc1"), READS("a stream of the Common Trace Format (LTTng)",
                                      "its folder, with the file 'metadata', can be read")},
    {BYTES("\xc1\xfc\x1f\xc1"), READS("a stream of the Common Trace Format (LTTng)",
                                      "its folder, with the file 'metadata', can be read")},
    {BYTES("tracy\0"), READS("a trace of Tracy", "the Tracy profiler reads it")},
    {BYTES("tlZ\4"), READS("a trace of Tracy", "the Tracy profiler reads it")},
    {BYTES("tZst"), READS("a trace of Tracy", "the Tracy profiler reads it")},
    {BYTES("trac\0"), READS("a trace of Tracy", "the Tracy profiler reads it")},
    {BYTES("trac\1"), READS("a trace of Tracy", "the Tracy profiler reads it")},
    {BYTES("Nettrace"),
     READS("a trace of .NET (nettrace)",
           "`dotnet-trace convert --format Chromium` converts it to JSON that can be read")},
    {BYTES("\x0d\xf0\xad\x0b\0\0\0\0"), READS("a trace of Spall", "the Spall viewer reads it")},
    {BYTES("PERFFILE"),
     READS("perf.data in the format used before 2010", "an equally old perf reads it")},
    {BYTES("\x81rforpl\xff"), READS("a raw profile of LLVM", "`llvm-profdata merge` reads it")},
    {BYTES("\xfflprofr\x81"), READS("a raw profile of LLVM", "`llvm-profdata merge` reads it")},
    {BYTES("{\xa9"), READS("a profile of Python's cProfile", "`python3 -m pstats` reads it")},
    {BYTES("{\xa8"), READS("a profile of Python's cProfile", "`python3 -m pstats` reads it")},
    {BYTES("{\xe9"), READS("a profile of Python's cProfile", "`python3 -m pstats` reads it")},
    {BYTES("LPKSHHRH"), READS("a journal of systemd", "`journalctl --file` reads it")},
    {BYTES("\xd4\xc3\xb2\xa1"),
     READS("a capture of network packets (pcap)", "Wireshark and tcpdump read it")},
    {BYTES("\xa1\xb2\xc3\xd4"),
     READS("a capture of network packets (pcap)", "Wireshark and tcpdump read it")},
    {BYTES("\x4d\x3c\xb2\xa1"),
     READS("a capture of network packets (pcap)", "Wireshark and tcpdump read it")},
    {BYTES("\xa1\xb2\x3c\x4d"),
     READS("a capture of network packets (pcap)", "Wireshark and tcpdump read it")},
    {BYTES("\x0a\x0d\x0d\x0a"),
     READS("a capture of network packets (pcapng)", "Wireshark and tcpdump read it")},
    {BYTES("SQLite format 3\0"), READS("a database of SQLite", "`sqlite3` reads it")},
    {BYTES("PAR1"), READS("a table in Parquet", "DuckDB and pandas read it")},
    {BYTES("ARROW1"), READS("a table in Arrow's file format", "DuckDB and pandas read it")},
    {BYTES("\xca\xfe\xba\xbe"), "a class file of Java, or a program of macOS"},
    {BYTES("\xcf\xfa\xed\xfe"), "a program or library of macOS"},
    {BYTES("\0asm"), "a module of WebAssembly"},
    {BYTES("MDMP"), READS("a minidump", "`minidump-stackwalk` and WinDbg read it")},
    {BYTES("\x89PNG\r\n\x1a\n"), "a picture (PNG)"},
    {BYTES("\xff\xd8\xff"), "a picture (JPEG)"},
    {BYTES("GIF87a"), "a picture (GIF)"},
    {BYTES("GIF89a"), "a picture (GIF)"},
    {BYTES("%PDF-"), "a document (PDF)"},
    {BYTES("\x04\x22\x4d\x18"), READS("packed by lz4", "`lz4 -d` unpacks it")},
    {BYTES("\x1f\x9d"), READS("packed by compress", "`gzip -d` unpacks it")},
    {BYTES("7z\xbc\xaf\x27\x1c"), READS("an archive of 7-Zip", "`7z x` unpacks it")},
    {BYTES("Rar!\x1a\x07"), READS("an archive of RAR", "`unrar x` unpacks it")},
    {BYTES("memray\0"), READS("a profile of memray", "`memray flamegraph` reads it")},
    {BYTES("!<arch>\n"), "a static library, or a package of Debian"},
};

#define ELF_ORDER_AT 5
#define ELF_TYPE_AT 16
#define ELF_TYPE_CORE 4

static const char *find_elf(const uint8_t *data, size_t len)
{
    if (len < ELF_TYPE_AT + 2 || memcmp(data, "\177ELF", 4))
        return NULL;
    const bool big = data[ELF_ORDER_AT] == 2;

    if (data[ELF_TYPE_AT + big] == ELF_TYPE_CORE)
        return READS("a core file (the memory of a crashed process)", "gdb reads it");
    return "an ELF file, a program or library";
}

/* Two marks with 4 bytes between them: the length of what follows. */
static const char *find_arrow_stream(const uint8_t *data, size_t len)
{
    return len >= 12 && !memcmp(data, "\xff\xff\xff\xff", 4) && !memcmp(data + 8, "\x10\0\0\0", 4)
               ? READS("a table in Arrow's stream format", "pyarrow reads it")
               : NULL;
}

/* "go 1.22 trace\0\0\0" */
static const char *find_go(const uint8_t *data, size_t len)
{
    return len >= 16 && !memcmp(data, "go 1.", 5) && memmem(data, 16, " trace\0", 7)
               ? READS("an execution trace of Go", "`go tool trace` reads it")
               : NULL;
}

/* Words of the machine: 0, 3, 0, the period in us, 0. */
static const char *find_gperftools(const uint8_t *data, size_t len)
{
    uint64_t words[5];

    if (len < sizeof(words))
        return NULL;
    memcpy(words, data, sizeof(words));
    return !words[0] && words[1] == 3 && !words[2] && words[3] && words[3] < 10000000 && !words[4]
               ? READS("a CPU profile of gperftools",
                       "`pprof -proto` converts it to a profile that can be read")
               : NULL;
}

/* KeyValue { key = 1: a text, value = 2: a message } */
static bool is_attribute(const struct orma_pb_field *field)
{
    struct orma_pb_reader r = orma_pb_sub(field);
    struct orma_pb_field f;
    bool has_key = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id > 2 || f.wire != ORMA_PB_LEN)
            return false;
        has_key |= f.id == 1 && f.len;
    }
    return has_key && !r.failed;
}

/* Resource { attributes = 1, dropped = 2: a number, entities = 3 } with an attribute. */
static bool is_resource(const struct orma_pb_field *field)
{
    struct orma_pb_reader r = orma_pb_sub(field);
    struct orma_pb_field f;
    bool has_attribute = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id > 3 || f.wire != (f.id == 2 ? ORMA_PB_VARINT : ORMA_PB_LEN) ||
            (f.id == 1 && !is_attribute(&f)))
            return false;
        has_attribute |= f.id == 1;
    }
    return has_attribute && !r.failed;
}

/* ScopeSpans { scope = 1, spans = 2 }, whose Span begins with ids of 16 and of 8 bytes. */
static bool has_span(const struct orma_pb_field *field)
{
    struct orma_pb_reader r = orma_pb_sub(field);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == 2 && f.wire == ORMA_PB_LEN)
            return f.len >= 28 && f.data[0] == 0x0a && f.data[1] == 16 && f.data[18] == 0x12 &&
                   f.data[19] == 8;
    return false;
}

/*
 * A message of field 1, in which is a Resource; without one, spans. A packet, whose field 1 is a
 * bundle of the kernel's events and whose field 2 is a tree of processes, has numbers where these
 * have texts. The message may go on behind the bytes at hand.
 */
static const char *find_otlp_message(const uint8_t *data, size_t len)
{
    const uint8_t *at = data + 1, *end = data + len;
    struct orma_pb_field f;
    uint64_t size;

    if (!len || data[0] != 0x0a || !orma_pb_varint_at(&at, end, &size))
        return NULL;
    struct orma_pb_reader r = orma_pb_reader(at, (size_t)ORMA_MIN(size, (uint64_t)(end - at)));
    while (orma_pb_next(&r, &f)) {
        if (f.wire != ORMA_PB_LEN || f.id > 3 || (f.id == 1 && f.len && !is_resource(&f)))
            return NULL;
        if ((f.id == 1 && f.len) || (f.id == 2 && has_span(&f)))
            return READS("data of OpenTelemetry (OTLP)", "OTLP backends read it");
    }
    return NULL;
}

/* As a request, and as collectors write it to files: with its length in front, in four bytes. */
static const char *find_otlp(const uint8_t *data, size_t len)
{
    const char *is = find_otlp_message(data, len);

    return is || len < 5 || data[0] ? is : find_otlp_message(data + 4, len - 4);
}

static const char *find_bytes(const uint8_t *data, size_t len)
{
    const char *is;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(magics); i++)
        if (len >= magics[i].len && !memcmp(data, magics[i].magic, magics[i].len))
            return magics[i].is;
    if ((is = find_elf(data, len)) || (is = find_arrow_stream(data, len)) ||
        (is = find_go(data, len)) || (is = find_otlp(data, len)))
        return is;
    return find_gperftools(data, len);
}

/* ---- texts ---- */

/* A line near the begin starts so, and the begin contains `also`; NULL: anything. */
static const struct {
    const char *line, *also, *is;
} texts[] = {
    {"desc: ", "\ntime_unit: ", READS("a heap profile of massif", "`ms_print` reads it")},
    {"heap profile: ", " @ ",
     READS("a heap profile as text (gperftools, Go)",
           "`pprof -proto` converts it to a profile that can be read")},
    {"heap_v2/", NULL, READS("a heap profile of jemalloc", "`jeprof` reads it")},
    {"goroutine profile: total ", NULL,
     READS("a profile of Go as text", "fetched without `debug=1` it can be read")},
    {"threadcreate profile: total ", NULL,
     READS("a profile of Go as text", "fetched without `debug=1` it can be read")},
    {"--- contention:", NULL,
     READS("a profile of Go as text", "fetched without `debug=1` it can be read")},
    {"--- mutex:", NULL,
     READS("a profile of Go as text", "fetched without `debug=1` it can be "
                                      "read")},
    {"Flat profile:", NULL, "gprof output"},
    {"Full thread dump ", NULL, "a Java thread dump (jstack)"},
    {"# To display the perf.data header info", "# Overhead",
     READS("the output of `perf report`", "that of `perf script` can be read")},
    {"format:", "\tfield:", "the format file of a kernel event, which holds no trace"},
    {"MODULE Linux ", NULL, "a file of symbols (Breakpad), which holds no trace"},
    {"packet {", ": ", READS("a trace as text", "`orma convert binary` converts it to a trace")},
    {"packet: {", ": ", READS("a trace as text", "`orma convert binary` converts it to a trace")},
    {"packet <", ": ", READS("a trace as text", "`orma convert binary` converts it to a trace")},
    {"buffers", "{",
     READS("a config as text, which holds no trace", "`orma record -c` records with it")},
    {"data_sources", "{",
     READS("a config as text, which holds no trace", "`orma record -c` records with it")},
    {"duration_ms:", "{",
     READS("a config as text, which holds no trace", "`orma record -c` records with it")},
};

/* The word is whole: "buffers {" and "buffers: {", no "buffers of a; b 12". */
static bool begins(struct orma_str line, const char *with)
{
    const size_t n = strlen(with);

    if (line.len < n || memcmp(line.data, with, n))
        return false;
    if (with[n - 1] != 's') /* those that end with a letter are fields */
        return true;
    struct orma_str rest = orma_str_trim((struct orma_str){line.data + n, line.len - n});
    if (rest.len && rest.data[0] == ':')
        rest = orma_str_trim((struct orma_str){rest.data + 1, rest.len - 1});
    return rest.len && (rest.data[0] == '{' || rest.data[0] == '<');
}

static const char *find_text(struct orma_str head)
{
    struct orma_str rest = head, line;

    for (unsigned n = 0; n < LINES_LOOK && orma_str_cut(&rest, '\n', &line); n++)
        for (unsigned i = 0; i < ORMA_ARRAY_LEN(texts); i++)
            if (begins(line, texts[i].line) &&
                (!texts[i].also || orma_str_find(head, orma_str_from(texts[i].also))))
                return texts[i].is;
    return NULL;
}

/* ---- JSON ---- */

/* Without blanks it contains both, or begins with the first one if that is a bracket; NULL:
 * anything. */
static const struct {
    const char *has, *also, *is;
} jsons[] = {
    {"{\"snapshot\":{\"meta\":{\"node_fields\"", NULL,
     READS("a heap snapshot of V8", "the developer tools of Chrome read it")},
    {"{\"resourceMetrics\":[", NULL,
     READS("metrics of OpenTelemetry (OTLP)", "OTLP backends read them")},
    {"{\"resourceLogs\":[", NULL, READS("logs of OpenTelemetry (OTLP)", "OTLP backends read them")},
    {"{\"log\":{\"version\":", "\"creator\":",
     READS("an archive of HTTP requests (HAR)", "the developer tools of browsers read it")},
    {"{\"constants\":{", "\"logEventTypes\":",
     READS("a network log of Chrome", "https://netlog-viewer.appspot.com reads it")},
    {"\"root_frame\":{",
     "\"sample_count\":", READS("a profile of pyinstrument", "`pyinstrument --load` reads it")},
    {"\"dataForRoots\":[", NULL,
     READS("a profile of React", "the developer tools of React read it")},
};

/* Without blanks, those in texts included. */
static struct orma_str squeeze(struct orma_str head, char *out)
{
    size_t n = 0;

    for (size_t i = 0; i < head.len; i++)
        if (!head.data[i] || !strchr(" \t\r\n", head.data[i]))
            out[n++] = head.data[i];
    return (struct orma_str){out, n};
}

static bool has_text(struct orma_str json, const char *what)
{
    const struct orma_str text = orma_str_from(what);

    return what[0] == '{' ? orma_str_starts(json, text) : orma_str_find(json, text) != NULL;
}

static const char *find_json(struct orma_str head)
{
    char squeezed[LOOK];
    struct orma_str json = squeeze(head, squeezed);

    if (!json.len || json.data[0] != '{' || has_text(json, "\"traceEvents\":") ||
        has_text(json, "\"ph\":"))
        return NULL;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(jsons); i++)
        if (has_text(json, jsons[i].has) && (!jsons[i].also || has_text(json, jsons[i].also)))
            return jsons[i].is;
    return NULL;
}

/* ---- all ---- */

const char *orma_foreign_find(const uint8_t *data, size_t len)
{
    const struct orma_str head = {(const char *)data, ORMA_MIN(len, LOOK)};
    const char *is;

    if (!is_text(head))
        return find_bytes(data, head.len);
    return (is = find_json(head)) ? is : find_text(head);
}

static bool starts_with_tag(struct orma_str text, const char *tag)
{
    const size_t n = strlen(tag);

    return text.len >= n && !strncasecmp(text.data, tag, n);
}

const char *orma_foreign_guess(const uint8_t *data, size_t len)
{
    const struct orma_str head = {(const char *)data, ORMA_MIN(len, LOOK)},
                          text = orma_str_trim(head);
    const char *line = text.len ? memchr(text.data, '\n', text.len) : NULL;

    const char first = text.len ? text.data[0] : ' ';

    if (!is_text(head))
        return NULL;
    if (starts_with_tag(text, "<!doctype html") || starts_with_tag(text, "<html"))
        return READS("an HTML page that contains no trace", "browsers read it");
    if (starts_with_tag(text, "<?xml"))
        return "XML that was not written by `xctrace export`";
    if (first == '{' && line && line + 1 < text.data + text.len && line[1] == '{')
        return READS("lines of JSON without trace events",
                     "`jq` reads them; events have a phase (\"ph\") and a time (\"ts\")");
    if (first == '{' || first == '[')
        return READS(
            "JSON without trace events",
            "`jq` reads it; trace events are in a list \"traceEvents\", or have a phase (\"ph\")");
    return "text in an unknown format";
}
