/*
 *   open ─► headers checked ─► symbols, sorted by address
 *                          └─► debug information (dwarf.c), read when the first address comes
 *
 * An address is first looked for in the debug information, which knows functions that were
 * compiled into others, files and lines. The symbol table knows the names of the rest.
 */
#include "processor/symbols/binary.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/symbols/binary_impl.h"
#include "processor/symbols/unpack.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/search.h"

#define FILE_BYTES_MAX ((uint64_t)8 << 30)
#define SYMBOLS_MAX (16u << 20)
#define NAMES_BYTES_MAX ((size_t)1 << 30)
#define SECTIONS_MAX 65536u
/* Debug information is packed to a third or so; what claims to be so much is a bomb. */
#define UNPACKED_FACTOR 64u
#define UNPACKED_MAX ((uint64_t)4 << 30)

bool orma_binary_supported(void)
{
    return true;
}

/* ---- opening ---- */

/* A regular file of sane size; a name may lead to a device, which must not be touched. */
static int open_file(const char *path, uint64_t *ret_size)
{
    ORMA_AUTO(orma_fd_close)
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char magic[SELFMAG];
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > FILE_BYTES_MAX)
        return -ENOEXEC;
    if (pread(fd, magic, sizeof(magic), 0) != (ssize_t)sizeof(magic) ||
        memcmp(magic, ELFMAG, SELFMAG))
        return -ENOEXEC;
    *ret_size = (uint64_t)st.st_size;
    int ret = fd;
    fd = -1;
    return ret;
}

/* Bytes of a packed section once it is unpacked; 0: it is not packed. */
static uint64_t unpacked_size(Elf_Scn *section, const GElf_Shdr *head, const char *name)
{
    GElf_Chdr packed;
    uint64_t size = 0;

    if (head->sh_flags & SHF_COMPRESSED)
        return gelf_getchdr(section, &packed) ? packed.ch_size : 0;
    if (name && !strncmp(name, ".zdebug", 7)) { /* "ZLIB" and the size, highest byte first */
        Elf_Data *data = elf_rawdata(section, NULL);

        if (data && data->d_buf && data->d_size >= 12 && !memcmp(data->d_buf, "ZLIB", 4)) {
            for (size_t i = 4; i < 12; i++)
                size = size << 8 | ((const uint8_t *)data->d_buf)[i];
        }
    }
    return size;
}

static const char *section_name(Elf *elf, const GElf_Shdr *head)
{
    size_t strings;

    return elf_getshdrstrndx(elf, &strings) == 0 ? elf_strptr(elf, strings, head->sh_name) : NULL;
}

static bool is_dwarf(const char *name)
{
    return name && (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info"));
}

static bool sections_are_sane(Elf *elf, uint64_t file_size, struct orma_binary_info *ret)
{
    Elf_Scn *section = NULL;
    GElf_Shdr head;
    size_t num = 0;

    while ((section = elf_nextscn(elf, section))) {
        if (++num > SECTIONS_MAX || !gelf_getshdr(section, &head))
            return false;
        if (head.sh_type != SHT_NOBITS && head.sh_size > file_size)
            return false;
        const char *name = section_name(elf, &head);
        uint64_t size = head.sh_type == SHT_NOBITS ? 0 : unpacked_size(section, &head, name);
        if (size > FILE_BYTES_MAX || (ret->packed_bytes += size) > UNPACKED_FACTOR * file_size)
            return false;
        if (head.sh_type == SHT_NOBITS)
            continue;
        ret->has_dwarf |= is_dwarf(name);
        ret->has_symbols |= head.sh_type == SHT_SYMTAB;
        ret->has_code |= head.sh_type == SHT_PROGBITS && head.sh_flags & SHF_EXECINSTR;
    }
    return true;
}

static uint64_t load_bias(Elf *elf)
{
    size_t num = 0;

    if (elf_getphdrnum(elf, &num) < 0)
        return 0;
    for (size_t i = 0; i < ORMA_MIN(num, (size_t)SECTIONS_MAX); i++) {
        GElf_Phdr head;

        if (gelf_getphdr(elf, (int)i, &head) && head.p_type == PT_LOAD && head.p_flags & PF_X)
            return head.p_vaddr - head.p_offset;
    }
    return 0;
}

/* Looks at an open file. */
static int peek(Elf *elf, uint64_t file_size, struct orma_binary_info *ret)
{
    const void *id = NULL;
    GElf_Word crc = 0;

    *ret = (struct orma_binary_info){0};
    if (!elf || elf_kind(elf) != ELF_K_ELF || !sections_are_sane(elf, file_size, ret))
        return -ENOEXEC;
    ssize_t len = dwelf_elf_gnu_build_id(elf, &id);
    if (len > 0 && len <= ORMA_BUILD_ID_MAX) {
        memcpy(ret->build_id, id, (size_t)len);
        ret->build_id_len = (size_t)len;
    }
    const char *link = dwelf_elf_gnu_debuglink(elf, &crc);
    if (link && strlen(link) < sizeof(ret->debug_link) && !strchr(link, '/')) {
        strcpy(ret->debug_link, link);
        ret->debug_crc = crc;
    }
    ret->load_bias = load_bias(elf);
    return 0;
}

/* ELF_C_READ: read piece by piece where asked for, never mapped. */
static Elf *begin(int fd)
{
    return elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
}

int orma_binary_peek(const char *path, struct orma_binary_info *ret)
{
    uint64_t size;
    ORMA_AUTO(orma_fd_close) int fd = open_file(path, &size);

    if (fd < 0)
        return fd;
    Elf *elf = begin(fd);
    int r = peek(elf, size, ret);
    (void)elf_end(elf);
    return r;
}

/* ---- symbols ---- */

struct symbol_reader {
    struct orma_binary *self;
    Elf *elf; /* of the binary, or a small one inside */
    struct orma_buf symbols, names;
    size_t file; /* of the local symbols that follow; 0: unknown */
};

/* Where in `names` it is; 0 for NULL and "". */
static size_t keep_name(struct symbol_reader *r, const char *name)
{
    size_t at;

    if (!r->names.len)
        orma_buf_put_byte(&r->names, 0);
    at = r->names.len;
    if (!name || !*name)
        return 0;
    orma_buf_put(&r->names, name, strnlen(name, ORMA_BINARY_NAME_MAX));
    orma_buf_put_byte(&r->names, 0);
    return at;
}

static uint64_t end_of_section(Elf *elf, const GElf_Sym *sym)
{
    Elf_Scn *section = elf_getscn(elf, sym->st_shndx);
    GElf_Shdr head;

    return section && gelf_getshdr(section, &head) ? head.sh_addr + head.sh_size : 0;
}

static void read_symbols(struct symbol_reader *r, Elf_Scn *section, const GElf_Shdr *head)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t num = data && head->sh_entsize ? data->d_size / head->sh_entsize : 0;

    for (size_t i = 0; i < ORMA_MIN(num, (size_t)SYMBOLS_MAX); i++) {
        GElf_Sym sym;

        if (!gelf_getsym(data, (int)i, &sym))
            return;
        unsigned type = GELF_ST_TYPE(sym.st_info);
        bool local = GELF_ST_BIND(sym.st_info) == STB_LOCAL;
        if (type == STT_FILE)
            r->file = keep_name(r, elf_strptr(r->elf, head->sh_link, sym.st_name));
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym.st_shndx == SHN_UNDEF)
            continue;
        const char *name = elf_strptr(r->elf, head->sh_link, sym.st_name);
        if (!name || !*name)
            continue;
        const struct orma_binary_symbol s = {
            .start = sym.st_value & ~(uint64_t)r->self->thumb,
            .size = sym.st_size,
            .end = sym.st_size ? 0 : end_of_section(r->elf, &sym),
            .name = keep_name(r, name),
            .file = local ? r->file : 0,
        };
        orma_buf_put(&r->symbols, &s, sizeof(s));
        if (r->names.failed || r->symbols.failed || r->names.len > NAMES_BYTES_MAX)
            return;
    }
}

static bool is_small_file(Elf *elf, const GElf_Shdr *head)
{
    const char *name = section_name(elf, head);

    return name && head->sh_type == SHT_PROGBITS && !strcmp(name, ".gnu_debugdata");
}

static void read_best_table(struct symbol_reader *r, Elf *elf);

/* What stripping left of the symbols: the functions that the dynamic ones lack. */
static void read_inside(struct symbol_reader *r, Elf_Scn *section)
{
    Elf_Data *data = elf_rawdata(section, NULL);
    struct orma_binary_info info;
    ORMA_AUTO(orma_fd_close) int fd = -1;
    struct stat st;

    if (!data || !data->d_buf ||
        orma_binary_unpack_xz(data->d_buf, data->d_size, r->self->unpack_left, &fd) < 0 ||
        fstat(fd, &st) < 0)
        return;
    Elf *elf = begin(fd);
    if (peek(elf, (uint64_t)st.st_size, &info) == 0)
        read_best_table(r, elf);
    (void)elf_end(elf);
}

/* By address; of several at one address the longest comes last, and wins. */
static int by_start(const void *a, const void *b)
{
    const struct orma_binary_symbol *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name; /* of equals, too */
}

static void read_best_table(struct symbol_reader *r, Elf *elf)
{
    Elf_Scn *section = NULL, *found = NULL, *inside = NULL;
    GElf_Shdr head, found_head = {0};

    r->elf = elf;
    while ((section = elf_nextscn(elf, section))) {
        if (!gelf_getshdr(section, &head))
            continue;
        if (is_small_file(elf, &head))
            inside = section;
        /* The full table holds the dynamic symbols, too. */
        if (head.sh_type == SHT_SYMTAB || (head.sh_type == SHT_DYNSYM && !found)) {
            found = section;
            found_head = head;
        }
    }
    if (found)
        read_symbols(r, found, &found_head);
    if (inside && elf == r->self->elf && (!found || found_head.sh_type != SHT_SYMTAB))
        read_inside(r, inside);
}

static int load_symbols(struct orma_binary *self)
{
    struct symbol_reader r = {.self = self};

    read_best_table(&r, self->elf);
    if (r.symbols.failed || r.names.failed) {
        orma_buf_fini(&r.symbols);
        orma_buf_fini(&r.names);
        return -ENOMEM;
    }
    self->symbols = (struct orma_binary_symbol *)(void *)r.symbols.data; /* ours from here on */
    self->symbols_num = r.symbols.len / sizeof(*self->symbols);
    self->names = (char *)r.names.data;
    if (self->symbols_num)
        qsort(self->symbols, self->symbols_num, sizeof(*self->symbols), by_start);
    return 0;
}

static const struct orma_binary_symbol *find_symbol(const struct orma_binary *self, uint64_t pc)
{
    size_t at = ORMA_OFFSET_FIND(self->symbols, self->symbols_num, .start, pc);

    if (at == self->symbols_num)
        return NULL;
    const struct orma_binary_symbol *s = &self->symbols[at];
    return (s->size ? pc - s->start < s->size : pc < s->end) ? s : NULL;
}

/* ---- a binary ---- */

/* Debug information that libelf may not be able to unpack. What cannot be is left out. */
static int unpack(struct orma_binary *self, uint64_t size, struct orma_binary_info *info)
{
    int fd = -1;
    int r = orma_binary_unpack(self->fd, size, self->unpack_left, &fd, &size);

    if (r < 0)
        info->has_dwarf = false;
    if (r <= 0)
        return 0;
    (void)elf_end(self->elf);
    orma_fd_close(&self->fd);
    self->fd = fd;
    self->elf = begin(fd);
    return peek(self->elf, size, info);
}

int orma_binary_open(const char *path, struct orma_binary **ret)
{
    struct orma_binary_info info;
    struct orma_binary *self = calloc(1, sizeof(*self));
    uint64_t size = 0;
    int r;

    if (!self)
        return -ENOMEM;
    self->fd = open_file(path, &size);
    r = self->fd < 0 ? self->fd : 0;
    if (r == 0) {
        GElf_Ehdr head;

        self->elf = begin(self->fd);
        r = peek(self->elf, size, &info);
        self->unpack_left = ORMA_MIN(UNPACKED_FACTOR * size, UNPACKED_MAX);
        const uint64_t claimed = r == 0 ? info.packed_bytes : 0;
        if (r == 0 && info.has_dwarf)
            r = unpack(self, size, &info);
        self->unpack_left -= ORMA_MIN(claimed, self->unpack_left);
        self->thumb = r == 0 && gelf_getehdr(self->elf, &head) && head.e_machine == EM_ARM;
    }
    if (r == 0)
        r = load_symbols(self);
    if (r < 0) {
        orma_binary_free(self);
        return r;
    }
    if (info.has_dwarf)
        orma_dwarf_open(self, path);
    *ret = self;
    return 0;
}

void orma_binary_free(struct orma_binary *self)
{
    if (!self)
        return;
    orma_dwarf_close(self);
    (void)elf_end(self->elf);
    orma_fd_close(&self->fd);
    free(self->symbols);
    free(self->names);
    orma_buf_fini(&self->texts);
    free(self);
}

size_t orma_binary_frames(struct orma_binary *self, uint64_t pc,
                          struct orma_source_frame ret[ORMA_SOURCE_FRAMES_MAX])
{
    struct orma_frame_texts found[ORMA_SOURCE_FRAMES_MAX];
    size_t num;

    orma_buf_clear(&self->texts);
    orma_buf_put_byte(&self->texts, 0); /* offset 0 is "" */
    num = self->dwarf ? orma_dwarf_frames(self, pc, found) : 0;
    if (!num)
        found[num++] = (struct orma_frame_texts){0};
    /* The linker's name tells clones and cold parts, and is what other symbolizers show. */
    const struct orma_binary_symbol *symbol = find_symbol(self, pc);
    if (symbol) {
        found[num - 1].function = orma_binary_keep_name(self, self->names + symbol->name);
        if (num == 1 && !found[0].file)
            found[0].file = orma_binary_keep(self, self->names + symbol->file);
    }
    if (self->texts.failed || (num == 1 && !found[0].function))
        return 0;
    for (size_t i = 0; i < num; i++)
        ret[i] = (struct orma_source_frame){(const char *)self->texts.data + found[i].function,
                                            (const char *)self->texts.data + found[i].file,
                                            found[i].line};
    return num;
}
