/* What an address of uftrace is: sessions, their maps, symbols and debug information. */
#include "processor/import/formats/uftrace.h"

#include <stdlib.h>

#include "processor/symbols/demangle.h"
#include "sdk/base/hex.h"
#include "sdk/base/search.h"

static void no_memory(struct orma_file *file)
{
    file->imp->model->storage->failed = true;
}

static void damaged(struct orma_file *file, const char *kind, struct orma_str at)
{
    orma_file_part(file, ORMA_ACCOUNT_DAMAGED, kind, at.data);
}

/* The first word, which is cut off. */
static struct orma_str word(struct orma_str *rest)
{
    struct orma_str ret;

    *rest = orma_str_trim(*rest);
    if (!rest->len)
        return *rest;
    (void)orma_str_cut(rest, ' ', &ret);
    return ret;
}

static bool hex(struct orma_str text, uint64_t *ret)
{
    *ret = 0;
    for (size_t i = 0; i < text.len; i++) {
        const int digit = orma_hex_digit(text.data[i]);

        if (digit < 0 || i >= 16)
            return false;
        *ret = *ret << 4 | (uint64_t)digit;
    }
    return text.len;
}

static struct orma_str base_of(struct orma_str path)
{
    const char *slash = path.len ? memrchr(path.data, '/', path.len) : NULL;

    return slash ? (struct orma_str){slash + 1, path.len - (size_t)(slash + 1 - path.data)} : path;
}

/* ---- symbols of a file ---- */

static int by_addr(const void *a, const void *b)
{
    const struct orma_uftrace_symbol *x = a, *y = b;

    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool is_type(struct orma_str text)
{
    return text.len == 1 && memchr("TtwPDdvuK?", text.data[0], 10);
}

/* "ADDR TYPE NAME", or "ADDR SIZE TYPE NAME" */
static void read_symbol(struct orma_file *file, struct orma_uftrace_module *m, struct orma_str line)
{
    struct orma_uftrace_symbol s = {0};
    struct orma_str rest = line, next;

    if (!hex(word(&rest), &s.addr)) {
        damaged(file, "lines of symbols", line);
        return;
    }
    next = word(&rest);
    if (!is_type(next)) {
        if (!hex(next, &s.size)) {
            damaged(file, "lines of symbols", line);
            return;
        }
        next = word(&rest);
    }
    s.type = next.len == 1 ? next.data[0] : '?';
    s.raw = orma_str_trim(rest);
    if (ORMA_VEC_PUSH(&m->symbols, s))
        no_memory(file);
}

static struct orma_uftrace_symbol *symbol_at(struct orma_uftrace_module *m, uint64_t addr)
{
    const uint32_t at = ORMA_OFFSET_FIND(m->symbols.data, m->symbols.len, .addr, addr);

    return at < m->symbols.len ? &m->symbols.data[at] : NULL;
}

/* Lines of a function follow its "F:". */
static void read_debug(struct orma_file *file, struct orma_uftrace_module *m, struct orma_str text)
{
    struct orma_uftrace_symbol *s = NULL;
    struct orma_str line;
    uint64_t addr;

    while (text.len && orma_str_cut(&text, '\n', &line)) {
        if (line.len < 3 || line.data[1] != ':')
            continue;
        struct orma_str rest = {line.data + 2, line.len - 2}, number;

        switch (line.data[0]) {
        case 'F':
            s = hex(word(&rest), &addr) ? symbol_at(m, addr) : NULL;
            s = s && s->addr == addr ? s : NULL;
            break;
        case 'L':
            number = word(&rest);
            if (s)
                s->source =
                    orma_strpool_addf(&file->imp->model->storage->pool, "%.*s:%.*s",
                                      ORMA_STR_ARG(orma_str_trim(rest)), ORMA_STR_ARG(number));
            break;
        case 'A':
            if (s)
                s->arg_text = orma_str_trim(rest);
            break;
        case 'R':
            if (s)
                s->retval_text = orma_str_trim(rest);
            break;
        }
    }
}

/* The lines in front of symbols; of longer paths nobody knows. */
#define HEAD_MAX 16384

/* Whose symbols these are, as the file says it. */
static bool is_of(struct orma_str text, struct orma_str path, struct orma_str build_id)
{
    struct orma_str line;

    for (unsigned n = 0; n < 8 && orma_str_cut(&text, '\n', &line); n++) {
        struct orma_str said = line;

        if (orma_str_starts(line, ORMA_STR("# path name: "))) {
            said = (struct orma_str){line.data + 13, line.len - 13};
            if (!orma_str_eq(orma_str_trim(said), path))
                return false;
        } else if (orma_str_starts(line, ORMA_STR("# build-id: "))) {
            said = (struct orma_str){line.data + 12, line.len - 12};
            if (build_id.len && !orma_str_eq(orma_str_trim(said), build_id))
                return false;
        } else if (!orma_str_starts(line, ORMA_STR("#"))) {
            break;
        }
    }
    return true;
}

/* "NAME.sym" or "NAME-XXXX.sym": of two files with one name, the second has a longer one. */
static const struct orma_file_part *find_symbols(struct orma_file *file, struct orma_str path,
                                                 struct orma_str build_id)
{
    const struct orma_str base = base_of(path);

    if (!orma_uftrace_spend(file, file->parts_num))
        return NULL;
    for (uint32_t i = 0; i < file->parts_num; i++) {
        const struct orma_file_part *p = &file->parts[i];

        if (p->name.len < base.len + 4 || !orma_str_starts(p->name, base) ||
            memcmp(p->name.data + p->name.len - 4, ".sym", 4) != 0 ||
            (p->name.data[base.len] != '.' && p->name.data[base.len] != '-'))
            continue;
        const struct orma_str head = {p->bytes.data, ORMA_MIN(p->bytes.len, (size_t)HEAD_MAX)};
        if (orma_uftrace_spend(file, head.len / 8) && is_of(head, path, build_id))
            return p;
    }
    return NULL;
}

static uint32_t load_module(struct orma_file *file, struct orma_str path, struct orma_str build_id)
{
    struct orma_uftrace *self = file->state;
    const struct orma_file_part *part = find_symbols(file, path, build_id);
    struct orma_uftrace_module made = {0};
    struct orma_str rest, line;
    char name[ORMA_ARG_KEY_MAX];

    if (!part)
        return ORMA_UFTRACE_NOTHING;
    for (uint32_t i = 0; i < self->modules.len; i++)
        if (orma_str_eq(self->modules.data[i].name, part->name))
            return i;
    made.name = part->name;
    if (ORMA_VEC_PUSH(&self->modules, made)) {
        no_memory(file);
        return ORMA_UFTRACE_NOTHING;
    }
    struct orma_uftrace_module *m = &self->modules.data[self->modules.len - 1];
    for (rest = part->bytes; rest.len && orma_str_cut(&rest, '\n', &line);)
        if (orma_str_trim(line).len && line.data[0] != '#')
            read_symbol(file, m, line);
    if (m->symbols.len)
        qsort(m->symbols.data, m->symbols.len, sizeof(*m->symbols.data), by_addr);
    if (part->name.len < sizeof(name)) {
        memcpy(name, part->name.data, part->name.len - 4);
        memcpy(name + part->name.len - 4, ".dbg", 5);
        read_debug(file, m, orma_uftrace_part(file, name));
    }
    return self->modules.len - 1;
}

/* ---- maps ---- */

/* "START-END r-xp OFFSET DEV INODE PATH build-id:HEX" */
static void read_mapping(struct orma_file *file, struct orma_uftrace_session *s,
                         struct orma_str line, uint32_t *last, struct orma_str *last_path)
{
    struct orma_uftrace_mapping map = {.module = ORMA_UFTRACE_NOTHING};
    struct orma_str rest = line, range = word(&rest), from, build_id = {0};

    if (!orma_str_cut(&range, '-', &from) || !hex(from, &map.start) || !hex(range, &map.end)) {
        damaged(file, "lines of maps", line);
        return;
    }
    for (unsigned i = 0; i < 4; i++)
        (void)word(&rest);
    struct orma_str path = orma_str_trim(rest);
    const char *id = orma_str_find(path, ORMA_STR(" build-id:"));
    if (id) {
        build_id = (struct orma_str){id + 10, path.len - (size_t)(id + 10 - path.data)};
        path = orma_str_trim((struct orma_str){path.data, (size_t)(id - path.data)});
    }
    map.base = map.start;
    if (*last != ORMA_UFTRACE_NOTHING && orma_str_eq(path, *last_path)) {
        map.base = s->maps.data[*last].base; /* lines of one file merge */
        map.module = s->maps.data[*last].module;
    } else if (path.len && path.data[0] == '/') {
        map.module = load_module(file, path, build_id);
    }
    if (ORMA_VEC_PUSH(&s->maps, map))
        no_memory(file);
    *last = s->maps.len - 1;
    *last_path = path;
}

static int by_start(const void *a, const void *b)
{
    const struct orma_uftrace_mapping *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

uint32_t orma_uftrace_session(struct orma_file *file, uint64_t id)
{
    struct orma_uftrace *self = file->state;
    uint32_t last = ORMA_UFTRACE_NOTHING;
    struct orma_str rest, line, last_path = {0};
    char name[32];

    for (uint32_t i = 0; i < self->sessions.len; i++)
        if (self->sessions.data[i].id == id)
            return i;
    if (ORMA_VEC_PUSH(&self->sessions, (struct orma_uftrace_session){.id = id})) {
        no_memory(file);
        return ORMA_UFTRACE_NOTHING;
    }
    struct orma_uftrace_session *s = &self->sessions.data[self->sessions.len - 1];
    snprintf(name, sizeof(name), "sid-%016llx.map", (unsigned long long)id);
    rest = orma_uftrace_part(file, name);
    if (!rest.data)
        orma_file_part(file, ORMA_ACCOUNT_MISSING, "maps of sessions", NULL);
    while (rest.len && orma_str_cut(&rest, '\n', &line))
        if (orma_str_trim(line).len)
            read_mapping(file, s, line, &last, &last_path);
    if (s->maps.len)
        qsort(s->maps.data, s->maps.len, sizeof(*s->maps.data), by_start);
    return self->sessions.len - 1;
}

/* ---- addresses ---- */

/* Where those of the process begin. */
static uint32_t first_era(const struct orma_uftrace *self, uint32_t pid)
{
    uint32_t low = 0, high = self->eras.len;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (self->eras.data[middle].pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What a process runs at a time: its last session before it, or that of who forked it. */
static struct orma_uftrace_session *session_at(struct orma_file *file, uint32_t pid, int64_t ts)
{
    struct orma_uftrace *self = file->state;

    for (unsigned generations = 0; generations < 64; generations++) {
        const struct orma_uftrace_era *found = NULL;

        for (uint32_t i = first_era(self, pid); i < self->eras.len && self->eras.data[i].pid == pid;
             i++) {
            const struct orma_uftrace_era *e = &self->eras.data[i];

            if (!orma_uftrace_spend(file, 1))
                return NULL;
            /* The first one counts for what comes before it, too. */
            if (e->ts <= ts || !found)
                found = e;
        }
        if (!found)
            return NULL;
        if (found->session != ORMA_UFTRACE_NOTHING)
            return &self->sessions.data[found->session];
        pid = found->parent;
        ts = found->ts;
    }
    return NULL;
}

static const struct orma_uftrace_mapping *mapping_at(const struct orma_uftrace_session *s,
                                                     uint64_t addr)
{
    const uint32_t at = ORMA_OFFSET_FIND(s->maps.data, s->maps.len, .start, addr);

    return at < s->maps.len && addr < s->maps.data[at].end ? &s->maps.data[at] : NULL;
}

#define FEATURE_RELATIVE (1u << 5)

struct orma_uftrace_symbol *orma_uftrace_find(struct orma_file *file, uint32_t pid, int64_t ts,
                                              uint64_t addr)
{
    struct orma_uftrace *self = file->state;
    const struct orma_uftrace_session *s = session_at(file, pid, ts);
    const struct orma_uftrace_mapping *map = s ? mapping_at(s, addr) : NULL;

    if (!map || map->module == ORMA_UFTRACE_NOTHING)
        return NULL;
    struct orma_uftrace_symbol *found =
        symbol_at(&self->modules.data[map->module],
                  self->features & FEATURE_RELATIVE ? addr - map->base : addr);
    return found && found->type != '?' ? found : NULL;
}

uint32_t orma_uftrace_name(struct orma_file *file, struct orma_uftrace_symbol *symbol,
                           uint64_t addr)
{
    struct orma_model *m = file->imp->model;

    if (!symbol)
        return orma_strpool_addf(&m->storage->pool, "<%llx>", (unsigned long long)addr);
    if (symbol->name)
        return symbol->name;
    symbol->name = orma_model_str(m, symbol->raw);
    if (orma_str_starts(symbol->raw, ORMA_STR("_Z")) ||
        orma_str_starts(symbol->raw, ORMA_STR("_R"))) {
        char *text = orma_demangle_careful(orma_strpool_cstr(&m->storage->pool, symbol->name));

        if (text)
            symbol->name = orma_model_cstr(m, text);
        free(text);
    }
    return symbol->name;
}
