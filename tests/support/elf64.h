/*
 * Makes ELF files of 64 bits, in this machine's byte order, for tests: sections and, from those
 * with SHF_ALLOC, segments. Contents follow the header one behind the other; then the section
 * headers.
 */
#ifndef ORMA_TESTS_SUPPORT_ELF64_H
#define ORMA_TESTS_SUPPORT_ELF64_H
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sdk/base/buf.h"

#define ORMA_ELF64_SECTIONS_MAX 16

struct orma_elf64 {
    uint16_t machine;
    uint64_t entry;
    Elf64_Shdr sections[ORMA_ELF64_SECTIONS_MAX]; /* [0] stays empty */
    unsigned num;
    struct orma_buf contents, names;
    struct orma_buf bytes; /* the file, once it is finished */
};

#define ORMA_ELF64_HEADERS (sizeof(Elf64_Ehdr) + ORMA_ELF64_SECTIONS_MAX * sizeof(Elf64_Phdr))

/* Returns its number; what else its header says can be set in `sections`. */
static inline unsigned orma_elf64_add(struct orma_elf64 *self, const char *name, uint32_t type,
                                      uint64_t flags, uint64_t address, const void *data,
                                      size_t len)
{
    if (!self->num) {
        self->num = 1;
        orma_buf_put_byte(&self->names, 0);
    }
    while (self->contents.len % 16)
        orma_buf_put_byte(&self->contents, 0);
    self->sections[self->num] = (Elf64_Shdr){.sh_name = (uint32_t)self->names.len,
                                             .sh_type = type,
                                             .sh_flags = flags,
                                             .sh_addr = address,
                                             .sh_offset = ORMA_ELF64_HEADERS + self->contents.len,
                                             .sh_size = len,
                                             .sh_addralign = 1};
    orma_buf_put(&self->names, name, strlen(name) + 1);
    if (type != SHT_NOBITS)
        orma_buf_put(&self->contents, data, len);
    return self->num++;
}

static inline void orma_elf64_finish(struct orma_elf64 *self)
{
    uint8_t headers[ORMA_ELF64_HEADERS] = {0};
    Elf64_Phdr segment = {.p_type = PT_LOAD};
    unsigned segments = 0;

    unsigned names = orma_elf64_add(self, ".shstrtab", SHT_STRTAB, 0, 0, "", 0);
    self->sections[names].sh_size = self->names.len;
    orma_buf_put(&self->contents, self->names.data, self->names.len);
    while (self->contents.len % 16)
        orma_buf_put_byte(&self->contents, 0);
    for (unsigned i = 1; i < self->num; i++) {
        const Elf64_Shdr *s = &self->sections[i];

        if (!(s->sh_flags & SHF_ALLOC))
            continue;
        segment.p_flags = PF_R | (s->sh_flags & SHF_EXECINSTR ? PF_X : 0);
        segment.p_offset = s->sh_offset;
        segment.p_vaddr = s->sh_addr;
        segment.p_filesz = s->sh_type == SHT_NOBITS ? 0 : s->sh_size;
        segment.p_memsz = s->sh_size;
        memcpy(headers + sizeof(Elf64_Ehdr) + segments++ * sizeof(segment), &segment,
               sizeof(segment));
    }
    const Elf64_Ehdr elf = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64,
                    __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = self->machine,
        .e_version = EV_CURRENT,
        .e_entry = self->entry,
        .e_phoff = sizeof(elf),
        .e_shoff = ORMA_ELF64_HEADERS + self->contents.len,
        .e_ehsize = sizeof(elf),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = (uint16_t)segments,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (uint16_t)self->num,
        .e_shstrndx = (uint16_t)names};
    memcpy(headers, &elf, sizeof(elf));
    orma_buf_clear(&self->bytes);
    orma_buf_put(&self->bytes, headers, sizeof(headers));
    orma_buf_put(&self->bytes, self->contents.data, self->contents.len);
    orma_buf_put(&self->bytes, self->sections, self->num * sizeof(*self->sections));
}

/* As a file without a name; -1 if that fails. */
static inline int orma_elf64_file(const struct orma_elf64 *self)
{
    int fd = memfd_create("elf", MFD_CLOEXEC);

    if (fd >= 0 && write(fd, self->bytes.data, self->bytes.len) != (ssize_t)self->bytes.len) {
        close(fd);
        return -1;
    }
    return fd;
}

static inline void orma_elf64_fini(struct orma_elf64 *self)
{
    orma_buf_fini(&self->contents);
    orma_buf_fini(&self->names);
    orma_buf_fini(&self->bytes);
}
#endif
