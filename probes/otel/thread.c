#include "probes/otel/thread.h"

#include <elf.h>
#include <string.h>

#include "sdk/base/defs.h"

static const char symbol_name[] = "otel_thread_ctx_v1";
#define SYMBOLS_MAX (1u << 20)
#define RELOCATIONS_MAX (1u << 20)
#define SECTIONS_MAX 4096u
/* The list of robust locks lies so far behind the thread pointer, at most. */
#define BLOCK_MAX 2048u
#define BLOCK_STEP 8u
#define MODULES_MAX 4096u
#define STATIC_MAX (INT64_C(1) << 30) /* of all static TLS */
#define USER_MAX (UINT64_C(1) << 56)
#ifndef R_X86_64_TLSDESC
#define R_X86_64_TLSDESC 36
#endif

/* ---- the file ---- */

struct file {
    const uint8_t *bytes;
    size_t len;
    Elf64_Ehdr head;
};

static bool get(const struct file *self, uint64_t at, void *to, size_t num)
{
    if (at > self->len || num > self->len - at)
        return false;
    memcpy(to, self->bytes + at, num);
    return true;
}

static bool get_section(const struct file *self, uint64_t i, Elf64_Shdr *ret)
{
    return i < self->head.e_shnum && i < SECTIONS_MAX &&
           get(self, self->head.e_shoff + i * sizeof(*ret), ret, sizeof(*ret));
}

/* Its number in that table. */
static bool find_symbol(const struct file *self, uint32_t type, Elf64_Sym *ret, uint64_t *ret_idx)
{
    Elf64_Shdr table, names;
    char name[sizeof(symbol_name)];

    for (uint64_t i = 0; get_section(self, i, &table); i++) {
        if (table.sh_type != type || !get_section(self, table.sh_link, &names))
            continue;
        uint64_t num = ORMA_MIN(table.sh_size / sizeof(*ret), (uint64_t)SYMBOLS_MAX);
        for (uint64_t j = 0; j < num; j++) {
            if (!get(self, table.sh_offset + j * sizeof(*ret), ret, sizeof(*ret)))
                break;
            if (ELF64_ST_TYPE(ret->st_info) != STT_TLS || ret->st_shndx == SHN_UNDEF ||
                ret->st_name >= names.sh_size ||
                !get(self, names.sh_offset + ret->st_name, name, sizeof(name)) ||
                memcmp(name, symbol_name, sizeof(name)) != 0)
                continue;
            *ret_idx = j;
            return true;
        }
    }
    return false;
}

#if defined(__x86_64__)
/* The words that the dynamic linker fills in for the symbol; `idx` 0: known by its offset alone. */
static bool find_word(const struct file *self, const Elf64_Sym *sym, uint64_t idx,
                      struct orma_otel_place *ret)
{
    Elf64_Shdr head;
    Elf64_Rela r;

    for (uint64_t i = 0; get_section(self, i, &head); i++) {
        if (head.sh_type != SHT_RELA)
            continue;
        uint64_t num = ORMA_MIN(head.sh_size / sizeof(r), (uint64_t)RELOCATIONS_MAX);
        for (uint64_t j = 0; j < num && get(self, head.sh_offset + j * sizeof(r), &r, sizeof(r));
             j++) {
            const uint64_t of = ELF64_R_SYM(r.r_info), type = ELF64_R_TYPE(r.r_info);
            const bool is_it =
                of ? of == idx && !r.r_addend : (uint64_t)r.r_addend == sym->st_value;

            if (is_it && type == R_X86_64_TLSDESC)
                ret->kind = ORMA_OTEL_DESCRIPTOR;
            else if (is_it && type == R_X86_64_TPOFF64)
                ret->kind = ORMA_OTEL_DISTANCE;
            else if (of && of == idx && type == R_X86_64_DTPMOD64)
                ret->kind = ORMA_OTEL_MODULE;
            else
                continue;
            ret->value = r.r_offset;
            ret->offset = sym->st_value;
            return true;
        }
    }
    return false;
}

/* A program's own block ends at the thread pointer. */
static bool find_fixed(const struct file *self, const Elf64_Sym *sym, struct orma_otel_place *ret)
{
    bool is_program = self->head.e_type == ET_EXEC, found = false;
    Elf64_Phdr p, tls = {0};

    for (uint64_t i = 0; i < self->head.e_phnum; i++) {
        if (!get(self, self->head.e_phoff + i * sizeof(p), &p, sizeof(p)))
            return false;
        is_program |= p.p_type == PT_INTERP;
        if (p.p_type == PT_TLS) {
            tls = p;
            found = true;
        }
    }
    const uint64_t align = tls.p_align ? tls.p_align : 1;
    if (!is_program || !found || align & (align - 1) || tls.p_memsz > (uint64_t)STATIC_MAX ||
        align > (uint64_t)STATIC_MAX || sym->st_value >= tls.p_memsz)
        return false;
    ret->kind = ORMA_OTEL_FIXED;
    ret->value = sym->st_value - ((tls.p_memsz + align - 1) & ~(align - 1));
    return true;
}

bool orma_otel_thread_place(const uint8_t *file, size_t len, struct orma_otel_place *ret)
{
    struct file f = {.bytes = file, .len = len};
    Elf64_Sym sym;
    uint64_t idx;

    *ret = (struct orma_otel_place){0};
    if (!get(&f, 0, &f.head, sizeof(f.head)) || memcmp(f.head.e_ident, ELFMAG, SELFMAG) != 0 ||
        f.head.e_ident[EI_CLASS] != ELFCLASS64 || f.head.e_machine != EM_X86_64)
        return false;
    if (find_symbol(&f, SHT_DYNSYM, &sym, &idx) && find_word(&f, &sym, idx, ret))
        return true;
    return (find_symbol(&f, SHT_DYNSYM, &sym, &idx) || find_symbol(&f, SHT_SYMTAB, &sym, &idx)) &&
           find_fixed(&f, &sym, ret);
}
#else
bool orma_otel_thread_place(const uint8_t *file, size_t len, struct orma_otel_place *ret)
{
    (void)file, (void)len, (void)ret;
    (void)get_section, (void)find_symbol;
    return false;
}
#endif

/* ---- the thread ---- */

static bool get_u64(const struct orma_otel_memory *memory, uint64_t address, uint64_t *ret)
{
    return memory->read(memory->ctx, address, ret, sizeof(*ret));
}

/* The block begins with its own address. */
uint64_t orma_otel_thread_pointer(const struct orma_otel_memory *memory, uint64_t robust_list)
{
    uint64_t words[BLOCK_MAX / BLOCK_STEP];
    size_t num = ORMA_ARRAY_LEN(words);

    if (robust_list % BLOCK_STEP || robust_list < sizeof(words) || robust_list >= USER_MAX)
        return 0;
    const uint64_t begin = robust_list - sizeof(words);
    if (!memory->read(memory->ctx, begin, words, sizeof(words))) {
        /* Memory may begin within: what lies on the page of the list is there. */
        const uint64_t page = robust_list & ~UINT64_C(4095);

        num = (robust_list - page) / BLOCK_STEP;
        if (num > ORMA_ARRAY_LEN(words) ||
            !memory->read(memory->ctx, page, words + ORMA_ARRAY_LEN(words) - num,
                          num * sizeof(*words)))
            return 0;
    }
    for (size_t i = ORMA_ARRAY_LEN(words); i-- > ORMA_ARRAY_LEN(words) - num;) {
        if (words[i] == begin + i * BLOCK_STEP)
            return words[i];
    }
    return 0;
}

/* By the thread's table of blocks, whose address is its second word. */
static bool in_module(const struct orma_otel_memory *memory, uint64_t pointer, uint64_t module,
                      uint64_t offset, uint64_t *ret)
{
    uint64_t table, block;

    if (!module || module > MODULES_MAX || offset > (uint64_t)STATIC_MAX ||
        !get_u64(memory, pointer + 8, &table) || !get_u64(memory, table + 16 * module, &block) ||
        !block || block >= USER_MAX) /* all ones: this thread has none yet */
        return false;
    *ret = block + offset;
    return true;
}

static bool is_distance(uint64_t word)
{
    return (int64_t)word < 0 && (int64_t)word > -STATIC_MAX;
}

void orma_otel_thread_settle(const struct orma_otel_memory *memory, uint64_t bias,
                             struct orma_otel_place *place)
{
    const uint64_t at = bias + place->value + (place->kind == ORMA_OTEL_DESCRIPTOR ? 8 : 0);
    uint64_t word;

    if ((place->kind == ORMA_OTEL_DISTANCE || place->kind == ORMA_OTEL_DESCRIPTOR) &&
        get_u64(memory, at, &word) && is_distance(word))
        *place = (struct orma_otel_place){.kind = ORMA_OTEL_FIXED, .value = word};
}

static bool variable_of(const struct orma_otel_memory *memory, const struct orma_otel_place *place,
                        uint64_t bias, uint64_t pointer, uint64_t *ret)
{
    uint64_t words[2];

    switch (place->kind) {
    case ORMA_OTEL_FIXED:
        *ret = pointer + place->value;
        return true;
    case ORMA_OTEL_DISTANCE:
        if (!get_u64(memory, bias + place->value, words) || !is_distance(*words))
            return false;
        *ret = pointer + *words;
        return true;
    case ORMA_OTEL_MODULE:
        return get_u64(memory, bias + place->value, words) &&
               in_module(memory, pointer, *words, place->offset, ret);
    case ORMA_OTEL_DESCRIPTOR:
        if (!memory->read(memory->ctx, bias + place->value, words, sizeof(words)))
            return false;
        if (is_distance(words[1])) {
            *ret = pointer + words[1];
            return true;
        }
        /* Not static: what the argument points to says which module, and where in it. */
        return memory->read(memory->ctx, words[1], words, sizeof(words)) &&
               in_module(memory, pointer, words[0], words[1], ret);
    }
    return false;
}

struct record {
    struct orma_otel_ids ids;
    uint8_t valid, reserved;
    uint16_t attributes_size;
};

/* Twice, so that what the thread was changing meanwhile shows. */
bool orma_otel_thread_read(const struct orma_otel_memory *memory,
                           const struct orma_otel_place *place, uint64_t bias, uint64_t pointer,
                           struct orma_otel_ids *ret)
{
    static const struct orma_otel_ids none;
    struct record first, second;
    uint64_t variable, at;

    if (!variable_of(memory, place, bias, pointer, &variable) || !get_u64(memory, variable, &at) ||
        !at || !memory->read(memory->ctx, at, &first, sizeof(first)) || first.valid != 1 ||
        !memory->read(memory->ctx, at, &second, sizeof(second)) || second.valid != 1 ||
        memcmp(&first.ids, &second.ids, sizeof(first.ids)) != 0 ||
        memcmp(first.ids.trace_id, none.trace_id, sizeof(none.trace_id)) == 0)
        return false;
    *ret = first.ids;
    return true;
}
