/* The texts of an answer: they lie one behind the other in a buffer, each is known by its offset.
 */
#include "processor/symbols/binary_impl.h"

#include <stdlib.h>
#include <string.h>

#include "processor/symbols/demangle.h"

size_t orma_binary_keep(struct orma_binary *self, const char *text)
{
    size_t at = self->texts.len;

    if (!text || !*text)
        return 0;
    orma_buf_put(&self->texts, text, strnlen(text, ORMA_BINARY_NAME_MAX));
    orma_buf_put_byte(&self->texts, 0);
    return at;
}

size_t orma_binary_keep_name(struct orma_binary *self, const char *name)
{
    char *text = orma_demangle(name);
    size_t at = orma_binary_keep(self, text ? text : name);

    free(text);
    return at;
}
