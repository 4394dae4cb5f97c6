/*
 * Functions of .symtab or .dynsym, and where the file, which stays mapped, has their names. One
 * word for each, its start above its number, is what is sorted (byte by byte: there may be a
 * hundred thousand) and searched for the last start at or before an address. Built without libelf,
 * a file has no symbols.
 */
#include "probes/perf/symtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "sdk/base/mapped.h"
#include "sdk/base/search.h"

#define NUMBER_BITS 22
#define NUMBER_MASK ((UINT64_C(1) << NUMBER_BITS) - 1)
#define START_MAX (UINT64_MAX >> NUMBER_BITS) /* nobody links a file to higher addresses */
#define NAME_MAX_LEN 4096u

#ifdef ORMA_HAVE_LIBELF
#include <gelf.h>
#include <libelf.h>

struct reader {
    int fd;
    Elf *elf;
    struct orma_buf symbols, order;
};

static void take_build_id(struct orma_perf_symtab *self, Elf_Data *notes)
{
    GElf_Nhdr head;
    size_t at = 0, name, desc;

    while (!self->build_id_len && (at = gelf_getnote(notes, at, &head, &name, &desc)) > 0) {
        if (head.n_type != NT_GNU_BUILD_ID || head.n_namesz != 4 ||
            memcmp((const char *)notes->d_buf + name, "GNU", 4) || !head.n_descsz ||
            head.n_descsz > sizeof(self->build_id))
            continue;
        memcpy(self->build_id, (const char *)notes->d_buf + desc, head.n_descsz);
        self->build_id_len = head.n_descsz;
    }
}

/* They stay where they are: most functions are in no stack. */
static bool take_names(struct orma_perf_symtab *self, struct reader *r, size_t number)
{
    Elf_Scn *section = elf_getscn(r->elf, number);
    GElf_Shdr head;

    if (!gelf_getshdr(section, &head) || head.sh_type != SHT_STRTAB ||
        orma_mapped_open(r->fd, &self->map) < 0)
        return false;
    orma_mapped_drop_fd(self->map);
    uint64_t size = orma_mapped_size(self->map);
    if (head.sh_offset > size || head.sh_size > size - head.sh_offset)
        return false;
    self->names = (const char *)orma_mapped_data(self->map) + head.sh_offset;
    self->names_len = head.sh_size;
    return true;
}

static void take_symbols(struct orma_perf_symtab *self, struct reader *r, Elf_Scn *section,
                         const GElf_Shdr *head)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t num = data && head->sh_entsize ? data->d_size / head->sh_entsize : 0;

    if (!take_names(self, r, head->sh_link))
        return;
    for (size_t i = 0; i < ORMA_MIN(num, (size_t)NUMBER_MASK); i++) {
        GElf_Sym sym;

        if (!gelf_getsym(data, (int)i, &sym))
            return;
        unsigned type = GELF_ST_TYPE(sym.st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym.st_shndx == SHN_UNDEF ||
            !sym.st_value || sym.st_value > START_MAX || !sym.st_name ||
            sym.st_name >= self->names_len)
            continue;
        const struct orma_perf_symbol s = {(uint32_t)ORMA_MIN(sym.st_size, (uint64_t)UINT32_MAX),
                                           sym.st_name};
        const uint64_t place =
            sym.st_value << NUMBER_BITS | r->symbols.len / sizeof(struct orma_perf_symbol);
        orma_buf_put(&r->symbols, &s, sizeof(s));
        orma_buf_put(&r->order, &place, sizeof(place));
        if (r->symbols.failed || r->order.failed)
            return;
    }
}

static void take_sections(struct orma_perf_symtab *self, struct reader *r)
{
    Elf_Scn *section = NULL, *symtab = NULL, *dynsym = NULL;
    GElf_Shdr head, symtab_head, dynsym_head;

    while ((section = elf_nextscn(r->elf, section))) {
        if (!gelf_getshdr(section, &head))
            continue;
        if (head.sh_type == SHT_NOTE) {
            Elf_Data *notes = elf_getdata(section, NULL);

            if (notes)
                take_build_id(self, notes);
        } else if (head.sh_type == SHT_SYMTAB) {
            symtab = section;
            symtab_head = head;
        } else if (head.sh_type == SHT_DYNSYM) {
            dynsym = section;
            dynsym_head = head;
        }
    }
    if (symtab) /* it holds the dynamic ones too */
        take_symbols(self, r, symtab, &symtab_head);
    else if (dynsym)
        take_symbols(self, r, dynsym, &dynsym_head);
}

static void take_bias(struct orma_perf_symtab *self, Elf *elf)
{
    size_t num = 0;

    if (elf_getphdrnum(elf, &num) < 0)
        return;
    for (size_t i = 0; i < num; i++) {
        GElf_Phdr head;

        if (gelf_getphdr(elf, (int)i, &head) && head.p_type == PT_LOAD && head.p_flags & PF_X) {
            self->load_bias = head.p_vaddr - head.p_offset;
            return;
        }
    }
}

/* By start; the order of equal ones stays. False: no memory. */
static bool sort_starts(uint64_t *words, size_t num)
{
    uint64_t *from = words, *to = malloc(num * sizeof(*to)), *made = to, all = 0;

    if (!to)
        return false;
    for (size_t i = 0; i < num; i++)
        all |= words[i];
    for (unsigned shift = NUMBER_BITS; shift < 64 && all >> shift; shift += 8) {
        size_t at[257] = {0};

        for (size_t i = 0; i < num; i++)
            at[(from[i] >> shift & 0xff) + 1]++;
        for (unsigned b = 0; b < 256; b++)
            at[b + 1] += at[b];
        for (size_t i = 0; i < num; i++)
            to[at[from[i] >> shift & 0xff]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != words)
        memcpy(words, from, num * sizeof(*words));
    free(made);
    return true;
}

int orma_perf_symtab_read(struct orma_perf_symtab *self, int fd)
{
    struct reader r = {.fd = fd};

    *self = (struct orma_perf_symtab){0};
    if (elf_version(EV_CURRENT) == EV_NONE)
        return -ENOSYS;
    r.elf = elf_begin(fd, ELF_C_READ, NULL); /* reads, does not map: the file may shrink */
    if (!r.elf || elf_kind(r.elf) != ELF_K_ELF) {
        (void)elf_end(r.elf);
        return -ENOEXEC;
    }
    take_bias(self, r.elf);
    take_sections(self, &r);
    (void)elf_end(r.elf);
    self->symbols_num = r.order.len / sizeof(*self->order);
    self->symbols = (struct orma_perf_symbol *)(void *)r.symbols.data; /* ours from here on */
    self->order = (uint64_t *)(void *)r.order.data;
    if (!r.symbols.failed && !r.order.failed &&
        (!self->symbols_num || sort_starts(self->order, self->symbols_num)))
        return 0;
    orma_perf_symtab_fini(self);
    return -ENOMEM;
}
#else
int orma_perf_symtab_read(struct orma_perf_symtab *self, int fd)
{
    (void)fd;
    *self = (struct orma_perf_symtab){0};
    return -ENOSYS;
}
#endif

void orma_perf_symtab_fini(struct orma_perf_symtab *self)
{
    free(self->symbols);
    free(self->order);
    orma_mapped_close(self->map);
    *self = (struct orma_perf_symtab){0};
}

struct orma_str orma_perf_symtab_find(const struct orma_perf_symtab *self, uint64_t address)
{
    const struct orma_str none = {"", 0};

    if (!self->symbols_num || address > START_MAX)
        return none;
    uint64_t key = address << NUMBER_BITS | NUMBER_MASK;
    size_t lo = ORMA_UPPER_BOUND(self->order, self->symbols_num, , key);
    /* Aliases share a start; assembly has no size: then it goes to the next symbol. */
    if (!lo)
        return none;
    const struct orma_perf_symbol *s = &self->symbols[self->order[lo - 1] & NUMBER_MASK];
    if (s->size && address - (self->order[lo - 1] >> NUMBER_BITS) >= s->size)
        return none;
    size_t most = ORMA_MIN(self->names_len - s->name, (size_t)NAME_MAX_LEN);
    return (struct orma_str){self->names + s->name, strnlen(self->names + s->name, most)};
}
