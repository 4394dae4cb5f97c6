/*
 * Sections and segments of an ELF file of 64 bits in our byte order, where its bytes are in memory.
 *
 * Bytes are hostile, and may change while we look: each value is copied, checked, and then used.
 * Threads: none.
 */
#ifndef ORMA_UNWIND_ELF_VIEW_H
#define ORMA_UNWIND_ELF_VIEW_H
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orma_unwind_elf {
    const uint8_t *bytes; /* the caller's */
    size_t len;
    uint64_t sections_at, names_at, names_len, segments_at;
    unsigned sections_num, segments_num;
    uint16_t machine;
};

/* False: not such a file, or it has no sections with names. */
bool orma_unwind_elf_open(struct orma_unwind_elf *self, const uint8_t *bytes, size_t len);

/* False: the file ends before. */
bool orma_unwind_elf_read(const struct orma_unwind_elf *self, uint64_t at, void *to, size_t num);

/* False: there is no section with that number. */
bool orma_unwind_elf_section(const struct orma_unwind_elf *self, uint64_t i, Elf64_Shdr *ret);

/* False: there is no program header with that number. */
bool orma_unwind_elf_segment(const struct orma_unwind_elf *self, uint64_t i, Elf64_Phdr *ret);

/* The bytes of a section; NULL: the file ends before, or has none of them. */
const uint8_t *orma_unwind_elf_bytes(const struct orma_unwind_elf *self, const Elf64_Shdr *head);

/* As much of the section's name as fits, ended by zero; false: it has none. */
bool orma_unwind_elf_name(const struct orma_unwind_elf *self, const Elf64_Shdr *head, char *ret,
                          size_t size);
bool orma_unwind_elf_is_named(const struct orma_unwind_elf *self, const Elf64_Shdr *head,
                              const char *name);
/* The first section of that name. False: there is none. */
bool orma_unwind_elf_find(const struct orma_unwind_elf *self, const char *name, Elf64_Shdr *ret);
#endif
