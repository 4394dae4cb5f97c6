#include "tools/many/columns.h"

#include <string.h>
#include <strings.h>

#define TRIES_MAX 2001 /* more names than a table has columns */

/* Names are known without regard to case, as in SQL. */
static bool is_taken(const struct orma_buf *taken, const char *name)
{
    for (size_t at = 0; at < taken->len; at += strlen((char *)taken->data + at) + 1) {
        if (!strcasecmp((char *)taken->data + at, name))
            return true;
    }
    return false;
}

void orma_many_put_name(struct orma_buf *names, struct orma_buf *taken, const char *name)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf as = {0};

    orma_buf_put_str(&as, name);
    for (unsigned i = 1; is_taken(taken, orma_buf_cstr(&as)) && i < TRIES_MAX; i++) {
        orma_buf_clear(&as);
        orma_buf_printf(&as, "%s:%u", name, i);
    }
    orma_buf_put_str(taken, orma_buf_cstr(&as));
    orma_buf_put_byte(taken, '\0');
    orma_buf_put_str(names, ", \"");
    for (const char *p = orma_buf_cstr(&as); *p; p++) {
        orma_buf_put_byte(names, (uint8_t)*p);
        if (*p == '"')
            orma_buf_put_byte(names, '"');
    }
    orma_buf_put_byte(names, '"');
}
