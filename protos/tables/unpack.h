/*
 * The tables of this folder that are deflated in the program: names and fields of kernel events,
 * system calls. tools/pack_tables.py makes them of the generated files; each column by itself, as
 * differences and low bytes first, because that is what deflates well. Without zlib the files are
 * built as they are.
 */
#ifndef ORMA_PROTOS_TABLES_UNPACK_H
#define ORMA_PROTOS_TABLES_UNPACK_H
#include <stddef.h>
#include <stdint.h>

/* Rows that a table may have. */
#define ORMA_FTRACE_TABLES_ROWS_MAX 4096

struct orma_ftrace_tables_array {
    void *to; /* NULL: the end */
    uint16_t rows;
    const char *columns; /* bytes of each: "2211"; "": rows of text */
};

struct orma_ftrace_tables_packed {
    const unsigned char *bytes;
    size_t len;
    const struct orma_ftrace_tables_array *arrays;
};
extern const struct orma_ftrace_tables_packed orma_ftrace_tables_packed;

/* Does nothing from the second time on. Any thread. */
void orma_ftrace_tables_unpack(void);
#endif
