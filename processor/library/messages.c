/* Metrics and summaries for users of the library: messages in memory that they free. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "processor/api/processor_impl.h"
#include "processor/metrics/metrics.h"
#include "processor/metrics/summary.h"
#include "protos/reflect/json.h"
#include "sdk/base/buf.h"
#include "sdk/base/plain_locale.h"

const char *orma_processor_version(void)
{
    return ORMA_VERSION;
}

void orma_free(void *data)
{
    free(data);
}

/* The content becomes the caller's; a zero follows it. */
static int hand_over(struct orma_buf *out, char **ret, size_t *ret_len)
{
    orma_buf_put_byte(out, 0);
    if (out->failed)
        return -ENOMEM;
    *ret_len = out->len - 1;
    *ret = (char *)out->data;
    *out = (struct orma_buf){0};
    return 0;
}

static const char unknown_format[] = "unknown format of messages";

static bool has_null(const char *const *texts, size_t num)
{
    for (size_t i = 0; i < num; i++)
        if (!texts || !texts[i])
            return true;
    return false;
}

int orma_processor_compute_metrics(struct orma_processor *self, const char *const *names,
                                   size_t num, enum orma_message_format format, char **ret,
                                   size_t *ret_len)
{
    static const enum orma_metrics_format formats[] = {
        [ORMA_MESSAGE_BINARY] = ORMA_METRICS_BINARY,
        [ORMA_MESSAGE_TEXT] = ORMA_METRICS_TEXT,
        [ORMA_MESSAGE_JSON] = ORMA_METRICS_JSON,
    };
    ORMA_WITH_PLAIN_LOCALE;
    struct orma_metrics *metrics = orma_processor_metrics(self);
    ORMA_AUTO(orma_buf_fini) struct orma_buf out = {0};

    if ((size_t)format >= sizeof(formats) / sizeof(formats[0]))
        return orma_processor_fail(self, -EINVAL, unknown_format);
    if (has_null(names, num))
        return orma_processor_fail(self, -EINVAL, "the name of a metric is NULL");
    int r = orma_metrics_compute(metrics, names, num, formats[format], &out);
    if (r < 0)
        return orma_processor_fail(self, r, orma_metrics_error(metrics));
    return hand_over(&out, ret, ret_len);
}

struct specs {
    const char *const *texts;
    const size_t *lengths;
    size_t num;
};

static int add_specs(struct orma_summary *s, const struct specs *specs)
{
    int r = 0;

    for (size_t i = 0; !r && i < specs->num; i++) {
        size_t len = specs->lengths ? specs->lengths[i] : 0;

        r = len ? orma_summary_add_spec(s, specs->texts[i], len)
                : orma_summary_add_text(s, "spec", orma_str_from(specs->texts[i]));
    }
    return r;
}

/* The message in the form that is asked for. */
static int print(enum orma_message_format format, struct orma_buf *message)
{
    struct orma_buf text = {0};
    int r = 0;

    if (format == ORMA_MESSAGE_BINARY)
        return 0;
    if (format == ORMA_MESSAGE_TEXT) {
        r = orma_summary_print(message->data, message->len, &text);
    } else {
        const struct orma_schema *schema = orma_schema_default();
        struct orma_json_print numbers = {.flags = ORMA_JSON_INT64_NUMBERS};

        r = orma_json_print(schema,
                            orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.TraceSummary")),
                            message->data, message->len, &numbers, &text);
    }
    orma_buf_fini(message);
    *message = text;
    return r;
}

int orma_processor_summarize(struct orma_processor *self, const char *const *specs,
                             const size_t *lengths, size_t specs_num, const char *const *metrics,
                             size_t metrics_num, const char *metadata,
                             enum orma_message_format format, char **ret, size_t *ret_len)
{
    ORMA_WITH_PLAIN_LOCALE;
    const struct specs given = {specs, lengths, specs_num};
    ORMA_AUTO(orma_buf_fini) struct orma_buf out = {0};
    struct orma_summary *s;

    if ((unsigned)format > ORMA_MESSAGE_JSON)
        return orma_processor_fail(self, -EINVAL, unknown_format);
    if (has_null(specs, specs_num))
        return orma_processor_fail(self, -EINVAL, "a specification is NULL");
    if (metrics && has_null(metrics, metrics_num))
        return orma_processor_fail(self, -EINVAL, "the name of a metric is NULL");
    int r = orma_summary_new(orma_processor_sql(self), &s);
    if (r)
        return r;
    r = add_specs(s, &given);
    if (!r)
        r = orma_summary_compute(s, metrics, metrics_num, metadata, &out);
    if (r < 0)
        (void)orma_processor_fail(self, r, orma_summary_error(s));
    orma_summary_free(s);
    if (!r)
        r = print(format, &out);
    return r ? r : hand_over(&out, ret, ret_len);
}
