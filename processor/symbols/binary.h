/*
 * Binaries: what lies at an address of an ELF file.
 *
 * orma_binary_peek() looks at the headers only: is this the file with that build id?
 * orma_binary_open() reads the symbols and, on demand, the debug information. An address is one of
 * the file (a virtual address of its program headers), not of a process.
 *
 * Files are hostile. They are read, never mapped, so one that shrinks is an error and no signal;
 * sizes are capped, what unpacks to unlikely sizes is refused (all that one binary unpacks to
 * together), and each file has a budget of entries of debug information: past it, addresses get
 * what the symbol table knows.
 *
 * Without libdw (the build says so) everything here fails with -ENOTSUP.
 * Threads: none.
 */
#ifndef ORMA_PROCESSOR_SYMBOLS_BINARY_H
#define ORMA_PROCESSOR_SYMBOLS_BINARY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORMA_BUILD_ID_MAX 64
/* Functions that were compiled into one another at one address: more are left out. */
#define ORMA_SOURCE_FRAMES_MAX 64

struct orma_binary;

struct orma_binary_info {
    uint8_t build_id[ORMA_BUILD_ID_MAX];
    size_t build_id_len;   /* 0: it has none */
    uint64_t load_bias;    /* of the first executable segment: its address less its offset */
    char debug_link[256];  /* name of the file with the debug information; "" if none is named */
    uint32_t debug_crc;    /* what its CRC-32 must be */
    uint64_t packed_bytes; /* of its sections that are packed, once they are unpacked */
    bool has_dwarf;        /* debug information */
    bool has_symbols;      /* a full symbol table, not only what the dynamic linker needs */
    bool has_code;         /* false: a file of debug information only; load_bias means nothing */
};

/* A function at an address. Texts are never NULL; line 0: unknown. */
struct orma_source_frame {
    const char *function;
    const char *file;
    uint32_t line;
};

/* True if this build can read binaries. */
bool orma_binary_supported(void);

/* 0; -ENOEXEC: no ELF file, or a broken one; -ENOTSUP; -errno. */
int orma_binary_peek(const char *path, struct orma_binary_info *ret);

/* The same errors. */
int orma_binary_open(const char *path, struct orma_binary **ret);

/* NULL is fine. */
void orma_binary_free(struct orma_binary *self);

/*
 * What is at `pc`, the innermost function first: each of the others was called, in the source, by
 * the next. Returns how many (0: nothing is known). Texts are valid until the next call.
 */
size_t orma_binary_frames(struct orma_binary *self, uint64_t pc,
                          struct orma_source_frame ret[ORMA_SOURCE_FRAMES_MAX]);
#endif
