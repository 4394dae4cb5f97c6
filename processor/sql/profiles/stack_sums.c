/*
 * What stacks say about functions, and stacks as text, without a row for each frame of each stack:
 * that would be the square of what a file of deep stacks has.
 *
 * Sums go through the tree of call sites once, depth first. A function counts where it is
 * outermost: what is below another call of it was counted there. Which functions are above is known
 * by counters, of frames first, so that recursion through a frame of many functions (what was
 * compiled in) costs nothing. What a hostile tree of siblings can still ask for ends at STEPS_MAX.
 *
 * Texts are cut at so many functions and bytes; functions that are left out are counted, and a hash
 * of the whole stack keeps two apart that differ there only. It is the same in each trace.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "processor/sql/profiles/profiles.h"
#include "sdk/base/hash.h"
#include "sdk/base/map.h"
#include "sdk/base/vec.h"

#define NONE UINT32_MAX
#define STEPS_MAX (UINT64_C(1) << 28)
#define TEXT_FUNCTIONS 128u
#define TEXT_BYTES 8192u

struct span {
    uint32_t first, num;
};

struct function {
    uint32_t name, module; /* ids of the pool */
    uint32_t above;        /* frames on the way that have it */
    bool touched;
    double self, total;
};

struct site {
    uint32_t parent, frame; /* NONE */
    uint32_t child, next;   /* of those that have samples; NONE */
    bool used;
    double weight; /* its own, then with what is below it */
};

struct sums {
    sqlite3_context *ctx;
    struct orma_sql *sql;
    const struct orma_storage *st;
    struct span *frames; /* by frame */
    uint32_t *above;     /* by frame: how often it is on the way */
    struct site *sites;
    uint32_t frames_num, sites_num, functions_num;
    uint32_t *refs; /* functions of frames, the innermost first */
    struct function *functions;
    uint32_t *used, *touched;
    uint32_t used_num, touched_num;
    uint64_t steps;
};

static void sums_fini(struct sums *s)
{
    free(s->frames);
    free(s->above);
    free(s->sites);
    free(s->refs);
    free(s->functions);
    free(s->used);
    free(s->touched);
}

static int wrong(struct sums *s, const char *why)
{
    orma_result_error(s->ctx, "functions of stacks: %s", why);
    return -EINVAL;
}

static int step(struct sums *s)
{
    if (++s->steps > STEPS_MAX)
        return wrong(s, "the stacks take more than 268435456 steps, which is the limit: the "
                        "functions that the file says were compiled into others make no sense");
    return orma_sql_should_stop(s->sql, s->steps) ? -ECANCELED : 0;
}

/* ---- what is given ---- */

/* A dataframe with these columns that was handed over by a query; NULL: that of a query without
 * rows. */
static int take_rows(struct sums *s, sqlite3_value *val, const char *const *names,
                     const struct orma_dataframe **ret)
{
    const struct orma_dataframe *f = orma_value_frame(val);

    if (!f && sqlite3_value_type(val) != SQLITE_NULL)
        return wrong(s, "expected the result of __intrinsic_row_dataframe_agg");
    for (unsigned i = 0; f && names[i]; i++) {
        if (i >= f->columns_num || strcmp(f->columns[i].name, names[i]) != 0)
            return wrong(s, "expected other columns");
    }
    *ret = f;
    return 0;
}

static double number_at(const struct orma_dataframe *f, unsigned col, uint32_t row)
{
    if (orma_table_is_null(&f->table, col, row) || f->columns[col].type == ORMA_DATAFRAME_TEXT)
        return 0;
    return f->columns[col].type == ORMA_DATAFRAME_DOUBLE
               ? orma_column_double(&f->table.columns[col], row)
               : (double)orma_table_int(&f->table, col, row);
}

/* The number of a row below `num`; NONE: it is NULL, or another. */
static uint32_t id_at(const struct orma_dataframe *f, unsigned col, uint32_t row, uint32_t num)
{
    bool is_int = f->columns[col].type == ORMA_DATAFRAME_INT;
    int64_t id = is_int && !orma_table_is_null(&f->table, col, row)
                     ? orma_table_int(&f->table, col, row)
                     : -1;

    return id >= 0 && id < num ? (uint32_t)id : NONE;
}

/* The id of a text in the pool; 0: NULL. */
static uint32_t text_at(const struct orma_dataframe *f, unsigned col, uint32_t row)
{
    return f->columns[col].type == ORMA_DATAFRAME_TEXT && !orma_table_is_null(&f->table, col, row)
               ? (uint32_t)orma_table_int(&f->table, col, row)
               : 0;
}

static int function_of(struct sums *s, struct orma_map *known, uint32_t name, uint32_t module,
                       uint32_t *ret)
{
    uint64_t key = (uint64_t)module << 32 | name, at = orma_map_get(known, key);

    if (at == ORMA_MAP_NONE) {
        at = s->functions_num++;
        s->functions[at] = (struct function){.name = name, .module = module};
        if (orma_map_put(known, key, at) < 0)
            return -ENOMEM;
    }
    *ret = (uint32_t)at;
    return 0;
}

/* Rows (frame_id, name, module), by frame, the innermost function first. */
static int take_frames(struct sums *s, const struct orma_dataframe *f)
{
    uint32_t rows = f ? f->table.rows : 0, last = 0;
    struct orma_map known = {0};
    int r = 0;

    s->frames_num = s->st->tables[ORMA_TABLE_STACK_PROFILE_FRAME].rows;
    s->frames = calloc((size_t)s->frames_num + 1, sizeof(*s->frames));
    s->above = calloc((size_t)s->frames_num + 1, sizeof(*s->above));
    s->refs = calloc((size_t)rows + 1, sizeof(*s->refs));
    s->functions = calloc((size_t)rows + 1, sizeof(*s->functions));
    s->touched = calloc((size_t)rows + 1, sizeof(*s->touched));
    if (!s->frames || !s->above || !s->refs || !s->functions || !s->touched)
        return -ENOMEM;
    for (uint32_t row = 0; row < rows && r == 0; row++) {
        uint32_t frame = id_at(f, 0, row, s->frames_num);

        if (frame == NONE || frame < last) {
            r = wrong(s, "expected functions of frames in the order of frames");
            break;
        }
        last = frame;
        if (!s->frames[frame].num++)
            s->frames[frame].first = row;
        r = function_of(s, &known, text_at(f, 1, row), text_at(f, 2, row), &s->refs[row]);
        if (r == 0 && orma_sql_should_stop(s->sql, row + 1))
            r = -ECANCELED;
    }
    orma_map_fini(&known);
    return r;
}

/* Those whose parent comes later are roots: a trace may be hostile. */
static int take_sites(struct sums *s)
{
    const struct orma_table *t = &s->st->tables[ORMA_TABLE_STACK_PROFILE_CALLSITE];

    s->sites_num = t->rows;
    s->sites = calloc((size_t)t->rows + 1, sizeof(*s->sites));
    s->used = calloc((size_t)t->rows + 1, sizeof(*s->used));
    if (!s->sites || !s->used)
        return -ENOMEM;
    for (uint32_t i = 0; i < t->rows; i++) {
        bool root = orma_table_is_null(t, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, i);
        int64_t up = root ? -1 : orma_table_int(t, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, i);
        int64_t frame = orma_table_int(t, ORMA_STACK_PROFILE_CALLSITE_FRAME_ID, i);

        s->sites[i].parent = up >= 0 && up < i ? (uint32_t)up : NONE;
        s->sites[i].frame = frame >= 0 && frame < s->frames_num ? (uint32_t)frame : NONE;
        s->sites[i].child = s->sites[i].next = NONE;
        if (orma_sql_should_stop(s->sql, i + 1))
            return -ECANCELED;
    }
    return 0;
}

/* ---- sums ---- */

struct leaf {
    uint32_t counted; /* of the pool */
    uint32_t site;
    double weight;
};

static int by_counted(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;

    if (x->counted != y->counted)
        return x->counted < y->counted ? -1 : 1;
    return x->site < y->site ? -1 : x->site > y->site;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static struct function *touch(struct sums *s, uint32_t function)
{
    struct function *f = &s->functions[function];

    if (!f->touched)
        s->touched[s->touched_num++] = function;
    f->touched = true;
    return f;
}

/* The call sites of one group's samples, with those above them. */
static int use(struct sums *s, const struct leaf *leaf)
{
    const struct site *site = &s->sites[leaf->site];

    if (site->frame != NONE && s->frames[site->frame].num)
        touch(s, s->refs[s->frames[site->frame].first])->self += leaf->weight;
    for (uint32_t at = leaf->site; at != NONE && !s->sites[at].used; at = s->sites[at].parent) {
        int r = step(s);

        if (r)
            return r;
        s->sites[at].used = true;
        s->used[s->used_num++] = at;
    }
    s->sites[leaf->site].weight += leaf->weight;
    return 0;
}

/* Hands weights up, and lists children in order of their numbers. The first root. */
static uint32_t link_used(struct sums *s)
{
    uint32_t root = NONE;

    for (uint32_t i = s->used_num; i-- > 0;) {
        struct site *site = &s->sites[s->used[i]];
        uint32_t *list = site->parent == NONE ? &root : &s->sites[site->parent].child;

        if (site->parent != NONE)
            s->sites[site->parent].weight += site->weight;
        site->next = *list;
        *list = s->used[i];
    }
    return root;
}

static int enter(struct sums *s, const struct site *site)
{
    const struct span none = {0}, *f = site->frame == NONE ? &none : &s->frames[site->frame];
    int r = step(s);

    if (site->frame != NONE && s->above[site->frame]++)
        return r;
    for (uint32_t i = 0; i < f->num && r == 0; i++) {
        struct function *function = touch(s, s->refs[f->first + i]);

        if (!function->above++)
            function->total += site->weight;
        r = step(s);
    }
    return r;
}

static void leave(struct sums *s, const struct site *site)
{
    const struct span *f;

    if (site->frame == NONE || --s->above[site->frame])
        return;
    f = &s->frames[site->frame];
    for (uint32_t i = 0; i < f->num; i++)
        s->functions[s->refs[f->first + i]].above--;
}

static int walk(struct sums *s, uint32_t root)
{
    uint32_t at = root;
    int r = 0;

    while (at != NONE) {
        r = enter(s, &s->sites[at]);
        if (r)
            return r;
        if (s->sites[at].child != NONE) {
            at = s->sites[at].child;
            continue;
        }
        while (at != NONE) {
            leave(s, &s->sites[at]);
            if (s->sites[at].next != NONE)
                break;
            at = s->sites[at].parent;
        }
        at = at == NONE ? NONE : s->sites[at].next;
    }
    return 0;
}

/* The rows of a group; then nothing of it is left. */
static void put_group(struct sums *s, uint32_t counted, struct orma_dataframe *out)
{
    for (uint32_t i = 0; i < s->touched_num; i++) {
        struct function *f = &s->functions[s->touched[i]];
        uint32_t row = orma_dataframe_add(out);

        if (counted)
            orma_dataframe_put_str(out, 0, row, counted);
        orma_dataframe_put_str(out, 1, row, f->name);
        if (f->module)
            orma_dataframe_put_str(out, 2, row, f->module);
        orma_dataframe_put_double(out, 3, row, f->self);
        orma_dataframe_put_double(out, 4, row, f->total);
        f->self = f->total = 0;
        f->touched = false;
    }
    for (uint32_t i = 0; i < s->used_num; i++) {
        struct site *site = &s->sites[s->used[i]];

        site->used = false;
        site->weight = 0;
        site->child = site->next = NONE;
    }
    s->touched_num = s->used_num = 0;
}

static int sum_group(struct sums *s, const struct leaf *leaves, size_t num,
                     struct orma_dataframe *out)
{
    int r = 0;

    for (size_t i = 0; i < num && r == 0; i++)
        r = use(s, &leaves[i]);
    if (r == 0)
        r = orma_sql_sort(s->sql, s->used, s->used_num, sizeof(*s->used), by_number);
    if (r == 0)
        r = walk(s, link_used(s));
    if (r == 0)
        put_group(s, leaves->counted, out);
    return r;
}

static int sum_all(struct sums *s, const struct orma_dataframe *f, struct orma_dataframe *out)
{
    uint32_t rows = f ? f->table.rows : 0;
    struct leaf *leaves = calloc((size_t)rows + 1, sizeof(*leaves));
    size_t num = 0, from = 0;
    int r = leaves ? 0 : -ENOMEM;

    for (uint32_t row = 0; row < rows && r == 0; row++) {
        uint32_t site = id_at(f, 0, row, s->sites_num);

        if (site != NONE)
            leaves[num++] = (struct leaf){text_at(f, 1, row), site, number_at(f, 2, row)};
        if (orma_sql_should_stop(s->sql, row + 1))
            r = -ECANCELED;
    }
    if (r == 0)
        r = orma_sql_sort(s->sql, leaves, num, sizeof(*leaves), by_counted);
    for (size_t i = 1; i <= num && r == 0; i++) {
        if (i < num && leaves[i].counted == leaves[from].counted)
            continue;
        r = sum_group(s, leaves + from, i - from, out);
        from = i;
    }
    free(leaves);
    return r;
}

/* ---- texts ---- */

/*
 * The hash of a stack is a polynomial in this number, and hashes of its names the coefficients, so
 * that it does not matter which of them were compiled into others: a frame makes it
 * hash * frame.power + frame.hash.
 */
#define HASH_STEP UINT64_C(0x9e3779b97f4a7c15)

struct frame_hash {
    uint64_t power, hash;
};

struct texts {
    uint64_t *name_hashes; /* by function */
    uint64_t *hashes;      /* by call site: of the names from the root to it */
    uint64_t *depths;      /* functions from the root to it */
};

static void texts_fini(struct texts *t)
{
    free(t->name_hashes);
    free(t->hashes);
    free(t->depths);
}

static int texts_init(struct texts *t, struct sums *s)
{
    t->name_hashes = calloc((size_t)s->functions_num + 1, sizeof(*t->name_hashes));
    t->hashes = calloc((size_t)s->sites_num + 1, sizeof(*t->hashes));
    t->depths = calloc((size_t)s->sites_num + 1, sizeof(*t->depths));
    struct frame_hash *frames = calloc((size_t)s->frames_num + 1, sizeof(*frames));
    int r = t->name_hashes && t->hashes && t->depths && frames ? 0 : -ENOMEM;

    for (uint32_t i = 0; i < s->functions_num && r == 0; i++) {
        struct orma_str name = orma_strpool_get(&s->st->pool, s->functions[i].name);

        t->name_hashes[i] = orma_mix64(orma_fnv1a(ORMA_FNV1A_BASIS, name.data, name.len));
        r = orma_sql_should_stop(s->sql, i + 1) ? -ECANCELED : 0;
    }
    for (uint32_t i = 0; i < s->frames_num && r == 0; i++) {
        frames[i].power = 1;
        for (uint32_t k = s->frames[i].num; k-- > 0;) {
            uint64_t name = t->name_hashes[s->refs[s->frames[i].first + k]];

            frames[i].hash = frames[i].hash * HASH_STEP + name;
            frames[i].power *= HASH_STEP;
        }
    }
    for (uint32_t i = 0; i < s->sites_num && r == 0; i++) {
        const struct site *site = &s->sites[i];

        if (site->parent != NONE) {
            t->hashes[i] = t->hashes[site->parent];
            t->depths[i] = t->depths[site->parent];
        }
        if (site->frame != NONE) {
            const struct frame_hash *frame = &frames[site->frame];

            t->hashes[i] = t->hashes[i] * frame->power + frame->hash;
            t->depths[i] += s->frames[site->frame].num;
        }
        r = orma_sql_should_stop(s->sql, i + 1) ? -ECANCELED : 0;
    }
    free(frames);
    return r;
}

/* No more than so many bytes of it, and no half character. */
static struct orma_str cut_name(struct orma_str name, size_t max)
{
    if (name.len > max) {
        name.len = max;
        while (name.len && ((uint8_t)name.data[name.len] & 0xc0) == 0x80)
            name.len--;
    }
    return name;
}

static void put_text(const struct sums *s, const struct texts *t, uint32_t leaf,
                     struct orma_buf *out)
{
    bool cut = false, more = false;
    uint32_t written = 0;

    orma_buf_clear(out);
    for (uint32_t at = leaf; at != NONE && !more; at = s->sites[at].parent) {
        const struct span none = {0};
        const struct span *f = s->sites[at].frame == NONE ? &none : &s->frames[s->sites[at].frame];

        for (uint32_t i = 0; i < f->num && !more; i++) {
            uint32_t id = s->functions[s->refs[f->first + i]].name;
            struct orma_str whole = orma_strpool_get(&s->st->pool, id);
            struct orma_str name = cut_name(whole, TEXT_BYTES);

            more = written == TEXT_FUNCTIONS || (written && out->len + name.len > TEXT_BYTES);
            if (more)
                break;
            cut |= name.len < whole.len;
            orma_buf_put_str(out, written++ ? " < " : "");
            orma_buf_put(out, name.data, name.len);
        }
    }
    uint32_t hash = (uint32_t)(orma_mix64(t->hashes[leaf]) >> 32);
    if (more)
        orma_buf_printf(out, " < ... %" PRIu64 " more (stack %08" PRIx32 ")",
                        t->depths[leaf] - written, hash);
    else if (cut)
        orma_buf_printf(out, "... (stack %08" PRIx32 ")", hash);
}

static int put_texts(struct sums *s, const struct orma_dataframe *f, struct orma_dataframe *out)
{
    struct orma_buf text = {0};
    struct texts t = {0};
    int r = texts_init(&t, s);

    for (uint32_t row = 0; f && row < f->table.rows && r == 0; row++) {
        uint32_t site = id_at(f, 0, row, s->sites_num), to;

        if (site != NONE) {
            to = orma_dataframe_add(out);
            put_text(s, &t, site, &text);
            orma_dataframe_put_int(out, 0, to, site);
            orma_dataframe_put_text(out, 1, to, orma_buf_str(&text));
        }
        if (text.failed)
            r = -ENOMEM;
        else if (orma_sql_should_stop(s->sql, row + 1))
            r = -ECANCELED;
    }
    orma_buf_fini(&text);
    texts_fini(&t);
    return r;
}

/* ---- both ---- */

static void run(sqlite3_context *ctx, sqlite3_value **argv, const char *const *leaf_columns,
                const char *const *columns, unsigned columns_num,
                int (*make)(struct sums *s, const struct orma_dataframe *leaves,
                            struct orma_dataframe *out))
{
    static const char *const frame_columns[] = {"frame_id", "name", "module", NULL};
    struct orma_sql *sql = orma_sql_of(ctx);
    struct sums s = {.ctx = ctx, .sql = sql, .st = sql->storage};
    struct orma_dataframe *out = orma_dataframe_new(sql->storage, columns, columns_num, false);
    const struct orma_dataframe *frames, *leaves = NULL;
    int r = out ? take_rows(&s, argv[0], frame_columns, &frames) : -ENOMEM;

    if (r == 0)
        r = take_rows(&s, argv[1], leaf_columns, &leaves);
    if (r == 0)
        r = take_frames(&s, frames);
    if (r == 0)
        r = take_sites(&s);
    if (r == 0)
        r = make(&s, leaves, out);
    if (r == 0) {
        orma_dataframe_result_finished(ctx, out);
    } else {
        orma_dataframe_unref(out);
        if (r != -EINVAL) /* its text was given */
            orma_result_errno(ctx, r);
    }
    sums_fini(&s);
}

static void function_sums(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const char *const leaves[] = {"callsite_id", "counted", "weight", NULL};
    static const char *const columns[] = {"counted", "function", "module", "self", "total"};

    (void)argc;
    run(ctx, argv, leaves, columns, ORMA_ARRAY_LEN(columns), sum_all);
}

static void stack_texts(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const char *const leaves[] = {"callsite_id", NULL};
    static const char *const columns[] = {"callsite_id", "stack"};

    (void)argc;
    run(ctx, argv, leaves, columns, ORMA_ARRAY_LEN(columns), put_texts);
}

const struct orma_sql_func orma_profiles_stack_sums[] = {
    {.name = "__intrinsic_orma_function_sums",
     .args = 2,
     .scalar = function_sums,
     .usage = "(frames, leaves) -> pointer",
     .doc = "From dataframes (frame_id, name, module; by frame, the innermost function first) and "
            "(callsite_id, counted, weight): counted, function, module, self (the weight of the "
            "stacks whose innermost function it is) and total (of those that have it)."},
    {.name = "__intrinsic_orma_stack_texts",
     .args = 2,
     .scalar = stack_texts,
     .usage = "(frames, leaves) -> pointer",
     .doc = "From dataframes (frame_id, name, module; by frame, the innermost function first) and "
            "(callsite_id): callsite_id, stack: `leaf < its caller < ...`, up to 128 functions and "
            "8 KiB. What is cut ends with how many functions more there are, if any, and a hash of "
            "the whole stack."},
    {0},
};
