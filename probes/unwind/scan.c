#include "probes/unwind/scan.h"

#include "sdk/base/defs.h"

#define SCAN_BYTES 8192u
#define NEAR_BYTES 8192u /* of a function whose beginning is not known */
#define CALL_BYTES 7u    /* the longest */
#define LOOK_BYTES 1024u /* of a function that jumps on, */
#define JUMPS_MAX 8u     /* so many such jumps, */
#define JUMPS_DEEP 2u    /* and so often */
#define LOOKS_MAX 4096u  /* at functions and jumps, in one stack: any byte may look like one */
#define ADDRESS_MAX (UINT64_C(1) << 47)
#define ADDRESS_MIN 65536u

enum call { CALLS_NOT, CALLS_SOMETHING, CALLS_THIS, CALLS_AT_ENTRY };

/* jmp *slot(%rip), behind endbr64 or not: a stub of a PLT. */
static bool is_stub(struct orma_unwind_file *file, uint64_t address)
{
    uint8_t b[11];

    return orma_unwind_file_bytes(file, address, b, sizeof(b)) == sizeof(b) &&
           ((b[0] == 0xff && b[1] == 0x25) ||
            (b[0] == 0xf3 && b[3] == 0xfa &&
             ((b[4] == 0xff && b[5] == 0x25) || (b[5] == 0xff && b[6] == 0x25))));
}

/* The forms of `call` by register or memory, which end at b[CALL_BYTES]. */
static bool is_indirect(const uint8_t b[CALL_BYTES])
{
    return (b[5] == 0xff &&
            ((b[6] & 0xf8) == 0xd0 || ((b[6] & 0xf8) == 0x10 && b[6] != 0x14 && b[6] != 0x15))) ||
           (b[4] == 0xff && (((b[5] & 0xf8) == 0x50 && b[5] != 0x54) || b[5] == 0x14)) ||
           (b[3] == 0xff && b[4] == 0x54) ||
           (b[1] == 0xff && (((b[2] & 0xf8) == 0x90 && b[2] != 0x94) || b[2] == 0x15)) ||
           (b[0] == 0xff && b[1] == 0x94);
}

/* Where a function jumps to instead of calling it; 0: byte `i` is no such jump. */
static uint64_t jump_at(const uint8_t *b, unsigned i, uint64_t address)
{
    int32_t distance;

    if (b[i] != 0xe9)
        return 0;
    memcpy(&distance, b + i + 1, sizeof(distance));
    return address + i + 5 + (uint64_t)(int64_t)distance;
}

/* What is looked for: a call of the function that begins at `start`. */
struct search {
    struct orma_unwind *self;
    struct orma_unwind_file *file;
    uint64_t start; /* as the file counts; 0: not known */
    uint64_t near;  /* then: some place in it */
};

/* Functions that may jump on, as those do that end with a call. */
struct jumps {
    const struct search *s;
    struct orma_unwind_file *file;
    uint64_t shift; /* from addresses of the file to those of the process */
};

static bool is_in_function(const struct jumps *j, uint64_t address, uint64_t start)
{
    const struct orma_unwind *self = j->s->self;
    uint64_t found;

    return self->start && self->start(self->ctx, address + j->shift, &found) &&
           found == start + j->shift;
}

/* Of a function at `address`: whether it jumps to what is looked for, or to one that does, or to a
 * stub, behind which it may be. */
static enum call jumps_to(const struct jumps *j, uint64_t address, unsigned depth)
{
    uint8_t b[LOOK_BYTES];
    unsigned jumps = 0;
    enum call ret = CALLS_NOT;
    uint64_t to;

    if (j->s->self->looked++ >= LOOKS_MAX)
        return CALLS_NOT;
    const size_t len = orma_unwind_file_bytes(j->file, address, b, sizeof(b));
    for (unsigned i = 0; i + 5 <= len && jumps < JUMPS_MAX && ret != CALLS_THIS; i++) {
        if (!(to = jump_at(b, i, address)))
            continue;
        if (j->s->self->looked++ >= LOOKS_MAX)
            return CALLS_NOT;
        if (!is_in_function(j, address + i, address))
            break;
        if (j->file == j->s->file && to == j->s->start)
            return CALLS_THIS;
        if (is_stub(j->file, to)) {
            ret = CALLS_SOMETHING;
        } else if (depth && is_in_function(j, to, to)) { /* and not in the middle of one */
            enum call call = jumps_to(j, to, depth - 1);

            jumps++;
            ret = ORMA_MAX(ret, call);
        }
    }
    return ret;
}

/* The bytes in front of `address`: at the beginning of the code there are fewer, and zeroes. */
static bool bytes_before(struct orma_unwind_file *file, uint64_t address, uint8_t ret[CALL_BYTES])
{
    for (size_t len = CALL_BYTES; len > 1; len--) {
        memset(ret, 0, CALL_BYTES);
        if (orma_unwind_file_bytes(file, address - len, ret + CALL_BYTES - len, len) == len)
            return true;
    }
    return false;
}

static enum call call_before(const struct search *s, uint64_t back)
{
    struct orma_unwind *self = s->self;
    struct orma_unwind_code code;
    uint8_t b[CALL_BYTES];
    int32_t distance;

    if (back < ADDRESS_MIN || back >= ADDRESS_MAX || !self->find(self->ctx, back - 1, &code) ||
        !code.file || !bytes_before(code.file, code.address + 1, b))
        return CALLS_NOT;
    if (b[2] != 0xe8)
        return !is_indirect(b)                                      ? CALLS_NOT
               : orma_unwind_file_is_entry(code.file, code.address) ? CALLS_AT_ENTRY
                                                                    : CALLS_SOMETHING;
    memcpy(&distance, b + 3, sizeof(distance));
    const uint64_t target = code.address + 1 + (uint64_t)(int64_t)distance;
    const bool same = code.file == s->file;
    if (same && (s->start ? target == s->start : s->near - target < NEAR_BYTES))
        return CALLS_THIS;
    if (orma_unwind_file_is_entry(code.file, code.address))
        return CALLS_AT_ENTRY;
    if (is_stub(code.file, target))
        return CALLS_SOMETHING;
    const struct jumps jumps = {s, code.file, back - 1 - code.address};
    return jumps_to(&jumps, target, JUMPS_DEEP);
}

bool orma_unwind_scan(struct orma_unwind *self, const struct orma_unwind_code *code, uint64_t pc,
                      const struct orma_unwind_state *state, uint64_t *ret)
{
    const uint64_t begin = (state->regs[ORMA_UNWIND_SP] + 7) & ~UINT64_C(7);
    struct search s = {.self = self, .file = code->file, .near = code->address};
    uint64_t start, something = 0, word;

#if !defined(__x86_64__)
    return false;
#endif
    if (!code->file)
        return false;
    if (self->start && self->start(self->ctx, pc, &start))
        s.start = start - (pc - code->address);
    for (uint64_t at = begin; at - begin < SCAN_BYTES && orma_unwind_load(state, at, &word);
         at += 8) {
        enum call call = call_before(&s, word);

        *ret = at;
        if (call == CALLS_THIS || (call == CALLS_SOMETHING && !s.start))
            return true;
        if (call == CALLS_SOMETHING && !something)
            something = at;
        if (call == CALLS_AT_ENTRY && !something)
            return true;
        if (call == CALLS_AT_ENTRY)
            break;
    }
    *ret = something;
    return something;
}

/* hlt, or a system call and hlt: what should never be reached. */
bool orma_unwind_scan_is_last(const struct orma_unwind_code *code)
{
#if defined(__x86_64__)
    uint8_t b[12];

    if (!code->file || orma_unwind_file_bytes(code->file, code->address, b, sizeof(b)) < sizeof(b))
        return false;
    for (unsigned i = 0; i + 3 <= sizeof(b); i++) {
        if (b[i] == 0x0f && b[i + 1] == 0x05 && b[i + 2] == 0xf4)
            return true;
    }
    return b[0] == 0xf4;
#else
    (void)code;
    return false;
#endif
}
