/*
 * Calls between processes through the kernel's binder.
 *
 *   caller   |== binder transaction ============|     |. binder transaction async
 *                 \                            /          \
 *   callee         |== binder reply =========|             |. binder async rcv
 *
 * The call is a slice from its transaction to the arrival of the reply, the work done for it one
 * from its arrival to the transaction that answers. Flows join sender and receiver. Commands and
 * returns, where they are recorded, reveal calls that fail and so have no answer.
 *
 * A thread may serve a call while its own call is pending, so threads whose commands are recorded
 * have a stack of frames, one per call that they make or serve; each has a state (enum state) that
 * the commands advance. Frames live in a pool and link to the one below.
 */
#include <stdlib.h>

#include "processor/import/kernel/fields.h"
#include "processor/model/flows.h"
#include "protos/fields/ftrace.h"
#include "sdk/base/vec.h"

/* Flags of a transaction. */
enum { ONE_WAY = 1, ROOT_OBJECT = 4, STATUS_CODE = 8, ACCEPT_FDS = 0x10 };

/* Commands 'c' and returns 'r' of the driver, by the number in the ioctl's code. */
enum { BC_TRANSACTION = 0, BC_REPLY = 1, BC_TRANSACTION_SG = 17, BC_REPLY_SG = 18 };
enum {
    BR_TRANSACTION = 2,
    BR_REPLY = 3,
    BR_DEAD_REPLY = 5,
    BR_TRANSACTION_COMPLETE = 6,
    BR_FAILED_REPLY = 17,
    BR_FROZEN_REPLY = 18,
    BR_ONEWAY_SPAM_SUSPECT = 19,
    BR_TRANSACTION_PENDING_FROZEN = 20,
};

/* What was sent and has not arrived. */
struct sent {
    bool is_reply, one_way;
    uint32_t track, slice;
    struct orma_args_list args; /* of one-way calls: their arrival has the same */
};

/* Where a thread is in a call that it makes or serves. */
enum state {
    SEND_COMMANDED,  /* the program asked for it */
    SENT,            /* the kernel has it */
    SEND_COMPLETED,  /* the kernel has confirmed it to the program */
    SEND_ANSWERED,   /* the reply is there */
    RECEIVED,        /* a call is there */
    SERVING,         /* the program has been handed the call */
    REPLY_COMMANDED, /* the program answers */
    REPLIED,         /* the kernel has the answer */
};

struct frame {
    enum state state;
    bool has_slice, one_way;
    uint32_t below; /* index + 1 of the frame around it; of free ones: the next. 0: none */
};

struct orma_kernel_binder {
    struct orma_map sent;    /* machine and transaction → struct sent * */
    struct orma_map frames;  /* thread → index + 1 of its innermost frame */
    struct orma_map waiting; /* for the big lock: threads */
    struct orma_map holding;
    bool has_commands; /* a program's command was recorded: frames can be followed */
    struct frame *pool;
    uint32_t pool_num, pool_cap, pool_free;
};

static struct orma_kernel_binder *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_kernel(imp)->binder,
                           sizeof(struct orma_kernel_binder));
}

static uint32_t track_of(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    return orma_model_thread_track(imp->model, e->machine, e->utid);
}

static uint32_t category(struct orma_import_ctx *imp)
{
    return orma_model_lit(imp->model, "binder");
}

/* ---- frames: only threads whose commands are recorded have them ---- */

static struct frame *top(struct orma_kernel_binder *st, uint32_t utid)
{
    uint64_t idx = orma_map_get(&st->frames, utid);

    if (idx == ORMA_MAP_NONE || !idx)
        return NULL;
    ORMA_ASSERT_HOT(idx <= st->pool_num);
    return &st->pool[idx - 1];
}

static void push(struct orma_import_ctx *imp, struct orma_kernel_binder *st, uint32_t utid,
                 enum state state)
{
    uint64_t below = orma_map_get(&st->frames, utid);
    uint32_t idx = st->pool_free;

    if (idx) {
        ORMA_ASSERT_HOT(idx <= st->pool_num);
        st->pool_free = st->pool[idx - 1].below;
    } else {
        if (ORMA_GROW(&st->pool, &st->pool_cap, st->pool_num + (size_t)1)) {
            imp->model->storage->failed = true;
            return;
        }
        idx = ++st->pool_num;
    }
    st->pool[idx - 1] =
        (struct frame){.state = state, .below = below == ORMA_MAP_NONE ? 0 : (uint32_t)below};
    if (orma_map_put(&st->frames, utid, idx))
        imp->model->storage->failed = true;
}

static void pop(struct orma_import_ctx *imp, struct orma_kernel_binder *st, uint32_t utid)
{
    uint64_t idx = orma_map_get(&st->frames, utid);

    if (idx == ORMA_MAP_NONE || !idx)
        return;
    ORMA_ASSERT_HOT(idx <= st->pool_num);
    struct frame *f = &st->pool[idx - 1];
    if (orma_map_put(&st->frames, utid, f->below))
        imp->model->storage->failed = true;
    f->below = st->pool_free;
    st->pool_free = (uint32_t)idx;
}

/* ---- transactions ---- */

static uint64_t sent_key(const struct orma_kernel_event *e, int64_t id)
{
    return (uint64_t)e->machine << 32 | (uint32_t)id;
}

static uint32_t flags_text(struct orma_import_ctx *imp, uint32_t flags)
{
    return orma_strpool_addf(&imp->model->storage->pool, "0x%02x %s%s%s%s%s", flags,
                             flags & ONE_WAY ? "this is a one-way call: async, no return; " : "",
                             flags & ROOT_OBJECT ? "contents are the components root object; " : "",
                             flags & STATUS_CODE ? "contents are a 32-bit status code; " : "",
                             flags & ACCEPT_FDS ? "allow replies with file descriptors; " : "",
                             flags ? "" : "No Flags Set");
}

static void put_transaction(struct orma_import_ctx *imp, struct orma_args_list *args,
                            const struct orma_kernel_event *e, const struct orma_event_fields *f)
{
    orma_args_list_clear(args);
    orma_args_put_int(args, orma_model_lit(imp->model, "transaction id"),
                      f->num[ORMA_PB_BINDER_TRANSACTION_FTRACE_EVENT_DEBUG_ID]);
    orma_args_put_int(args, orma_model_lit(imp->model, "destination node"),
                      f->num[ORMA_PB_BINDER_TRANSACTION_FTRACE_EVENT_TARGET_NODE]);
    orma_args_put_int(args, orma_model_lit(imp->model, "destination process"),
                      f->num[ORMA_PB_BINDER_TRANSACTION_FTRACE_EVENT_TO_PROC]);
    orma_args_put_bool(args, orma_model_lit(imp->model, "reply transaction?"),
                       f->num[ORMA_PB_BINDER_TRANSACTION_FTRACE_EVENT_REPLY] == 1);
    orma_args_put_str(
        args, orma_model_lit(imp->model, "flags"),
        flags_text(imp, (uint32_t)f->num[ORMA_PB_BINDER_TRANSACTION_FTRACE_EVENT_FLAGS]));
    orma_args_put_str(
        args, orma_model_lit(imp->model, "code"),
        e->code.len
            ? orma_strpool_addf(&imp->model->storage->pool, "%.*s Java Layer Dependent",
                                ORMA_STR_ARG(e->code))
            : orma_strpool_addf(&imp->model->storage->pool, "0x%02x Java Layer Dependent",
                                (uint32_t)f->num[ORMA_PB_BINDER_TRANSACTION_FTRACE_EVENT_CODE]));
    orma_args_put_uint(args, orma_model_lit(imp->model, "calling tid"), e->pid);
}

/* The thread that does the work, as args of the slices of call and work. */
static void put_destination(struct orma_import_ctx *imp, struct orma_args_list *args, uint32_t utid,
                            uint64_t tid, bool is_uint)
{
    const struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_THREAD);
    uint32_t key = orma_model_lit(imp->model, "destination thread");

    if (is_uint)
        orma_args_put_uint(args, key, tid);
    else
        orma_args_put_int(args, key, (int64_t)tid);
    if (!orma_table_is_null(t, ORMA_THREAD_NAME, utid))
        orma_args_put_str(args, orma_model_lit(imp->model, "destination name"),
                          (uint32_t)orma_table_int(t, ORMA_THREAD_NAME, utid));
}

/* The work is done; the reply determines what it was. */
static uint32_t end_reply(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                          const struct orma_event_fields *f)
{
    uint32_t tid = (uint32_t)f->num[ORMA_PB_BINDER_TRANSACTION_FTRACE_EVENT_TO_THREAD];
    uint32_t utid = orma_processes_thread(orma_model_processes(imp->model, e->machine), tid);
    uint32_t track = track_of(imp, e);

    ORMA_MODEL_ARGS(args, imp->model);
    put_destination(imp, args, utid, tid, false);
    orma_slices_add_args(&imp->model->slices, track, category(imp),
                         orma_model_lit(imp->model, "binder reply"), args);
    put_transaction(imp, args, e, f);
    return orma_slices_end(&imp->model->slices, e->ts, track, 0, 0, args);
}

static void note_sent(struct orma_import_ctx *imp, struct orma_args_list *args,
                      const struct orma_kernel_event *e, int64_t id, bool is_reply, bool one_way,
                      uint32_t slice)
{
    struct orma_kernel_binder *st = state_of(imp);
    struct sent *s = st ? orma_map_get_ptr(&st->sent, sent_key(e, id)) : NULL;

    if (!st)
        return;
    if (!s) {
        s = calloc(1, sizeof(*s));
        if (!s || orma_map_put_ptr(&st->sent, sent_key(e, id), s)) {
            free(s);
            imp->model->storage->failed = true;
            return;
        }
    }
    s->is_reply = is_reply;
    s->one_way = one_way;
    s->track = track_of(imp, e);
    s->slice = slice;
    orma_args_list_clear(&s->args);
    for (uint32_t i = 0; one_way && i < args->len; i++)
        orma_args_put(&s->args, args->args[i]);
    struct frame *f = top(st, e->utid);
    if (f && f->state == SEND_COMMANDED) {
        f->state = SENT;
        f->has_slice = true;
        f->one_way = one_way;
    } else if (f && f->state == REPLY_COMMANDED) {
        f->state = REPLIED;
    }
}

static void transaction(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    ORMA_MODEL_ARGS(args, imp->model);
    struct orma_event_fields f;
    uint32_t slice;

    orma_event_fields_read(&f, e->payload);
    int64_t id = f.num[ORMA_PB_BINDER_TRANSACTION_FTRACE_EVENT_DEBUG_ID];
    bool is_reply = f.num[ORMA_PB_BINDER_TRANSACTION_FTRACE_EVENT_REPLY] == 1;
    bool one_way = f.num[ORMA_PB_BINDER_TRANSACTION_FTRACE_EVENT_FLAGS] & ONE_WAY;
    if (is_reply) {
        slice = end_reply(imp, e, &f);
    } else {
        put_transaction(imp, args, e, &f);
        slice = one_way
                    ? orma_slices_complete(
                          &imp->model->slices, e->ts, 0, track_of(imp, e), category(imp),
                          orma_model_lit(imp->model, "binder transaction async"), args)
                    : orma_slices_begin(&imp->model->slices, e->ts, track_of(imp, e), category(imp),
                                        orma_model_lit(imp->model, "binder transaction"), args);
    }
    note_sent(imp, args, e, id, is_reply, !is_reply && one_way, slice);
}

/* The answer of a call arrives where the call was made. */
static void reply_arrives(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                          struct orma_kernel_binder *st)
{
    struct frame *f = top(st, e->utid);

    orma_slices_end(&imp->model->slices, e->ts, track_of(imp, e), 0, 0, NULL);
    if (f && f->state == SEND_COMPLETED)
        f->state = SEND_ANSWERED;
}

static uint32_t call_arrives(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                             const struct sent *s)
{
    uint32_t track = track_of(imp, e);

    if (s->one_way)
        return orma_slices_complete(&imp->model->slices, e->ts, 0, track, category(imp),
                                    orma_model_lit(imp->model, "binder async rcv"), &s->args);
    ORMA_MODEL_ARGS(args, imp->model);
    put_destination(imp, args, e->utid, e->pid, true);
    orma_slices_add_args(&imp->model->slices, s->track, category(imp),
                         orma_model_lit(imp->model, "binder transaction"), args);
    return orma_slices_begin(&imp->model->slices, e->ts, track, category(imp),
                             orma_model_lit(imp->model, "binder reply"), NULL);
}

static void received(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_kernel_binder *st = state_of(imp);
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint64_t key = sent_key(e, f.num[ORMA_PB_BINDER_TRANSACTION_RECEIVED_FTRACE_EVENT_DEBUG_ID]);
    struct sent *s = st ? orma_map_get_ptr(&st->sent, key) : NULL;
    if (!s)
        return; /* sent before the trace begins: its kind is unknown */
    (void)orma_map_take(&st->sent, key);
    if (s->is_reply) {
        reply_arrives(imp, e, st);
    } else {
        uint32_t slice = call_arrives(imp, e, s);

        if (s->slice != ORMA_SLICE_NONE && slice != ORMA_SLICE_NONE)
            orma_flows_insert(imp->model, s->slice, slice);
        struct frame *frame = NULL;
        if (st->has_commands) {
            push(imp, st, e->utid, RECEIVED);
            frame = top(st, e->utid);
        }
        if (frame) {
            frame->has_slice = true;
            frame->one_way = s->one_way;
        }
    }
    orma_args_list_fini(&s->args);
    free(s);
}

static void alloc_buf(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_uint(
        args, orma_model_lit(imp->model, "data size"),
        (uint64_t)f.num[ORMA_PB_BINDER_TRANSACTION_ALLOC_BUF_FTRACE_EVENT_DATA_SIZE]);
    orma_args_put_uint(
        args, orma_model_lit(imp->model, "offsets size"),
        (uint64_t)f.num[ORMA_PB_BINDER_TRANSACTION_ALLOC_BUF_FTRACE_EVENT_OFFSETS_SIZE]);
    orma_slices_add_args(&imp->model->slices, track_of(imp, e), category(imp),
                         orma_model_lit(imp->model, "binder transaction"), args);
}

/* ---- commands and returns ---- */

static unsigned number_of(const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    return (unsigned)f.num[ORMA_PB_BINDER_COMMAND_FTRACE_EVENT_CMD] & 0xff;
}

static void command(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_kernel_binder *st = state_of(imp);
    struct frame *f;

    if (!st)
        return;
    st->has_commands = true;
    switch (number_of(e)) {
    case BC_TRANSACTION:
    case BC_TRANSACTION_SG:
        push(imp, st, e->utid, SEND_COMMANDED);
        break;
    case BC_REPLY:
    case BC_REPLY_SG:
        f = top(st, e->utid);
        if (f && f->state == SERVING)
            f->state = REPLY_COMMANDED;
        break;
    }
}

static void failed(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                   struct orma_kernel_binder *st)
{
    struct frame *f = top(st, e->utid);

    if (!f)
        return;
    switch (f->state) {
    case SEND_COMMANDED: /* the kernel refused it: there is no slice */
        break;
    case SENT:
    case SEND_COMPLETED: /* a call that will not be answered */
        if (f->has_slice && !f->one_way)
            orma_slices_end(&imp->model->slices, e->ts, track_of(imp, e), 0, 0, NULL);
        break;
    case REPLY_COMMANDED: /* a reply that cannot be delivered: the work is over nevertheless */
        if (f->has_slice && !f->one_way)
            orma_slices_end(&imp->model->slices, e->ts, track_of(imp, e), 0, 0, NULL);
        break;
    case REPLIED:
        break;
    case SEND_ANSWERED:
    case RECEIVED:
    case SERVING:
        return; /* not about this one */
    }
    pop(imp, st, e->utid);
}

static void completed(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                      struct orma_kernel_binder *st)
{
    struct frame *f = top(st, e->utid);

    if (!f)
        return;
    if (f->state == REPLIED || (f->state == SENT && f->one_way))
        pop(imp, st, e->utid);
    else if (f->state == SENT)
        f->state = SEND_COMPLETED;
}

static void serves(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                   struct orma_kernel_binder *st)
{
    struct frame *f = top(st, e->utid);

    if (!f || f->state != RECEIVED)
        return;
    if (f->one_way)
        pop(imp, st, e->utid);
    else
        f->state = SERVING;
}

static void returns(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_kernel_binder *st = state_of(imp);
    struct frame *f;

    if (!st)
        return;
    switch (number_of(e)) {
    case BR_DEAD_REPLY:
    case BR_FAILED_REPLY:
    case BR_FROZEN_REPLY:
        failed(imp, e, st);
        break;
    case BR_TRANSACTION_COMPLETE:
    case BR_ONEWAY_SPAM_SUSPECT:
    case BR_TRANSACTION_PENDING_FROZEN:
        completed(imp, e, st);
        break;
    case BR_TRANSACTION:
        serves(imp, e, st);
        break;
    case BR_REPLY:
        f = top(st, e->utid);
        if (f && f->state == SEND_ANSWERED)
            pop(imp, st, e->utid);
        break;
    }
}

/* ---- the lock that all of binder had in older kernels ---- */

static void lock(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_kernel_binder *st = state_of(imp);

    if (!st || orma_map_put(&st->waiting, e->utid, 1))
        imp->model->storage->failed = true;
    orma_slices_begin(&imp->model->slices, e->ts, track_of(imp, e), category(imp),
                      orma_model_lit(imp->model, "binder lock waiting"), NULL);
}

static void locked(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_kernel_binder *st = state_of(imp);

    if (!st || orma_map_take(&st->waiting, e->utid) == ORMA_MAP_NONE)
        return;
    uint32_t track = track_of(imp, e);
    orma_slices_end(&imp->model->slices, e->ts, track, 0, 0, NULL);
    orma_slices_begin(&imp->model->slices, e->ts, track, category(imp),
                      orma_model_lit(imp->model, "binder lock held"), NULL);
    if (orma_map_put(&st->holding, e->utid, 1))
        imp->model->storage->failed = true;
}

static void unlock(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_kernel_binder *st = state_of(imp);

    if (st && orma_map_take(&st->holding, e->utid) != ORMA_MAP_NONE)
        orma_slices_end(&imp->model->slices, e->ts, track_of(imp, e), 0, 0, NULL);
}

static void fini(struct orma_import_ctx *imp)
{
    struct orma_kernel_binder *st = orma_kernel(imp)->binder;

    if (!st)
        return;
    ORMA_MAP_EACH (slot, &st->sent) {
        struct sent *s = (struct sent *)(uintptr_t)slot->val;

        orma_args_list_fini(&s->args);
        free(s);
    }
    orma_map_fini(&st->sent);
    orma_map_fini(&st->frames);
    orma_map_fini(&st->waiting);
    orma_map_fini(&st->holding);
    free(st->pool);
}

static const uint16_t no_fields[] = {0};
const struct orma_importer orma_kernel_binder_importer = {
    .name = "binder", .fields = no_fields, .fini = fini};

const struct orma_kernel_handler orma_kernel_binder_handlers[] = {
    {ORMA_PB_FTRACE_EVENT_BINDER_TRANSACTION, transaction},
    {ORMA_PB_FTRACE_EVENT_BINDER_TRANSACTION_RECEIVED, received},
    {ORMA_PB_FTRACE_EVENT_BINDER_TRANSACTION_ALLOC_BUF, alloc_buf},
    {ORMA_PB_FTRACE_EVENT_BINDER_COMMAND, command},
    {ORMA_PB_FTRACE_EVENT_BINDER_RETURN, returns},
    {ORMA_PB_FTRACE_EVENT_BINDER_LOCK, lock},
    {ORMA_PB_FTRACE_EVENT_BINDER_LOCKED, locked},
    {ORMA_PB_FTRACE_EVENT_BINDER_UNLOCK, unlock},
    {0, NULL},
};
