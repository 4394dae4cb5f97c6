/*
 * Transitions of windows: several packets tell parts of one, so it has a row, and gets its args and
 * what became of it at the end.
 */
#include <stdlib.h>

#include "processor/import/winscope/winscope.h"
#include "sdk/base/hash.h"

enum {
    T_ID = 1,
    T_CREATE,
    T_SEND,
    T_DISPATCH,
    T_MERGE,
    T_MERGE_REQUEST,
    T_SHELL_ABORT,
    T_WM_ABORT,
    T_FINISH,
    T_START_TRANSACTION,
    T_FINISH_TRANSACTION,
    T_HANDLER,
    T_TYPE,
    T_CHANGES,
    T_MERGE_TARGET,
    T_FLAGS,
    T_FIELDS
};
enum {
    C_MODE = 1,
    C_LAYER,
    C_WINDOW,
    C_FLAGS,
    C_START_DISPLAY,
    C_END_DISPLAY,
    C_START_ROTATION,
    C_END_ROTATION,
    C_START_BOUNDS,
    C_END_BOUNDS,
    C_FIELDS
};
enum { MAPPING = 1, MAPPING_ID = 1, MAPPING_NAME };

struct orma_winscope_transition {
    uint32_t row;
    int64_t send, dispatch, finish, merge, shell_abort, wm_abort; /* 0: not told */
    struct orma_args_list args;
};

/* The transition of that number; NULL: memory is out. */
static struct orma_winscope_transition *find(struct orma_import_ctx *imp, uint16_t machine,
                                             int32_t id)
{
    struct orma_table *t =
        orma_model_table(imp->model, ORMA_TABLE_WINDOW_MANAGER_SHELL_TRANSITIONS);
    struct orma_winscope *st = orma_winscope(imp);
    uint64_t key = (uint64_t)machine << 32 | (uint32_t)id,
             have = orma_map_get(&st->transitions, key);
    struct orma_winscope_transition *x;

    if (have != ORMA_MAP_NONE)
        return st->list.data[have];
    x = calloc(1, sizeof(*x));
    if (!x || ORMA_VEC_PUSH(&st->list, x)) {
        free(x);
        imp->model->storage->failed = true;
        return NULL;
    }
    if (orma_map_put(&st->transitions, key, st->list.len - 1))
        imp->model->storage->failed = true;
    x->row = orma_table_add(t);
    orma_table_set(t, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_TRANSITION_ID, x->row, id);
    return x;
}

/* Whoever tells a time tells the same; zero and less mean nothing. */
static void take_time(int64_t *to, const struct orma_pb_field *f)
{
    if (orma_pb_i64(f) > 0)
        *to = orma_pb_i64(f);
}

static void set_columns(struct orma_import_ctx *imp, struct orma_winscope_transition *x,
                        const struct orma_pb_field *f)
{
    static const struct orma_msg_column columns[] = {
        {T_TYPE, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_TRANSITION_TYPE, ORMA_MSG_U32, false},
        {T_SEND, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_SEND_TIME_NS, ORMA_MSG_INT, false},
        {T_DISPATCH, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_DISPATCH_TIME_NS, ORMA_MSG_INT, false},
        {T_FINISH, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_FINISH_TIME_NS, ORMA_MSG_INT, false},
        {T_SHELL_ABORT, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_SHELL_ABORT_TIME_NS, ORMA_MSG_INT,
         false},
        {T_WM_ABORT, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_WM_ABORT_TIME_NS, ORMA_MSG_INT, false},
        {T_MERGE, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_MERGE_TIME_NS, ORMA_MSG_INT, false},
        {T_CREATE, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_CREATE_TIME_NS, ORMA_MSG_INT, false},
        {T_HANDLER, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_HANDLER, ORMA_MSG_I32, false},
        {T_FLAGS, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_FLAGS, ORMA_MSG_U32, false},
        {T_START_TRANSACTION, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_START_TRANSACTION_ID,
         ORMA_MSG_INT, false},
        {T_FINISH_TRANSACTION, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_FINISH_TRANSACTION_ID,
         ORMA_MSG_INT, false},
    };

    orma_msg_set_columns(imp,
                         orma_model_table(imp->model, ORMA_TABLE_WINDOW_MANAGER_SHELL_TRANSITIONS),
                         x->row, columns, ORMA_ARRAY_LEN(columns), f);
    take_time(&x->send, &f[T_SEND]);
    take_time(&x->dispatch, &f[T_DISPATCH]);
    take_time(&x->finish, &f[T_FINISH]);
    take_time(&x->merge, &f[T_MERGE]);
    take_time(&x->shell_abort, &f[T_SHELL_ABORT]);
    take_time(&x->wm_abort, &f[T_WM_ABORT]);
}

static void participant(struct orma_import_ctx *imp, int32_t id, struct orma_str bytes)
{
    static const struct orma_msg_column columns[] = {
        {C_LAYER, ORMA_WINDOW_MANAGER_SHELL_TRANSITION_PARTICIPANTS_LAYER_ID, ORMA_MSG_U32, false},
        {C_WINDOW, ORMA_WINDOW_MANAGER_SHELL_TRANSITION_PARTICIPANTS_WINDOW_ID, ORMA_MSG_U32,
         false},
        {C_MODE, ORMA_WINDOW_MANAGER_SHELL_TRANSITION_PARTICIPANTS_MODE, ORMA_MSG_U32, false},
        {C_FLAGS, ORMA_WINDOW_MANAGER_SHELL_TRANSITION_PARTICIPANTS_FLAGS, ORMA_MSG_U32, false},
        {C_START_DISPLAY, ORMA_WINDOW_MANAGER_SHELL_TRANSITION_PARTICIPANTS_START_DISPLAY_ID,
         ORMA_MSG_U32, false},
        {C_END_DISPLAY, ORMA_WINDOW_MANAGER_SHELL_TRANSITION_PARTICIPANTS_END_DISPLAY_ID,
         ORMA_MSG_U32, false},
        {C_START_ROTATION, ORMA_WINDOW_MANAGER_SHELL_TRANSITION_PARTICIPANTS_START_ROTATION,
         ORMA_MSG_U32, false},
        {C_END_ROTATION, ORMA_WINDOW_MANAGER_SHELL_TRANSITION_PARTICIPANTS_END_ROTATION,
         ORMA_MSG_U32, false},
    };
    static const uint8_t bounds[] = {
        ORMA_WINDOW_MANAGER_SHELL_TRANSITION_PARTICIPANTS_START_ABS_BOUNDS_RECT_ID,
        ORMA_WINDOW_MANAGER_SHELL_TRANSITION_PARTICIPANTS_END_ABS_BOUNDS_RECT_ID};
    struct orma_table *t =
        orma_model_table(imp->model, ORMA_TABLE_WINDOW_MANAGER_SHELL_TRANSITION_PARTICIPANTS);
    struct orma_pb_field f[C_FIELDS];
    struct orma_winscope_rect rect;
    uint32_t row = orma_table_add(t);

    orma_msg_read(bytes, f, C_FIELDS);
    orma_table_set(t, ORMA_WINDOW_MANAGER_SHELL_TRANSITION_PARTICIPANTS_TRANSITION_ID, row, id);
    orma_msg_set_columns(imp, t, row, columns, ORMA_ARRAY_LEN(columns), f);
    for (unsigned i = 0; i < 2; i++)
        if (f[C_START_BOUNDS + i].id) {
            (void)orma_winscope_read_rect(orma_pb_str(&f[C_START_BOUNDS + i]), &rect);
            orma_table_set(t, bounds[i], row, orma_winscope_rect_row(imp, &rect, false));
        }
}

static void transition(struct orma_import_ctx *imp, const struct orma_item *item)
{
    const struct orma_winscope_msg msg = {.type = "com.android.internal.ShellTransition",
                                          .bytes = orma_msg_item(item),
                                          .machine = item->machine};
    struct orma_table *t =
        orma_model_table(imp->model, ORMA_TABLE_WINDOW_MANAGER_SHELL_TRANSITION_PROTOS);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f[T_FIELDS], g;
    uint32_t row = orma_table_add(t);

    if (!orma_msg_read(msg.bytes, f, T_FIELDS))
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_WINSCOPE_SHELL_TRANSITIONS_PARSE_ERRORS);
    int32_t id = orma_pb_i32(&f[T_ID]);
    struct orma_winscope_transition *x = find(imp, item->machine, id);
    orma_table_set(t, ORMA_WINDOW_MANAGER_SHELL_TRANSITION_PROTOS_TRANSITION_ID, row, id);
    orma_table_set(t, ORMA_WINDOW_MANAGER_SHELL_TRANSITION_PROTOS_BASE64_PROTO_ID, row,
                   orma_winscope_number(imp, msg.bytes));
    while (orma_pb_next(&r, &g))
        if (g.id == T_CHANGES)
            participant(imp, id, orma_pb_str(&g));
    if (!x)
        return;
    set_columns(imp, x, f);
    orma_winscope_put_args(imp, &msg, &x->args);
}

static void handlers(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_table *t =
        orma_model_table(imp->model, ORMA_TABLE_WINDOW_MANAGER_SHELL_TRANSITION_HANDLERS);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    uint32_t number = orma_winscope_number(imp, orma_msg_item(item));
    struct orma_pb_field f[MAPPING_NAME + 1], g;

    while (orma_pb_next(&r, &g)) {
        if (g.id != MAPPING)
            continue;
        uint32_t row = orma_table_add(t);
        orma_msg_read(orma_pb_str(&g), f, MAPPING_NAME + 1);
        orma_table_set(t, ORMA_WINDOW_MANAGER_SHELL_TRANSITION_HANDLERS_HANDLER_ID, row,
                       orma_pb_i32(&f[MAPPING_ID]));
        orma_table_set(t, ORMA_WINDOW_MANAGER_SHELL_TRANSITION_HANDLERS_HANDLER_NAME, row,
                       orma_msg_text(imp, &f[MAPPING_NAME]));
        orma_table_set(t, ORMA_WINDOW_MANAGER_SHELL_TRANSITION_HANDLERS_BASE64_PROTO_ID, row,
                       number);
    }
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    if (item->field == ORMA_PB_TRACE_PACKET_SHELL_TRANSITION)
        transition(imp, item);
    else
        handlers(imp, item);
}

/* ---- the end ---- */

static const char *status_of(const struct orma_winscope_transition *x)
{
    if (x->merge)
        return "merged";
    if (x->dispatch && x->finish)
        return "played";
    return (x->shell_abort || x->wm_abort) && !x->dispatch ? "aborted" : NULL;
}

static void settle(struct orma_import_ctx *imp, struct orma_winscope_transition *x)
{
    struct orma_table *t =
        orma_model_table(imp->model, ORMA_TABLE_WINDOW_MANAGER_SHELL_TRANSITIONS);
    const char *status = status_of(x);

    if (x->row == ORMA_ROW_NONE)
        return;
    orma_table_set(t, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_TS, x->row,
                   x->send ? x->send : x->dispatch);
    if (status)
        orma_table_set(t, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_STATUS, x->row,
                       orma_model_cstr(imp->model, status));
    if (x->dispatch && x->finish && !x->merge)
        orma_table_set(t, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_DURATION_NS, x->row,
                       x->finish - x->dispatch);
    orma_storage_set_args(t, ORMA_WINDOW_MANAGER_SHELL_TRANSITIONS_ARG_SET_ID, x->row,
                          orma_args_commit(&imp->model->storage->args, &x->args));
}

static void finish(struct orma_import_ctx *imp)
{
    const struct orma_winscope *st = orma_winscope(imp);

    for (uint32_t i = 0; i < st->list.len; i++)
        settle(imp, st->list.data[i]);
}

static void fini(struct orma_import_ctx *imp)
{
    struct orma_winscope *st = orma_winscope(imp);

    for (uint32_t i = 0; i < st->list.len; i++) {
        orma_args_list_fini(&st->list.data[i]->args);
        free(st->list.data[i]);
    }
    ORMA_VEC_FINI(&st->list);
    orma_map_fini(&st->transitions);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_SHELL_TRANSITION,
                                  ORMA_PB_TRACE_PACKET_SHELL_HANDLER_MAPPINGS, 0};
const struct orma_importer orma_winscope_transitions_importer = {
    .name = "transitions", .fields = fields, .parse = parse, .finish = finish, .fini = fini};
