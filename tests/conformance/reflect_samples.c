/*
 * Text and JSON over everything that others recorded:
 *
 *   trace.textproto beside trace.pb   the text becomes these bytes, the bytes
 *                                     become text and JSON and are the same again
 *   *.pftrace                         bytes -> text -> bytes, streamed; -> JSON -> bytes
 *   *.pbtxt                           configs are read, printed, and read again
 *   metadata.csv                      the trace's config prints as recorded there
 *
 * Prints a verdict per file, for passing.py.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "protos/fields/trace.h"
#include "protos/reflect/json.h"
#include "protos/reflect/stream.h"
#include "protos/reflect/text.h"
#include "tests/conformance/canonical.h"
#include "tests/conformance/shared.h"

static const struct orma_schema *schema;
static uint32_t trace_msg, config_msg;
static bool is_wrong; /* something of the sample that is looked at */

static void check(bool ok, const char *what, const char *path)
{
    if (ok)
        return;
    is_wrong = true;
    printf("%s: %s\n", path, what);
}

/* After all checks of one sample. */
static void judge(const char *path)
{
    shared_verdict(path, !is_wrong);
    is_wrong = false;
}

static bool is_same(uint32_t msg, const struct orma_buf *a, const struct orma_buf *b,
                    bool last_wins)
{
    struct orma_buf ca = {0}, cb = {0};
    bool same = canonical(schema, msg, orma_buf_str(a), last_wins, &ca) &&
                canonical(schema, msg, orma_buf_str(b), last_wins, &cb) && ca.len == cb.len &&
                (!ca.len || !memcmp(ca.data, cb.data, ca.len));

    orma_buf_fini(&ca);
    orma_buf_fini(&cb);
    return same;
}

/* What a parse said went wrong. */
static void complain(struct orma_buf *error, const char *what, const char *path)
{
    check(false, what, path);
    printf("%s", orma_buf_cstr(error));
}

struct memory {
    struct orma_str left;
};

/* Odd sizes, so that pieces end anywhere. */
static ssize_t memory_read(void *ctx, void *to, size_t len)
{
    struct memory *m = ctx;
    size_t n = ORMA_MIN(ORMA_MIN(len, (size_t)4093), m->left.len);

    if (!n)
        return 0; /* there may be no address at all */
    memcpy(to, m->left.data, n);
    m->left.data += n;
    m->left.len -= n;
    return (ssize_t)n;
}

/* Bytes to text and back, both as streams. */
static void text_and_back(uint32_t msg, const struct orma_buf *bytes, const char *path)
{
    struct orma_buf text = {0}, back = {0}, error = {0};
    struct orma_text_parse opts = {.error = &error, .flags = ORMA_TEXT_KEEP_ALL};
    struct memory from = {orma_buf_str(bytes)};

    check(orma_text_print_stream(schema, msg, (struct orma_reflect_source){memory_read, &from},
                                 NULL, orma_reflect_sink_buf(&text)) == 0,
          "can't be printed as text", path);
    from.left = orma_buf_str(&text);
    if (orma_text_parse_stream(schema, msg, (struct orma_reflect_source){memory_read, &from}, &opts,
                               orma_reflect_sink_buf(&back)) < 0)
        complain(&error, "our own text can't be read", path);
    else
        check(is_same(msg, bytes, &back, false), "text and back: not the same", path);
    orma_buf_fini(&text);
    orma_buf_fini(&back);
    orma_buf_fini(&error);
}

static void json_and_back(uint32_t msg, const struct orma_buf *bytes, const char *path)
{
    struct orma_buf json = {0}, back = {0}, error = {0};
    struct orma_json_print print = {0};
    struct orma_json_parse opts = {.error = &error};

    check(orma_json_print(schema, msg, bytes->data, bytes->len, &print, &json) == 0,
          "can't be printed as JSON", path);
    if (orma_json_parse(schema, msg, orma_buf_str(&json), &opts, &back) < 0)
        complain(&error, "our own JSON can't be read", path);
    else if (!print.dropped && !print.replaced)
        check(is_same(msg, bytes, &back, true), "JSON and back: not the same", path);
    orma_buf_fini(&json);
    orma_buf_fini(&back);
    orma_buf_fini(&error);
}

/* A text, and beside it the bytes that another implementation made of it. */
static void visit_pair(void *ctx, const char *path)
{
    struct orma_buf text = {0}, bytes = {0}, mine = {0}, error = {0};
    struct orma_text_parse opts = {
        .error = &error, .file = path, .flags = ORMA_TEXT_LAST_WINS | ORMA_TEXT_PARTIAL};
    char beside[4200];

    (void)ctx;
    snprintf(beside, sizeof(beside), "%.*s.pb", (int)(strrchr(path, '.') - path), path);
    shared_read(path, &text);
    shared_read(beside, &bytes);
    if (orma_text_parse(schema, trace_msg, orma_buf_str(&text), &opts, &mine) < 0)
        complain(&error, "can't be read", path);
    else
        check(is_same(trace_msg, &mine, &bytes, false), "not the bytes that others make of it",
              path);
    text_and_back(trace_msg, &bytes, path);
    json_and_back(trace_msg, &bytes, path);
    judge(path);
    orma_buf_fini(&text);
    orma_buf_fini(&bytes);
    orma_buf_fini(&mine);
    orma_buf_fini(&error);
}

/* The whole packets of a trace; the rest of one that was cut is dropped. */
static void cut_to_packets(struct orma_buf *bytes)
{
    struct memory from = {orma_buf_str(bytes)};
    struct orma_field_stream stream = {.source = {memory_read, &from}};
    struct orma_pb_field field;

    while (orma_field_stream_next(&stream, &field) > 0) {
    }
    bytes->len = (size_t)orma_field_stream_offset(&stream);
    orma_field_stream_fini(&stream);
}

static bool is_gzip(const struct orma_buf *bytes)
{
    return bytes->len > 2 && !memcmp(bytes->data, "\x1f\x8b", 2);
}

/* Recordings are often kept compressed, whatever their name. False: this build has no zlib. */
static bool read_trace(const char *path, struct orma_buf *bytes)
{
    shared_read(path, bytes);
    if (!is_gzip(bytes))
        return true;
    orma_buf_clear(bytes);
#ifdef HAVE_ZLIB
    char block[1 << 16];
    gzFile file = gzopen(path, "rb");
    int n;

    while (file && (n = gzread(file, block, sizeof(block))) > 0)
        orma_buf_put(bytes, block, (size_t)n);
    if (file)
        gzclose(file);
    return true;
#else
    printf("%s: left out, compressed\n", path);
    return false;
#endif
}

static void visit_trace(void *ctx, const char *path)
{
    struct orma_buf bytes = {0};

    (void)ctx;
    if (!read_trace(path, &bytes)) {
        orma_buf_fini(&bytes);
        return;
    }
    cut_to_packets(&bytes);
    check(bytes.len > 0, "holds no packet", path);
    text_and_back(trace_msg, &bytes, path);
    json_and_back(trace_msg, &bytes, path);
    judge(path);
    orma_buf_fini(&bytes);
}

static void visit_config(void *ctx, const char *path)
{
    struct orma_buf text = {0}, bytes = {0}, error = {0};
    struct orma_text_parse opts = {.error = &error, .file = path};

    (void)ctx;
    shared_read(path, &text);
    if (orma_text_parse(schema, config_msg, orma_buf_str(&text), &opts, &bytes) < 0)
        complain(&error, "can't be read", path);
    text_and_back(config_msg, &bytes, path);
    json_and_back(config_msg, &bytes, path);
    judge(path);
    orma_buf_fini(&text);
    orma_buf_fini(&bytes);
    orma_buf_fini(&error);
}

/* The first config of a trace as text, without the last newline; empty if there is none. */
static void print_config(const struct orma_buf *trace, struct orma_buf *text)
{
    struct orma_pb_reader r = orma_pb_reader(trace->data, trace->len);
    struct orma_pb_field packet, f;

    while (orma_pb_next(&r, &packet)) {
        struct orma_pb_reader sub = orma_pb_sub(&packet);

        while (!text->len && orma_pb_next(&sub, &f))
            if (f.id == ORMA_PB_TRACE_PACKET_TRACE_CONFIG)
                orma_text_print(schema, config_msg, f.data, f.len, NULL, text);
    }
    text->len -= text->len > 0;
}

/* In a result table: "trace_config_pbtxt","single","[NULL]","<text as it is>" */
static void visit_metadata(void *ctx, const char *path)
{
    static const char key[] = "\"trace_config_pbtxt\",\"single\",\"[NULL]\",\"";
    struct orma_buf csv = {0}, trace = {0}, text = {0};
    char beside[4200];
    struct stat st;
    int *compared = ctx;

    shared_read(path, &csv);
    const char *at = strstr(orma_buf_cstr(&csv), key);
    snprintf(beside, sizeof(beside), "%.*s/trace.pftrace",
             (int)(strstr(path, "/expected/") ? strstr(path, "/expected/") - path : 0), path);
    if (at && stat(beside, &st) == 0) {
        shared_read(beside, &trace);
        print_config(&trace, &text);
        if (text.len) { /* not in a compressed packet */
            orma_buf_put_str(&text, "\"\n");
            check(!strncmp(at + sizeof(key) - 1, orma_buf_cstr(&text), text.len),
                  "the config prints otherwise", path);
            judge(path);
            ++*compared;
        }
    }
    orma_buf_fini(&csv);
    orma_buf_fini(&trace);
    orma_buf_fini(&text);
}

static uint32_t find(const char *name)
{
    uint32_t msg = orma_schema_find_msg(schema, orma_str_from(name));

    check(msg != ORMA_SCHEMA_NONE, "not in the schema", name);
    return msg;
}

int main(void)
{
    const char *shared = shared_folder();
    char folder[4096];
    int compared = 0;

    schema = orma_schema_default();
    trace_msg = find("perfetto.protos.Trace");
    config_msg = find("perfetto.protos.TraceConfig");
    if (is_wrong)
        return 1;
    snprintf(folder, sizeof(folder), "%s/conformance", shared);
    int pairs = shared_each(folder, "*.textproto", visit_pair, NULL);
    snprintf(folder, sizeof(folder), "%s/samples", shared);
    int traces = shared_each(folder, "*.pftrace", visit_trace, NULL);
    int configs = shared_each(folder, "*.pbtxt", visit_config, NULL);
    snprintf(folder, sizeof(folder), "%s/samples/traces", shared);
    shared_each(folder, "metadata.csv", visit_metadata, &compared);
    check(pairs && traces && configs && compared, "samples are missing", shared);
    printf("%d texts, %d traces, %d configs, %d printed configs\n", pairs, traces, configs,
           compared);
    return is_wrong ? 1 : 0;
}
