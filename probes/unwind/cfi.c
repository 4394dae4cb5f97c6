/*
 *   pc ─► table of .eh_frame_hdr (sorted) ─► FDE ─► its CIE ─► instructions up to pc ─► rule
 *
 * A record is {length, id, ...}; id 0 is a CIE, else the distance back to one. The CIE says how
 * addresses are encoded and what holds at the start of each function; the instructions of the
 * FDE change that row step by step. All offsets count from the start of the section.
 */
#include "probes/unwind/cfi.h"

#include <stdlib.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/base/search.h"

#define PROGRAM_MAX (256u << 10) /* bytes of instructions for one function */
#define DEPTH_MAX 16u            /* of remembered rows */
#define ENTRIES_MAX (4u << 20)
#define AUGMENTATION_MAX 15u /* letters; five are in use */

/* Encodings of pointers: DW_EH_PE_*. */
enum {
    PE_ABSOLUTE = 0x00,
    PE_ULEB128 = 0x01,
    PE_UDATA2 = 0x02,
    PE_UDATA4 = 0x03,
    PE_UDATA8 = 0x04,
    PE_SLEB128 = 0x09,
    PE_SDATA2 = 0x0a,
    PE_SDATA4 = 0x0b,
    PE_SDATA8 = 0x0c,
    PE_FORM = 0x0f,
    PE_FROM_PC = 0x10,
    PE_FROM_DATA = 0x30,
    PE_BASE = 0x70,
    PE_INDIRECT = 0x80,
    PE_OMIT = 0xff,
};

/* DW_CFA_*: the first three have an operand in their low six bits. */
enum {
    CFA_ADVANCE_LOC = 0x40,
    CFA_OFFSET = 0x80,
    CFA_RESTORE = 0xc0,
    CFA_NOP = 0x00,
    CFA_SET_LOC = 0x01,
    CFA_ADVANCE_LOC1 = 0x02,
    CFA_ADVANCE_LOC2 = 0x03,
    CFA_ADVANCE_LOC4 = 0x04,
    CFA_OFFSET_EXTENDED = 0x05,
    CFA_RESTORE_EXTENDED = 0x06,
    CFA_UNDEFINED = 0x07,
    CFA_SAME_VALUE = 0x08,
    CFA_REGISTER = 0x09,
    CFA_REMEMBER_STATE = 0x0a,
    CFA_RESTORE_STATE = 0x0b,
    CFA_DEF_CFA = 0x0c,
    CFA_DEF_CFA_REGISTER = 0x0d,
    CFA_DEF_CFA_OFFSET = 0x0e,
    CFA_DEF_CFA_EXPRESSION = 0x0f,
    CFA_EXPRESSION = 0x10,
    CFA_OFFSET_EXTENDED_SF = 0x11,
    CFA_DEF_CFA_SF = 0x12,
    CFA_DEF_CFA_OFFSET_SF = 0x13,
    CFA_VAL_OFFSET = 0x14,
    CFA_VAL_OFFSET_SF = 0x15,
    CFA_VAL_EXPRESSION = 0x16,
    CFA_AARCH64_NEGATE_RA_STATE = 0x2d,
    CFA_GNU_ARGS_SIZE = 0x2e,
    CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

/* ---- reading ---- */

/* One that failed is at its end, and gives zeroes. */
struct cursor {
    const uint8_t *at, *end;
    const struct orma_unwind_section *s;
    bool failed;
};

static uint64_t fail(struct cursor *c)
{
    c->failed = true;
    c->at = c->end;
    return 0;
}

static inline uint64_t number(struct cursor *c, unsigned size)
{
    uint64_t ret = 0;

    if (size > (size_t)(c->end - c->at))
        return fail(c);
    memcpy(&ret, c->at, size); /* little endian, as the code that is unwound */
    c->at += size;
    return ret;
}

static uint64_t uleb(struct cursor *c)
{
    uint64_t ret = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t byte = number(c, 1);

        ret |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return ret;
    }
    return fail(c);
}

/* Most are small: for those that are read often. */
static inline uint64_t small_uleb(struct cursor *c)
{
    if (c->at < c->end) {
        const uint8_t byte = *c->at;

        if (byte < 0x80) {
            c->at++;
            return byte;
        }
    }
    return uleb(c);
}

ORMA_COLD static int64_t sleb(struct cursor *c)
{
    uint64_t ret = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t byte = number(c, 1);

        ret |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return (int64_t)(shift < 57 && byte & 0x40 ? ret | ~UINT64_C(0) << (shift + 7) : ret);
    }
    return (int64_t)fail(c);
}

static void skip(struct cursor *c, uint64_t len)
{
    if (len > (size_t)(c->end - c->at))
        (void)fail(c);
    else
        c->at += len;
}

static uint64_t form(struct cursor *c, uint8_t enc)
{
    switch (enc & PE_FORM) {
    case PE_ABSOLUTE:
    case PE_UDATA8:
    case PE_SDATA8:
        return number(c, 8);
    case PE_ULEB128:
        return uleb(c);
    case PE_SLEB128:
        return (uint64_t)sleb(c);
    case PE_UDATA2:
        return number(c, 2);
    case PE_SDATA2:
        return (uint64_t)(int64_t)(int16_t)number(c, 2);
    case PE_UDATA4:
        return number(c, 4);
    case PE_SDATA4:
        return (uint64_t)(int64_t)(int32_t)number(c, 4);
    default:
        return fail(c);
    }
}

static uint64_t pointer(struct cursor *c, uint8_t enc, uint64_t data_base)
{
    uint64_t here = c->s->address + (uint64_t)(c->at - c->s->data), ret = form(c, enc);

    switch (enc & PE_BASE) {
    case 0:
        return ret;
    case PE_FROM_PC:
        return ret + here;
    case PE_FROM_DATA:
        return ret + data_base;
    default:
        return fail(c);
    }
}

/* ---- records ---- */

struct record {
    struct cursor body; /* behind the id */
    uint64_t id, end;   /* offsets: of the id, behind the record */
    uint64_t id_value;
};

/* False: the end of the section, or nonsense. */
static bool record_at(const struct orma_unwind_section *eh, uint64_t at, struct record *ret)
{
    struct cursor c = {eh->data + ORMA_MIN(at, eh->len), eh->data + eh->len, eh, false};
    uint64_t len = number(&c, 4);

    if (len == UINT32_MAX)
        len = number(&c, 8);
    if (!len || len > (size_t)(c.end - c.at))
        return false;
    c.end = c.at + len;
    ret->id = (uint64_t)(c.at - eh->data);
    ret->end = ret->id + len;
    ret->id_value = number(&c, 4);
    ret->body = c;
    return !c.failed;
}

ORMA_COLD static void read_augmentation(struct cursor *c, const char *aug,
                                        struct orma_unwind_cie *ret)
{
    uint64_t len = uleb(c);
    struct cursor behind = *c;

    skip(&behind, len);
    for (aug++; *aug && !c->failed; aug++) {
        if (*aug == 'R') {
            ret->pointers = (uint8_t)number(c, 1);
        } else if (*aug == 'L') {
            (void)number(c, 1);
        } else if (*aug == 'P') {
            uint8_t enc = (uint8_t)number(c, 1);

            (void)form(c, enc);
        } else if (*aug == 'S') {
            ret->signal = true;
        } else if (*aug != 'B') {
            break; /* unknown: the length leads over it */
        }
    }
    c->at = behind.at;
    c->failed |= behind.failed;
}

/* `c`: behind the id; then at the instructions. */
ORMA_COLD static bool read_cie(struct cursor *c, struct orma_unwind_cie *ret)
{
    uint64_t version = number(c, 1);
    char aug[AUGMENTATION_MAX + 1] = ""; /* a copy: the bytes may change under our eyes */
    size_t aug_len = strnlen((const char *)c->at, ORMA_MIN((size_t)(c->end - c->at), sizeof(aug)));
    if (aug_len > AUGMENTATION_MAX)
        return false;
    memcpy(aug, c->at, aug_len);
    skip(c, aug_len + 1);
    if (c->failed || (version != 1 && version != 3 && version != 4))
        return false;
    if (version == 4)
        skip(c, 2); /* sizes of addresses and segments */
    ret->code_align = uleb(c);
    ret->data_align = sleb(c);
    ret->return_reg = version == 1 ? number(c, 1) : uleb(c);
    ret->sized = *aug == 'z';
    if (ret->sized)
        read_augmentation(c, aug, ret);
    else if (*aug)
        return false; /* of a compiler of long ago */
    return !c->failed;
}

/* ---- instructions ---- */

struct machine {
    const struct orma_unwind_cie *cie;
    struct orma_unwind_row row, stack[DEPTH_MAX];
    unsigned depth;
    uint64_t loc, pc;
};

static void set(struct orma_unwind_row *row, uint64_t reg, enum orma_unwind_kind kind,
                int64_t offset)
{
    if (reg < ORMA_UNWIND_REGS) {
        row->named |= ORMA_UNWIND_BIT(reg);
        row->regs[reg] = (struct orma_unwind_value){.kind = (uint8_t)kind, .offset = offset};
    }
}

ORMA_COLD static void set_expression(struct orma_unwind_row *row, uint64_t reg,
                                     enum orma_unwind_kind kind, struct cursor *c)
{
    uint64_t len = uleb(c);
    struct orma_unwind_value v = {.kind = (uint8_t)kind, .offset = c->at - c->s->data};

    skip(c, len);
    if (c->failed)
        return;
    v.len = (uint32_t)len;
    if (reg == UINT64_MAX) {
        row->cfa = v;
    } else if (reg < ORMA_UNWIND_REGS) {
        row->named |= ORMA_UNWIND_BIT(reg);
        row->regs[reg] = v;
    }
}

static void set_cfa(struct cursor *c, struct orma_unwind_row *row, uint64_t reg, int64_t offset)
{
    c->failed |= reg >= ORMA_UNWIND_REGS;
    row->cfa = (struct orma_unwind_value){
        .kind = ORMA_UNWIND_REGISTER, .from = (uint8_t)reg, .offset = offset};
}

static void restore(struct machine *m, uint64_t reg)
{
    if (reg < ORMA_UNWIND_REGS)
        m->row.regs[reg] = m->cie->begin.regs[reg]; /* zeroes while that is being made */
}

static int64_t scaled(const struct machine *m, int64_t n)
{
    return (int64_t)((uint64_t)n * (uint64_t)m->cie->data_align);
}

static void remember(struct machine *m, struct cursor *c)
{
    if (m->depth == DEPTH_MAX)
        c->failed = true;
    else
        m->stack[m->depth++] = m->row;
}

static void recall(struct machine *m, struct cursor *c)
{
    if (!m->depth)
        c->failed = true;
    else
        m->row = m->stack[--m->depth];
}

/* The instructions about the CFA. False: it is another one. */
static bool step_cfa(struct machine *m, struct cursor *c, uint8_t op)
{
    uint64_t reg;

    switch (op) {
    case CFA_DEF_CFA:
        reg = uleb(c);
        set_cfa(c, &m->row, reg, (int64_t)uleb(c));
        return true;
    case CFA_DEF_CFA_SF:
        reg = uleb(c);
        set_cfa(c, &m->row, reg, scaled(m, sleb(c)));
        return true;
    case CFA_DEF_CFA_REGISTER:
        set_cfa(c, &m->row, uleb(c), m->row.cfa.offset);
        return true;
    case CFA_DEF_CFA_OFFSET:
        m->row.cfa.offset = (int64_t)small_uleb(c);
        c->failed |= m->row.cfa.kind != ORMA_UNWIND_REGISTER;
        return true;
    case CFA_DEF_CFA_OFFSET_SF:
        m->row.cfa.offset = scaled(m, sleb(c));
        c->failed |= m->row.cfa.kind != ORMA_UNWIND_REGISTER;
        return true;
    case CFA_DEF_CFA_EXPRESSION:
        set_expression(&m->row, UINT64_MAX, ORMA_UNWIND_EXPRESSION, c);
        return true;
    }
    return false;
}

/* Those about one register, whose number comes first. */
ORMA_COLD static void step_register(struct machine *m, struct cursor *c, uint8_t op)
{
    uint64_t reg = uleb(c);

    switch (op) {
    case CFA_OFFSET_EXTENDED:
        set(&m->row, reg, ORMA_UNWIND_AT_CFA, scaled(m, (int64_t)uleb(c)));
        break;
    case CFA_OFFSET_EXTENDED_SF:
        set(&m->row, reg, ORMA_UNWIND_AT_CFA, scaled(m, sleb(c)));
        break;
    case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
        set(&m->row, reg, ORMA_UNWIND_AT_CFA, -scaled(m, (int64_t)uleb(c)));
        break;
    case CFA_VAL_OFFSET:
        set(&m->row, reg, ORMA_UNWIND_CFA_PLUS, scaled(m, (int64_t)uleb(c)));
        break;
    case CFA_VAL_OFFSET_SF:
        set(&m->row, reg, ORMA_UNWIND_CFA_PLUS, scaled(m, sleb(c)));
        break;
    case CFA_RESTORE_EXTENDED:
        restore(m, reg);
        break;
    case CFA_UNDEFINED:
        set(&m->row, reg, ORMA_UNWIND_UNDEFINED, 0);
        break;
    case CFA_SAME_VALUE:
        set(&m->row, reg, ORMA_UNWIND_SAME, 0);
        break;
    case CFA_REGISTER: {
        uint64_t from = uleb(c);

        set(&m->row, reg, ORMA_UNWIND_REGISTER, 0);
        c->failed |= from >= ORMA_UNWIND_REGS;
        if (reg < ORMA_UNWIND_REGS)
            m->row.regs[reg].from = (uint8_t)from;
        break;
    }
    case CFA_EXPRESSION:
        set_expression(&m->row, reg, ORMA_UNWIND_AT_EXPRESSION, c);
        break;
    case CFA_VAL_EXPRESSION:
        set_expression(&m->row, reg, ORMA_UNWIND_EXPRESSION, c);
        break;
    default:
        c->failed = true;
    }
}

/* Those that are few. */
static void step(struct machine *m, struct cursor *c, uint8_t op)
{
    switch (op) {
    case CFA_NOP:
        return;
    case CFA_SET_LOC:
        m->loc = pointer(c, m->cie->pointers, 0);
        return;
    case CFA_ADVANCE_LOC1:
        m->loc += number(c, 1) * m->cie->code_align;
        return;
    case CFA_ADVANCE_LOC2:
        m->loc += number(c, 2) * m->cie->code_align;
        return;
    case CFA_ADVANCE_LOC4:
        m->loc += number(c, 4) * m->cie->code_align;
        return;
    case CFA_REMEMBER_STATE:
        remember(m, c);
        return;
    case CFA_RESTORE_STATE:
        recall(m, c);
        return;
    case CFA_AARCH64_NEGATE_RA_STATE: /* signed addresses are recognized by themselves */
        return;
    case CFA_GNU_ARGS_SIZE:
        (void)uleb(c);
        return;
    }
    if (!step_cfa(m, c, op))
        step_register(m, c, op);
}

static void start(struct machine *m, const struct orma_unwind_cie *cie, uint64_t loc, uint64_t pc)
{
    m->cie = cie;
    m->row = cie->begin;
    m->depth = 0;
    m->loc = loc;
    m->pc = pc;
}

/* Until the row of pc is complete: an instruction that leads behind it changes nothing else. */
static bool execute(struct machine *m, struct cursor c)
{
    if (c.end - c.at > (ptrdiff_t)PROGRAM_MAX)
        return false;
    while (c.at < c.end && !c.failed && m->loc <= m->pc) {
        const uint8_t op = *c.at++, low = op & 0x3f;

        if ((op & 0xc0) == CFA_ADVANCE_LOC)
            m->loc += low * m->cie->code_align;
        else if ((op & 0xc0) == CFA_OFFSET)
            set(&m->row, low, ORMA_UNWIND_AT_CFA, scaled(m, (int64_t)small_uleb(&c)));
        else if ((op & 0xc0) == CFA_RESTORE)
            restore(m, low);
        else
            step(m, &c, op);
    }
    return !c.failed;
}

/* ---- functions ---- */

/* False: nonsense. */
ORMA_COLD static bool make_cie(const struct orma_unwind_section *eh, uint64_t at,
                               struct orma_unwind_cie *ret)
{
    struct record rec;
    struct machine m;

    *ret = (struct orma_unwind_cie){.at = at, .pointers = PE_ABSOLUTE};
    if (!record_at(eh, at, &rec) || rec.id_value != 0 || !read_cie(&rec.body, ret) ||
        ret->pointers & PE_INDIRECT || ret->return_reg >= ORMA_UNWIND_REGS)
        return false;
    start(&m, ret, 0, UINT64_MAX);
    if (!execute(&m, rec.body))
        return false;
    ret->begin = m.row;
    return ret->known = true;
}

struct fde {
    const struct orma_unwind_cie *cie;
    struct cursor program;
    uint64_t start, range;
};

static bool read_fde(const struct orma_unwind_section *eh, struct orma_unwind_cies *cies,
                     const struct record *rec, struct fde *ret)
{
    struct cursor c = rec->body;

    const uint64_t at = rec->id - rec->id_value;
    struct orma_unwind_cie *cie = &cies->list[at / 4 % ORMA_ARRAY_LEN(cies->list)];

    if (!rec->id_value || rec->id_value > rec->id ||
        (!(cie->known && cie->at == at) && !make_cie(eh, at, cie)))
        return false;
    ret->cie = cie;
    ret->start = pointer(&c, cie->pointers, 0);
    ret->range = form(&c, cie->pointers & PE_FORM);
    if (cie->sized)
        skip(&c, small_uleb(&c));
    ret->program = c;
    return !c.failed;
}

/* If `pc` is in it. */
static bool find_fde(const struct orma_unwind_section *eh, struct orma_unwind_cies *cies,
                     uint64_t at, uint64_t pc, struct fde *ret)
{
    struct record rec;

    return record_at(eh, at, &rec) && read_fde(eh, cies, &rec, ret) && pc - ret->start < ret->range;
}

static void to_rule(const struct machine *m, struct orma_unwind_rule *ret)
{
    const unsigned ra = (unsigned)m->cie->return_reg;

    memset(ret, 0, sizeof(*ret)); /* padding, too: rules are compared as bytes */
    ret->cfa = m->row.cfa;
    ret->signal = m->cie->signal;
    for (uint64_t left = m->row.named | ORMA_UNWIND_BIT(ra); left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        struct orma_unwind_value v = m->row.regs[i];

        if (v.kind == ORMA_UNWIND_SAME && i != ra)
            continue;
        if (v.kind == ORMA_UNWIND_SAME &&
            ra != ORMA_UNWIND_PC) /* it is still where the call put it */
            v = (struct orma_unwind_value){.kind = ORMA_UNWIND_REGISTER, .from = (uint8_t)ra};
        v.reg = i == ra ? ORMA_UNWIND_PC : (uint8_t)i;
        ret->saved[ret->saved_num++] = v;
    }
}

bool orma_unwind_cfi_rule(const struct orma_unwind_section *eh, struct orma_unwind_cies *cies,
                          uint64_t fde, uint64_t pc, struct orma_unwind_rule *ret)
{
    struct fde f;
    struct machine m;

    if (!find_fde(eh, cies, fde, pc, &f))
        return false;
    start(&m, f.cie, f.start, pc);
    if (!execute(&m, f.program) || m.row.cfa.kind == ORMA_UNWIND_SAME)
        return false;
    to_rule(&m, ret);
    return true;
}

bool orma_unwind_cfi_start(const struct orma_unwind_section *eh, struct orma_unwind_cies *cies,
                           uint64_t fde, uint64_t pc, uint64_t *ret)
{
    struct fde f;

    if (!find_fde(eh, cies, fde, pc, &f))
        return false;
    *ret = f.start;
    return true;
}

/* ---- finding the FDE ---- */

#define TABLE_ENC (PE_FROM_DATA | PE_SDATA4) /* what every linker writes */
#define BUCKET_MIN 8u                        /* entries, on average */
#define INDEX_AFTER 128u                     /* an entry costs so little of an answer */

ORMA_COLD bool orma_unwind_cfi_header(const struct orma_unwind_section *hdr, uint64_t *ret_address,
                                      struct orma_unwind_table *ret)
{
    struct cursor c = {hdr->data, hdr->data + hdr->len, hdr, false};
    uint64_t version = number(&c, 1);
    uint8_t eh_enc = (uint8_t)number(&c, 1), num_enc = (uint8_t)number(&c, 1),
            table_enc = (uint8_t)number(&c, 1);
    uint64_t address = pointer(&c, eh_enc, hdr->address);

    if (c.failed || version != 1)
        return false;
    *ret_address = address;
    *ret = (struct orma_unwind_table){.address = hdr->address};
    if (num_enc == PE_OMIT || table_enc != TABLE_ENC)
        return true;
    uint64_t num = pointer(&c, num_enc, hdr->address);
    if (!c.failed && num <= (uint64_t)(c.end - c.at) / 8 && num < UINT32_MAX) {
        ret->entries = c.at;
        ret->num = (uint32_t)num;
    }
    return true;
}

static uint64_t table_value(const struct orma_unwind_table *t, uint64_t at)
{
    int32_t distance;

    memcpy(&distance, t->entries + at, sizeof(distance));
    return t->address + (uint64_t)(int64_t)distance;
}

static uint64_t start_at(const struct orma_unwind_table *t, uint32_t i)
{
    return table_value(t, (uint64_t)i * 8);
}

/* Where the starts of equal ranges of addresses begin. One that is not sorted is only searched in
 * the wrong place. Without memory, all of the table is searched. */
ORMA_COLD static void make_index(struct orma_unwind_table *t)
{
    const uint64_t base = start_at(t, 0), span = start_at(t, t->num - 1) - base;
    uint32_t b = 0;

    t->shift = 0;
    while (t->shift < 63 && span >> t->shift > t->num / BUCKET_MIN)
        t->shift++;
    t->base = base;
    t->buckets_num = (uint32_t)(span >> t->shift) + 1;
    t->first = malloc((t->buckets_num + 1) * sizeof(*t->first));
    if (!t->first)
        return;
    for (uint32_t i = 0; i < t->num; i++) {
        const uint64_t its = (start_at(t, i) - base) >> t->shift;

        while (b <= its && b < t->buckets_num)
            t->first[b++] = i;
    }
    while (b <= t->buckets_num)
        t->first[b++] = t->num;
}

bool orma_unwind_cfi_lookup(struct orma_unwind_table *t, const struct orma_unwind_section *eh,
                            uint64_t pc, uint64_t *ret_fde)
{
    uint32_t lo = 0, hi = t->num;

    if (!t->first && t->num && t->asked++ >= t->num / INDEX_AFTER)
        make_index(t);
    if (t->first) {
        const uint64_t b = ORMA_MIN((pc - t->base) >> t->shift, (uint64_t)t->buckets_num - 1);

        if (pc < t->base)
            return false;
        lo = t->first[b];
        hi = t->first[b + 1];
    }
    lo =
        ORMA_PARTITION_POINT(i, lo, hi, start_at(t, i) <= pc); /* the first that begins behind it */
    if (!lo)
        return false;
    *ret_fde = table_value(t, (uint64_t)(lo - 1) * 8 + 4) - eh->address;
    return *ret_fde < eh->len;
}

void orma_unwind_table_fini(struct orma_unwind_table *t)
{
    free(t->first);
}

static int by_start(const void *a, const void *b)
{
    const struct orma_unwind_cfi_entry *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

ORMA_COLD void orma_unwind_cfi_index(const struct orma_unwind_section *eh, struct orma_buf *ret)
{
    struct orma_unwind_cies cies = {0};
    struct record rec;

    for (uint64_t at = 0; record_at(eh, at, &rec); at = rec.end) {
        struct orma_unwind_cfi_entry entry = {.fde = at};
        struct fde f;

        if (!read_fde(eh, &cies, &rec, &f) || !f.range)
            continue;
        entry.start = f.start;
        orma_buf_put(ret, &entry, sizeof(entry));
        if (ret->failed || ret->len / sizeof(entry) >= ENTRIES_MAX)
            break;
    }
    if (ret->len)
        qsort(ret->data, ret->len / sizeof(struct orma_unwind_cfi_entry),
              sizeof(struct orma_unwind_cfi_entry), by_start);
}
