/* Tables of Go programs, as each form of them that there is: names, rules, and any byte changed. */
#include <criterion/criterion.h>

#include "probes/unwind/file.h"
#include "probes/unwind/go.h"
#include "sdk/base/defs.h"
#include "tests/support/elf64.h"
#include "tests/support/leaks.h"

#define TEXT 0x401000u
#define DATA 0x500000u

enum form { GO_1_2, GO_1_16, GO_1_18, GO_1_20, GO_FORMS };

static const uint32_t magics[] = {0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1};

/* Functions of 64 bytes each; distances: +0 for 4 bytes, +24 for 50, +0 for the rest. */
static const char *const functions[] = {"runtime.goexit", "main.main", "main.(*T).Work",
                                        "runtime.systemstack"};
#define NUM ORMA_ARRAY_LEN(functions)
#define FUNCTION_BYTES 64u

static void put(struct orma_buf *out, uint64_t value, size_t size)
{
    orma_buf_put(out, &value, size); /* of this byte order */
}

static void set(struct orma_buf *out, size_t at, uint64_t value)
{
    memcpy(out->data + at, &value, sizeof(value));
}

/* {change, bytes}, the change zigzag: -1 becomes 0, then 24, then 0 again. */
static const uint8_t distances[] = {2, 4, 48, 50, 47, 10, 0};

static void put_function(struct orma_buf *out, enum form form, size_t i, uint32_t name,
                         uint32_t pcs)
{
    put(out, (form < GO_1_18 ? TEXT : 0) + i * FUNCTION_BYTES, form < GO_1_18 ? 8 : 4);
    put(out, name, 4);
    put(out, 0, 4); /* arguments */
    put(out, 0, 4);
    put(out, pcs, 4);
    for (unsigned k = 0; k < 6; k++)
        put(out, 0, 4);
}

/* Header, names, distances, list, functions: places are filled in where they are known. */
static void make_table(struct orma_buf *out, enum form form, bool relocated)
{
    const size_t word = form < GO_1_18 ? 8 : 4, fields = form == GO_1_2    ? 1
                                                         : form == GO_1_16 ? 7
                                                                           : 8;
    uint32_t names[NUM], pcs;
    size_t list, n;

    put(out, magics[form], 4);
    put(out, UINT64_C(0x08010000), 4);
    for (size_t i = 0; i < fields; i++)
        put(out, 0, 8);
    set(out, 8, NUM);
    if (form == GO_1_2) { /* the list follows at once, all is counted from the beginning */
        list = out->len;
        for (size_t i = 0; i < 2 * NUM + 1; i++)
            put(out, 0, 8);
    }
    const size_t names_at = out->len;
    put(out, 0, 1);
    for (size_t i = 0; i < NUM; i++) {
        names[i] = (uint32_t)(out->len - (form == GO_1_2 ? 0 : names_at));
        orma_buf_put(out, functions[i], strlen(functions[i]) + 1);
    }
    const size_t pcs_at = out->len;
    put(out, 0, 1);
    pcs = (uint32_t)(out->len - (form == GO_1_2 ? 0 : pcs_at));
    orma_buf_put(out, distances, sizeof(distances));
    if (form != GO_1_2) {
        list = out->len;
        for (size_t i = 0; i < 2 * NUM + 1; i++)
            put(out, 0, word);
        n = 16 + (form == GO_1_16 ? 0 : 8);
        if (form >= GO_1_18 && !relocated)
            set(out, 24, TEXT);
        set(out, n + 8, names_at);
        set(out, 8 * fields - 8, pcs_at);
        set(out, 8 * fields, list);
    }
    for (size_t i = 0; i <= NUM; i++) {
        const uint64_t start = (form < GO_1_18 ? TEXT : 0) + i * FUNCTION_BYTES;
        const uint64_t at = out->len - (form == GO_1_2 ? 0 : list);

        memcpy(out->data + list + 2 * i * word, &start, word);
        if (i == NUM)
            break;
        memcpy(out->data + list + 2 * i * word + word, &at, word);
        put_function(out, form, i, names[i], pcs);
    }
}

static void make(struct orma_elf64 *elf, enum form form, bool relocated)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf table = {0};
    static const uint8_t code[NUM * FUNCTION_BYTES];
    const Elf64_Rela there = {.r_offset = DATA + 24, .r_addend = TEXT};

    *elf = (struct orma_elf64){.machine = ORMA_UNWIND_MACHINE};
    make_table(&table, form, relocated);
    /* C code stands before that of Go, as in programs of both. */
    orma_elf64_add(elf, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
                   relocated ? TEXT - 0x100 : TEXT, code, sizeof(code));
    orma_elf64_add(elf, relocated ? ".data.rel.ro.gopclntab" : ".gopclntab", SHT_PROGBITS,
                   SHF_ALLOC, DATA, table.data, table.len);
    if (relocated)
        orma_elf64_add(elf, ".rela.dyn", SHT_RELA, SHF_ALLOC, 0x600000, &there, sizeof(there));
    orma_elf64_finish(elf);
}

static struct orma_str name_at(const struct orma_unwind_go *go, uint64_t pc)
{
    struct orma_unwind_go_function f;

    return orma_unwind_go_find(go, pc, &f) ? orma_unwind_go_name(go, f.name) : ORMA_STR("");
}

Test(go, names_in_every_form)
{
    for (unsigned i = 0; i < 2 * GO_FORMS; i++) {
        const enum form form = i / 2;
        struct orma_elf64 elf;
        struct orma_unwind_go go;

        make(&elf, form, i % 2);
        cr_assert(orma_unwind_go_open(elf.bytes.data, elf.bytes.len, &go), "%u", i);
        for (unsigned f = 0; f < NUM; f++) {
            cr_expect(orma_str_eq_c(name_at(&go, TEXT + f * FUNCTION_BYTES), functions[f]), "%u",
                      i);
            cr_expect(orma_str_eq_c(name_at(&go, TEXT + f * FUNCTION_BYTES + 63), functions[f]));
        }
        cr_expect_eq(name_at(&go, TEXT - 1).len, 0);
        cr_expect_eq(name_at(&go, TEXT + NUM * FUNCTION_BYTES).len, 0);
        cr_expect_eq(name_at(&go, UINT64_MAX).len, 0);
        orma_elf64_fini(&elf);
    }
    orma_assert_no_leaks();
}

#if defined(__x86_64__)
static void expect_distance(struct orma_unwind_file *file, uint64_t pc, int64_t distance)
{
    const struct orma_unwind_rule *rule = orma_unwind_file_rule(file, pc);

    cr_assert_not_null(rule, "0x%lx", (unsigned long)pc);
    cr_expect_eq(rule->cfa.from, ORMA_UNWIND_SP);
    cr_expect_eq(rule->cfa.offset, distance + 8, "0x%lx", (unsigned long)pc);
    cr_expect_eq(rule->saved[0].kind, ORMA_UNWIND_AT_CFA);
    cr_expect_eq(rule->saved[0].offset, -8);
    cr_expect_eq(rule->saved_num, distance ? 2 : 1); /* with the frame pointer */
}

Test(go, rules_in_every_form)
{
    const uint64_t main = TEXT + FUNCTION_BYTES;

    for (unsigned i = 0; i < GO_FORMS; i++) {
        struct orma_unwind_file *file;
        struct orma_elf64 elf;
        uint64_t start;

        make(&elf, i, false);
        int fd = orma_elf64_file(&elf);
        cr_assert_eq(orma_unwind_file_read(fd, &file), 0);
        close(fd);
        expect_distance(file, main, 0);
        expect_distance(file, main + 3, 0);
        expect_distance(file, main + 4, 24);
        expect_distance(file, main + 53, 24);
        expect_distance(file, main + 54, 0);
        expect_distance(file, main + 63, 0);
        cr_expect(orma_unwind_file_start(file, main + 20, &start) && start == main);
        cr_expect(orma_unwind_file_is_first(file, TEXT + 5)); /* runtime.goexit */
        cr_expect_not(orma_unwind_file_is_first(file, main));
        cr_expect_null(orma_unwind_file_rule(file, main + 2 * FUNCTION_BYTES)); /* another stack */
        cr_expect_null(orma_unwind_file_rule(file, TEXT - 1));
        cr_expect_eq(orma_unwind_file_frame_pointers(file), 100);
        orma_unwind_file_free(file);
        orma_elf64_fini(&elf);
    }
    orma_assert_no_leaks();
}
#endif

/* Names lie inside, rules come to an end. */
static void ask(const uint8_t *bytes, size_t len)
{
    uint8_t *copy = malloc(len); /* exactly as long: one byte further is seen */
    struct orma_unwind_go go;
    struct orma_unwind_rule rule;

    cr_assert(copy);
    memcpy(copy, bytes, len);
    if (orma_unwind_go_open(copy, len, &go)) {
        for (uint64_t pc = TEXT - 8; pc < TEXT + NUM * FUNCTION_BYTES + 8; pc += 8) {
            struct orma_str name = name_at(&go, pc);

            cr_assert_leq(strnlen(name.data, name.len), name.len);
            (void)orma_unwind_go_rule(&go, pc, &rule);
        }
    }
    free(copy);
}

Test(go, any_byte_may_be_another)
{
    static const uint8_t others[] = {0, 1, 0x7f, 0xff};

    for (unsigned form = 0; form < GO_FORMS; form++) {
        struct orma_elf64 elf;

        make(&elf, form, true);
        for (size_t i = EI_NIDENT * ORMA_ARRAY_LEN(others);
             i < elf.bytes.len * ORMA_ARRAY_LEN(others); i++) {
            uint8_t *at = &elf.bytes.data[i / ORMA_ARRAY_LEN(others)];
            const uint8_t was = *at;

            *at = others[i % ORMA_ARRAY_LEN(others)];
            ask(elf.bytes.data, elf.bytes.len);
            *at = was;
        }
        for (size_t len = 1; len < elf.bytes.len; len += 3)
            ask(elf.bytes.data, len);
        orma_elf64_fini(&elf);
    }
    orma_assert_no_leaks();
}
