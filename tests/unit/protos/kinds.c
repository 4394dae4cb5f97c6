#include "tests/unit/protos/kinds.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "sdk/base/fd.h"

static void check(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "kinds: %s\n", what);
    abort();
}

void kinds_read_set(struct orma_buf *ret)
{
    check(orma_fd_read_file(AT_FDCWD, KINDS_SET, 1 << 20, ret) >= 0, KINDS_SET);
}

void kinds_ext_read_set(struct orma_buf *ret)
{
    check(orma_fd_read_file(AT_FDCWD, KINDS_EXT_SET, 1 << 20, ret) >= 0, KINDS_EXT_SET);
}

struct orma_schema *kinds_schema(bool ext)
{
    struct orma_buf set = {0}, notes = {0};
    struct orma_schema *schema = NULL;

    kinds_read_set(&set);
    check(orma_schema_new(NULL, &schema) == 0, "no memory");
    check(orma_schema_add(schema, set.data, set.len, &notes) == 0, orma_buf_cstr(&notes));
    orma_buf_clear(&set);
    if (ext) {
        kinds_ext_read_set(&set);
        check(orma_schema_add(schema, set.data, set.len, &notes) == 0, orma_buf_cstr(&notes));
    }
    orma_buf_fini(&set);
    orma_buf_fini(&notes);
    return schema;
}

uint32_t kinds_msg(const struct orma_schema *schema, const char *name)
{
    char full[128];
    int n = snprintf(full, sizeof(full), "orma.test.%s", name);
    uint32_t msg = orma_schema_find_msg(schema, (struct orma_str){full, (size_t)n});

    check(msg != ORMA_SCHEMA_NONE, full);
    return msg;
}

void kinds_from_hex(const char *hex, struct orma_buf *ret)
{
    unsigned byte;

    for (int n; sscanf(hex, " %2x%n", &byte, &n) == 1; hex += n)
        orma_buf_put_byte(ret, (uint8_t)byte);
    check(hex[strspn(hex, " ")] == '\0', hex);
}
