/*
 * Batches of columns as arrays of the C data interface. An array is a view of a batch, which lives
 * as long as the last of its views: batches that are longer than asked for come in slices.
 *
 *   struct array ── children: a column each ── dictionary: the texts of a batch
 *        │ private_data: struct made, which holds all of these structs and a reference to the batch
 */
#include "processor/include/orma/arrow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "processor/columns/columns.h"

#define ROWS 65536

struct stream {
    struct orma_columns *columns;
    uint64_t rows_max;
    unsigned flags;
    struct orma_columns_batch *batch; /* of which not all was given; NULL: the next */
    uint64_t at;                      /* in it */
};

/* A column of an array: its own struct, its buffers, and what had to be made for it. */
struct part {
    struct ArrowArray array, dictionary;
    const void *buffers[3], *texts[3];
    struct orma_buf plain, offsets; /* texts without a dictionary */
    struct orma_buf valid;          /* bits of a slice that begins within a byte */
};

struct made {
    struct orma_columns_batch *batch;
    unsigned num;
    struct ArrowArray **children;
    const void *buffers[1];
    struct part parts[];
};

/* ---- schemas ---- */

struct schema_made {
    struct ArrowSchema **children;
    struct ArrowSchema dictionary;
    char *name;
};

static void release_schema(struct ArrowSchema *s)
{
    struct schema_made *made = s->private_data;

    for (int64_t i = 0; i < s->n_children; i++) {
        if (s->children[i] && s->children[i]->release)
            s->children[i]->release(s->children[i]);
        free(s->children[i]);
    }
    if (s->dictionary && s->dictionary->release)
        s->dictionary->release(s->dictionary);
    free(made->children);
    free(made->name);
    free(made);
    s->release = NULL;
}

/* False: no memory; what is there is released by the caller. */
static bool fill_schema(struct ArrowSchema *s, const char *format, const char *name,
                        unsigned children)
{
    struct schema_made *made = calloc(1, sizeof(*made));

    *s = (struct ArrowSchema){.format = format, .flags = children ? 0 : ARROW_FLAG_NULLABLE};
    if (!made)
        return false;
    made->name = strdup(name);
    made->children = calloc(children + 1, sizeof(*made->children));
    s->name = made->name;
    s->children = made->children;
    s->private_data = made;
    s->release = release_schema;
    return made->name && made->children;
}

static const char *format_of(enum orma_value_type type)
{
    switch (type) {
    case ORMA_VALUE_INT64:
        return "l";
    case ORMA_VALUE_DOUBLE:
        return "g";
    case ORMA_VALUE_BLOB:
        return "z";
    case ORMA_VALUE_NULL:
    case ORMA_VALUE_TEXT:
        break;
    }
    return "u";
}

static bool fill_child(struct ArrowSchema *s, enum orma_value_type type, const char *name,
                       unsigned flags)
{
    const bool by_entry = type == ORMA_VALUE_TEXT && flags & ORMA_ARROW_DICTIONARIES;

    if (!fill_schema(s, by_entry ? "i" : format_of(type), name, 0))
        return false;
    if (!by_entry)
        return true;
    struct schema_made *made = s->private_data;
    s->dictionary = &made->dictionary;
    return fill_schema(s->dictionary, "u", "", 0);
}

static int get_schema(struct ArrowArrayStream *base, struct ArrowSchema *out)
{
    struct stream *self = base->private_data;
    int r = orma_columns_settle(self->columns);
    unsigned num = orma_columns_num(self->columns);

    if (r)
        return -r;
    bool done = fill_schema(out, "+s", "", num);
    for (unsigned i = 0; done && i < num; i++) {
        struct ArrowSchema *child = out->children[i] = calloc(1, sizeof(*child));

        out->n_children = i + 1;
        done = child && fill_child(child, orma_columns_type(self->columns, i),
                                   orma_columns_name(self->columns, i), self->flags);
    }
    if (done)
        return 0;
    if (out->release)
        out->release(out);
    return ENOMEM;
}

/* ---- arrays ---- */

static void made_free(struct made *made)
{
    for (unsigned i = 0; i < made->num; i++) {
        orma_buf_fini(&made->parts[i].plain);
        orma_buf_fini(&made->parts[i].offsets);
        orma_buf_fini(&made->parts[i].valid);
    }
    orma_columns_batch_unref(made->batch);
    free(made->children);
    free(made);
}

/* Dictionaries and columns are of the struct around them: they need no memory of their own. But a
 * consumer may move a child elsewhere and release it after its parent: so each holds all. */
struct held {
    _Atomic uint32_t refs;
    struct made *made;
};

static void release_array(struct ArrowArray *a)
{
    struct held *held = a->private_data;

    for (int64_t i = 0; i < a->n_children; i++) {
        if (a->children[i]->release)
            a->children[i]->release(a->children[i]);
    }
    if (a->dictionary && a->dictionary->release)
        a->dictionary->release(a->dictionary);
    a->release = NULL;
    if (atomic_fetch_sub_explicit(&held->refs, 1, memory_order_acq_rel) ==
        1) { /* the last of all */
        made_free(held->made);
        free(held);
    }
}

static void hold(struct ArrowArray *a, struct held *held)
{
    held->refs++;
    a->private_data = held;
    a->release = release_array;
}

/* Rows `from` on of a column of texts, without its dictionary. */
static bool expand(struct part *p, const struct orma_columns_column *c, uint64_t from,
                   uint64_t rows)
{
    const int32_t *entries = (const int32_t *)(const void *)c->vals.data + from;
    int32_t *offsets = (void *)orma_buf_extend(&p->offsets, (rows + 1) * sizeof(*offsets));
    size_t size = 0;

    if (!offsets)
        return false;
    for (uint64_t i = 0; i < rows; i++) {
        offsets[i] = (int32_t)size;
        size +=
            orma_columns_is_null(c, from + i) ? 0 : orma_columns_entry(c, (uint32_t)entries[i]).len;
        if (size > INT32_MAX)
            return false;
    }
    offsets[rows] = (int32_t)size;
    uint8_t *to = orma_buf_extend(&p->plain, size + 1);
    if (!to)
        return false;
    for (uint64_t i = 0; i < rows; i++) {
        if (offsets[i] == offsets[i + 1])
            continue;
        struct orma_str text = orma_columns_entry(c, (uint32_t)entries[i]);
        memcpy(to + offsets[i], text.data, text.len);
    }
    return true;
}

/* The bits of rows `from` on, as a buffer. NULL: no memory. */
static const uint8_t *bits_of(struct part *p, const struct orma_columns_column *c, uint64_t from,
                              uint64_t rows)
{
    if (from % 8 == 0)
        return c->valid.data + from / 8;
    uint8_t *to = orma_buf_extend(&p->valid, rows / 8 + 1);
    if (!to)
        return NULL;
    memset(to, 0, rows / 8 + 1);
    for (uint64_t i = 0; i < rows; i++)
        to[i / 8] |= (uint8_t)((c->valid.data[(from + i) / 8] >> (from + i) % 8 & 1) << i % 8);
    return to;
}

static bool fill_part(struct part *p, const struct orma_columns_column *c, uint64_t from,
                      uint64_t rows, unsigned flags)
{
    struct ArrowArray *a = &p->array;

    *a = (struct ArrowArray){.length = (int64_t)rows,
                             .null_count = c->nulls ? -1 : 0, /* of this slice: not counted */
                             .n_buffers = 2,
                             .buffers = p->buffers};
    p->buffers[0] = c->nulls ? bits_of(p, c, from, rows) : NULL;
    if (c->nulls && !p->buffers[0])
        return false;
    p->buffers[1] = c->vals.data + from * (c->type == ORMA_VALUE_TEXT || c->type == ORMA_VALUE_BLOB
                                               ? sizeof(int32_t)
                                               : sizeof(int64_t));
    if (c->type == ORMA_VALUE_BLOB) {
        a->n_buffers = 3;
        p->buffers[2] = c->bytes.data ? c->bytes.data : (const void *)"";
    }
    if (c->type != ORMA_VALUE_TEXT)
        return true;
    if (flags & ORMA_ARROW_DICTIONARIES) {
        static const int32_t none[1] = {0};

        a->dictionary = &p->dictionary;
        p->dictionary = (struct ArrowArray){
            .length = orma_columns_entries(c), .n_buffers = 3, .buffers = p->texts};
        p->texts[1] = c->offsets.data ? (const void *)c->offsets.data : none;
        p->texts[2] = c->bytes.data ? c->bytes.data : (const void *)"";
        return true;
    }
    if (!expand(p, c, from, rows))
        return false;
    a->n_buffers = 3;
    p->buffers[1] = p->offsets.data;
    p->buffers[2] = p->plain.data;
    return true;
}

static int give(struct stream *self, struct ArrowArray *out)
{
    struct orma_columns_batch *b = self->batch;
    const uint64_t rows = ORMA_MIN(b->rows - self->at, self->rows_max);
    struct made *made = calloc(1, sizeof(*made) + b->num * sizeof(struct part));
    struct held *held = calloc(1, sizeof(*held));
    bool done = made && held;

    if (done) {
        made->batch = orma_columns_batch_ref(b);
        made->num = b->num;
        made->children = calloc(b->num, sizeof(*made->children));
        held->made = made;
    }
    done = done && made->children;
    for (unsigned i = 0; done && i < b->num; i++) {
        made->children[i] = &made->parts[i].array;
        done = fill_part(&made->parts[i], &b->columns[i], self->at, rows, self->flags);
    }
    if (!done) {
        if (made)
            made_free(made);
        free(held);
        return ENOMEM;
    }
    *out = (struct ArrowArray){.length = (int64_t)rows,
                               .n_buffers = 1,
                               .buffers = made->buffers,
                               .n_children = b->num,
                               .children = made->children};
    hold(out, held);
    for (unsigned i = 0; i < b->num; i++) {
        hold(&made->parts[i].array, held);
        if (made->parts[i].array.dictionary)
            hold(&made->parts[i].dictionary, held);
    }
    self->at += rows;
    if (self->at == b->rows)
        orma_columns_batch_unref(ORMA_STEAL(self->batch));
    return 0;
}

static int get_next(struct ArrowArrayStream *base, struct ArrowArray *out)
{
    struct stream *self = base->private_data;
    int r = self->batch ? 1 : orma_columns_next(self->columns, &self->batch);

    if (r < 0)
        return -r;
    if (r == 0) {
        *out = (struct ArrowArray){0};
        return 0;
    }
    if (self->at >= self->batch->rows)
        self->at = 0; /* a new one */
    return give(self, out);
}

static const char *get_last_error(struct ArrowArrayStream *base)
{
    const struct stream *self = base->private_data;
    const char *text = orma_columns_error(self->columns);

    return *text ? text : NULL;
}

static void release_stream(struct ArrowArrayStream *base)
{
    struct stream *self = base->private_data;

    orma_columns_batch_unref(self->batch);
    orma_columns_free(self->columns);
    free(self);
    base->release = NULL;
}

int orma_query_arrow(struct orma_query *query, uint64_t rows, unsigned flags,
                     struct ArrowArrayStream *ret)
{
    struct stream *self = calloc(1, sizeof(*self));
    int r = self ? 0 : -ENOMEM;

    if (flags & ~(unsigned)(ORMA_ARROW_DICTIONARIES | ORMA_ARROW_EXACT))
        r = -EINVAL;
    if (!r)
        r = orma_columns_new(query, rows, flags & ORMA_ARROW_EXACT, &self->columns);
    if (r) {
        free(self);
        return r;
    }
    self->rows_max = rows ? rows : ROWS;
    self->flags = flags;
    *ret = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, self};
    return 0;
}
