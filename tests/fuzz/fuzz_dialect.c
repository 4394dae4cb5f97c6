/*
 * The dialect over any text: it must end, stay inside, expand within its bounds,
 * and know for every byte of a statement where it came from.
 */
#include <stdlib.h>

#include "processor/sql/dialect/script.h"

static void keep_macro(struct orma_macros *macros, const struct orma_statement *s)
{
    struct orma_str params[ORMA_MACRO_ARGS_MAX];
    struct orma_sql_source *body = orma_sql_source_new("Macro", s->body);

    if (!body || s->args.len > ORMA_MACRO_ARGS_MAX)
        abort();
    for (size_t i = 0; i < s->args.len; i++)
        params[i] = s->args.fields[i].name;
    if (orma_macros_put(macros, s->name, params, s->args.len, body) < 0)
        abort();
    orma_sql_source_unref(body);
}

static void check_origins(const struct orma_sql_text *text)
{
    size_t step = text->buf.len / 64 + 1;

    for (size_t at = 0; at < text->buf.len; at += step) {
        struct orma_sql_origin origin = orma_sql_text_origin(text, (uint32_t)at);

        if (!origin.source || origin.at > origin.source->len)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orma_sql_source *source =
        orma_sql_source_new("File \"fuzz\"", (struct orma_str){(const char *)data, size});
    struct orma_macros macros = {0};
    struct orma_sql_error error = {0};
    struct orma_script script;
    struct orma_buf shown = {0};
    uint32_t before = 0;
    int r;

    if (!source || orma_script_init(&script, source, &macros) < 0)
        abort();
    while ((r = orma_script_next(&script, &error)) > 0) {
        if (orma_script_pos(&script) <= before)
            abort(); /* no progress */
        before = orma_script_pos(&script);
        check_origins(script.statement.text);
        if (script.statement.kind == ORMA_STMT_CREATE_MACRO)
            keep_macro(&macros, &script.statement);
    }
    if (r < 0 && !error.set)
        abort();
    orma_sql_error_put(&error, &shown);
    orma_buf_fini(&shown);
    orma_script_fini(&script);
    orma_sql_error_fini(&error);
    orma_macros_fini(&macros);
    orma_sql_source_unref(source);
    return 0;
}
