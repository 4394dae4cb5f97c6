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
