#include "processor/sql/base/values.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

void orma_result_buf(sqlite3_context *ctx, struct orma_buf *buf, bool blob)
{
    if (buf->failed) {
        sqlite3_result_error_nomem(ctx);
    } else if (!buf->len) {
        if (blob)
            sqlite3_result_zeroblob(ctx, 0);
        else
            sqlite3_result_text(ctx, "", 0, SQLITE_STATIC);
    } else {
        uint8_t *data = buf->data;

        if (blob)
            sqlite3_result_blob64(ctx, data, buf->len, free);
        else
            sqlite3_result_text64(ctx, (char *)data, buf->len, free, SQLITE_UTF8);
        *buf = (struct orma_buf){0}; /* SQLite frees the memory */
    }
    orma_buf_fini(buf);
}

void orma_result_error(sqlite3_context *ctx, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    char *text = sqlite3_vmprintf(fmt, args);
    va_end(args);
    if (text)
        sqlite3_result_error(ctx, text, -1);
    else
        sqlite3_result_error_nomem(ctx);
    sqlite3_free(text);
}

void orma_result_errno(sqlite3_context *ctx, int error)
{
    if (error == -ECANCELED)
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
    else
        sqlite3_result_error_nomem(ctx);
}

void orma_result_arg(sqlite3_context *ctx, const struct orma_storage *st,
                     const struct orma_args_item *a)
{
    switch ((enum orma_arg_type)a->type) {
    case ORMA_ARG_INT:
    case ORMA_ARG_UINT:
    case ORMA_ARG_POINTER:
    case ORMA_ARG_BOOL:
        sqlite3_result_int64(ctx, a->i);
        break;
    case ORMA_ARG_STRING:
    case ORMA_ARG_JSON:
        orma_result_pool(ctx, &st->pool, a->str);
        break;
    case ORMA_ARG_REAL:
        sqlite3_result_double(ctx, a->d);
        break;
    case ORMA_ARG_NULL:
        break;
    }
}

void orma_result_void(sqlite3_context *ctx)
{
    sqlite3_result_pointer(ctx, (void *)(uintptr_t)ORMA_VOID_POINTER, ORMA_VOID_POINTER, NULL);
}

int orma_result_vtab_error(char **ret_error, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    sqlite3_free(*ret_error);
    *ret_error = sqlite3_vmprintf(fmt, args);
    va_end(args);
    return *ret_error ? SQLITE_ERROR : SQLITE_NOMEM;
}
