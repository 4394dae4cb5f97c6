/*
 * Trace configs from files: text, JSON or binary, recognised by themselves.
 */
#ifndef ORMA_TOOLS_SERVICE_CONFIG_FILE_H
#define ORMA_TOOLS_SERVICE_CONFIG_FILE_H
#include "sdk/base/buf.h"

enum orma_service_config_form {
    ORMA_SERVICE_CONFIG_AUTO, /* text if nothing but printable characters is in it */
    ORMA_SERVICE_CONFIG_TEXT, /* or JSON, if it begins with '{' */
    ORMA_SERVICE_CONFIG_TEXT_LOSSY, /* unknown fields and enum values are dropped */
    ORMA_SERVICE_CONFIG_BINARY,
};

/*
 * Reads `path` ("-": standard input) and appends the encoded TraceConfig: of a
 * binary file its very bytes, unknown fields included. 0, or -errno with the
 * message for the user (of several lines for text: place, line, caret) in `error`.
 */
int orma_service_config_load(const char *path, enum orma_service_config_form form,
                             struct orma_buf *ret, struct orma_buf *error);
#endif
