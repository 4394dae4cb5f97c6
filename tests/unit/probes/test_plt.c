/* Stubs of made programs: each kind that linkers write, and any byte changed. */
#include <criterion/criterion.h>

#include "probes/perf/plt.h"
#include "probes/perf/symtab.h"
#include "tests/support/elf64.h"
#include "tests/support/leaks.h"

#define PLT 0x1000u
#define SECOND 0x2000u
#define SLOTS 0x8000u

static const char names[] = "\0puts\0strlen\0__cxa_finalize\0chooser";
enum { PUTS = 1, STRLEN = 6, FINALIZE = 13, CHOOSER = 28 };

/* A stub of 16 bytes at `address`: what stands before the jump, and the slot that it jumps by. */
static void put_stub(struct orma_buf *out, uint64_t address, const char *before, size_t len,
                     uint64_t slot)
{
    const int32_t distance = (int32_t)(slot - (address + len + 6));
    const size_t end = out->len + 16;

    orma_buf_put(out, before, len);
    orma_buf_put(out, "\xff\x25", 2);
    orma_buf_put(out, &distance, sizeof(distance));
    while (out->len < end)
        orma_buf_put_byte(out, 0x90);
}

static void make(struct orma_elf64 *elf)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf plt = {0};
    ORMA_AUTO(orma_buf_fini) struct orma_buf second = {0};
    static const Elf64_Sym symbols[] = {{0},
                                        {.st_name = PUTS, .st_info = STT_FUNC},
                                        {.st_name = STRLEN, .st_info = STT_FUNC},
                                        {.st_name = FINALIZE, .st_info = STT_FUNC}};
    static const Elf64_Sym own[] = {{0},
                                    {.st_name = CHOOSER,
                                     .st_info = STT_GNU_IFUNC,
                                     .st_shndx = 1,
                                     .st_value = PLT + 0x800,
                                     .st_size = 8}};
    static const Elf64_Rela relocations[] = {
        {SLOTS, ELF64_R_INFO(1, R_X86_64_JUMP_SLOT), 0},
        {SLOTS + 8, ELF64_R_INFO(2, R_X86_64_JUMP_SLOT), 0},
        {SLOTS + 16, ELF64_R_INFO(3, R_X86_64_GLOB_DAT), 0},
        {SLOTS + 24, R_X86_64_IRELATIVE, PLT + 0x800},
        {SLOTS + 32, ELF64_R_INFO(77, R_X86_64_JUMP_SLOT), 0}, /* no such symbol */
    };

    *elf = (struct orma_elf64){.machine = EM_X86_64};
    put_stub(&plt, PLT, "\xff\x35\0\0\0\0", 6, SLOTS - 16); /* of the loader: not a function's */
    put_stub(&plt, PLT + 16, "", 0, SLOTS);
    put_stub(&plt, PLT + 32, "", 0, SLOTS + 24);
    put_stub(&plt, PLT + 48, "", 0, SLOTS + 32);
    while (plt.len < 0x810)
        orma_buf_put_byte(&plt, 0x90);
    put_stub(&second, SECOND, "\xf3\x0f\x1e\xfa", 4, SLOTS + 8);           /* endbr64 */
    put_stub(&second, SECOND + 16, "\xf3\x0f\x1e\xfa\xf2", 5, SLOTS + 16); /* and bnd */
    put_stub(&second, SECOND + 32, "", 0, SLOTS);                          /* a slot that has one */

    orma_elf64_add(elf, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, PLT, plt.data, plt.len);
    orma_elf64_add(elf, ".plt.sec", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, SECOND, second.data,
                   second.len);
    unsigned text = orma_elf64_add(elf, ".dynstr", SHT_STRTAB, 0, 0, names, sizeof(names));
    unsigned sym = orma_elf64_add(elf, ".dynsym", SHT_DYNSYM, 0, 0, symbols, sizeof(symbols));
    elf->sections[sym].sh_link = text;
    elf->sections[sym].sh_entsize = sizeof(*symbols);
    unsigned all = orma_elf64_add(elf, ".symtab", SHT_SYMTAB, 0, 0, own, sizeof(own));
    elf->sections[all].sh_link = text;
    unsigned rela = orma_elf64_add(elf, ".rela.plt", SHT_RELA, SHF_ALLOC, 0x9000, relocations,
                                   sizeof(relocations));
    elf->sections[rela].sh_link = sym;
    orma_elf64_finish(elf);
}

static void expect(struct orma_perf_symtab *self, uint64_t address, const char *want)
{
    const uint64_t name = orma_perf_symtab_find(self, address);
    const struct orma_str text = name ? orma_perf_symtab_name(self, name) : ORMA_STR("");

    cr_expect(orma_str_eq_c(text, want), "0x%lx is %.*s, not %s", (unsigned long)address,
              ORMA_STR_ARG(text), want);
}

Test(plt, stubs_have_the_names_of_what_they_call)
{
    struct orma_perf_symtab self;
    struct orma_elf64 elf;

    make(&elf);
    int fd = orma_elf64_file(&elf);
    cr_assert_eq(orma_perf_symtab_read(&self, fd), 0);
    close(fd);
    expect(&self, PLT, "");
    expect(&self, PLT + 16, "puts@plt");
    expect(&self, PLT + 31, "puts@plt");
    expect(&self, PLT + 32, "chooser@plt");
    expect(&self, PLT + 48, "");
    expect(&self, PLT + 0x800, "chooser"); /* a symbol that is there wins */
    expect(&self, SECOND, "strlen@plt");
    expect(&self, SECOND + 16, "__cxa_finalize@plt");
    expect(&self, SECOND + 32, "puts@plt");
    expect(&self, SECOND + 48, "");
    expect(&self, UINT64_MAX, "");
    orma_perf_symtab_fini(&self);
    orma_elf64_fini(&elf);
    orma_assert_no_leaks();
}

static void put32(struct orma_buf *out, uint32_t word)
{
    orma_buf_put(out, &word, sizeof(word));
}

static struct orma_str no_name(void *ctx, uint64_t address)
{
    (void)ctx;
    (void)address;
    return ORMA_STR("");
}

/* adrp x16, 0x11000; ldr x17, [x16, #0x18]; add x16, x16, #0x18; br x17 */
Test(plt, stubs_of_aarch64)
{
    static const Elf64_Sym symbols[] = {{0}, {.st_name = PUTS, .st_info = STT_FUNC}};
    static const Elf64_Rela there = {0x11018, ELF64_R_INFO(1, R_AARCH64_JUMP_SLOT), 0};
    const struct orma_perf_plt_names none = {no_name, NULL};
    ORMA_AUTO(orma_buf_fini) struct orma_buf code = {0};
    struct orma_elf64 elf = {.machine = EM_AARCH64};
    struct orma_perf_plt self;

    put32(&code, 0xd503245f); /* bti c */
    put32(&code, 0x90000090); /* 16 pages on */
    put32(&code, 0xf9400e11);
    put32(&code, 0x91006210);
    put32(&code, 0xd61f0220);
    orma_elf64_add(&elf, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, PLT, code.data, code.len);
    unsigned text = orma_elf64_add(&elf, ".dynstr", SHT_STRTAB, 0, 0, names, sizeof(names));
    unsigned sym = orma_elf64_add(&elf, ".dynsym", SHT_DYNSYM, 0, 0, symbols, sizeof(symbols));
    elf.sections[sym].sh_link = text;
    unsigned rela =
        orma_elf64_add(&elf, ".rela.plt", SHT_RELA, SHF_ALLOC, 0x9000, &there, sizeof(there));
    elf.sections[rela].sh_link = sym;
    orma_elf64_finish(&elf);
    orma_perf_plt_read(&self, elf.bytes.data, elf.bytes.len, &none);
    for (unsigned at = 0; at < 20; at += 4)
        cr_expect(orma_str_eq_c(orma_perf_plt_name(&self, orma_perf_plt_find(&self, PLT + at)),
                                "puts@plt"),
                  "%u", at);
    cr_expect_eq(orma_perf_plt_find(&self, PLT + 20), 0);
    orma_perf_plt_fini(&self);
    orma_elf64_fini(&elf);
    orma_assert_no_leaks();
}

static void ask(const uint8_t *bytes, size_t len)
{
    const struct orma_perf_plt_names none = {no_name, NULL};
    uint8_t *copy = malloc(len); /* exactly as long: one byte further is seen */
    struct orma_perf_plt self;

    cr_assert(copy);
    memcpy(copy, bytes, len);
    orma_perf_plt_read(&self, copy, len, &none);
    for (uint64_t at = PLT; at < PLT + 64; at += 8)
        (void)orma_perf_plt_name(&self, orma_perf_plt_find(&self, at));
    orma_perf_plt_fini(&self);
    free(copy);
}

Test(plt, any_byte_may_be_another)
{
    static const uint8_t others[] = {0, 1, 0x7f, 0xff};
    struct orma_elf64 elf;

    make(&elf);
    for (size_t i = EI_NIDENT * sizeof(others); i < elf.bytes.len * sizeof(others); i++) {
        uint8_t *at = &elf.bytes.data[i / sizeof(others)];
        const uint8_t was = *at;

        *at = others[i % sizeof(others)];
        if (*at != was)
            ask(elf.bytes.data, elf.bytes.len);
        *at = was;
    }
    for (size_t len = 1; len < elf.bytes.len; len += 5)
        ask(elf.bytes.data, len);
    orma_elf64_fini(&elf);
    orma_assert_no_leaks();
}
