/*
 * Symbols of made files: of 32 and of 64 bits, in both byte orders, odd ones, cut ones, and ones
 * that change while they are mapped. What is found is compared with a plain walk over all symbols.
 */
#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "probes/perf/symtab.h"
#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "tests/support/leaks.h"

/* ---- made files ---- */

struct made {
    const char *what;
    bool wide, big;
    struct orma_buf bytes;
};

struct symbol {
    uint64_t start, size;
    unsigned type, section;
    const char *name; /* NULL: none */
};

static void put(struct made *m, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        orma_buf_put_byte(&m->bytes, (uint8_t)(value >> 8 * (m->big ? size - 1 - i : i)));
}

/* An address, offset or size. */
static void put_word(struct made *m, uint64_t value)
{
    put(m, value, m->wide ? 8 : 4);
}

static void put_symbol(struct made *m, const struct symbol *s, uint32_t name)
{
    put(m, name, 4);
    if (!m->wide) {
        put(m, s->start, 4);
        put(m, s->size, 4);
    }
    put(m, s->type, 1);
    put(m, 0, 1);
    put(m, s->section, 2);
    if (m->wide) {
        put(m, s->start, 8);
        put(m, s->size, 8);
    }
}

#define CODE_AT 0x6400 /* the section of code that begins there has the number 4 */

static void put_section(struct made *m, uint32_t type, uint64_t offset, uint64_t size,
                        uint32_t link, uint64_t align)
{
    put(m, 0, 4);
    put(m, type, 4);
    put_word(m, 0);
    put_word(m, type == SHT_PROGBITS ? CODE_AT : 0);
    put_word(m, offset);
    put_word(m, size);
    put(m, link, 4);
    put(m, 0, 4);
    put_word(m, align);
    put_word(m, 0);
}

static void put_header(struct made *m, uint64_t sections_at)
{
    const uint8_t ident[EI_NIDENT] = {
        0x7f, 'E', 'L', 'F', m->wide ? ELFCLASS64 : ELFCLASS32, m->big ? ELFDATA2MSB : ELFDATA2LSB,
        1};
    const size_t size = m->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);

    orma_buf_put(&m->bytes, ident, sizeof(ident));
    put(m, ET_DYN, 2);
    put(m, 1, 2);
    put(m, 1, 4);
    put_word(m, 0);
    put_word(m, size); /* program headers follow */
    put_word(m, sections_at);
    put(m, 0, 4);
    put(m, size, 2);
    put(m, m->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), 2);
    put(m, 2, 2);
    put(m, m->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), 2);
    put(m, 6, 2);
    put(m, 0, 2);
}

static void put_segment(struct made *m, uint32_t flags, uint64_t offset, uint64_t address)
{
    put(m, PT_LOAD, 4);
    if (m->wide)
        put(m, flags, 4);
    put_word(m, offset);
    put_word(m, address);
    put_word(m, address);
    put_word(m, 0x1000);
    put_word(m, 0xfff00000); /* in memory: addresses that functions may have */
    if (!m->wide)
        put(m, flags, 4);
    put_word(m, 0x1000);
}

static void put_note(struct made *m, uint32_t type, const char *name, const char *text)
{
    put(m, strlen(name) + 1, 4);
    put(m, strlen(text), 4);
    put(m, type, 4);
    orma_buf_put(&m->bytes, name, strlen(name) + 1);
    while (m->bytes.len % 4)
        put(m, 0, 1);
    orma_buf_put(&m->bytes, text, strlen(text));
    while (m->bytes.len % 4)
        put(m, 0, 1);
}

/* Header, segments, notes, symbols, names, sections. The last name has no end. */
static void make(struct made *m, const struct symbol *symbols, size_t num, uint64_t extra_names)
{
    struct made rest = {.wide = m->wide, .big = m->big};
    ORMA_AUTO(orma_buf_fini) struct orma_buf names = {0};
    const size_t begin = m->wide ? sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr)
                                 : sizeof(Elf32_Ehdr) + 2 * sizeof(Elf32_Phdr);

    put_note(&rest, 7, "odd", "five!");
    put_note(&rest, NT_GNU_BUILD_ID, "GNU", "0123456789abcdefghij");
    const size_t notes_len = rest.bytes.len;
    orma_buf_put_byte(&names, 0);
    for (size_t i = 0; i < num; i++) {
        if (names.len > 1 && symbols[i].name)
            orma_buf_put_byte(&names, 0);
        put_symbol(&rest, &symbols[i], symbols[i].name ? (uint32_t)names.len : 0);
        if (symbols[i].name)
            orma_buf_put(&names, symbols[i].name, strlen(symbols[i].name));
    }
    const size_t symbols_len = rest.bytes.len - notes_len;
    orma_buf_put(&rest.bytes, names.data, names.len);

    put_header(m, begin + rest.bytes.len);
    put_segment(m, PF_R, 0, 0x1000);
    put_segment(m, PF_R | PF_X, 0x200, 0x5200);
    orma_buf_put(&m->bytes, rest.bytes.data, rest.bytes.len);
    put_section(m, SHT_NULL, 0, 0, 0, 0);
    put_section(m, SHT_NOTE, begin, notes_len, 0, 4);
    put_section(m, SHT_DYNSYM, begin, symbols_len, 5, 8); /* .symtab has more: not looked at */
    put_section(m, SHT_SYMTAB, begin + notes_len, symbols_len, 5, 8);
    put_section(m, SHT_PROGBITS, 0, 23, 0, 4);
    put_section(m, SHT_STRTAB, begin + notes_len + symbols_len, names.len + extra_names, 0, 1);
    orma_buf_fini(&rest.bytes);
}

static int file_of(const uint8_t *data, size_t len)
{
    int fd = memfd_create("symbols", MFD_CLOEXEC);

    cr_assert_eq(write(fd, data, len), (ssize_t)len);
    return fd;
}

static int read_made(const struct made *m, struct orma_perf_symtab *ret)
{
    int fd = file_of(m->bytes.data, m->bytes.len);
    int r = orma_perf_symtab_read(ret, fd);

    close(fd);
    return r;
}

static struct orma_str name_at(struct orma_perf_symtab *self, uint64_t address)
{
    uint64_t name = orma_perf_symtab_find(self, address);

    return name ? orma_perf_symtab_name(self, name) : (struct orma_str){"", 0};
}

static const struct made forms[] = {
    {"64", true, false}, {"32", false, false}, {"64, big", true, true}, {"32, big", false, true}};

#define FUNC STT_FUNC
static const struct symbol known[] = {
    {0, 0, 0, 0, NULL},
    {0x7000, 0x10, FUNC, 1, "sized"},
    {0x6000, 0, FUNC, 1, "unsized"},
    {CODE_AT, 0, FUNC, 4, "of_its_section"},
    {0x6100, 0x20, FUNC, 1, "first_alias"},
    {0x6100, 0x10, FUNC, 1, "last_alias"},
    {0x6004, 0x10, STT_OBJECT, 1, "data"},
    {0x6008, 0x10, FUNC, SHN_UNDEF, "elsewhere"},
    {0x600c, 0x10, FUNC, 1, NULL},
    {0, 0x10, FUNC, 1, "nowhere"},
    {0x51ff, 0, FUNC, 1, "before_code"},
    {0x8000, 0x1000, STT_GNU_IFUNC | STB_WEAK << 4, 1, "chosen"},
};

Test(perf_symtab, every_form_of_file)
{
    static const struct {
        uint64_t address;
        const char *name;
    } cases[] = {{0, ""},
                 {0x5fff, ""},
                 {0x6000, "unsized"},
                 {0x60ff, "unsized"},
                 {0x6005, "unsized"},
                 {0x6100, "last_alias"},
                 {0x610f, "last_alias"},
                 {0x6110, ""},
                 {CODE_AT + 22, "of_its_section"},
                 {CODE_AT + 23, ""},
                 {0x7000, "sized"},
                 {0x700f, "sized"},
                 {0x7010, ""},
                 {0x8fff, "chosen"},
                 {0x9000, ""},
                 {UINT64_MAX, ""},
                 {UINT64_MAX >> 22, ""}};

    for (size_t f = 0; f < ORMA_ARRAY_LEN(forms); f++) {
        struct made m = forms[f];
        struct orma_perf_symtab elf;

        make(&m, known, ORMA_ARRAY_LEN(known), 0);
        cr_assert_eq(read_made(&m, &elf), 0, "%s", m.what);
        cr_expect_eq(elf.load_bias, 0x5000, "%s", m.what);
        cr_expect_eq(elf.symbols_num, 6, "%s: %zu", m.what, elf.symbols_num);
        cr_assert_eq(elf.build_id_len, 20, "%s", m.what);
        cr_expect_arr_eq(elf.build_id, "0123456789abcdefghij", 20);
        for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
            struct orma_str name = name_at(&elf, cases[i].address);

            cr_expect(orma_str_eq_c(name, cases[i].name), "%s: 0x%lx is %.*s", m.what,
                      (unsigned long)cases[i].address, ORMA_STR_ARG(name));
        }
        orma_perf_symtab_fini(&elf);
        orma_buf_fini(&m.bytes);
    }
    orma_assert_no_leaks();
}

Test(perf_symtab, what_is_no_such_file)
{
    struct orma_perf_symtab elf;
    struct made m = forms[0];

    cr_expect_lt(read_made(&m, &elf), 0, "empty");
    cr_expect_lt(orma_perf_symtab_read(&elf, -1), 0, "no file");
    for (unsigned i = 0; i < 100; i++)
        put(&m, 0x7f, 1);
    cr_expect_eq(read_made(&m, &elf), -ENOEXEC);
    orma_buf_fini(&m.bytes);
    orma_assert_no_leaks();
}

/* ---- many symbols ---- */

#define MANY 5000u

static const struct symbol *walk(const struct symbol *symbols, size_t num, uint64_t address)
{
    const struct symbol *best = NULL;

    for (size_t i = 1; i < num; i++)
        if (symbols[i].start <= address && (!best || symbols[i].start >= best->start))
            best = &symbols[i];
    return best && (!best->size || address - best->start < best->size) ? best : NULL;
}

/* How starts are spread: evenly, all in one place but for one, in lumps. */
static uint64_t start_of(unsigned spread, size_t i)
{
    const uint64_t any = (uint64_t)random();

    switch (spread) {
    case 0:
        return 0x10000 + any % 0x1000000;
    case 1:
        return i == 7 ? 0xf0000000 : 0x400000 + any % 0x4000;
    default:
        return 0x400000 + any % 9 * 0x800000 + any % 7001 / (i % 50 + 1);
    }
}

Test(perf_symtab, finds_what_a_walk_finds)
{
    static struct symbol symbols[MANY];
    static char names[MANY][16];

    srandom(1);
    for (unsigned spread = 0; spread < 3; spread++) {
        struct made m = forms[spread & 2];
        struct orma_perf_symtab elf;

        for (size_t i = 1; i < MANY; i++) {
            snprintf(names[i], sizeof(names[i]), "f%zu", i);
            symbols[i] =
                (struct symbol){start_of(spread, i), random() % 3 ? (uint64_t)random() % 0x2000 : 0,
                                FUNC, 1, names[i]};
        }
        make(&m, symbols, MANY, 0);
        cr_assert_eq(read_made(&m, &elf), 0);
        cr_assert_eq(elf.symbols_num, MANY - 1);
        for (size_t i = 0; i < 3 * MANY; i++) {
            const uint64_t address = symbols[i % (MANY - 1) + 1].start + i / MANY * 0x700 - 1;
            const struct symbol *truth = walk(symbols, MANY, address);
            struct orma_str name = name_at(&elf, address);

            cr_assert(orma_str_eq_c(name, truth ? truth->name : ""), "0x%lx is %.*s, not %s",
                      (unsigned long)address, ORMA_STR_ARG(name), truth ? truth->name : "nothing");
        }
        orma_perf_symtab_fini(&elf);
        orma_buf_fini(&m.bytes);
    }
    orma_assert_no_leaks();
}

/* ---- hostile files ---- */

static void ask(struct orma_perf_symtab *elf)
{
    for (uint64_t address = 0x5ff0; address < 0x9010; address += 8) {
        struct orma_str name = name_at(elf, address);

        cr_assert_leq(strnlen(name.data, name.len), name.len); /* looked at, for the sanitizers */
    }
}

Test(perf_symtab, any_byte_may_be_another)
{
    static const uint8_t others[] = {0, 1, 0x7f, 0xff};

    for (size_t f = 0; f < ORMA_ARRAY_LEN(forms); f++) {
        struct made m = forms[f];
        struct orma_perf_symtab elf;

        make(&m, known, ORMA_ARRAY_LEN(known), UINT32_MAX); /* names: more than there is */
        if (read_made(&m, &elf) == 0)
            orma_perf_symtab_fini(&elf);
        orma_buf_fini(&m.bytes);
        m = forms[f];
        make(&m, known, ORMA_ARRAY_LEN(known), 0);
        for (size_t i = EI_NIDENT; i < m.bytes.len * ORMA_ARRAY_LEN(others); i++) {
            uint8_t *at = &m.bytes.data[i / ORMA_ARRAY_LEN(others)];
            const uint8_t was = *at;

            *at = others[i % ORMA_ARRAY_LEN(others)];
            if (read_made(&m, &elf) == 0) {
                ask(&elf);
                orma_perf_symtab_fini(&elf);
            }
            *at = was;
        }
        for (size_t len = 0; len < m.bytes.len; len++) {
            struct made cut = {.bytes = {.data = m.bytes.data, .len = len}};

            if (read_made(&cut, &elf) == 0) {
                cr_expect_eq(elf.symbols_num, 0, "the sections are at the end");
                ask(&elf);
                orma_perf_symtab_fini(&elf);
            }
        }
        orma_buf_fini(&m.bytes);
    }
    orma_assert_no_leaks();
}

/* All sections show the same notes: reading each of them to its end would take hours. */
Test(perf_symtab, sections_without_end_cost_no_more_than_some)
{
    enum { SECTIONS = 300000, NOTES = 8 << 20 };
    struct orma_perf_symtab elf;
    Elf64_Ehdr head = {.e_shoff = sizeof(head), .e_shentsize = sizeof(Elf64_Shdr)};
    Elf64_Shdr *sections = calloc(SECTIONS, sizeof(*sections));
    const off_t notes_at = sizeof(head) + SECTIONS * sizeof(*sections);
    int fd = memfd_create("sections", MFD_CLOEXEC);

    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB;
    sections[0].sh_size = SECTIONS;
    for (int i = 1; i < SECTIONS; i++)
        sections[i] =
            (Elf64_Shdr){.sh_type = SHT_NOTE, .sh_offset = (Elf64_Off)notes_at, .sh_size = NOTES};
    cr_assert_eq(write(fd, &head, sizeof(head)), (ssize_t)sizeof(head));
    cr_assert_eq(write(fd, sections, SECTIONS * sizeof(*sections)),
                 (ssize_t)(SECTIONS * sizeof(*sections)));
    cr_assert_eq(ftruncate(fd, notes_at + NOTES), 0);
    clock_t begun = clock();
    cr_assert_eq(orma_perf_symtab_read(&elf, fd), 0);
    cr_expect_eq(elf.build_id_len, 0);
    cr_expect_lt(clock() - begun, 5 * CLOCKS_PER_SEC, "of CPU");
    orma_perf_symtab_fini(&elf);
    free(sections);
    close(fd);
}

Test(perf_symtab, a_file_may_vanish_while_it_is_mapped)
{
    struct made m = forms[0];
    struct orma_perf_symtab elf;

    make(&m, known, ORMA_ARRAY_LEN(known), 0);
    int fd = file_of(m.bytes.data, m.bytes.len);
    cr_assert_eq(orma_perf_symtab_read(&elf, fd), 0);
    cr_assert(orma_str_eq_c(name_at(&elf, 0x7000), "sized"));
    cr_assert_eq(ftruncate(fd, 0), 0);
    close(fd);
    cr_expect_eq(name_at(&elf, 0x7000).len, 0, "its bytes are zeroes");
    orma_perf_symtab_fini(&elf);
    orma_buf_fini(&m.bytes);
    orma_assert_no_leaks();
}
