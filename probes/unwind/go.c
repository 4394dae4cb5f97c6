/*
 *   header ─► list: start, offset ─► function: start, name, ..., distances ─► names
 *                                                                         └─► pairs of varints:
 *                                            how the distance changes, and for how many
 *                                            instructions it holds
 *
 * Go 1.16 took names and distances out into tables of their own, Go 1.18 made starts offsets of the
 * beginning of the code. A program that may be loaded anywhere has that beginning in a relocation.
 * The layouts: src/runtime/symtab.go and src/debug/gosym/pclntab.go of Go.
 */
#include "probes/unwind/go.h"

#include <string.h>

#include "probes/unwind/elf_view.h"
#include "sdk/base/defs.h"

#define RELOCATIONS_MAX (1u << 20) /* that are looked at, in all sections together */
#define NAME_LEN_MAX 4096u
#define PAIRS_MAX 65536u
#define DISTANCE_MAX (1 << 30)

enum { GO_1_2, GO_1_16, GO_1_18 };

/* ---- bytes ---- */

static bool read_at(const uint8_t *data, size_t len, uint64_t at, void *to, size_t num)
{
    if (at > len || num > len - at)
        return false;
    memcpy(to, data + at, num);
    return true;
}

/* A number of four or eight bytes; false: the table ends before. */
static bool number(const struct orma_unwind_go *self, uint64_t at, size_t size, uint64_t *ret)
{
    *ret = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return read_at(self->data, self->len, at, ret, size);
#else
    return read_at(self->data, self->len, at, (uint8_t *)ret + sizeof(*ret) - size, size);
#endif
}

static bool add(uint64_t a, uint64_t b, uint64_t *ret)
{
    return !__builtin_add_overflow(a, b, ret);
}

/* ---- the table ---- */

static uint8_t age_of(uint32_t magic)
{
    return magic == 0xfffffffbu ? GO_1_2 : magic == 0xfffffffau ? GO_1_16 : GO_1_18;
}

static bool read_header(struct orma_unwind_go *self)
{
    uint8_t head[8];
    uint32_t magic;
    uint64_t n[8] = {0};

    if (!read_at(self->data, self->len, 0, head, sizeof(head)))
        return false;
    memcpy(&magic, head, sizeof(magic));
    if ((magic != 0xfffffffbu && magic != 0xfffffffau && magic != 0xfffffff0u &&
         magic != 0xfffffff1u) ||
        head[4] || head[5] || (head[6] != 1 && head[6] != 2 && head[6] != 4) || head[7] != 8)
        return false;
    self->age = age_of(magic);
    self->quantum = head[6];
    self->word = self->age == GO_1_18 ? 4 : 8;
    size_t fields = self->age == GO_1_2 ? 1 : self->age == GO_1_16 ? 7 : 8;
    for (size_t i = 0; i < fields; i++) {
        if (!number(self, 8 + 8 * i, 8, &n[i]))
            return false;
    }
    self->num = n[0];
    self->list = self->age == GO_1_2 ? 16 : n[fields - 1];
    if (self->age != GO_1_2) {
        self->funcs = self->list;
        self->distances = n[fields - 2];
        self->names = n[self->age == GO_1_16 ? 2 : 3];
    }
    if (self->age == GO_1_18 && n[2])
        self->text = n[2];
    else if (self->age != GO_1_18)
        self->text = 0;
    return self->list <= self->len && self->num &&
           self->num < (self->len - self->list) / (2u * self->word);
}

/* ---- where it is ---- */

/* What the loader would write at an address; 0: nothing. */
static uint64_t relocation_of(const struct orma_unwind_elf *s, uint64_t address)
{
    uint32_t left = RELOCATIONS_MAX;
    Elf64_Shdr head;

    for (unsigned i = 0; orma_unwind_elf_section(s, i, &head); i++) {
        if (head.sh_type != SHT_RELA || head.sh_offset > s->len)
            continue;
        uint64_t num = ORMA_MIN(head.sh_size, s->len - head.sh_offset) / sizeof(Elf64_Rela);
        for (uint64_t k = 0; k < num && left; k++, left--) {
            Elf64_Rela r;

            if (orma_unwind_elf_read(s, head.sh_offset + k * sizeof(r), &r, sizeof(r)) &&
                r.r_offset == address)
                return (uint64_t)r.r_addend;
        }
    }
    return 0;
}

#define TEXT_AT 24 /* in the header */

bool orma_unwind_go_open(const uint8_t *elf, size_t len, struct orma_unwind_go *ret)
{
    struct orma_unwind_elf s;
    Elf64_Shdr head, table = {0};
    uint64_t text = 0;

    *ret = (struct orma_unwind_go){0};
    if (!orma_unwind_elf_open(&s, elf, len) || s.machine != ORMA_UNWIND_MACHINE)
        return false;
    for (unsigned i = 1; orma_unwind_elf_section(&s, i, &head); i++) {
        if (head.sh_type != SHT_PROGBITS || head.sh_flags & SHF_COMPRESSED)
            continue;
        if (orma_unwind_elf_is_named(&s, &head, ".gopclntab") ||
            orma_unwind_elf_is_named(&s, &head, ".data.rel.ro.gopclntab"))
            table = head;
        else if (orma_unwind_elf_is_named(&s, &head, ".text"))
            text = head.sh_addr;
    }
    if (!table.sh_size || table.sh_offset > len || table.sh_size > len - table.sh_offset)
        return false;
    struct orma_unwind_go go = {
        .data = elf + table.sh_offset, .len = table.sh_size, .text = UINT64_MAX};
    if (!read_header(&go))
        return false;
    if (go.text == UINT64_MAX) {
        go.text = relocation_of(&s, table.sh_addr + TEXT_AT);
        go.text = go.text ? go.text : text;
    }
    *ret = go;
    return true;
}

/* ---- functions ---- */

/* Of the list: where function `i` begins. */
static bool start_of(const struct orma_unwind_go *self, uint64_t i, uint64_t *ret)
{
    return number(self, self->list + i * 2 * self->word, self->word, ret) &&
           add(*ret, self->text, ret);
}

/* The last one that begins at or before `pc`. */
static bool search(const struct orma_unwind_go *self, uint64_t pc, uint64_t *ret)
{
    uint64_t lo = 0, hi = self->num, start;

    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;

        if (!start_of(self, mid, &start))
            return false;
        if (start <= pc)
            lo = mid + 1;
        else
            hi = mid;
    }
    *ret = lo - 1;
    return lo > 0;
}

bool orma_unwind_go_find(const struct orma_unwind_go *self, uint64_t pc,
                         struct orma_unwind_go_function *ret)
{
    uint64_t i, offset, at, name, distances;

    if (!self->data || !search(self, pc, &i) || !start_of(self, i, &ret->start) ||
        !start_of(self, i + 1, &ret->end) || pc < ret->start || pc >= ret->end ||
        !number(self, self->list + i * 2 * self->word + self->word, self->word, &offset) ||
        !add(self->funcs, offset, &at) || !add(at, self->word, &at) ||
        !number(self, at, 4, &name) || at > self->len || !number(self, at + 12, 4, &distances))
        return false;
    ret->name = (uint32_t)name;
    ret->distances = (uint32_t)distances;
    return true;
}

struct orma_str orma_unwind_go_name(const struct orma_unwind_go *self, uint32_t name)
{
    uint64_t at;

    if (!self->data || !add(self->names, name, &at) || at >= self->len)
        return ORMA_STR("");
    const char *text = (const char *)self->data + at;
    size_t most = ORMA_MIN(self->len - at, (uint64_t)NAME_LEN_MAX);
    return (struct orma_str){text, strnlen(text, most)};
}

/* ---- rules ---- */

static bool varint(const struct orma_unwind_go *self, uint64_t *at, uint32_t *ret)
{
    uint64_t val = 0;
    uint8_t byte;

    for (unsigned shift = 0; shift < 35; shift += 7) {
        if (!read_at(self->data, self->len, *at, &byte, 1))
            return false;
        ++*at;
        val |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *ret = (uint32_t)val;
            return true;
        }
    }
    return false;
}

/* How far the stack pointer is below where it was when the function was entered. */
static bool distance_at(const struct orma_unwind_go *self, const struct orma_unwind_go_function *f,
                        uint64_t pc, int64_t *ret)
{
    uint64_t at, now = f->start;
    int64_t distance = -1;
    uint32_t change, bytes;

    if (!f->distances || !add(self->distances, f->distances, &at))
        return false;
    for (unsigned i = 0; i < PAIRS_MAX && now <= pc; i++) {
        if (!varint(self, &at, &change) || (!change && i) || !varint(self, &at, &bytes))
            return false;
        distance += change & 1 ? -(int64_t)(change >> 1) - 1 : (int64_t)(change >> 1);
        now += (uint64_t)bytes * self->quantum;
    }
    *ret = distance;
    return now > pc && distance >= 0 && distance <= DISTANCE_MAX;
}

static bool is_one_of(struct orma_str name, const char *const *list, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (orma_str_eq_c(name, list[i]))
            return true;
    }
    return false;
}

/* Nobody called these. */
static const char *const first[] = {"runtime.goexit", "runtime.mstart", "runtime.rt0_go",
                                    "runtime.mcall"};
/* What called these has another stack, or is not what the table says. */
static const char *const elsewhere[] = {
    "runtime.systemstack", "runtime.morestack",   "runtime.morestack_noctxt",
    "runtime.asmcgocall",  "runtime.cgocallback", "runtime.sigtramp",
    "runtime.cgoSigtramp", "runtime.sigreturn",   "runtime.sigreturn__sigaction",
    "runtime.vdsoCall",    "runtime.gogo"};

bool orma_unwind_go_rule(const struct orma_unwind_go *self, uint64_t pc,
                         struct orma_unwind_rule *ret)
{
    struct orma_unwind_go_function f;
    int64_t distance;

    if (!orma_unwind_go_find(self, pc, &f))
        return false;
    const struct orma_str name = orma_unwind_go_name(self, f.name);
    *ret = (struct orma_unwind_rule){
        .cfa = {ORMA_UNWIND_SP, ORMA_UNWIND_REGISTER, ORMA_UNWIND_SP, 0, 0, 0},
        .saved_num = 1,
        .saved = {{.reg = ORMA_UNWIND_PC, .kind = ORMA_UNWIND_UNDEFINED}}};
    if (is_one_of(name, first, ORMA_ARRAY_LEN(first))) {
        ret->cfa.offset = 8;
        return true;
    }
    if (is_one_of(name, elsewhere, ORMA_ARRAY_LEN(elsewhere)) ||
        !distance_at(self, &f, pc, &distance))
        return false;
#if defined(__aarch64__)
    /* The return address lies at the lower end of a frame, or, without one, is in a register. */
    ret->cfa.offset = distance;
    ret->saved[0].kind = distance ? ORMA_UNWIND_AT_CFA : ORMA_UNWIND_REGISTER;
    ret->saved[0].from = 30;
    ret->saved[0].offset = distance ? -distance : 0;
#else
    ret->cfa.offset = distance + 8;
    ret->saved[0].kind = ORMA_UNWIND_AT_CFA;
    ret->saved[0].offset = -8;
    if (distance) { /* a function with a frame keeps the frame pointer at its upper end */
        ret->saved[1] = (struct orma_unwind_value){
            .reg = ORMA_UNWIND_FP, .kind = ORMA_UNWIND_AT_CFA, .offset = -16};
        ret->saved_num = 2;
    }
#endif
    return true;
}
