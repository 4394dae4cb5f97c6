/*
 * The key of an argument while nested data is walked: with indices ("a.b[1]")
 * and without ("a.b"). Names and indices are pushed; who pushed restores the
 * lengths. Keys longer than the buffer are cut.
 */
#ifndef ORMA_PROCESSOR_IMPORT_CORE_ARG_KEY_H
#define ORMA_PROCESSOR_IMPORT_CORE_ARG_KEY_H
#include <stdio.h>

#include "processor/import/core/import.h"

#define ORMA_ARG_KEY_MAX 1024

struct orma_arg_key {
    char full[ORMA_ARG_KEY_MAX], flat[ORMA_ARG_KEY_MAX];
    size_t full_len, flat_len;
};

static inline void orma_arg_key_append(char *to, size_t *len, const char *text, size_t n)
{
    n = ORMA_MIN(n, ORMA_ARG_KEY_MAX - 1 - *len);
    if (n)
        memcpy(to + *len, text, n);
    *len += n;
}

static inline void orma_arg_key_init(struct orma_arg_key *self, const char *root)
{
    self->full_len = self->flat_len = 0;
    orma_arg_key_append(self->full, &self->full_len, root, strlen(root));
    orma_arg_key_append(self->flat, &self->flat_len, root, strlen(root));
}

/* ".name", or "name" at the root. */
static inline void orma_arg_key_push(struct orma_arg_key *self, struct orma_str name)
{
    if (self->full_len) {
        orma_arg_key_append(self->full, &self->full_len, ".", 1);
        orma_arg_key_append(self->flat, &self->flat_len, ".", 1);
    }
    orma_arg_key_append(self->full, &self->full_len, name.data, name.len);
    orma_arg_key_append(self->flat, &self->flat_len, name.data, name.len);
}

/* The same with dots and brackets of the name itself made harmless. */
static inline void orma_arg_key_push_foreign(struct orma_arg_key *self, struct orma_str name)
{
    char clean[ORMA_ARG_KEY_MAX];
    size_t n = ORMA_MIN(name.len, sizeof(clean));

    for (size_t i = 0; i < n; i++) {
        char c = name.data[i];

        clean[i] = c == '.' || c == '[' || c == ']' ? '_' : c;
    }
    orma_arg_key_push(self, (struct orma_str){clean, n});
}

static inline void orma_arg_key_push_index(struct orma_arg_key *self, unsigned index)
{
    char text[16], *to = text + sizeof(text);

    *--to = ']';
    do
        *--to = (char)('0' + index % 10);
    while (index /= 10);
    *--to = '[';
    orma_arg_key_append(self->full, &self->full_len, to, (size_t)(text + sizeof(text) - to));
}

static inline struct orma_args_item orma_arg_of(struct orma_import_ctx *imp,
                                                const struct orma_arg_key *k,
                                                enum orma_arg_type type, int64_t val)
{
    uint32_t flat = orma_model_str(imp->model, (struct orma_str){k->flat, k->flat_len});
    /* Where no index made it longer, and nothing cut it, the full key is the flat one. */
    bool same = k->full_len == k->flat_len && k->full_len < ORMA_ARG_KEY_MAX - 1;

    return (struct orma_args_item){
        .flat_key = flat,
        .key = same ? flat : orma_model_str(imp->model, (struct orma_str){k->full, k->full_len}),
        .type = (uint8_t)type,
        .i = val,
    };
}

static inline void orma_arg_put(struct orma_import_ctx *imp, const struct orma_arg_key *k,
                                enum orma_arg_type type, int64_t val, struct orma_args_list *ret)
{
    orma_args_put(ret, orma_arg_of(imp, k, type, val));
}

static inline void orma_arg_put_text(struct orma_import_ctx *imp, const struct orma_arg_key *k,
                                     struct orma_str text, struct orma_args_list *ret)
{
    orma_arg_put(imp, k, ORMA_ARG_STRING, orma_model_str(imp->model, text), ret);
}

static inline void orma_arg_put_double(struct orma_import_ctx *imp, const struct orma_arg_key *k,
                                       double val, struct orma_args_list *ret)
{
    struct orma_args_item arg = orma_arg_of(imp, k, ORMA_ARG_REAL, 0);

    arg.d = val;
    orma_args_put(ret, arg);
}
#endif
