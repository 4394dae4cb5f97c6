/* Values of CTF as args. */
#include "processor/import/formats/ctf.h"

static struct orma_args_item item_of(struct orma_ctf *self, const struct orma_ctf_type *t,
                                     const struct orma_ctf_value *v)
{
    struct orma_args_item item = {.i = (int64_t)v->u};

    switch (v->is) {
    case ORMA_CTF_UNSIGNED:
        item.type = t->is_bool ? ORMA_ARG_BOOL : ORMA_ARG_UINT;
        break;
    case ORMA_CTF_SIGNED:
        item.type = ORMA_ARG_INT;
        break;
    case ORMA_CTF_REAL:
        item.type = ORMA_ARG_REAL;
        item.d = v->real;
        break;
    case ORMA_CTF_LETTERS:
        item.type = ORMA_ARG_STRING;
        item.i = orma_model_str(self->file->imp->model, v->text);
        break;
    }
    return item;
}

/* A label stands for its value; if it has several, those of the enum are an arg of their own. */
static void put_label(struct orma_ctf_decoder *d, struct orma_ctf *self,
                      const struct orma_ctf_type *t, const struct orma_ctf_value *v,
                      struct orma_args_item item)
{
    struct orma_args_list *list = self->args;
    struct orma_strpool *pool = &self->file->imp->model->storage->pool;
    struct orma_buf several = {0};
    const struct orma_ctf_label *label = orma_ctf_label(d, t, v, &several);
    const struct orma_str text = label ? label->name : orma_buf_str(&several);

    if (text.len) {
        struct orma_args_item named = item;

        named.type = ORMA_ARG_STRING;
        named.i = orma_strpool_add(pool, text);
        orma_args_put(list, named);
    }
    if (!label || label->range.from != label->range.to || t->is_flags) {
        if (text.len) {
            item.key = orma_strpool_addf(pool, "%s.value", orma_strpool_cstr(pool, item.key));
            item.flat_key =
                orma_strpool_addf(pool, "%s.value", orma_strpool_cstr(pool, item.flat_key));
        }
        orma_args_put(list, item);
    }
    orma_buf_fini(&several);
}

static bool is_of_thread(const struct orma_ctf_type *t)
{
    return t->role == ORMA_CTF_TID || t->role == ORMA_CTF_PID || t->role == ORMA_CTF_COMM;
}

void orma_ctf_put_arg(struct orma_ctf_decoder *d, const struct orma_ctf_type *t,
                      struct orma_str path, const struct orma_ctf_value *v)
{
    struct orma_ctf *self = d->data_of_put;
    struct orma_strpool *pool = &self->file->imp->model->storage->pool;

    if (!t->number || is_of_thread(t))
        return; /* of headers; columns of the thread */
    struct orma_args_item item = item_of(self, t, v);
    item.flat_key = item.key = t->key;
    if (path.data && d->array->key)
        item.key = orma_strpool_addf(pool, "%s%.*s", orma_strpool_cstr(pool, d->array->key),
                                     ORMA_STR_ARG(path));
    if (t->labels)
        put_label(d, self, t, v, item);
    else
        orma_args_put(self->args, item);
}

void orma_ctf_want_args(struct orma_ctf_decoder *d, struct orma_ctf *self,
                        struct orma_args_list *ret)
{
    self->args = ret;
    d->put = orma_ctf_put_arg;
    d->data_of_put = self;
}

bool orma_ctf_arg(struct orma_ctf *self, const struct orma_args_list *args, const char *key,
                  uint64_t *ret)
{
    const uint32_t id = orma_model_cstr(self->file->imp->model, key);

    for (uint32_t i = 0; i < args->len; i++)
        if (args->args[i].key == id &&
            (args->args[i].type == ORMA_ARG_INT || args->args[i].type == ORMA_ARG_UINT)) {
            *ret = (uint64_t)args->args[i].i;
            return true;
        }
    return false;
}

uint32_t orma_ctf_text_arg(struct orma_ctf *self, const struct orma_args_list *args,
                           const char *key)
{
    const uint32_t id = orma_model_cstr(self->file->imp->model, key);

    for (uint32_t i = 0; i < args->len; i++)
        if (args->args[i].key == id && args->args[i].type == ORMA_ARG_STRING)
            return args->args[i].str;
    return 0;
}
