/*
 * A table is read once, and its functions are sorted by address. The end of the kernel's code is a
 * symbol, too (_etext): addresses behind it belong to nobody that is known here.
 */
#include "processor/symbols/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/fd.h"
#include "sdk/base/hex.h"
#include "sdk/base/search.h"
#include "sdk/base/vec.h"

#define NAME "[kernel.kallsyms]"
#define OWN_TABLE "/proc/kallsyms"
#define OWN_NOTES "/sys/kernel/notes"
#define TABLE_BYTES_MAX ((size_t)64 << 20)
#define NOTES_BYTES_MAX ((size_t)64 << 10)
#define NOTE_BUILD_ID 3

struct symbol {
    uint64_t address;
    uint32_t name; /* offset in the text, where it ends with a zero */
};

struct orma_lookup_kernel {
    struct orma_buf text;            /* of the table */
    ORMA_VEC(struct symbol) symbols; /* by address */
    uint64_t end;                    /* of its code; UINT64_MAX: unknown */
    uint64_t shift;                  /* what to add to addresses of the trace */
};

bool orma_lookup_kernel_is(struct orma_str path)
{
    return orma_str_starts(path, ORMA_STR(NAME));
}

/* ---- which table ---- */

/* A build id is part of a path here. */
static bool is_hex(struct orma_str id)
{
    for (size_t i = 0; i < id.len; i++)
        if (!memchr("0123456789abcdef", id.data[i], 16))
            return false;
    return id.len > 0 && id.len <= (size_t)2 * ORMA_BUILD_ID_MAX;
}

static uint32_t word_at(const struct orma_buf *notes, size_t at)
{
    uint32_t val;

    memcpy(&val, notes->data + at, sizeof(val));
    return val;
}

/* Is it the kernel that runs? Its notes are records of name, type and content, in words. */
static bool is_running(struct orma_str id)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf notes = {0};
    bool found = false;
    size_t at = 0;

    if (orma_fd_read_file(AT_FDCWD, OWN_NOTES, NOTES_BYTES_MAX, &notes) < 0)
        return false;
    while (!found && notes.len - at >= 12) {
        size_t name = ((size_t)word_at(&notes, at) + 3) & ~(size_t)3;
        size_t len = word_at(&notes, at + 4), left = notes.len - at - 12;
        uint32_t type = word_at(&notes, at + 8);

        at += 12;
        if (name > left || len > left - name)
            return false;
        if (type == NOTE_BUILD_ID) {
            ORMA_AUTO(orma_buf_fini) struct orma_buf hex = {0};

            orma_hex_put(&hex, (struct orma_str){(const char *)notes.data + at + name, len});
            found = orma_str_eq(orma_buf_str(&hex), id);
        }
        at += ORMA_MIN(name + ((len + 3) & ~(size_t)3), left);
    }
    return found;
}

/* FOLDER[/.debug]/[kernel.kallsyms]/ID/kallsyms, if it is there. */
static char *kept_in(struct orma_str folder, const char *below, struct orma_str id)
{
    struct orma_buf path = {0};
    char *ret = NULL;

    orma_buf_printf(&path, "%.*s%s/" NAME "/%.*s/kallsyms", ORMA_STR_ARG(folder), below,
                    ORMA_STR_ARG(id));
    if (!path.failed) {
        ORMA_AUTO(orma_fd_close)
        int fd = orma_fd_open_regular(AT_FDCWD, orma_buf_cstr(&path), O_RDONLY | O_CLOEXEC);

        ret = fd >= 0 ? strdup(orma_buf_cstr(&path)) : NULL;
    }
    orma_buf_fini(&path);
    return ret;
}

char *orma_lookup_kernel_find(const char *paths, const struct orma_symbolizer_module *module)
{
    struct orma_str rest = orma_str_from(paths), folder;
    char *ret = NULL;

    if (!orma_lookup_kernel_is(module->path) || !is_hex(module->build_id))
        return NULL;
    while (!ret && rest.len && orma_str_cut(&rest, ':', &folder)) {
        const char *home = getenv("HOME");

        if (!orma_str_eq(folder, ORMA_STR("/"))) {
            ret = kept_in(folder, "", module->build_id);
            continue;
        }
        if (is_running(module->build_id))
            ret = strdup(OWN_TABLE);
        if (!ret && home)
            ret = kept_in(orma_str_from(home), "/.debug", module->build_id);
    }
    return ret;
}

/* ---- reading it ---- */

static bool read_address(struct orma_str text, uint64_t *ret)
{
    *ret = 0;
    for (size_t i = 0; i < text.len; i++) {
        int digit = orma_hex_digit(text.data[i]);

        if (digit < 0)
            return false;
        *ret = *ret << 4 | (unsigned)digit;
    }
    return text.len > 0 && text.len <= 16;
}

/* "ffffffff81000000 T _text": functions of the kernel itself, not of its modules. */
static int add_line(struct orma_lookup_kernel *self, struct orma_str line, struct orma_str first,
                    uint64_t *ret_first)
{
    struct orma_str rest = line, address, kind;
    uint64_t val;

    if (!orma_str_cut(&rest, ' ', &address) || !orma_str_cut(&rest, ' ', &kind) || kind.len != 1 ||
        !rest.len || !read_address(address, &val) || memchr(rest.data, '\t', rest.len))
        return 0;
    if (val && orma_str_eq(rest, first))
        *ret_first = val;
    if (val && orma_str_eq(rest, ORMA_STR("_etext")))
        self->end = val;
    if (!val || !strchr("tTwW", kind.data[0]))
        return 0;
    const struct symbol symbol = {val, (uint32_t)(rest.data - (const char *)self->text.data)};
    return ORMA_VEC_PUSH(&self->symbols, symbol);
}

/* Of several symbols at one address the first of the table, as perf takes it. */
static int by_address(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static int read_lines(struct orma_lookup_kernel *self, struct orma_str first, uint64_t *ret_first)
{
    struct orma_str rest = orma_buf_str(&self->text), line;
    int r = 0;

    while (r == 0 && rest.len && orma_str_cut(&rest, '\n', &line)) {
        r = add_line(self, line, first, ret_first);
        ((char *)self->text.data)[line.data + line.len - (const char *)self->text.data] = '\0';
    }
    if (self->symbols.len)
        qsort(self->symbols.data, self->symbols.len, sizeof(*self->symbols.data), by_address);
    return r;
}

int orma_lookup_kernel_open(const char *path, const struct orma_symbolizer_module *module,
                            struct orma_lookup_kernel **ret)
{
    struct orma_lookup_kernel *self = calloc(1, sizeof(*self));
    struct orma_str first = {module->path.data + strlen(NAME), module->path.len - strlen(NAME)};
    uint64_t at = 0;

    if (!self)
        return -ENOMEM;
    self->end = UINT64_MAX;
    int r = orma_fd_read_file(AT_FDCWD, path, TABLE_BYTES_MAX, &self->text);
    orma_buf_put_byte(&self->text, '\n'); /* behind the last line, too */
    if (r == 0 && self->text.failed)
        r = -ENOMEM;
    if (r == 0)
        r = read_lines(self, first.len ? first : ORMA_STR("_text"), &at);
    if (r == 0 && (!at || !self->symbols.len))
        r = -ENOENT;
    if (r < 0) {
        orma_lookup_kernel_free(self);
        return r;
    }
    self->shift = at - module->load_bias;
    *ret = self;
    return 0;
}

void orma_lookup_kernel_free(struct orma_lookup_kernel *self)
{
    if (!self)
        return;
    ORMA_VEC_FINI(&self->symbols);
    orma_buf_fini(&self->text);
    free(self);
}

const char *orma_lookup_kernel_function(const struct orma_lookup_kernel *self, uint64_t pc)
{
    const struct symbol *s = self->symbols.data;
    uint64_t address = pc + self->shift;
    uint32_t low = ORMA_UPPER_BOUND(s, self->symbols.len, .address, address);

    if (!low || address >= self->end)
        return NULL;
    uint64_t begin = s[low - 1].address;
    while (low > 1 && s[low - 2].address == begin)
        low--;
    return (const char *)self->text.data + s[low - 1].name;
}
