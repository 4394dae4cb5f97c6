#include "probes/perf/plt.h"

#include <stdlib.h>
#include <string.h>

#include "probes/unwind/elf_view.h"
#include "sdk/base/defs.h"
#include "sdk/base/search.h"

#ifndef R_AARCH64_IRELATIVE /* of musl 1.2.3 */
#define R_AARCH64_IRELATIVE 1032
#endif

#define STUBS_MAX 65536u
#define LOOKS_MAX (1u << 24) /* stubs and relocations of all sections, which may overlap */
#define STUB_BYTES 16u
#define NAME_LEN_MAX 4096u
#define NAMES_BYTES_MAX (16u << 20)

struct stub {
    uint64_t start, end, slot;
    uint32_t name; /* in `names`; 0: none */
};

struct file {
    struct orma_unwind_elf elf;
    unsigned left; /* of LOOKS_MAX */
};

static bool is_stubs(const struct file *f, const Elf64_Shdr *head)
{
    char name[6];

    return head->sh_type == SHT_PROGBITS && head->sh_flags & SHF_EXECINSTR &&
           orma_unwind_elf_name(&f->elf, head, name, sizeof(name)) &&
           memcmp(name, ".plt", 4) == 0 && (!name[4] || name[4] == '.');
}

/* ---- stubs ---- */

static void add_stub(struct orma_perf_plt *self, uint64_t start, uint64_t end, uint64_t slot)
{
    const struct stub stub = {start, end, slot, 0};

    if (self->stubs.len < STUBS_MAX * sizeof(stub))
        orma_buf_put(&self->stubs, &stub, sizeof(stub));
}

/* jmp *slot(%rip), behind endbr64, bnd, or nothing. */
static void read_x86(struct orma_perf_plt *self, struct file *f, const Elf64_Shdr *head)
{
    const uint64_t step = head->sh_entsize == 8 ? 8 : STUB_BYTES;
    uint8_t code[STUB_BYTES];

    for (uint64_t at = 0; at + step <= head->sh_size && at / step <= STUBS_MAX && f->left;
         at += step, f->left--) {
        if (!orma_unwind_elf_read(&f->elf, head->sh_offset + at, code, step))
            return;
        for (unsigned i = 0; i + 6 <= step; i++) {
            int32_t distance;

            if (code[i] != 0xff || code[i + 1] != 0x25)
                continue;
            memcpy(&distance, code + i + 2, sizeof(distance));
            add_stub(self, head->sh_addr + at, head->sh_addr + at + step,
                     head->sh_addr + at + i + 6 + (uint64_t)(int64_t)distance);
            break;
        }
    }
}

/* adrp x16, page of slot; ldr x17, [x16, rest]; add; br: behind bti, or nothing. */
static void read_arm(struct orma_perf_plt *self, struct file *f, const Elf64_Shdr *head)
{
    uint32_t code[2], before = 0;

    for (uint64_t at = 0; at + 8 <= head->sh_size && at / STUB_BYTES <= STUBS_MAX && f->left;
         at += 4, f->left--) {
        if (!orma_unwind_elf_read(&f->elf, head->sh_offset + at, code, sizeof(code)))
            return;
        if ((code[0] & 0x9f00001fu) == 0x90000010u && (code[1] & 0xffc003ffu) == 0xf9400211u) {
            const uint64_t address = head->sh_addr + at;
            const uint32_t pages = (code[0] >> 5 & 0x7ffffu) << 2 | (code[0] >> 29 & 3);
            const int64_t distance = (int64_t)((uint64_t)pages << 43) >> 31;
            const uint64_t slot = (address & ~UINT64_C(0xfff)) + (uint64_t)distance +
                                  (uint64_t)(code[1] >> 10 & 0xfffu) * 8;

            add_stub(self, address - (before == 0xd503245fu ? 4 : 0), address + STUB_BYTES, slot);
        }
        before = code[0];
    }
}

/* ---- names ---- */

static int by_slot(const void *a, const void *b)
{
    const struct stub *x = a, *y = b;

    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static int by_start(const void *a, const void *b)
{
    const struct stub *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

static uint32_t put_text(struct orma_perf_plt *self, const char *text, size_t len)
{
    if (!len || self->names.len > NAMES_BYTES_MAX)
        return 0;
    if (!self->names.len)
        orma_buf_put_byte(&self->names, 0);
    const size_t at = self->names.len;
    orma_buf_put(&self->names, text, len);
    orma_buf_put(&self->names, "@plt", sizeof("@plt"));
    return self->names.failed ? 0 : (uint32_t)at;
}

/* "name@plt"; 0: it has none. */
static uint32_t put_name(struct orma_perf_plt *self, const struct file *f,
                         const Elf64_Shdr *symbols, uint64_t number)
{
    Elf64_Shdr texts;
    Elf64_Sym sym;

    if (symbols->sh_size / sizeof(sym) <= number ||
        !orma_unwind_elf_read(&f->elf, symbols->sh_offset + number * sizeof(sym), &sym,
                              sizeof(sym)) ||
        !orma_unwind_elf_section(&f->elf, symbols->sh_link, &texts) ||
        texts.sh_type != SHT_STRTAB || texts.sh_offset > f->elf.len ||
        texts.sh_size > f->elf.len - texts.sh_offset || !sym.st_name ||
        sym.st_name >= texts.sh_size)
        return 0;
    const char *text = (const char *)f->elf.bytes + texts.sh_offset + sym.st_name;
    const size_t len = strnlen(text, ORMA_MIN(texts.sh_size - sym.st_name, (uint64_t)NAME_LEN_MAX));
    return put_text(self, text, len);
}

/* Static programs choose between functions, too: the relocation has the address of who chooses. */
static bool is_choice(uint64_t info)
{
    return ELF64_R_TYPE(info) == R_X86_64_IRELATIVE || ELF64_R_TYPE(info) == R_AARCH64_IRELATIVE;
}

static void take_relocations(struct orma_perf_plt *self, struct file *f, const Elf64_Shdr *head,
                             const struct orma_perf_plt_names *known)
{
    struct stub *stubs = (struct stub *)(void *)self->stubs.data;
    const size_t num = self->stubs.len / sizeof(*stubs);
    Elf64_Shdr symbols;

    if (head->sh_offset > f->elf.len || !orma_unwind_elf_section(&f->elf, head->sh_link, &symbols))
        return; /* section 0 is one, without symbols */
    const uint64_t all = ORMA_MIN(head->sh_size, f->elf.len - head->sh_offset) / sizeof(Elf64_Rela);
    for (uint64_t i = 0; i < all && f->left; i++, f->left--) {
        Elf64_Rela r;

        if (!orma_unwind_elf_read(&f->elf, head->sh_offset + i * sizeof(r), &r, sizeof(r)))
            return;
        if (!ELF64_R_SYM(r.r_info) && !is_choice(r.r_info))
            continue; /* most are relative */
        size_t at = ORMA_OFFSET_FIND(stubs, num, .slot, r.r_offset);
        if (at >= num || stubs[at].slot != r.r_offset || stubs[at].name)
            continue;
        if (ELF64_R_SYM(r.r_info)) {
            stubs[at].name = put_name(self, f, &symbols, ELF64_R_SYM(r.r_info));
        } else if (is_choice(r.r_info)) {
            const struct orma_str name = known->name_of(known->ctx, (uint64_t)r.r_addend);

            stubs[at].name = put_text(self, name.data, name.len);
        }
    }
}

/* Of several that have one slot, all have its name. */
static void spread_names(struct stub *stubs, size_t num)
{
    for (size_t i = num; i-- > 1;) {
        if (stubs[i - 1].slot == stubs[i].slot && !stubs[i - 1].name)
            stubs[i - 1].name = stubs[i].name;
    }
}

void orma_perf_plt_read(struct orma_perf_plt *self, const uint8_t *elf, size_t len,
                        const struct orma_perf_plt_names *known)
{
    struct file f = {.left = LOOKS_MAX};
    Elf64_Shdr head;

    *self = (struct orma_perf_plt){0};
    if (!orma_unwind_elf_open(&f.elf, elf, len))
        return;
    for (unsigned i = 1; orma_unwind_elf_section(&f.elf, i, &head); i++) {
        if (is_stubs(&f, &head) && f.elf.machine == EM_X86_64)
            read_x86(self, &f, &head);
        else if (is_stubs(&f, &head) && f.elf.machine == EM_AARCH64)
            read_arm(self, &f, &head);
    }
    struct stub *stubs = (struct stub *)(void *)self->stubs.data;
    const size_t num = self->stubs.len / sizeof(*stubs);
    if (!num || self->stubs.failed)
        return;
    qsort(stubs, num, sizeof(*stubs), by_slot);
    for (unsigned i = 1; orma_unwind_elf_section(&f.elf, i, &head); i++) {
        if (head.sh_type == SHT_RELA)
            take_relocations(self, &f, &head, known);
    }
    spread_names(stubs, num);
    qsort(stubs, num, sizeof(*stubs), by_start);
}

void orma_perf_plt_fini(struct orma_perf_plt *self)
{
    orma_buf_fini(&self->stubs);
    orma_buf_fini(&self->names);
}

uint32_t orma_perf_plt_find(const struct orma_perf_plt *self, uint64_t address)
{
    const struct stub *stubs = (const struct stub *)(const void *)self->stubs.data;
    const size_t num = self->stubs.failed ? 0 : self->stubs.len / sizeof(*stubs);
    const size_t at = num ? ORMA_OFFSET_FIND(stubs, num, .start, address) : 0;

    return at < num && address - stubs[at].start < stubs[at].end - stubs[at].start ? stubs[at].name
                                                                                   : 0;
}

struct orma_str orma_perf_plt_name(const struct orma_perf_plt *self, uint32_t name)
{
    return name < self->names.len ? orma_str_from((const char *)self->names.data + name)
                                  : ORMA_STR("");
}
