#include "processor/sql/dialect/quote.h"

#include <string.h>

char *orma_sql_unquote(struct orma_str name)
{
    char *copy = orma_str_dup(name);
    char quote = name.len ? name.data[0] : '\0';
    size_t len = 0;

    if (!copy || name.len < 2 || !strchr("\"`['", quote))
        return copy;
    if (quote == '[')
        quote = ']';
    for (size_t i = 1; i + 1 < name.len; i++) {
        copy[len++] = name.data[i];
        if (name.data[i] == quote && name.data[i + 1] == quote)
            i++;
    }
    copy[len] = '\0';
    return copy;
}

static void put_with_quotes(struct orma_buf *out, struct orma_str text, char quote)
{
    orma_buf_put_byte(out, (uint8_t)quote);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == quote)
            orma_buf_put_byte(out, (uint8_t)quote);
        orma_buf_put_byte(out, (uint8_t)text.data[i]);
    }
    orma_buf_put_byte(out, (uint8_t)quote);
}

void orma_sql_put_quoted(struct orma_buf *out, struct orma_str name)
{
    put_with_quotes(out, name, '"');
}

void orma_sql_put_literal(struct orma_buf *out, struct orma_str text)
{
    put_with_quotes(out, text, '\'');
}
