/*
 * A line of the file: "ffffffff81000000 T _stext", for modules followed by
 * "\t[module]". Kept: addresses in order, where each name begins, and the names.
 *
 * The kernel takes 30 ms and more to write the file, so the table is left in the state folder, of
 * which nothing outlives the boot. It holds for the kernel and for the modules that were loaded:
 * other code comes and goes (programs of BPF, trampolines). An address of that has the file read.
 */
#include "sdk/ftrace/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/base/hex.h"
#include "sdk/base/search.h"

#define SYMBOLS_MAX (8u << 20)
#define NAME_MAX_LEN 512
#define PIECE_BYTES 32768u           /* of the file, read at a time */
#define FUNCTION_MAX (16u << 20)     /* bytes behind a symbol that may still be its function */
#define MODULES_MAX_BYTES (1u << 20) /* of /proc/modules */
#define LAST_BYTES 4096u             /* what the last function may have */
#define MAGIC "ORMAKSY2"
#define STEP 128u /* symbols: a page of memory has half of them */

struct symbol {
    uint64_t address;
    uint32_t name; /* in names, terminated */
    uint32_t pad;
};

struct range {
    uint64_t start, end;
};

/* The kept table: this, ranges, steps, symbols, names. */
struct header {
    char magic[8];
    uint64_t key; /* of the boot and the modules */
    uint32_t ranges_num, symbols_num;
    uint64_t names_len;
};

/* What was read or, with a `map`, was kept. */
struct orma_kallsyms {
    struct orma_buf symbols; /* struct symbol, by address */
    struct orma_buf steps;   /* the addresses of each STEP-th: searched first, they are few pages */
    struct orma_buf names;
    struct orma_buf ranges;        /* struct range: what the kept table holds for */
    uint64_t core_start, core_end; /* the first and the last symbol that is of no module */
    void *map;
    size_t map_len;
    int proc_fd; /* with a map: where the file is */
};

static size_t symbols_num(const struct orma_kallsyms *self)
{
    return self->symbols.len / sizeof(struct symbol);
}

static int add(struct orma_kallsyms *self, uint64_t address, struct orma_str name)
{
    const struct symbol symbol = {address, (uint32_t)self->names.len, 0};

    if (symbols_num(self) == SYMBOLS_MAX || self->names.len > UINT32_MAX - name.len - 1)
        return 0; /* no kernel has that many: the rest goes unnamed */
    orma_buf_put(&self->symbols, &symbol, sizeof(symbol));
    orma_buf_put(&self->names, name.data, name.len);
    orma_buf_put_byte(&self->names, 0);
    return self->symbols.failed || self->names.failed ? -ENOMEM : 0;
}

/* "ffffffff81000000 T _stext": this runs for each of 100,000 lines and more. */
static int parse_line(struct orma_kallsyms *self, struct orma_str line)
{
    uint64_t address = 0;
    size_t at = 0;
    int digit;

    for (; at < line.len && (digit = orma_hex_digit(line.data[at])) >= 0; at++)
        address = address << 4 | (unsigned)digit;
    if (!address || at > 16 || line.len - at < 4 || line.data[at] != ' ' ||
        line.data[at + 2] != ' ' || !line.data[at + 1] || !strchr("tTwWiI", line.data[at + 1]))
        return 0;
    struct orma_str name = {line.data + at + 3, line.len - at - 3};
    const char *tab = memchr(name.data, '\t', name.len);
    if (tab)
        name.len = (size_t)(tab - name.data);
    name = orma_str_trim(name);
    if (!name.len || name.len > NAME_MAX_LEN || memchr(name.data, '\0', name.len))
        return 0;
    if (!tab) {
        self->core_start = self->core_start ? ORMA_MIN(self->core_start, address) : address;
        self->core_end = ORMA_MAX(self->core_end, address);
    }
    return add(self, address, name);
}

static int by_address(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name; /* aliases: as in the file */
}

/* The kernel writes its own symbols in order; modules come behind them. */
static void sort(struct orma_kallsyms *self)
{
    struct symbol *symbols = (void *)self->symbols.data;
    size_t i = 1, num = symbols_num(self);

    while (i < num && symbols[i - 1].address <= symbols[i].address)
        i++;
    if (i < num)
        qsort(symbols, num, sizeof(*symbols), by_address);
    for (i = 0; i < num; i += STEP)
        orma_buf_put(&self->steps, &symbols[i].address, sizeof(symbols[i].address));
}

/* Whole lines of the text; what is behind them is left in it. */
static int parse_lines(struct orma_kallsyms *self, struct orma_str *text)
{
    const char *end;
    int r = 0;

    while (!r && (end = memchr(text->data, '\n', text->len))) {
        size_t len = (size_t)(end - text->data);

        r = parse_line(self, (struct orma_str){text->data, len});
        *text = (struct orma_str){end + 1, text->len - len - 1};
    }
    return r;
}

static int parse_file(struct orma_kallsyms *self, int fd)
{
    char piece[PIECE_BYTES];
    struct orma_str text = {piece, 0};

    for (;;) {
        ssize_t n = read(fd, piece + text.len, sizeof(piece) - text.len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            return parse_line(self, text);
        text.len += (size_t)n;
        int r = parse_lines(self, &text);
        if (r < 0)
            return r;
        if (text.len == sizeof(piece))
            text.len = 0; /* no line of this file */
        memmove(piece, text.data, text.len);
        text.data = piece;
    }
}

static int read_into(struct orma_kallsyms *self, int dir_fd, const char *path)
{
    ORMA_AUTO(orma_fd_close) int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
    int r = fd < 0 ? -errno : parse_file(self, fd);

    if (!r && !self->symbols.len)
        r = -ENOENT;
    if (!r)
        sort(self);
    return self->steps.failed ? -ENOMEM : r;
}

static struct orma_kallsyms *new_table(void)
{
    struct orma_kallsyms *self = calloc(1, sizeof(*self));

    if (self)
        self->proc_fd = -1;
    return self;
}

int orma_kallsyms_read(int dir_fd, const char *path, struct orma_kallsyms **ret)
{
    struct orma_kallsyms *self = new_table();
    int r = self ? read_into(self, dir_fd, path) : -ENOMEM;

    if (r < 0) {
        orma_kallsyms_free(self);
        return r;
    }
    *ret = self;
    return 0;
}

int orma_kallsyms_parse(struct orma_str text, struct orma_kallsyms **ret)
{
    struct orma_kallsyms *self = new_table();
    int r = self ? parse_lines(self, &text) : -ENOMEM;

    if (!r)
        r = parse_line(self, text);
    if (!r && !self->symbols.len)
        r = -ENOENT;
    if (!r)
        sort(self);
    if (!r && self->steps.failed)
        r = -ENOMEM;
    if (r < 0) {
        orma_kallsyms_free(self);
        return r;
    }
    *ret = self;
    return 0;
}

/* What the table has; it was in the map or in memory of its own. */
static void clear(struct orma_kallsyms *self)
{
    if (self->map) {
        munmap(self->map, self->map_len);
        self->map = NULL;
        self->symbols = self->steps = self->names = self->ranges = (struct orma_buf){0};
    }
    orma_buf_fini(&self->steps);
    orma_buf_fini(&self->symbols);
    orma_buf_fini(&self->names);
    orma_buf_fini(&self->ranges);
    orma_fd_close(&self->proc_fd);
    self->proc_fd = -1;
}

void orma_kallsyms_free(struct orma_kallsyms *self)
{
    if (!self)
        return;
    clear(self);
    free(self);
}

/* ---- the kept table ---- */

/* "name 16384 2 - Live 0xffffffffc0000000": the number of users changes, the rest is the module. */
static int add_module(struct orma_kallsyms *self, struct orma_str line, uint64_t *key)
{
    char name[64];
    unsigned long long size, start;

    if (sscanf(line.data, "%63s %llu %*s %*s %*s %llx", name, &size, &start) != 3 || !start ||
        size > UINT32_MAX)
        return -ENODATA;
    const struct range range = {start, start + size};
    orma_buf_put(&self->ranges, &range, sizeof(range));
    *key = orma_hash_bytes_from(*key, name, strlen(name));
    *key = orma_hash_bytes_from(*key, &range, sizeof(range));
    return self->ranges.failed ? -ENOMEM : 0;
}

/*
 * The modules' ranges, behind room for that of the kernel. -ENODATA: it cannot be told which boot
 * this is, or where the modules are.
 */
static int read_key(struct orma_kallsyms *self, int proc_fd, uint64_t *ret_key)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf boot = {0}, modules = {0};
    const struct range core = {0, 0};
    struct orma_str rest, line;
    int r = orma_fd_read_file(proc_fd, "sys/kernel/random/boot_id", 64, &boot);

    if (r < 0 || boot.len < 32)
        return -ENODATA;
    r = orma_fd_read_file(proc_fd, "modules", MODULES_MAX_BYTES, &modules);
    if (r < 0 && r != -ENOENT) /* a kernel without modules has no such file */
        return r;
    *ret_key = orma_hash_bytes_from(sizeof(struct symbol), boot.data, boot.len);
    orma_buf_put(&self->ranges, &core, sizeof(core));
    orma_buf_put_byte(&modules, 0); /* lines are read as text */
    rest = (struct orma_str){(const char *)modules.data, modules.len - 1};
    for (r = 0; r == 0 && rest.len && orma_str_cut(&rest, '\n', &line);)
        r = line.len ? add_module(self, line, ret_key) : 0;
    return r;
}

/* The folder, if it is ours alone to write to. -errno. */
static int open_folder(const char *path)
{
    struct stat st;
    int fd = -1;

    if (mkdir(path, 0755) == 0 || errno == EEXIST)
        fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
        !(st.st_mode & (S_IWGRP | S_IWOTH)))
        return fd;
    orma_fd_close(&fd);
    return -EPERM;
}

static struct orma_buf part(uint8_t **at, size_t len)
{
    uint8_t *data = *at;

    *at += len;
    return (struct orma_buf){.data = data, .len = len, .cap = len};
}

/* Whatever the file holds, addresses get a text in it or none: find() looks at each offset. */
static bool adopt(struct orma_kallsyms *self, uint64_t key)
{
    struct header header;
    uint8_t *at = self->map;

    if (self->map_len < sizeof(header))
        return false;
    memcpy(&header, at, sizeof(header));
    size_t ranges = (size_t)header.ranges_num * sizeof(struct range);
    size_t symbols = (size_t)header.symbols_num * sizeof(struct symbol);
    size_t steps = ((size_t)header.symbols_num + STEP - 1) / STEP * sizeof(uint64_t);
    if (memcmp(header.magic, MAGIC, sizeof(header.magic)) != 0 || header.key != key ||
        header.names_len > UINT32_MAX || !header.names_len || !symbols ||
        sizeof(header) + ranges + steps + symbols + header.names_len != self->map_len ||
        at[self->map_len - 1])
        return false;
    at += sizeof(header);
    self->ranges = part(&at, ranges);
    self->steps = part(&at, steps);
    self->symbols = part(&at, symbols);
    self->names = part(&at, header.names_len);
    return true;
}

/* NULL: there is none for this key. */
static struct orma_kallsyms *map_kept(int folder, uint64_t key, int proc_fd)
{
    ORMA_AUTO(orma_fd_close)
    int fd = openat(folder, "kallsyms", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct orma_kallsyms *self;
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
        (st.st_mode & (S_IWGRP | S_IWOTH)) || st.st_size <= 0 || st.st_size > UINT32_MAX)
        return NULL;
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return NULL;
    self = new_table();
    if (!self) {
        munmap(map, (size_t)st.st_size);
        return NULL;
    }
    self->map = map;
    self->map_len = (size_t)st.st_size;
    self->proc_fd = fcntl(proc_fd, F_DUPFD_CLOEXEC, 0);
    if (self->proc_fd >= 0 && adopt(self, key))
        return self;
    orma_kallsyms_free(self);
    return NULL;
}

/* Under a name of its own first: readers see a whole file or none. What fails is tried next time.
 */
static void keep(const struct orma_kallsyms *self, int folder, uint64_t key)
{
    struct header header = {.magic = MAGIC,
                            .key = key,
                            .ranges_num = (uint32_t)(self->ranges.len / sizeof(struct range)),
                            .symbols_num = (uint32_t)symbols_num(self),
                            .names_len = self->names.len};
    char temp[48];

    snprintf(temp, sizeof(temp), "kallsyms-%ld-%llx", (long)getpid(),
             (unsigned long long)orma_hash_seed());
    int fd = openat(folder, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    bool whole = orma_fd_write_all(fd, &header, sizeof(header)) == 0 &&
                 orma_fd_write_all(fd, self->ranges.data, self->ranges.len) == 0 &&
                 orma_fd_write_all(fd, self->steps.data, self->steps.len) == 0 &&
                 orma_fd_write_all(fd, self->symbols.data, self->symbols.len) == 0 &&
                 orma_fd_write_all(fd, self->names.data, self->names.len) == 0;
    orma_fd_close(&fd);
    if (!whole || renameat(folder, temp, folder, "kallsyms") < 0)
        (void)unlinkat(folder, temp, 0);
}

int orma_kallsyms_open(int proc_fd, const char *state_dir, struct orma_kallsyms **ret)
{
    ORMA_AUTO(orma_fd_close) int folder = state_dir ? open_folder(state_dir) : -1;
    struct orma_kallsyms *self = new_table();
    uint64_t key = 0;

    if (!self)
        return -ENOMEM;
    bool keeps = folder >= 0 && read_key(self, proc_fd, &key) == 0;
    *ret = keeps ? map_kept(folder, key, proc_fd) : NULL;
    if (*ret) {
        orma_kallsyms_free(self);
        return 0;
    }
    int r = read_into(self, proc_fd, "kallsyms");
    if (r < 0) {
        orma_kallsyms_free(self);
        return r;
    }
    if (keeps) {
        *(struct range *)self->ranges.data =
            (struct range){self->core_start, self->core_end + LAST_BYTES};
        keep(self, folder, key);
    }
    *ret = self;
    return 0;
}

/* ---- looking up ---- */

/* Is it code that the table, kept at another time, would know? */
static bool covered(const struct orma_kallsyms *self, uint64_t address)
{
    const struct range *ranges = (const void *)self->ranges.data;

    for (size_t i = 0; i < self->ranges.len / sizeof(*ranges); i++) {
        if (address >= ranges[i].start && address < ranges[i].end)
            return true;
    }
    return false;
}

/* From the file of now. What was kept is given up only if that can be read. */
static void read_again(struct orma_kallsyms *self)
{
    struct orma_kallsyms *fresh;

    if (orma_kallsyms_read(self->proc_fd, "kallsyms", &fresh) < 0) {
        orma_fd_close(&self->proc_fd);
        self->proc_fd = -1;
        return;
    }
    clear(self);
    *self = *fresh;
    free(fresh);
}

struct orma_str orma_kallsyms_find(struct orma_kallsyms *self, uint64_t address)
{
    if (self->proc_fd >= 0 && !covered(self, address))
        read_again(self);
    const struct symbol *symbols = (const void *)self->symbols.data;
    const uint64_t *steps = (const void *)self->steps.data;
    const size_t num = symbols_num(self), steps_num = self->steps.len / sizeof(*steps);
    const size_t end = ORMA_UPPER_BOUND(steps, steps_num, , address) * STEP;
    size_t low = ORMA_PARTITION_POINT(i, end ? end - STEP : 0, ORMA_MIN(end, num),
                                      symbols[i].address <= address);

    if (!low || address - symbols[low - 1].address > FUNCTION_MAX)
        return (struct orma_str){NULL, 0};
    /* Of several names for one address the first one. */
    while (low > 1 && symbols[low - 2].address == symbols[low - 1].address)
        low--;
    if (symbols[low - 1].name >= self->names.len)
        return (struct orma_str){NULL, 0};
    return orma_str_from((const char *)self->names.data + symbols[low - 1].name);
}

size_t orma_kallsyms_num(const struct orma_kallsyms *self)
{
    return symbols_num(self);
}

size_t orma_kallsyms_bytes(const struct orma_kallsyms *self)
{
    return self->symbols.cap + self->names.cap;
}
