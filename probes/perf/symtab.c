/*
 * The file stays mapped, for the names, which are read where they are. What we keep of a function
 * is its start, size, and the place of its name. There may be a hundred thousand of them, and few
 * are ever asked for, so they are put into buckets of equal ranges of addresses, and not sorted:
 *
 *   address ─► bucket ─► first[bucket] .. first[bucket + 1] in `symbols` ─► last start <= address
 *                                                                  (none: of the bucket before)
 *
 * What an answer costs is memory that is not in a cache: here that are two places, and then the
 * name. A bucket has a few lines of a cache, that are read at once. One that has many symbols,
 * because of a strange file, is sorted and searched.
 *
 * Files may be of 32 bits, and of the other byte order. All bytes are hostile, and may change while
 * we look (sdk/base/mapped.h): each value is read once, checked, and then used.
 */
#include "probes/perf/symtab.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/base/mapped.h"
#include "sdk/base/search.h"

#define SYMBOLS_MAX (4u << 20)
#define NAME_MAX_LEN 4096u
#define SECTIONS_MAX 65536u
#define NOTES_MAX (UINT64_C(1) << 20) /* bytes of notes in which the build id is looked for */
#define BUCKET_MIN 8u                   /* symbols, on average */
#define SCAN_MAX 64u                    /* buckets with more are sorted */
#define IN_GO_TABLE (UINT64_C(1) << 32) /* of a name: that is what it is an offset of */
#define IN_STUBS (UINT64_C(1) << 33)

/* ---- reading ---- */

/* Where a number is, and how long: two bytes for files of 32 bits, above them two for 64. */
#define PLACE(type, field) (offsetof(type, field) | sizeof(((type *)NULL)->field) << 8)
#define FIELD(self, at, type, field)                                                               \
    load(self, at, (uint32_t)(PLACE(Elf32_##type, field) | PLACE(Elf64_##type, field) << 16))
#define SIZE(self, type) ((self)->wide ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

static uint64_t load(const struct orma_perf_symtab *self, const uint8_t *at, uint32_t place)
{
    uint64_t eight;
    uint32_t four;
    uint16_t two;

    if (self->wide)
        place >>= 16;
    at += place & 0xff;
    switch (place >> 8 & 0xff) {
    case 8:
        memcpy(&eight, at, 8);
        return self->swapped ? __builtin_bswap64(eight) : eight;
    case 4:
        memcpy(&four, at, 4);
        return self->swapped ? __builtin_bswap32(four) : four;
    case 2:
        memcpy(&two, at, 2);
        return self->swapped ? __builtin_bswap16(two) : two;
    }
    return *at;
}

/* NULL: the file has less. */
static const uint8_t *bytes_at(const struct orma_perf_symtab *self, uint64_t offset, uint64_t len)
{
    const uint64_t size = orma_mapped_size(self->map);

    return offset <= size && len <= size - offset ? orma_mapped_data(self->map) + offset : NULL;
}

/* One of those behind each other at `offset`; `i` is less than 2^32. */
static const uint8_t *entry(const struct orma_perf_symtab *self, uint64_t offset, uint64_t i,
                            size_t size)
{
    const uint8_t *first = bytes_at(self, offset, (i + 1) * size);

    return first ? first + i * size : NULL;
}

/* At most so many bytes of it; sections may all show the same. Returns how many. */
static uint64_t take_build_id(struct orma_perf_symtab *self, const uint8_t *head, uint64_t most)
{
    const uint64_t len = ORMA_MIN(FIELD(self, head, Shdr, sh_size), most);
    const uint64_t mask = FIELD(self, head, Shdr, sh_addralign) == 8 ? 7 : 3;
    const uint8_t *notes = bytes_at(self, FIELD(self, head, Shdr, sh_offset), len);

    for (uint64_t at = 0, desc; notes && at <= len && len - at >= sizeof(Elf64_Nhdr);) {
        const uint8_t *note = notes + at;
        const uint64_t name_len = FIELD(self, note, Nhdr, n_namesz);
        const uint64_t desc_len = FIELD(self, note, Nhdr, n_descsz);

        desc = (at + sizeof(Elf64_Nhdr) + name_len + mask) & ~mask;
        if (desc > len || desc_len > len - desc)
            break;
        if (FIELD(self, note, Nhdr, n_type) == NT_GNU_BUILD_ID && name_len == 4 &&
            memcmp(note + sizeof(Elf64_Nhdr), "GNU", 4) == 0 && desc_len &&
            desc_len <= sizeof(self->build_id)) {
            memcpy(self->build_id, notes + desc, desc_len);
            self->build_id_len = desc_len;
            break;
        }
        at = (desc + desc_len + mask) & ~mask;
    }
    return len;
}

/* Functions are where code is. */
static void take_segments(struct orma_perf_symtab *self, const uint8_t *elf)
{
    const uint64_t offset = FIELD(self, elf, Ehdr, e_phoff), num = FIELD(self, elf, Ehdr, e_phnum);
    const uint8_t *head;
    bool found = false;

    for (uint64_t i = 0; i < num && (head = entry(self, offset, i, SIZE(self, Phdr))); i++) {
        const uint64_t start = FIELD(self, head, Phdr, p_vaddr);

        if (FIELD(self, head, Phdr, p_type) != PT_LOAD ||
            !(FIELD(self, head, Phdr, p_flags) & PF_X))
            continue;
        if (!found) { /* the lowest */
            self->load_bias = start - FIELD(self, head, Phdr, p_offset);
            self->base = start;
        }
        found = true;
        self->span = start + FIELD(self, head, Phdr, p_memsz) - self->base;
    }
    self->span = found ? ORMA_MIN(self->span, (uint64_t)UINT32_MAX) : UINT32_MAX;
}

/* ---- symbols ---- */

/* Of a function without a size, all that it can have: to the end of its section. 0: not known. */
static uint64_t most_of(const struct orma_perf_symtab *self, const uint8_t *at, uint64_t value)
{
    const uint64_t idx = FIELD(self, at, Sym, st_shndx);
    const uint8_t *head = entry(self, self->sections, idx, SIZE(self, Shdr));
    const uint64_t start = head ? FIELD(self, head, Shdr, sh_addr) : 0;
    const uint64_t size = head ? FIELD(self, head, Shdr, sh_size) : 0;

    return value - start < size ? size - (value - start) : 0;
}

/* False: it is no function with a name, or not where code is. */
static bool take_symbol(const struct orma_perf_symtab *self, const uint8_t *at,
                        struct orma_perf_symbol *ret)
{
    const unsigned type = ELF64_ST_TYPE(FIELD(self, at, Sym, st_info));

    const uint64_t value = FIELD(self, at, Sym, st_value), start = value - self->base;
    const bool is_entry = type == STT_NOTYPE && value == self->entry; /* `_start`, of assembly */

    if ((type != STT_FUNC && type != STT_GNU_IFUNC && !is_entry) ||
        FIELD(self, at, Sym, st_shndx) == SHN_UNDEF)
        return false;
    uint64_t size = FIELD(self, at, Sym, st_size);
    if (!size)
        size = most_of(self, at, value);
    *ret =
        (struct orma_perf_symbol){(uint32_t)start, (uint32_t)ORMA_MIN(size, (uint64_t)UINT32_MAX),
                                  (uint32_t)FIELD(self, at, Sym, st_name)};
    return value && start < self->span && ret->name && ret->name < self->names_len;
}

static size_t bucket_of(const struct orma_perf_symtab *self, uint64_t start)
{
    return start >> self->shift;
}

/* How many there are, and where buckets begin: that of `b` at first[b + 1], see place(). */
static void count(struct orma_perf_symtab *self, const uint8_t *at, size_t num)
{
    uint32_t *first = self->first;
    struct orma_perf_symbol symbol;

    for (size_t i = 0; i < num; i++, at += SIZE(self, Sym)) {
        if (take_symbol(self, at, &symbol)) {
            first[bucket_of(self, symbol.start) + 2]++;
            self->symbols_num++;
        }
    }
    for (size_t b = 0; b < self->buckets_num; b++)
        first[b + 2] += first[b + 1];
}

static int by_start(const void *a, const void *b)
{
    const struct orma_perf_symbol *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* Into their buckets, in their order. first[b + 1] moves from the begin of `b` to its end, where
 * the next one begins. If the file changes meanwhile, symbols are missing, or in the wrong bucket.
 */
static void place(struct orma_perf_symtab *self, const uint8_t *at, size_t num)
{
    struct orma_perf_symbol symbol;

    for (size_t i = 0; i < num; i++, at += SIZE(self, Sym)) {
        if (!take_symbol(self, at, &symbol))
            continue;
        uint32_t *to = &self->first[bucket_of(self, symbol.start) + 1];
        if (*to < self->symbols_num)
            self->symbols[(*to)++] = symbol;
    }
    for (size_t b = 0; b < self->buckets_num; b++) {
        const uint32_t begin = self->first[b], end = ORMA_MAX(self->first[b + 1], begin);

        self->first[b + 1] = end;
        if (end - begin > SCAN_MAX)
            qsort(&self->symbols[begin], end - begin, sizeof(*self->symbols), by_start);
    }
}

static int take_symbols(struct orma_perf_symtab *self, const uint8_t *head, const uint8_t *names)
{
    const uint64_t size = FIELD(self, head, Shdr, sh_size);
    const size_t num = ORMA_MIN(size / SIZE(self, Sym), (uint64_t)SYMBOLS_MAX);
    const uint8_t *at = bytes_at(self, FIELD(self, head, Shdr, sh_offset), size);

    self->names_len = FIELD(self, names, Shdr, sh_size);
    self->names =
        (const char *)bytes_at(self, FIELD(self, names, Shdr, sh_offset), self->names_len);
    if (!num || !at || !self->names || FIELD(self, names, Shdr, sh_type) != SHT_STRTAB)
        return 0;
    while (self->span >> self->shift > num / BUCKET_MIN)
        self->shift++;
    self->buckets_num = (self->span >> self->shift) + 1;
    self->first = calloc(self->buckets_num + 2, sizeof(*self->first));
    if (!self->first)
        return -ENOMEM;
    count(self, at, num);
    self->symbols = calloc(self->symbols_num + 1, sizeof(*self->symbols));
    if (!self->symbols)
        return -ENOMEM;
    place(self, at, num);
    return 0;
}

static int take_sections(struct orma_perf_symtab *self, const uint8_t *elf)
{
    const uint64_t offset = FIELD(self, elf, Ehdr, e_shoff), step = SIZE(self, Shdr);
    const uint8_t *head = entry(self, offset, 0, step), *symtab = NULL, *dynsym = NULL;
    uint64_t num = FIELD(self, elf, Ehdr, e_shnum), notes = NOTES_MAX;

    if (!offset || !head)
        return 0;
    self->sections = offset;
    if (!num) /* too many for this field */
        num = FIELD(self, head, Shdr, sh_size);
    num = ORMA_MIN(num, (uint64_t)SECTIONS_MAX);
    for (uint64_t i = 1; i < num && (head = entry(self, offset, i, step)); i++) {
        const uint64_t type = FIELD(self, head, Shdr, sh_type);

        if (type == SHT_NOTE && !self->build_id_len)
            notes -= take_build_id(self, head, notes);
        else if (type == SHT_SYMTAB)
            symtab = head;
        else if (type == SHT_DYNSYM)
            dynsym = head;
    }
    if (!symtab) /* it holds the dynamic ones too */
        symtab = dynsym;
    head = symtab ? entry(self, offset, FIELD(self, symtab, Shdr, sh_link), step) : NULL;
    return head ? take_symbols(self, symtab, head) : 0;
}

static int read_elf(struct orma_perf_symtab *self)
{
    const uint8_t *elf = bytes_at(self, 0, sizeof(Elf64_Ehdr));
    uint8_t ident[EI_NIDENT];

    if (!elf)
        return -ENOEXEC;
    memcpy(ident, elf, sizeof(ident));
    if (memcmp(ident, ELFMAG, SELFMAG) != 0)
        return -ENOEXEC;
    self->wide = ident[EI_CLASS] == ELFCLASS64;
    self->swapped = (ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    self->entry = FIELD(self, elf, Ehdr, e_entry);
    take_segments(self, elf);
    return take_sections(self, elf);
}

int orma_perf_symtab_read(struct orma_perf_symtab *self, int fd)
{
    *self = (struct orma_perf_symtab){0};
    int r = orma_mapped_open(fd, &self->map);
    if (r == 0) {
        orma_mapped_drop_fd(self->map);
        r = read_elf(self);
    }
    if (r < 0)
        orma_perf_symtab_fini(self);
    return r;
}

void orma_perf_symtab_fini(struct orma_perf_symtab *self)
{
    free(self->symbols);
    free(self->first);
    orma_perf_plt_fini(&self->plt);
    orma_mapped_close(self->map);
    *self = (struct orma_perf_symtab){0};
}

/* ---- looking up ---- */

/* The last one at or before an address, which counts from `base`; NULL: there is none. */
static const struct orma_perf_symbol *find(const struct orma_perf_symtab *self, uint64_t address)
{
    size_t b = bucket_of(self, address);

    for (;;) {
        const uint32_t begin = self->first[b], end = self->first[b + 1];
        const struct orma_perf_symbol *best = NULL, *s = &self->symbols[begin];

        if (end - begin > SCAN_MAX) {
            const uint32_t before = ORMA_UPPER_BOUND(s, end - begin, .start, address);

            best = before ? &s[before - 1] : NULL;
        } else {
            for (; s < &self->symbols[end]; s++)
                best = s->start <= address && (!best || s->start >= best->start) ? s : best;
        }
        if (best || !begin)
            return best;
        b = ORMA_MIN(bucket_of(self, self->symbols[begin - 1].start), b - 1);
    }
}

static const struct orma_perf_symbol *find_covering(const struct orma_perf_symtab *self,
                                                    uint64_t address)
{
    address -= self->base;
    if (!self->symbols_num || address >= self->span)
        return NULL;
    /* Aliases share a start; assembly has no size: then it goes to the next symbol. */
    const struct orma_perf_symbol *s = find(self, address);
    return s && (!s->size || address - s->start < s->size) ? s : NULL;
}

static uint64_t find_symbol(const struct orma_perf_symtab *self, uint64_t address)
{
    const struct orma_perf_symbol *s = find_covering(self, address);

    return s ? s->name : 0;
}

bool orma_perf_symtab_start(const struct orma_perf_symtab *self, uint64_t address, uint64_t *ret)
{
    const struct orma_perf_symbol *s = find_covering(self, address);

    if (s)
        *ret = self->base + s->start;
    return s;
}

static struct orma_str name_of(void *ctx, uint64_t address)
{
    const struct orma_perf_symtab *self = ctx;
    const uint64_t name = find_symbol(self, address);

    return name ? orma_perf_symtab_name(self, name) : ORMA_STR("");
}

static uint64_t find_stub(struct orma_perf_symtab *self, uint64_t address)
{
    const struct orma_perf_plt_names known = {name_of, self};

    if (!self->plt_read)
        orma_perf_plt_read(&self->plt, orma_mapped_data(self->map), orma_mapped_size(self->map),
                           &known);
    self->plt_read = true;
    const uint32_t name = orma_perf_plt_find(&self->plt, address);
    return name ? IN_STUBS | name : 0;
}

uint64_t orma_perf_symtab_find(struct orma_perf_symtab *self, uint64_t address)
{
    const uint64_t name = find_symbol(self, address);
    struct orma_unwind_go_function f;

    if (name || !self->map)
        return name;
    if (self->go && orma_unwind_go_find(self->go, address, &f))
        return IN_GO_TABLE | f.name;
    return find_stub(self, address);
}

struct orma_str orma_perf_symtab_name(const struct orma_perf_symtab *self, uint64_t name)
{
    if (name & IN_GO_TABLE)
        return orma_unwind_go_name(self->go, (uint32_t)name);
    if (name & IN_STUBS)
        return orma_perf_plt_name(&self->plt, (uint32_t)name);
    const size_t most = ORMA_MIN(self->names_len - name, (size_t)NAME_MAX_LEN);

    return (struct orma_str){self->names + name, strnlen(self->names + name, most)};
}
