/*
 * A line of the file: "ffffffff81000000 T _stext", for modules followed by
 * "\t[module]". Kept: addresses in order, where each name begins, and the names.
 */
#include "probes/kernel/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/hex.h"
#include "sdk/base/search.h"

#define SYMBOLS_MAX (8u << 20)
#define NAME_MAX_LEN 512
#define PIECE_BYTES 32768u       /* of the file, read at a time */
#define FUNCTION_MAX (16u << 20) /* bytes behind a symbol that may still be its function */

struct symbol {
    uint64_t address;
    uint32_t name; /* in names, terminated */
};

struct orma_kallsyms {
    struct orma_buf symbols; /* struct symbol, by address */
    struct orma_buf names;
};

static size_t symbols_num(const struct orma_kallsyms *self)
{
    return self->symbols.len / sizeof(struct symbol);
}

static int add(struct orma_kallsyms *self, uint64_t address, struct orma_str name)
{
    const struct symbol symbol = {address, (uint32_t)self->names.len};

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

int orma_kallsyms_read(int dir_fd, const char *path, struct orma_kallsyms **ret)
{
    ORMA_AUTO(orma_fd_close) int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
    struct orma_kallsyms *self;
    int r;

    if (fd < 0)
        return -errno;
    self = calloc(1, sizeof(*self));
    r = self ? parse_file(self, fd) : -ENOMEM;
    if (!r && !self->symbols.len)
        r = -ENOENT;
    if (r < 0) {
        orma_kallsyms_free(self);
        return r;
    }
    sort(self);
    *ret = self;
    return 0;
}

void orma_kallsyms_free(struct orma_kallsyms *self)
{
    if (!self)
        return;
    orma_buf_fini(&self->symbols);
    orma_buf_fini(&self->names);
    free(self);
}

struct orma_str orma_kallsyms_find(const struct orma_kallsyms *self, uint64_t address)
{
    const struct symbol *symbols = (const void *)self->symbols.data;
    size_t low = ORMA_UPPER_BOUND(symbols, symbols_num(self), .address, address);

    if (!low || address - symbols[low - 1].address > FUNCTION_MAX)
        return (struct orma_str){NULL, 0};
    /* Of several names for one address the first one. */
    while (low > 1 && symbols[low - 2].address == symbols[low - 1].address)
        low--;
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
