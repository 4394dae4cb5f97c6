/*
 *   ELF header ─► program headers ─► PT_GNU_EH_FRAME ─► .eh_frame (up to the end of its segment)
 *                                 └ without one: the section headers' .eh_frame, indexed once
 *   section headers ─► .gopclntab, of Go programs: for what .eh_frame says nothing about
 *
 *   pc ─► place: the number of its rule; rules that are equal are stored once
 */
#include "probes/unwind/file.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/unwind/elf_view.h"
#include "probes/unwind/go.h"
#include "sdk/base/defs.h"
#include "sdk/base/hash.h"
#include "sdk/base/map.h"
#include "sdk/base/mapped.h"
#include "sdk/base/search.h"

#define SEGMENTS_MAX 64u
#define HEADERS_MAX 4096u
#define ADDRESSES_MAX 65536u /* that are remembered at a time */
#define ENTRY_BYTES 128u     /* as long as what stands at an entry point may be */
#define LOOK_AT 256u         /* functions that say how a file was compiled */

struct load_segment {
    uint64_t offset, address, size, file_size;
    bool code;
};

/* An address that was asked for. */
struct place {
    uint64_t pc;
    struct orma_unwind_note note;
    uint32_t state; /* from RULES on: the number of its rule, from 0 */
};

enum { FREE, NEW, WITHOUT_RULE, RULES };

struct orma_unwind_file {
    struct load_segment segments[SEGMENTS_MAX];
    unsigned segments_num;
    struct orma_mapped *map; /* of the file: pages that nobody asks for are not read */
    struct orma_unwind_section eh;
    struct orma_unwind_table table;
    struct orma_unwind_cies cies; /* of `eh` */
    struct orma_unwind_go go;
    uint64_t entry;
    struct orma_buf index; /* struct orma_unwind_cfi_entry, where the file has no table */
    struct place *places;  /* by pc: what each frame of each stack is asked for */
    size_t places_num, places_cap;
    bool forgot; /* there were too many */
    struct orma_map by_content;
    struct orma_buf rules;
};

/* ---- reading ---- */

/* NULL: the file has fewer. Whoever looks again may see other bytes. */
static const uint8_t *bytes_at(const struct orma_unwind_file *self, uint64_t offset, uint64_t len)
{
    const uint64_t size = orma_mapped_size(self->map);

    return offset <= size && len <= size - offset ? orma_mapped_data(self->map) + offset : NULL;
}

static bool read_at(const struct orma_unwind_file *self, uint64_t offset, void *to, size_t len)
{
    const uint8_t *bytes = bytes_at(self, offset, len);

    if (bytes)
        memcpy(to, bytes, len);
    return bytes;
}

static int find_section(const struct orma_unwind_file *self, uint64_t offset, uint64_t len,
                        uint64_t address, struct orma_unwind_section *ret)
{
    const uint8_t *bytes = bytes_at(self, offset, len);

    if (!bytes || !len)
        return -ENOEXEC;
    *ret = (struct orma_unwind_section){bytes, len, address};
    return 0;
}

static const struct load_segment *segment_of(const struct orma_unwind_file *self, uint64_t address)
{
    for (unsigned i = 0; i < self->segments_num; i++) {
        if (address - self->segments[i].address < self->segments[i].file_size)
            return &self->segments[i];
    }
    return NULL;
}

/* From an address to the end of what the file has of its segment. */
static int find_from(struct orma_unwind_file *self, uint64_t address,
                     struct orma_unwind_section *ret)
{
    const struct load_segment *s = segment_of(self, address);

    if (!s)
        return -ENOEXEC;
    uint64_t skip = address - s->address;
    return find_section(self, s->offset + skip, s->file_size - skip, address, ret);
}

static int read_header(struct orma_unwind_file *self, const Elf64_Phdr *header)
{
    struct orma_unwind_section hdr;
    uint64_t address;
    int r = find_section(self, header->p_offset, header->p_filesz, header->p_vaddr, &hdr);

    if (r < 0)
        return r;
    if (!orma_unwind_cfi_header(&hdr, &address, &self->table))
        return -ENOEXEC;
    r = find_from(self, address, &self->eh);
    if (r == 0 && !self->table.num)
        orma_unwind_cfi_index(&self->eh, &self->index);
    return r;
}

/* Static programs of some C libraries have .eh_frame, but no table of it. */
static int read_by_sections(struct orma_unwind_file *self)
{
    struct orma_unwind_elf elf;
    Elf64_Shdr head;

    if (!orma_unwind_elf_open(&elf, orma_mapped_data(self->map), orma_mapped_size(self->map)))
        return -ENOEXEC;
    for (unsigned i = 0; orma_unwind_elf_section(&elf, i, &head); i++) {
        if (head.sh_type == SHT_NOBITS || !orma_unwind_elf_is_named(&elf, &head, ".eh_frame"))
            continue;
        int r = find_section(self, head.sh_offset, head.sh_size, head.sh_addr, &self->eh);
        if (r == 0)
            orma_unwind_cfi_index(&self->eh, &self->index);
        return r;
    }
    return -ENOEXEC;
}

/* Without rules, callers are looked for (scan.h). */
static bool has_code(const struct orma_unwind_file *self)
{
    for (unsigned i = 0; i < self->segments_num; i++) {
        if (self->segments[i].code)
            return true;
    }
    return false;
}

static int read_elf(struct orma_unwind_file *self)
{
    Elf64_Ehdr elf;
    Elf64_Phdr head, eh = {0};
    int r;

    if (!read_at(self, 0, &elf, sizeof(elf)) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
        elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_machine != ORMA_UNWIND_MACHINE ||
        elf.e_phentsize != sizeof(head))
        return -ENOEXEC;
    self->entry = elf.e_entry;
    for (unsigned i = 0; i < ORMA_MIN(elf.e_phnum, HEADERS_MAX); i++) {
        if (!read_at(self, elf.e_phoff + (uint64_t)i * sizeof(head), &head, sizeof(head)))
            return -ENOEXEC;
        if (head.p_type == PT_GNU_EH_FRAME)
            eh = head;
        if (head.p_type == PT_LOAD && self->segments_num < SEGMENTS_MAX)
            self->segments[self->segments_num++] = (struct load_segment){
                head.p_offset, head.p_vaddr, head.p_memsz, head.p_filesz, head.p_flags & PF_X};
    }
    r = eh.p_type ? read_header(self, &eh) : read_by_sections(self);
    bool is_go =
        orma_unwind_go_open(orma_mapped_data(self->map), orma_mapped_size(self->map), &self->go);
    return self->index.failed ? -ENOMEM : is_go || has_code(self) ? 0 : r;
}

int orma_unwind_file_read(int fd, struct orma_unwind_file **ret)
{
    struct orma_unwind_file *self = calloc(1, sizeof(*self));
    int r;

    if (!self)
        return -ENOMEM;
    r = orma_mapped_open(fd, &self->map);
    if (r == -EINVAL) /* nothing that has bytes */
        r = -ENOEXEC;
    if (r == 0) {
        orma_mapped_drop_fd(self->map);
        r = read_elf(self);
    }
    if (r < 0)
        orma_unwind_file_free(self);
    else
        *ret = self;
    return r;
}

void orma_unwind_file_free(struct orma_unwind_file *self)
{
    if (!self)
        return;
    orma_mapped_close(self->map);
    orma_unwind_table_fini(&self->table);
    orma_buf_fini(&self->index);
    orma_buf_fini(&self->rules);
    free(self->places);
    orma_map_fini(&self->by_content);
    free(self);
}

/* ---- rules ---- */

uint64_t orma_unwind_file_address(const struct orma_unwind_file *self, uint64_t offset)
{
    const struct load_segment *best = NULL;

    /* The pages of two segments may overlap in the file: code wins. */
    for (unsigned i = 0; i < self->segments_num; i++) {
        const struct load_segment *s = &self->segments[i];

        if (offset - s->offset < s->file_size && (!best || s->code))
            best = s;
    }
    return best ? offset - best->offset + best->address : offset;
}

size_t orma_unwind_file_bytes(const struct orma_unwind_file *self, uint64_t address, void *ret,
                              size_t len)
{
    const struct load_segment *s = segment_of(self, address);
    const uint64_t there = s ? s->file_size - (address - s->address) : 0;

    len = ORMA_MIN(len, there);
    return len && read_at(self, address - s->address + s->offset, ret, len) ? len : 0;
}

static bool find_fde(struct orma_unwind_file *self, uint64_t pc, uint64_t *ret)
{
    const struct orma_unwind_cfi_entry *entries = (const void *)self->index.data;

    if (!self->index.len)
        return orma_unwind_cfi_lookup(&self->table, &self->eh, pc, ret);
    size_t at = ORMA_UPPER_BOUND(entries, self->index.len / sizeof(*entries), .start, pc);
    if (!at)
        return false;
    *ret = entries[at - 1].fde;
    return true;
}

/* The number of a rule, from 1; 0: there is none. */
static uint32_t make_rule(struct orma_unwind_file *self, uint64_t pc)
{
    struct orma_unwind_rule rule;
    uint64_t fde;

    memset(&rule, 0, sizeof(rule));
    if ((!find_fde(self, pc, &fde) ||
         !orma_unwind_cfi_rule(&self->eh, &self->cies, fde, pc, &rule)) &&
        !orma_unwind_go_rule(&self->go, pc, &rule))
        return 0;
    size_t used = offsetof(struct orma_unwind_rule, saved) + rule.saved_num * sizeof(*rule.saved);
    uint64_t hash = orma_hash_bytes_from(orma_hash_seed(), &rule, used);
    uint64_t known = orma_map_get(&self->by_content, hash);
    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    orma_buf_put(&self->rules, &rule, sizeof(rule));
    if (self->rules.failed)
        return 0;
    known = self->rules.len / sizeof(rule);
    (void)orma_map_put(&self->by_content, hash, known); /* else it is stored twice */
    return (uint32_t)known;
}

/* Whoever makes up return addresses does not know the seed. */
static struct place *probe(struct place *places, size_t cap, uint64_t pc)
{
    size_t at = orma_mix64(pc ^ orma_hash_seed()) & (cap - 1);

    while (places[at].state != FREE && places[at].pc != pc)
        at = (at + 1) & (cap - 1);
    return &places[at];
}

static ORMA_COLD bool grow_places(struct orma_unwind_file *self)
{
    size_t cap = self->places_cap ? self->places_cap * 2 : 64;
    struct place *places = calloc(cap, sizeof(*places));

    if (!places)
        return false;
    for (size_t i = 0; i < self->places_cap; i++) {
        if (self->places[i].state != FREE)
            *probe(places, cap, self->places[i].pc) = self->places[i];
    }
    free(self->places);
    self->places = places;
    self->places_cap = cap;
    return true;
}

/* NULL: no memory. */
static struct place *place_of(struct orma_unwind_file *self, uint64_t pc)
{
    if (self->places_num * 3 >= self->places_cap * 2 && !grow_places(self))
        return NULL;
    struct place *place = probe(self->places, self->places_cap, pc);
    if (place->state != FREE)
        return place;
    if (self->places_num >= ADDRESSES_MAX) { /* begin anew, with the rules, too */
        memset(self->places, 0, self->places_cap * sizeof(*self->places));
        self->places_num = 0;
        self->forgot = true;
        orma_map_clear(&self->by_content);
        orma_buf_clear(&self->rules);
        return place_of(self, pc);
    }
    *place = (struct place){.pc = pc, .state = NEW};
    self->places_num++;
    return place;
}

struct orma_unwind_note *orma_unwind_file_note(struct orma_unwind_file *self, uint64_t pc)
{
    struct place *place = place_of(self, pc);

    return place && !self->forgot ? &place->note : NULL;
}

const struct orma_unwind_rule *orma_unwind_file_rule(struct orma_unwind_file *self, uint64_t pc)
{
    struct place *place = place_of(self, pc);

    if (!place)
        return NULL;
    if (place->state == NEW)
        place->state = WITHOUT_RULE + make_rule(self, pc);
    return place->state >= RULES ? (const struct orma_unwind_rule *)(const void *)self->rules.data +
                                       (place->state - RULES)
                                 : NULL;
}

bool orma_unwind_file_start(struct orma_unwind_file *self, uint64_t pc, uint64_t *ret)
{
    struct orma_unwind_go_function f;
    uint64_t fde;

    if (find_fde(self, pc, &fde) && orma_unwind_cfi_start(&self->eh, &self->cies, fde, pc, ret))
        return true;
    if (!orma_unwind_go_find(&self->go, pc, &f))
        return false;
    *ret = f.start;
    return true;
}

bool orma_unwind_file_is_first(struct orma_unwind_file *self, uint64_t pc)
{
    const struct orma_unwind_rule *rule = orma_unwind_file_rule(self, pc);

    for (unsigned i = 0; rule && i < rule->saved_num; i++) {
        if (rule->saved[i].reg == ORMA_UNWIND_PC)
            return rule->saved[i].kind == ORMA_UNWIND_UNDEFINED;
    }
    return false;
}

bool orma_unwind_file_is_entry(const struct orma_unwind_file *self, uint64_t pc)
{
    return self->entry && pc - self->entry < ENTRY_BYTES;
}

const struct orma_unwind_go *orma_unwind_file_go(const struct orma_unwind_file *self)
{
    return self && self->go.data ? &self->go : NULL;
}

const struct orma_unwind_section *orma_unwind_file_section(const struct orma_unwind_file *self)
{
    return &self->eh;
}

/* ---- how it was compiled ---- */

static bool keeps_frame_pointer(const struct orma_unwind_rule *rule)
{
    return rule->cfa.kind == ORMA_UNWIND_REGISTER && rule->cfa.from == ORMA_UNWIND_FP;
}

/* Shorter ones end before they would need one. In the middle, a function stands on its frame. */
#define WORTH_BYTES 64u

int orma_unwind_file_frame_pointers(struct orma_unwind_file *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf all = {0};
    const struct orma_unwind_cfi_entry *entries;
    unsigned looked = 0, kept = 0;

    if (self->go.data && !self->eh.len) /* its compiler always does */
        return 100;
    orma_unwind_cfi_index(&self->eh, &all);
    size_t num = all.len / sizeof(*entries);
    size_t step = ORMA_MAX(num / LOOK_AT, (size_t)1);
    entries = (const void *)all.data;
    for (size_t i = 0; i + 1 < num; i += step) {
        uint64_t size = entries[i + 1].start - entries[i].start;
        struct orma_unwind_rule rule;

        if (size < WORTH_BYTES || !orma_unwind_cfi_rule(&self->eh, &self->cies, entries[i].fde,
                                                        entries[i].start + size / 2, &rule))
            continue;
        looked++;
        kept += keeps_frame_pointer(&rule);
    }
    return looked ? (int)(kept * 100 / looked) : -1;
}
