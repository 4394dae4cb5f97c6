/*
 * The calls of the RPC that are more than a query: modules of SQL that clients register, metrics,
 * trace summaries, summarizers. Each decodes its arguments completely before it changes anything.
 */
#include "processor/serve/rpc_calls.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/api/processor_impl.h"
#include "processor/metrics/metrics.h"
#include "processor/metrics/summary.h"
#include "protos/fields/trace_processor.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define MODULES_MAX 4096
#define METRICS_MAX 256

/* {name, sql} with terminators of their own, into `texts` (names and SQL in turn). */
static bool read_module(struct orma_pb_reader r, struct orma_module_text *ret)
{
    struct orma_str name = {0}, sql = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_REGISTER_SQL_PACKAGE_ARGS_MODULE_NAME)
            name = orma_pb_str(&f);
        else if (f.id == ORMA_PB_REGISTER_SQL_PACKAGE_ARGS_MODULE_SQL)
            sql = orma_pb_str(&f);
    }
    *ret = (struct orma_module_text){.key = orma_str_dup(name), .sql = orma_str_dup(sql)};
    return ret->key && ret->sql;
}

static const char *add_modules(struct orma_processor *tp, struct orma_str args,
                               struct orma_module_text *modules, size_t *num)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_str package = {0};
    struct orma_pb_field f;
    bool replace = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_REGISTER_SQL_PACKAGE_ARGS_PACKAGE_NAME)
            package = orma_pb_str(&f);
        else if (f.id == ORMA_PB_REGISTER_SQL_PACKAGE_ARGS_ALLOW_OVERRIDE)
            replace = orma_pb_bool(&f);
        else if (f.id == ORMA_PB_REGISTER_SQL_PACKAGE_ARGS_MODULES && *num == MODULES_MAX)
            return "too many modules";
        else if (f.id == ORMA_PB_REGISTER_SQL_PACKAGE_ARGS_MODULES &&
                 !read_module(orma_pb_sub(&f), &modules[(*num)++]))
            return "out of memory";
    }
    if (!package.len)
        return "the package has no name";
    char *name = orma_str_dup(package);
    int e = name ? orma_processor_add_sql_modules(tp, name, modules, *num, replace) : -ENOMEM;
    free(name);
    return e == -ENOMEM ? "out of memory" : e < 0 ? orma_processor_error(tp) : NULL;
}

void orma_rpc_register_package(struct orma_processor *tp, struct orma_str args,
                               struct orma_buf *out)
{
    struct orma_module_text *modules = calloc(MODULES_MAX, sizeof(*modules));
    size_t num = 0;
    const char *error = modules ? add_modules(tp, args, modules, &num) : "out of memory";

    if (error)
        orma_pb_put_cstr(out, ORMA_PB_REGISTER_SQL_PACKAGE_RESULT_ERROR, error);
    while (num) {
        num--;
        free((char *)(uintptr_t)modules[num].key);
        free((char *)(uintptr_t)modules[num].sql);
    }
    free(modules);
}

/* Where the metrics go in the result, by the format asked for. */
static uint32_t metrics_field(uint64_t format, enum orma_metrics_format *ret)
{
    switch (format) {
    case ORMA_PB_COMPUTE_METRIC_ARGS_TEXTPROTO:
        *ret = ORMA_METRICS_TEXT;
        return ORMA_PB_COMPUTE_METRIC_RESULT_METRICS_AS_PROTOTEXT;
    case ORMA_PB_COMPUTE_METRIC_ARGS_JSON:
        *ret = ORMA_METRICS_JSON;
        return ORMA_PB_COMPUTE_METRIC_RESULT_METRICS_AS_JSON;
    }
    *ret = ORMA_METRICS_BINARY;
    return ORMA_PB_COMPUTE_METRIC_RESULT_METRICS;
}

void orma_rpc_compute_metrics(struct orma_processor *tp, struct orma_str args, struct orma_buf *out)
{
    struct orma_metrics *metrics = orma_processor_metrics(tp);
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    char *names[METRICS_MAX];
    enum orma_metrics_format format;
    struct orma_buf result = {0};
    struct orma_pb_field f;
    uint64_t asked = 0;
    size_t num = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_COMPUTE_METRIC_ARGS_FORMAT)
            asked = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_COMPUTE_METRIC_ARGS_METRIC_NAMES && num < METRICS_MAX &&
                 (names[num] = orma_str_dup(orma_pb_str(&f))))
            num++;
    }
    uint32_t field = metrics_field(asked, &format);
    int e = metrics
                ? orma_metrics_compute(metrics, (const char *const *)names, num, format, &result)
                : -ENOMEM;
    if (e == 0)
        orma_pb_put_bytes(out, field, result.data, result.len);
    else
        orma_pb_put_cstr(out, ORMA_PB_COMPUTE_METRIC_RESULT_ERROR,
                         metrics ? orma_metrics_error(metrics) : "out of memory");
    while (num)
        free(names[--num]);
    orma_buf_fini(&result);
}

/* ---- summaries ---- */

/* What TraceSummaryArgs.computation_spec asks for. */
struct wanted {
    char *ids[METRICS_MAX];
    size_t num;
    bool all;
    char *metadata; /* NULL: none */
    bool has_spec, has_format;
};

/* NULL: nothing. */
static const char *missing(const struct wanted *w)
{
    return !w->has_spec     ? "TraceSummary missing trace_summary_spec"
           : !w->has_format ? "TraceSummary missing format"
                            : NULL;
}

static void read_computation(struct orma_pb_reader r, struct wanted *w)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_SUMMARY_ARGS_COMPUTATION_SPEC_METRIC_IDS &&
            w->num < METRICS_MAX && (w->ids[w->num] = orma_str_dup(orma_pb_str(&f)))) {
            w->num++;
        } else if (f.id == ORMA_PB_TRACE_SUMMARY_ARGS_COMPUTATION_SPEC_METADATA_QUERY_ID) {
            free(w->metadata);
            w->metadata = orma_str_dup(orma_pb_str(&f));
        } else if (f.id == ORMA_PB_TRACE_SUMMARY_ARGS_COMPUTATION_SPEC_RUN_ALL_METRICS) {
            w->all = orma_pb_bool(&f);
        }
    }
}

/* Adds the specs to `s`, reads the rest. 0 or negative. */
static int read_summary_args(struct orma_summary *s, struct orma_str args, struct wanted *w,
                             bool *ret_text)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_pb_field f;
    int e = 0;

    while (e == 0 && orma_pb_next(&r, &f)) {
        struct orma_str value = orma_pb_str(&f);

        w->has_spec |= f.id == ORMA_PB_TRACE_SUMMARY_ARGS_PROTO_SPECS ||
                       f.id == ORMA_PB_TRACE_SUMMARY_ARGS_TEXTPROTO_SPECS;
        w->has_format |= f.id == ORMA_PB_TRACE_SUMMARY_ARGS_OUTPUT_FORMAT;
        if (f.id == ORMA_PB_TRACE_SUMMARY_ARGS_PROTO_SPECS)
            e = orma_summary_add_spec(s, value.data, value.len);
        else if (f.id == ORMA_PB_TRACE_SUMMARY_ARGS_TEXTPROTO_SPECS)
            e = orma_summary_add_text(s, "textproto_specs", value);
        else if (f.id == ORMA_PB_TRACE_SUMMARY_ARGS_COMPUTATION_SPEC)
            read_computation(orma_pb_sub(&f), w);
        else if (f.id == ORMA_PB_TRACE_SUMMARY_ARGS_OUTPUT_FORMAT)
            *ret_text = orma_pb_u64(&f) == ORMA_PB_TRACE_SUMMARY_ARGS_TEXTPROTO;
    }
    return e;
}

static int summarize(struct orma_summary *s, struct orma_str args, struct wanted *w,
                     struct orma_buf *out)
{
    struct orma_buf bytes = {0}, printed = {0};
    bool text = false;
    int r = read_summary_args(s, args, w, &text);

    if (r == 0 && missing(w))
        r = -EINVAL;
    if (r == 0)
        r = orma_summary_compute(s, w->all ? NULL : (const char *const *)w->ids,
                                 w->all ? 0 : w->num, w->metadata, &bytes);
    if (r == 0 && text)
        r = orma_summary_print(bytes.data, bytes.len, &printed);
    if (r == 0 && text)
        orma_pb_put_bytes(out, ORMA_PB_TRACE_SUMMARY_RESULT_TEXTPROTO_SUMMARY, printed.data,
                          printed.len);
    else if (r == 0)
        orma_pb_put_bytes(out, ORMA_PB_TRACE_SUMMARY_RESULT_PROTO_SUMMARY, bytes.data, bytes.len);
    orma_buf_fini(&bytes);
    orma_buf_fini(&printed);
    return r;
}

void orma_rpc_summarize(struct orma_processor *tp, struct orma_str args, struct orma_buf *out)
{
    struct orma_summary *s = NULL;
    struct wanted w = {0};
    int r = orma_summary_new(orma_processor_sql(tp), &s);

    if (r == 0)
        r = summarize(s, args, &w, out);
    if (r < 0)
        orma_pb_put_cstr(out, ORMA_PB_TRACE_SUMMARY_RESULT_ERROR,
                         !s                       ? "out of memory"
                         : *orma_summary_error(s) ? orma_summary_error(s)
                                                  : missing(&w));
    while (w.num)
        free(w.ids[--w.num]);
    free(w.metadata);
    orma_summary_free(s);
}

/* ---- summarizers ---- */

uint32_t orma_rpc_summarizer_result(uint32_t method)
{
    switch (method) {
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_CREATE_SUMMARIZER:
        return ORMA_PB_TRACE_PROCESSOR_RPC_CREATE_SUMMARIZER_RESULT;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_UPDATE_SUMMARIZER_SPEC:
        return ORMA_PB_TRACE_PROCESSOR_RPC_UPDATE_SUMMARIZER_SPEC_RESULT;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_QUERY_SUMMARIZER:
        return ORMA_PB_TRACE_PROCESSOR_RPC_QUERY_SUMMARIZER_RESULT;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_DESTROY_SUMMARIZER:
        return ORMA_PB_TRACE_PROCESSOR_RPC_DESTROY_SUMMARIZER_RESULT;
    }
    return 0;
}

static void put_error(uint32_t method, const char *error, struct orma_buf *out)
{
    orma_pb_put_cstr(out,
                     method == ORMA_PB_TRACE_PROCESSOR_RPC_TPM_CREATE_SUMMARIZER
                         ? ORMA_PB_CREATE_SUMMARIZER_RESULT_ERROR
                     : method == ORMA_PB_TRACE_PROCESSOR_RPC_TPM_UPDATE_SUMMARIZER_SPEC
                         ? ORMA_PB_UPDATE_SUMMARIZER_SPEC_RESULT_ERROR
                     : method == ORMA_PB_TRACE_PROCESSOR_RPC_TPM_QUERY_SUMMARIZER
                         ? ORMA_PB_QUERY_SUMMARIZER_RESULT_ERROR
                         : ORMA_PB_DESTROY_SUMMARIZER_RESULT_ERROR,
                     error);
}

static void create_summarizer(struct orma_summarizers *all, struct orma_str name,
                              struct orma_buf *out)
{
    const char *error = orma_summarizers_create(all, name);

    if (error)
        orma_pb_put_cstr(out, ORMA_PB_CREATE_SUMMARIZER_RESULT_ERROR, error);
    else
        orma_pb_put_bytes(out, ORMA_PB_CREATE_SUMMARIZER_RESULT_SUMMARIZER_ID, name.data, name.len);
}

bool orma_rpc_summarizer(struct orma_processor *tp, struct orma_summarizers **all, uint32_t method,
                         struct orma_str args, struct orma_buf *out)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_str field[3] = {ORMA_STR(""), ORMA_STR(""), ORMA_STR("")}; /* 1: the name, always */
    struct orma_pb_field f;
    const char *error;

    if (!orma_rpc_summarizer_result(method) ||
        (!*all && orma_summarizers_new(orma_processor_sql(tp), all)))
        return false;
    while (orma_pb_next(&r, &f)) {
        if (f.id < ORMA_ARRAY_LEN(field) && f.wire == ORMA_PB_LEN)
            field[f.id] = orma_pb_str(&f);
    }
    if (r.failed) {
        put_error(method, "the arguments are malformed", out);
        return true;
    }
    switch (method) {
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_CREATE_SUMMARIZER:
        create_summarizer(*all, field[ORMA_PB_CREATE_SUMMARIZER_ARGS_SUMMARIZER_ID], out);
        break;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_UPDATE_SUMMARIZER_SPEC:
        orma_summarizers_update(*all, field[ORMA_PB_UPDATE_SUMMARIZER_SPEC_ARGS_SUMMARIZER_ID],
                                field[ORMA_PB_UPDATE_SUMMARIZER_SPEC_ARGS_SPEC], out);
        break;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_QUERY_SUMMARIZER:
        orma_summarizers_query(*all, field[ORMA_PB_QUERY_SUMMARIZER_ARGS_SUMMARIZER_ID],
                               field[ORMA_PB_QUERY_SUMMARIZER_ARGS_QUERY_ID], out);
        break;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_DESTROY_SUMMARIZER:
        error =
            orma_summarizers_destroy(*all, field[ORMA_PB_DESTROY_SUMMARIZER_ARGS_SUMMARIZER_ID]);
        if (error)
            orma_pb_put_cstr(out, ORMA_PB_DESTROY_SUMMARIZER_RESULT_ERROR, error);
        break;
    }
    return true;
}
