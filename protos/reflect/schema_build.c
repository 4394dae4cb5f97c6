/*
 * Old tables + lists of new things -> new tables, in one block of memory. Every
 * step is a merge of two ordered sequences, or an append; the old parts keep
 * their indices.
 */
#include <errno.h>
#include <stdlib.h>

#include "protos/reflect/schema_load.h"

struct build {
    struct orma_schema_load *load;
    const struct orma_schema *old;
    struct orma_schema *to;
    /* The arrays of *to, which are const there. */
    struct orma_msg_row *msgs;
    struct orma_field *fields;
    uint16_t *by_name;
    struct orma_enum_row *enums;
    struct orma_enum_value *values;
    uint32_t *oneofs;
    uint32_t *types;
    struct orma_field_extra *extras;
    char *strings;
};

static size_t count_of(const struct orma_buf *list, size_t size)
{
    return list->len / size;
}

static int new_field_cmp(const void *a_, const void *b_)
{
    const struct orma_new_field *a = a_, *b = b_;

    if (a->msg != b->msg)
        return a->msg < b->msg ? -1 : 1;
    if (a->field.number != b->field.number)
        return a->field.number < b->field.number ? -1 : 1;
    return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static int new_value_cmp(const void *a_, const void *b_)
{
    const struct orma_new_value *a = a_, *b = b_;

    if (a->enum_idx != b->enum_idx)
        return a->enum_idx < b->enum_idx ? -1 : 1;
    if (a->value.number != b->value.number)
        return a->value.number < b->value.number ? -1 : 1;
    return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static int new_type_cmp(const void *a_, const void *b_, void *load)
{
    const struct orma_new_type *a = a_, *b = b_;

    return strcmp(orma_schema_load_string(load, a->name), orma_schema_load_string(load, b->name));
}

static int by_name_cmp(const void *a_, const void *b_, void *ctx)
{
    const struct build *self = ((void **)ctx)[0];
    const struct orma_field *fields = ((void **)ctx)[1];
    const uint16_t *a = a_, *b = b_;
    int cmp = strcmp(self->strings + fields[*a].name, self->strings + fields[*b].name);

    return cmp ? cmp : (int)*a - (int)*b; /* of two with one name the lower number is found */
}

static void sort_list(struct orma_buf *list, size_t size, int (*cmp)(const void *, const void *))
{
    if (list->len)
        qsort(list->data, list->len / size, size, cmp);
}

/* Room for n things of this size in the block, or only its size when there is no block yet. */
static void *carve(char *block, size_t *at, size_t n, size_t size)
{
    void *mem = block ? block + *at : NULL;

    *at += orma_align_up(n * size, 8);
    return mem;
}

/* All counts are bounded by those of the old schema and by the bytes of the set. */
static size_t lay_out(struct build *self, char *block)
{
    const struct orma_schema_load *l = self->load;
    const struct orma_schema *old = self->old;
    size_t at = 0;
    size_t nfields = old->nfields + count_of(&l->fields, sizeof(struct orma_new_field));
    size_t nvalues = old->nvalues + count_of(&l->values, sizeof(struct orma_new_value));

    self->msgs = carve(block, &at, l->nmsgs, sizeof(*self->msgs));
    self->fields = carve(block, &at, nfields, sizeof(*self->fields));
    self->by_name = carve(block, &at, nfields, sizeof(*self->by_name));
    self->enums = carve(block, &at, l->nenums, sizeof(*self->enums));
    self->values = carve(block, &at, nvalues, sizeof(*self->values));
    self->oneofs = carve(block, &at, old->noneofs + count_of(&l->oneofs, 4), 4);
    self->types = carve(block, &at, (size_t)l->nmsgs + l->nenums, 4);
    self->extras = carve(block, &at, old->nextras + count_of(&l->extras, sizeof(*self->extras)),
                         sizeof(*self->extras));
    self->strings = carve(block, &at, old->strings_len + l->strings.len, 1);
    return at;
}

static size_t append(void *to, const void *old, size_t nold, const struct orma_buf *add,
                     size_t size)
{
    if (nold)
        memcpy(to, old, nold * size);
    if (add->len)
        memcpy((char *)to + nold * size, add->data, add->len);
    return nold + add->len / size;
}

static void build_plain(struct build *self)
{
    const struct orma_schema *old = self->old;
    const struct orma_schema_load *l = self->load;

    self->to->strings_len =
        (uint32_t)append(self->strings, old->strings, old->strings_len, &l->strings, 1);
    self->to->noneofs = (uint32_t)append(self->oneofs, old->oneofs, old->noneofs, &l->oneofs, 4);
    self->to->nextras = (uint32_t)append(self->extras, old->extras, old->nextras, &l->extras,
                                         sizeof(*self->extras));
    if (old->nmsgs)
        memcpy(self->msgs, old->msgs, old->nmsgs * sizeof(*self->msgs));
    if (old->nenums)
        memcpy(self->enums, old->enums, old->nenums * sizeof(*self->enums));
}

/* Rows of the new messages and enums, still empty, and the index of all names. */
static void build_types(struct build *self)
{
    struct orma_schema_load *l = self->load;
    struct orma_new_type *types = (void *)l->types.data;
    size_t n = count_of(&l->types, sizeof(*types)), at = 0, nold = orma_schema_ntypes(self->old);

    for (size_t i = 0; i < n; i++) {
        const struct orma_new_type *t = &types[i];

        if (t->type & ORMA_TYPES_ENUM)
            self->enums[t->type & ~ORMA_TYPES_ENUM] = (struct orma_enum_row){.name = t->name};
        else
            self->msgs[t->type] = (struct orma_msg_row){.name = t->name,
                                                        .oneofs = self->old->noneofs + t->oneofs,
                                                        .noneofs = (uint16_t)t->noneofs};
    }
    if (n)
        qsort_r(types, n, sizeof(*types), new_type_cmp, l);
    for (size_t i = 0, j = 0; i < nold || j < n;) {
        if (j == n || (i < nold && strcmp(orma_schema_type_name(self->old, self->old->types[i]),
                                          orma_schema_load_string(l, types[j].name)) < 0))
            self->types[at++] = self->old->types[i++];
        else
            self->types[at++] = types[j++].type;
    }
}

static void refuse(struct build *self, uint32_t msg, const struct orma_field *ours)
{
    struct orma_schema_load *l = self->load;

    l->refused++;
    if (l->notes && l->notes->len < ORMA_SCHEMA_NOTES_MAX)
        orma_buf_printf(l->notes, "%s: field %u is another one: \"%s\" is kept\n",
                        self->strings + self->msgs[msg].name, ours->number,
                        self->strings + ours->name);
}

/* A second declaration of a number. Ours stays, unless it only stood for a message not known. */
static void merge_same(struct build *self, uint32_t msg, struct orma_field *ours,
                       const struct orma_field *theirs)
{
    bool same_kind = ours->type == theirs->type && ours->type_idx == theirs->type_idx;

    if (ours->type == ORMA_TYPE_BYTES && theirs->type == ORMA_TYPE_MESSAGE) {
        uint16_t oneof = ours->oneof;

        *ours = *theirs;
        ours->oneof = oneof;
    } else if (!same_kind) {
        refuse(self, msg, ours);
    }
}

static void index_msg(struct build *self, struct orma_msg_row *m, bool changed, uint32_t old_first)
{
    struct orma_field *fields = self->fields + m->fields;
    uint16_t *by_name = self->by_name + m->fields;
    void *ctx[2] = {self, fields};

    m->dense = m->nrequired = 0;
    for (uint32_t i = 0; i < m->nfields; i++) {
        if (m->dense == i && fields[i].number == i + 1)
            m->dense++;
        m->nrequired += !!(fields[i].flags & ORMA_FIELD_REQUIRED);
        by_name[i] = changed ? (uint16_t)i : self->old->by_name[old_first + i];
    }
    if (changed)
        qsort_r(by_name, m->nfields, sizeof(*by_name), by_name_cmp, ctx);
}

/* Appends the fields of one message, old and new by number; returns the new ones used up. */
static size_t merge_msg(struct build *self, uint32_t msg, const struct orma_new_field *add,
                        size_t nadd)
{
    struct orma_msg_row *m = &self->msgs[msg];
    uint32_t first = m->fields, nold = msg < self->old->nmsgs ? m->nfields : 0, i = 0, n = 0;
    struct orma_field *out = self->fields + self->to->nfields;
    size_t j = 0;

    while (i < nold || (j < nadd && add[j].msg == msg)) {
        bool theirs = j < nadd && add[j].msg == msg;
        const struct orma_field *old = i < nold ? &self->old->fields[first + i] : NULL;

        if (old && (!theirs || old->number <= add[j].field.number))
            out[n++] = self->old->fields[first + i++];
        else if (n && out[n - 1].number == add[j].field.number)
            merge_same(self, msg, &out[n - 1], &add[j++].field);
        else
            out[n++] = add[j++].field;
    }
    if (n > ORMA_SCHEMA_FIELDS_MAX) {
        self->load->err = -E2BIG;
        n = 0;
    }
    m->fields = self->to->nfields;
    m->nfields = (uint16_t)n;
    index_msg(self, m, j > 0, first);
    self->to->nfields += n;
    return j;
}

static void build_fields(struct build *self)
{
    struct orma_buf *list = &self->load->fields;
    const struct orma_new_field *add = (const void *)list->data;
    size_t n = count_of(list, sizeof(*add)), at = 0;

    sort_list(list, sizeof(*add), new_field_cmp);
    for (uint32_t msg = 0; msg < self->load->nmsgs; msg++)
        at += merge_msg(self, msg, n ? add + at : NULL, n - at);
}

static size_t merge_enum(struct build *self, uint32_t idx, const struct orma_new_value *add,
                         size_t nadd)
{
    struct orma_enum_row *e = &self->enums[idx];
    uint32_t nold = idx < self->old->nenums ? e->nvalues : 0, i = 0, n = 0;
    const struct orma_enum_value *old = nold ? self->old->values + e->values : NULL;
    struct orma_enum_value *out = self->values + self->to->nvalues;
    size_t j = 0;

    while (i < nold || (j < nadd && add[j].enum_idx == idx)) {
        bool theirs = j < nadd && add[j].enum_idx == idx;

        if (i < nold && (!theirs || old[i].number <= add[j].value.number)) {
            out[n++] = old[i++];
            continue;
        }
        bool known = false; /* the aliases of one number stand together */
        for (uint32_t k = n; k && out[k - 1].number == add[j].value.number && !known; k--)
            known = !strcmp(self->strings + out[k - 1].name, self->strings + add[j].value.name);
        if (!known)
            out[n++] = add[j].value;
        j++;
    }
    e->values = self->to->nvalues;
    e->nvalues = n;
    self->to->nvalues += n;
    return j;
}

static void build_values(struct build *self)
{
    struct orma_buf *list = &self->load->values;
    const struct orma_new_value *add = (const void *)list->data;
    size_t n = count_of(list, sizeof(*add)), at = 0;

    sort_list(list, sizeof(*add), new_value_cmp);
    for (uint32_t idx = 0; idx < self->load->nenums; idx++)
        at += merge_enum(self, idx, n ? add + at : NULL, n - at);
}

int orma_schema_build(struct orma_schema_load *load, struct orma_schema *ret)
{
    struct orma_schema to = {.nmsgs = load->nmsgs, .nenums = load->nenums};
    struct build b = {.load = load, .old = load->old, .to = &to};
    size_t size = lay_out(&b, NULL);

    to.owned = malloc(size);
    if (!to.owned)
        return -ENOMEM;
    lay_out(&b, to.owned);
    build_plain(&b);
    build_types(&b);
    build_fields(&b);
    build_values(&b);
    if (load->err < 0) {
        free(to.owned);
        return load->err;
    }
    to.msgs = b.msgs;
    to.fields = b.fields;
    to.by_name = b.by_name;
    to.enums = b.enums;
    to.values = b.values;
    to.oneofs = b.oneofs;
    to.types = b.types;
    to.extras = b.extras;
    to.strings = b.strings;
    *ret = to;
    return 0;
}
