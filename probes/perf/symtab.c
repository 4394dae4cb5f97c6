/*
 * Functions of .symtab and .dynsym, sorted by address, names in one block; an address is
 * found by binary search for the last start at or before it. Built without libelf, a file
 * has no symbols.
 */
#include "probes/perf/symtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "sdk/base/search.h"

#ifdef ORMA_HAVE_LIBELF
#include <gelf.h>
#include <libelf.h>

#define SYMBOLS_MAX (4u << 20)
#define NAME_MAX_LEN 4096u

struct reader {
    Elf *elf;
    struct orma_buf symbols; /* struct orma_perf_symbol */
    struct orma_buf names;
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

static void take_symbols(struct reader *r, Elf_Scn *section, const GElf_Shdr *head)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t num = data && head->sh_entsize ? data->d_size / head->sh_entsize : 0;

    for (size_t i = 0; i < ORMA_MIN(num, (size_t)SYMBOLS_MAX); i++) {
        GElf_Sym sym;

        if (!gelf_getsym(data, (int)i, &sym))
            return;
        unsigned type = GELF_ST_TYPE(sym.st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym.st_shndx == SHN_UNDEF ||
            !sym.st_value)
            continue;
        const char *name = elf_strptr(r->elf, head->sh_link, sym.st_name);
        if (!name || !*name)
            continue;
        const struct orma_perf_symbol s = {sym.st_value, sym.st_size, (uint32_t)r->names.len};
        orma_buf_put(&r->names, name, strnlen(name, NAME_MAX_LEN));
        orma_buf_put_byte(&r->names, 0);
        orma_buf_put(&r->symbols, &s, sizeof(s));
        if (r->names.failed || r->symbols.failed || r->names.len > UINT32_MAX / 2)
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
        take_symbols(r, symtab, &symtab_head);
    else if (dynsym)
        take_symbols(r, dynsym, &dynsym_head);
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

static int by_start(const void *a, const void *b)
{
    const struct orma_perf_symbol *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

int orma_perf_symtab_read(struct orma_perf_symtab *self, int fd)
{
    struct reader r = {0};

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
    if (r.symbols.failed || r.names.failed) {
        orma_buf_fini(&r.symbols);
        orma_buf_fini(&r.names);
        return -ENOMEM;
    }
    self->symbols = (struct orma_perf_symbol *)(void *)r.symbols.data; /* ours from here on */
    self->symbols_num = r.symbols.len / sizeof(*self->symbols);
    self->names = (char *)r.names.data;
    self->names_len = r.names.len;
    if (self->symbols_num)
        qsort(self->symbols, self->symbols_num, sizeof(*self->symbols), by_start);
    return 0;
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
    free(self->names);
    *self = (struct orma_perf_symtab){0};
}

struct orma_str orma_perf_symtab_find(const struct orma_perf_symtab *self, uint64_t address)
{
    size_t lo = ORMA_UPPER_BOUND(self->symbols, self->symbols_num, .start, address);

    /* Aliases share a start; assembly has no size: then it goes to the next symbol. */
    if (!lo)
        return (struct orma_str){"", 0};
    const struct orma_perf_symbol *s = &self->symbols[lo - 1];
    if (s->size && address - s->start >= s->size)
        return (struct orma_str){"", 0};
    return orma_str_from(self->names + s->name);
}
