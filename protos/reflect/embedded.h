/*
 * Files that are part of the program: modules of SQL, metrics, pages. Where the build has zlib,
 * most are one deflated text, without a checksum. Tables are made by tools/embed_sql.py and
 * tools/embed_files.py.
 */
#ifndef ORMA_PROTOS_REFLECT_EMBEDDED_H
#define ORMA_PROTOS_REFLECT_EMBEDDED_H
#include <stddef.h>
#include <stdint.h>

/* Its text, or where it is in the deflated one (text NULL). Texts there end with the next one. */
struct orma_embedded_file {
    const char *key, *text;
    uint32_t at, len;
};

struct orma_embedded {
    const struct orma_embedded_file *files; /* NULL key at the end */
    const unsigned char *packed;
    uint32_t packed_len, len;
};

/* The text behind all `at`, terminated, for free(); an empty one if nothing is packed. -ENOMEM. */
int orma_embedded_unpack(const struct orma_embedded *self, char **ret);

/* A file; `unpacked` is what orma_embedded_unpack() gave. */
#define ORMA_EMBEDDED_TEXT(file, unpacked)                                                         \
    ((struct orma_str){(file)->text ? (file)->text : (unpacked) + (file)->at, (file)->len})
#endif
