#include "probes/unwind/elf_view.h"

#include <string.h>

#include "sdk/base/defs.h"

#define NAME_MAX_LEN 64u /* of the sections that somebody asks for */

bool orma_unwind_elf_read(const struct orma_unwind_elf *self, uint64_t at, void *to, size_t num)
{
    if (at > self->len || num > self->len - at)
        return false;
    memcpy(to, self->bytes + at, num);
    return true;
}

bool orma_unwind_elf_section(const struct orma_unwind_elf *self, uint64_t i, Elf64_Shdr *ret)
{
    return i < self->sections_num &&
           orma_unwind_elf_read(self, self->sections_at + i * sizeof(*ret), ret, sizeof(*ret));
}

bool orma_unwind_elf_segment(const struct orma_unwind_elf *self, uint64_t i, Elf64_Phdr *ret)
{
    return i < self->segments_num &&
           orma_unwind_elf_read(self, self->segments_at + i * sizeof(*ret), ret, sizeof(*ret));
}

const uint8_t *orma_unwind_elf_bytes(const struct orma_unwind_elf *self, const Elf64_Shdr *head)
{
    if (head->sh_type == SHT_NOBITS || head->sh_offset > self->len ||
        head->sh_size > self->len - head->sh_offset)
        return NULL;
    return self->bytes + head->sh_offset;
}

bool orma_unwind_elf_open(struct orma_unwind_elf *self, const uint8_t *bytes, size_t len)
{
    Elf64_Ehdr elf;
    Elf64_Shdr names;

    *self = (struct orma_unwind_elf){.bytes = bytes, .len = len};
    if (!orma_unwind_elf_read(self, 0, &elf, sizeof(elf)) ||
        memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
        (elf.e_ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ||
        elf.e_shentsize != sizeof(names) || !elf.e_shoff || elf.e_shoff > len)
        return false;
    self->machine = elf.e_machine;
    self->sections_at = elf.e_shoff;
    self->sections_num = elf.e_shnum;
    self->segments_at = elf.e_phoff;
    self->segments_num = elf.e_phentsize == sizeof(Elf64_Phdr) ? elf.e_phnum : 0;
    if (!orma_unwind_elf_section(self, elf.e_shstrndx, &names) || names.sh_offset > len)
        return false;
    self->names_at = names.sh_offset;
    self->names_len = ORMA_MIN(names.sh_size, len - names.sh_offset);
    return true;
}

bool orma_unwind_elf_name(const struct orma_unwind_elf *self, const Elf64_Shdr *head, char *ret,
                          size_t size)
{
    if (head->sh_name >= self->names_len)
        return false;
    size = ORMA_MIN((uint64_t)size - 1, self->names_len - head->sh_name);
    if (!orma_unwind_elf_read(self, self->names_at + head->sh_name, ret, size))
        return false;
    ret[size] = '\0';
    return true;
}

bool orma_unwind_elf_is_named(const struct orma_unwind_elf *self, const Elf64_Shdr *head,
                              const char *name)
{
    char text[NAME_MAX_LEN];

    return orma_unwind_elf_name(self, head, text, sizeof(text)) && !strcmp(text, name);
}

bool orma_unwind_elf_find(const struct orma_unwind_elf *self, const char *name, Elf64_Shdr *ret)
{
    for (uint64_t i = 0; orma_unwind_elf_section(self, i, ret); i++)
        if (orma_unwind_elf_is_named(self, ret, name))
            return true;
    return false;
}
