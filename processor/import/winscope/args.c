/* Messages as args, and their bytes by number. */
#include "processor/import/winscope/winscope.h"
#include "processor/store/blobs.h"
#include "sdk/base/hash.h"

#define INTERNED_STR 2

/* Fields whose value is the number of an interned text, and what they are called without it. */
static const struct {
    const char *name;
    uint8_t kind;
} interned_fields[] = {
    {"package_name_iid", ORMA_WINSCOPE_PACKAGES},
    {"window_name_iid", ORMA_WINSCOPE_WINDOWS},
    {"view_id_iid", ORMA_WINSCOPE_VIEW_IDS},
    {"class_name_iid", ORMA_WINSCOPE_CLASSES},
    {"content_description_iid", ORMA_WINSCOPE_DESCRIPTIONS},
    {"text_iid", ORMA_WINSCOPE_TEXTS},
};
#define IID_LEN 4

struct args {
    struct orma_proto_args args; /* first: what the walk hands back */
    const struct orma_winscope_msg *msg;
};

uint32_t orma_winscope_interned(struct orma_import_ctx *imp, const struct orma_winscope_msg *msg,
                                uint32_t kind, uint64_t iid)
{
    const struct orma_interned *e = msg->gen ? orma_seq_gen_find(msg->gen, kind, iid) : NULL;
    struct orma_pb_field f[INTERNED_STR + 1];

    if (!e) {
        orma_stats_inc(orma_model_stats(imp->model, msg->machine),
                       ORMA_STAT_WINSCOPE_VIEWCAPTURE_MISSING_INTERNED_STRING_PARSE_ERRORS);
        return 0;
    }
    orma_msg_read((struct orma_str){(const char *)e->data, e->len}, f, INTERNED_STR + 1);
    return orma_msg_text(imp, &f[INTERNED_STR]);
}

static bool take_num(struct orma_proto_args *self, uint64_t num, struct orma_arg_key *key)
{
    const struct orma_winscope_msg *msg = ((struct args *)self)->msg;

    if (key->flat_len < IID_LEN || memcmp(key->flat + key->flat_len - IID_LEN, "_iid", IID_LEN))
        return false;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(interned_fields); i++) {
        size_t len = strlen(interned_fields[i].name);

        if (key->flat_len != len || memcmp(key->flat, interned_fields[i].name, len) != 0)
            continue;
        uint32_t text = orma_winscope_interned(self->imp, msg, interned_fields[i].kind, num);
        if (!text)
            return false;
        key->flat_len -= IID_LEN;
        key->full_len -= IID_LEN;
        orma_arg_put(self->imp, key, ORMA_ARG_STRING, text, self->ret);
        key->flat_len += IID_LEN;
        key->full_len += IID_LEN;
        return true;
    }
    return false;
}

void orma_winscope_put_args(struct orma_import_ctx *imp, const struct orma_winscope_msg *msg,
                            struct orma_args_list *args)
{
    const struct orma_schema *schema = orma_import_schema(imp);
    struct args walk = {.args = {.imp = imp,
                                 .gen = msg->gen,
                                 .ret = args,
                                 .wanted = msg->wanted,
                                 .take_num = take_num},
                        .msg = msg};
    struct orma_arg_key key;

    orma_arg_key_init(&key, "");
    orma_import_proto_args_put(&walk.args, orma_schema_find_msg(schema, orma_str_from(msg->type)),
                               msg->bytes, &key);
}

uint32_t orma_winscope_number(struct orma_import_ctx *imp, struct orma_str bytes)
{
    struct orma_blobs *all = &imp->model->storage->messages;
    struct orma_map *map = &orma_winscope(imp)->messages;
    uint64_t hash = orma_hash_bytes(bytes.data ? bytes.data : "", bytes.len);
    uint64_t have = orma_map_get(map, hash);
    uint8_t tag;

    if (have != ORMA_MAP_NONE && orma_str_eq(orma_blobs_get(all, (int64_t)have, &tag), bytes))
        return (uint32_t)have;
    uint32_t number = orma_blobs_add(all, bytes.data ? bytes.data : "", bytes.len, 0);
    if (number == UINT32_MAX || orma_map_put(map, hash, number))
        imp->model->storage->failed = true;
    return number;
}

/* Only what is wanted of a message. */
static void copy_wanted(const struct orma_winscope_msg *msg, struct orma_buf *out)
{
    struct orma_pb_reader r = orma_pb_reader(msg->bytes.data, msg->bytes.len);
    const uint8_t *from = r.pos;
    struct orma_pb_field f;

    for (; orma_pb_next(&r, &f); from = r.pos)
        if (msg->wanted(f.id))
            orma_buf_put(out, from, (size_t)(r.pos - from));
}

void orma_winscope_set_message(struct orma_import_ctx *imp, const struct orma_winscope_columns *to,
                               uint32_t row, const struct orma_winscope_msg *msg,
                               struct orma_args_list *args)
{
    struct orma_table *t = orma_model_table(imp->model, to->table);

    ORMA_MODEL_ARGS(own, imp->model);
    if (!args)
        args = own;
    orma_winscope_put_args(imp, msg, args);
    orma_storage_set_args(t, to->args, row, orma_args_commit(&imp->model->storage->args, args));
    struct orma_buf kept = {0};
    if (msg->wanted)
        copy_wanted(msg, &kept);
    orma_table_set(t, to->message, row,
                   orma_winscope_number(imp, msg->wanted ? orma_buf_str(&kept) : msg->bytes));
    imp->model->storage->failed |= kept.failed;
    orma_buf_fini(&kept);
}
