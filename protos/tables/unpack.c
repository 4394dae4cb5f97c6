#include "protos/tables/unpack.h"

#ifdef ORMA_HAVE_ZLIB
#include <pthread.h>
#include <string.h>

#include "protos/deflated.h"
#include "sdk/base/assert.h"

/* The columns of all rows; memory as C lays it out. */
static bool get_rows(struct orma_deflated *z, const struct orma_ftrace_tables_array *a)
{
    static uint8_t planes[2][ORMA_FTRACE_TABLES_ROWS_MAX];
    size_t stride = 0, offset = 0;

    for (const char *c = a->columns; *c; c++)
        stride += (size_t)(*c - '0');
    for (const char *c = a->columns; *c; offset += (size_t)(*c++ - '0')) {
        uint8_t *to = (uint8_t *)a->to + offset;
        uint16_t v = 0;

        if (!orma_deflated_next(z, planes[0], a->rows) ||
            (*c == '2' && !orma_deflated_next(z, planes[1], a->rows)))
            return false;
        for (size_t row = 0; row < a->rows; row++, to += stride) {
            v = (uint16_t)(v + planes[0][row] + (*c == '2' ? planes[1][row] << 8 : 0));
            if (*c == '2')
                memcpy(to, &v, sizeof(v));
            else
                *to = (uint8_t)v;
        }
    }
    return true;
}

static void unpack(void)
{
    static struct orma_deflated z;
    const struct orma_ftrace_tables_packed *p = &orma_ftrace_tables_packed;
    bool ok = orma_deflated_start(&z, p->bytes, p->len);

    for (const struct orma_ftrace_tables_array *a = p->arrays; ok && a->to; a++)
        ok = *a->columns ? get_rows(&z, a) : orma_deflated_next(&z, a->to, a->rows);
    orma_deflated_end(&z);
    ORMA_ASSERT(ok); /* our own bytes */
}

void orma_ftrace_tables_unpack(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, unpack); /* fails for bad arguments only */
}
#else
void orma_ftrace_tables_unpack(void)
{
}
#endif
