/*
 * Writes the default schema as constant tables of C. Runs at build time, on the descriptor set that
 * protoc makes of protos/, through the same loader that reads the sets of users.
 *
 *     schema_gen SET.bin OUT.c
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "protos/reflect/tables.h"
#include "sdk/base/buf.h"

static void put_string(FILE *out, const char *s, size_t len)
{
    fputs("    \"", out);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];

        if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?')
            fprintf(out, "\\%03o", c);
        else
            fputc(c, out);
    }
    fputs("\\0\"\n", out);
}

static void put_strings(FILE *out, const struct orma_schema *s)
{
    fputs("static const char strings[] =\n", out);
    for (uint32_t at = 0; at < s->strings_len;) {
        size_t len = strlen(s->strings + at);

        put_string(out, s->strings + at, len);
        at += (uint32_t)len + 1;
    }
    fputs("    ;\n", out);
}

static void put_numbers(FILE *out, const char *type, const char *name, const uint32_t *v, size_t n)
{
    fprintf(out, "static const %s %s[] = {", type, name);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%u,", i % 16 ? "" : "\n", v[i]);
    fputs("\n0};\n", out);
}

static void put_msgs(FILE *out, const struct orma_schema *s)
{
    fputs("static const struct orma_msg_row msgs[] = {\n", out);
    for (uint32_t i = 0; i < s->nmsgs; i++) {
        const struct orma_msg_row *m = &s->msgs[i];

        fprintf(out, "{%u,%u,%u,%u,%u,%u,%u},\n", m->name, m->fields, m->oneofs, m->nfields,
                m->dense, m->noneofs, m->nrequired);
    }
    fputs("};\nstatic const struct orma_field fields[] = {\n", out);
    for (uint32_t i = 0; i < s->nfields; i++) {
        const struct orma_field *f = &s->fields[i];

        fprintf(out, "{%u,%u,%u,%u,%u,%u,%u},\n", f->name, f->number, f->type_idx, f->oneof,
                f->extra, f->type, f->flags);
    }
    fputs("};\nstatic const uint16_t by_name[] = {", out);
    for (uint32_t i = 0; i < s->nfields; i++)
        fprintf(out, "%s%u,", i % 16 ? "" : "\n", s->by_name[i]);
    fputs("};\n", out);
}

static void put_enums(FILE *out, const struct orma_schema *s)
{
    fputs("static const struct orma_enum_row enums[] = {\n", out);
    for (uint32_t i = 0; i < s->nenums; i++)
        fprintf(out, "{%u,%u,%u},\n", s->enums[i].name, s->enums[i].values, s->enums[i].nvalues);
    fputs("};\nstatic const struct orma_enum_value values[] = {\n", out);
    for (uint32_t i = 0; i < s->nvalues; i++)
        fprintf(out, "{%u,(int32_t)%uu},\n", s->values[i].name, (uint32_t)s->values[i].number);
    fputs("};\nstatic const struct orma_field_extra extras[] = {\n", out);
    for (uint32_t i = 0; i < s->nextras; i++)
        fprintf(out, "{%u,%u,%u,%u},\n", s->extras[i].dflt, s->extras[i].json_name,
                s->extras[i].options, s->extras[i].options_len);
    fputs("{0}};\n", out);
}

static void put_schema(FILE *out, const struct orma_schema *s)
{
    fputs("/* Made by protos/reflect/schema_gen.c at build time. */\n"
          "#include \"protos/reflect/tables.h\"\n\n",
          out);
    put_strings(out, s);
    put_msgs(out, s);
    put_enums(out, s);
    put_numbers(out, "uint32_t", "oneofs", s->oneofs, s->noneofs);
    put_numbers(out, "uint32_t", "types", s->types, orma_schema_ntypes(s));
    fprintf(out,
            "static const struct orma_schema builtin = {\n"
            "    .msgs = msgs, .fields = fields, .by_name = by_name, .enums = enums,\n"
            "    .values = values, .oneofs = oneofs, .types = types, .extras = extras,\n"
            "    .strings = strings, .nmsgs = %u, .nfields = %u, .nenums = %u, .nvalues = %u,\n"
            "    .noneofs = %u, .nextras = %u, .strings_len = %u,\n};\n\n"
            "const struct orma_schema *orma_schema_default(void)\n{\n    return &builtin;\n}\n",
            s->nmsgs, s->nfields, s->nenums, s->nvalues, s->noneofs, s->nextras, s->strings_len);
}

static int read_file(const char *path, struct orma_buf *ret)
{
    FILE *in = fopen(path, "rb");

    if (!in)
        return -errno;
    for (size_t n = 1; n && !ret->failed;) {
        uint8_t *to = orma_buf_extend(ret, 65536);

        n = to ? fread(to, 1, 65536, in) : 0;
        ret->len -= to ? 65536 - n : 0;
    }
    int err = ferror(in) ? -EIO : 0;

    if (ret->failed)
        err = -ENOMEM;
    fclose(in);
    return err;
}

int main(int argc, char **argv)
{
    struct orma_buf set = {0}, notes = {0};
    struct orma_schema *schema = NULL;
    FILE *out = NULL;
    int err = argc == 3 ? read_file(argv[1], &set) : -EINVAL;

    if (!err)
        err = orma_schema_new(NULL, &schema);
    if (!err)
        err = orma_schema_add(schema, set.data, set.len, &notes);
    if (!err && !(out = fopen(argv[2], "w")))
        err = -errno;
    if (!err) {
        put_schema(out, schema);
        if (ferror(out))
            err = -EIO;
    }
    if (out && fclose(out) && !err)
        err = -errno;
    if (err)
        fprintf(stderr, "schema_gen SET.bin OUT.c: %s\n%s",
                err > 0 ? "fields were refused" : strerror(-err), orma_buf_cstr(&notes));
    orma_schema_free(schema);
    orma_buf_fini(&set);
    orma_buf_fini(&notes);
    return err ? 1 : 0;
}
