/* Kinds of data sources: what a program registers. */
#include <errno.h>
#include <stdlib.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "sdk/cabi/cabi.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

/* What we do not say ourselves goes to the service as it came. */
void orma_cabi_type_describe(struct orma_cabi_type *type, struct orma_str descriptor)
{
    struct orma_pb_reader r = orma_pb_reader(descriptor.data, descriptor.len);
    struct orma_str name = {0};
    const uint8_t *at = r.pos;
    struct orma_pb_field f;
    struct orma_buf rest = {0};

    type->notify_stop = false;
    for (; orma_pb_next(&r, &f); at = r.pos) {
        switch (f.id) {
        case ORMA_PB_DATA_SOURCE_DESCRIPTOR_NAME:
            name = orma_pb_str(&f);
            break;
        case ORMA_PB_DATA_SOURCE_DESCRIPTOR_WILL_NOTIFY_ON_STOP:
            type->notify_stop = f.num != 0;
            break;
        case ORMA_PB_DATA_SOURCE_DESCRIPTOR_WILL_NOTIFY_ON_START:
        case ORMA_PB_DATA_SOURCE_DESCRIPTOR_HANDLES_INCREMENTAL_STATE_CLEAR:
        case ORMA_PB_DATA_SOURCE_DESCRIPTOR_NO_FLUSH:
        case ORMA_PB_DATA_SOURCE_DESCRIPTOR_ID:
            break;
        default:
            orma_buf_put(&rest, at, (size_t)(r.pos - at));
        }
    }
    if (!type->name) /* later ones do not change it: instances are found by it */
        type->name = orma_str_dup(name);
    orma_buf_fini(&type->descriptor);
    type->descriptor = rest;
}

static void add(void *arg)
{
    orma_cabi_system_add(arg);
    orma_cabi_service_add(arg);
}

/* Its place is found before it is described, so that too many cost nothing. */
int orma_cabi_type_add(struct orma_cabi_type *type, struct orma_str descriptor)
{
    int r = 0;

    orma_cabi_type_init(type);
    orma_cabi_type_describe(type, descriptor);
    if (!type->name || type->descriptor.failed)
        return -ENOMEM;
    orma_guard_lock(&orma_cabi.lock);
    if (type->idx != ORMA_CABI_TE || orma_cabi.types[ORMA_CABI_TE]) {
        if (orma_cabi.types_num == ORMA_CABI_TYPES)
            r = -ENOSPC;
        else
            type->idx = orma_cabi.types_num++;
    }
    if (r == 0)
        orma_cabi.types[type->idx] = type;
    orma_guard_unlock(&orma_cabi.lock);
    if (r == 0)
        (void)orma_cabi_post(add, type);
    return r;
}

void *PerfettoDsImplCreate(void)
{
    struct orma_cabi_type *type = calloc(1, sizeof(*type));

    if (type)
        type->idx = ORMA_CABI_TYPES;
    return type;
}

/* Instances may be using what was set: too late is no change. */
#define SETTER(name, fn_type, member)                                                              \
    void PerfettoDsSet##name(void *ds, fn_type fn)                                                 \
    {                                                                                              \
        struct orma_cabi_type *type = ds;                                                          \
                                                                                                   \
        if (type && !type->registered)                                                             \
            type->member = fn;                                                                     \
    }

SETTER(OnSetupCallback, orma_cabi_setup_fn, on_setup)
SETTER(OnStartCallback, orma_cabi_event_fn, on_start)
SETTER(OnStopCallback, orma_cabi_event_fn, on_stop)
SETTER(OnDestroyCallback, orma_cabi_destroy_fn, on_destroy)
SETTER(OnFlushCallback, orma_cabi_event_fn, on_flush)
SETTER(OnCreateTls, orma_cabi_create_fn, create_tls)
SETTER(OnDeleteTls, orma_cabi_delete_fn, delete_tls)
SETTER(OnCreateIncr, orma_cabi_create_fn, create_incr)
SETTER(OnDeleteIncr, orma_cabi_delete_fn, delete_incr)
SETTER(OnClearIncr, orma_cabi_clear_fn, clear_incr)
SETTER(CbUserArg, void *, user)

bool PerfettoDsSetBufferExhaustedPolicy(void *ds, uint32_t policy)
{
    /* "Stall, then abort" waits, and never aborts. */
    static const enum orma_policy policies[] = {ORMA_POLICY_DROP, ORMA_POLICY_STALL,
                                                ORMA_POLICY_STALL_THEN_DROP};
    struct orma_cabi_type *type = ds;

    if (!type || type->registered || policy >= ORMA_ARRAY_LEN(policies))
        return false;
    type->policy = policies[policy];
    return true;
}

bool PerfettoDsSetBufferExhaustedPolicyConfigurable(void *ds, bool on)
{
    struct orma_cabi_type *type = ds;

    if (!type || type->registered)
        return false;
    type->policy_by_config = on;
    return true;
}

bool PerfettoDsImplRegister(void *ds, orma_cabi_flag **enabled, const void *descriptor, size_t len)
{
    ORMA_HUSHED;
    struct orma_cabi_type *type = ds;

    if (!type || type->registered)
        return false;
    if (!orma_cabi_is_ready()) {
        free(type);
        return false;
    }
    if (!type->delete_tls)
        type->create_tls = NULL;
    if (!type->delete_incr)
        type->create_incr = NULL;
    if (orma_cabi_type_add(type, (struct orma_str){descriptor, len}) < 0) {
        orma_buf_fini(&type->descriptor);
        free(type->name);
        free(type);
        return false;
    }
    type->registered = true;
    *enabled = &type->enabled;
    return true;
}

struct update {
    struct orma_cabi_type *type;
    struct orma_buf descriptor;
};

static void update(void *arg)
{
    struct update *u = arg;

    orma_cabi_type_describe(u->type, orma_buf_str(&u->descriptor));
    orma_cabi_system_update(u->type);
    orma_buf_fini(&u->descriptor);
    free(u);
}

void PerfettoDsImplUpdateDescriptor(void *ds, const void *descriptor, size_t len)
{
    ORMA_HUSHED;
    struct update *u = calloc(1, sizeof(*u));

    if (!u)
        return;
    (void)orma_cabi_is_ready();
    u->type = ds;
    orma_buf_put(&u->descriptor, descriptor, len);
    if (!u->type || u->descriptor.failed || !orma_cabi_post(update, u)) {
        orma_buf_fini(&u->descriptor);
        free(u);
    }
}
