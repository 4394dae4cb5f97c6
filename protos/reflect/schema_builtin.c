/* The default schema, where it is packed. */
#include <pthread.h>

#include "protos/reflect/schema_pack.h"
#include "sdk/base/assert.h"

static void unpack(void)
{
    struct orma_schema_packed *b = &orma_schema_builtin;
    bool ok = orma_schema_unpack(&b->schema, b->bytes, b->len, b->room);

    ORMA_ASSERT(ok);
}

const struct orma_schema *orma_schema_default(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, unpack);
    return &orma_schema_builtin.schema;
}
