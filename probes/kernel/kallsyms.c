/*
 * A line of the file: "ffffffff81000000 T _stext", for modules followed by
 * "\t[module]". Kept: addresses in order, where each name begins, and the names.
 */
#include "probes/kernel/kallsyms.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/hex.h"
#include "sdk/base/search.h"
#include "sdk/base/vec.h"

#define SYMBOLS_MAX (8u << 20)
#define NAME_MAX_LEN 512
#define FUNCTION_MAX (16u << 20) /* bytes behind a symbol that may still be its function */

struct symbol {
    uint64_t address;
    uint32_t name; /* in names, terminated */
};

struct orma_kallsyms {
    struct symbol *symbols; /* by address */
    size_t num, cap;
    char *names;
    size_t names_len, names_cap;
};

static int add(struct orma_kallsyms *self, uint64_t address, struct orma_str name)
{
    if (self->num == SYMBOLS_MAX || self->names_len > UINT32_MAX - name.len - 1)
        return 0; /* no kernel has that many: the rest goes unnamed */
    if (ORMA_GROW(&self->symbols, &self->cap, self->num + 1) ||
        ORMA_GROW(&self->names, &self->names_cap, self->names_len + name.len + 1))
        return -ENOMEM;
    self->symbols[self->num++] = (struct symbol){address, (uint32_t)self->names_len};
    memcpy(self->names + self->names_len, name.data, name.len);
    self->names_len += name.len;
    self->names[self->names_len++] = '\0';
    return 0;
}

static bool parse_hex(struct orma_str text, uint64_t *ret)
{
    uint64_t val = 0;

    if (!text.len || text.len > 16)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        int digit = orma_hex_digit(text.data[i]);

        if (digit < 0)
            return false;
        val = val << 4 | (unsigned)digit;
    }
    *ret = val;
    return true;
}

static int parse_line(struct orma_kallsyms *self, struct orma_str line)
{
    struct orma_str address_text, type, name, rest = line;
    uint64_t address = 0;

    if (!orma_str_cut(&rest, ' ', &address_text) || !orma_str_cut(&rest, ' ', &type) ||
        !orma_str_cut(&rest, '\t', &name))
        return 0;
    if (type.len != 1 || !strchr("tTwWiI", type.data[0]))
        return 0;
    name = orma_str_trim(name);
    if (!parse_hex(address_text, &address) || !address || !name.len || name.len > NAME_MAX_LEN ||
        memchr(name.data, '\0', name.len))
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

int orma_kallsyms_parse(struct orma_str text, struct orma_kallsyms **ret)
{
    struct orma_kallsyms *self = calloc(1, sizeof(*self));
    struct orma_str line;
    int r = self ? 0 : -ENOMEM;

    while (!r && orma_str_cut(&text, '\n', &line))
        r = parse_line(self, line);
    if (!r && !self->num)
        r = -ENOENT;
    if (r < 0) {
        orma_kallsyms_free(self);
        return r;
    }
    qsort(self->symbols, self->num, sizeof(*self->symbols), by_address);
    *ret = self;
    return 0;
}

void orma_kallsyms_free(struct orma_kallsyms *self)
{
    if (!self)
        return;
    free(self->symbols);
    free(self->names);
    free(self);
}

struct orma_str orma_kallsyms_find(const struct orma_kallsyms *self, uint64_t address)
{
    size_t low = ORMA_UPPER_BOUND(self->symbols, self->num, .address, address);

    if (!low || address - self->symbols[low - 1].address > FUNCTION_MAX)
        return (struct orma_str){NULL, 0};
    /* Of several names for one address the first one. */
    while (low > 1 && self->symbols[low - 2].address == self->symbols[low - 1].address)
        low--;
    return orma_str_from(self->names + self->symbols[low - 1].name);
}

size_t orma_kallsyms_num(const struct orma_kallsyms *self)
{
    return self->num;
}

size_t orma_kallsyms_bytes(const struct orma_kallsyms *self)
{
    return self->cap * sizeof(*self->symbols) + self->names_cap;
}
