/*
 * Kernel events: bundles of a cpu, and what each event means.
 *
 * A bundle is cut into its events when it is read; every event becomes a row of
 * __intrinsic_ftrace_event when its time comes, and goes to the handler of its
 * field in FtraceEvent, if there is one. Handlers are rows of the tables listed
 * in kernel.c, one table per family of events.
 *
 * The args of an event are not stored: _orma_ftrace_source maps each row to its
 * event in its bundle, and orma_kernel_decode_args() decodes them on demand.
 */
#ifndef ORMA_PROCESSOR_IMPORT_KERNEL_KERNEL_H
#define ORMA_PROCESSOR_IMPORT_KERNEL_KERNEL_H
#include "processor/import/core/account.h"
#include "processor/import/core/ports.h"
#include "processor/model/sched.h"
#include "processor/read/bundle.h"
#include "sdk/base/assert.h"

/* Numbers of fields in FtraceEvent. */
#define ORMA_FTRACE_FIELDS_MAX 1024

struct orma_kernel_handler {
    uint16_t field; /* in FtraceEvent; 0 ends a table */
    void (*fn)(struct orma_import_ctx *imp, const struct orma_kernel_event *e);
};

extern const struct orma_kernel_handler orma_kernel_sched_handlers[];
extern const struct orma_kernel_handler orma_kernel_print_handlers[];
extern const struct orma_kernel_handler orma_kernel_irq_handlers[];
extern const struct orma_kernel_handler orma_kernel_sys_handlers[];
extern const struct orma_kernel_handler orma_kernel_power_handlers[];
extern const struct orma_kernel_handler orma_kernel_mem_handlers[];
extern const struct orma_kernel_handler orma_kernel_net_handlers[];
extern const struct orma_kernel_handler orma_kernel_misc_handlers[];
extern const struct orma_kernel_handler orma_kernel_gpu_handlers[];
extern const struct orma_kernel_handler orma_kernel_devices_handlers[];
extern const struct orma_kernel_handler orma_kernel_media_handlers[];
extern const struct orma_kernel_handler orma_kernel_binder_handlers[];
extern const struct orma_kernel_handler orma_kernel_android_handlers[];
extern const struct orma_kernel_handler orma_kernel_hyp_handlers[];

/* An event that has no message of its own, described in the trace. */
struct orma_kernel_generic_event {
    uint32_t name; /* pool ids */
    uint32_t fields_num;
    struct orma_generic_field {
        uint32_t number, name;
        uint8_t type; /* enum orma_field_type */
        bool repeated;
    } * fields;
    /* Indices + 1 of the fields that make a track event of it, see generic.c. */
    uint8_t event_type, slice_name, track_name, counter_value, scope;
    enum { ORMA_GENERIC_PLAIN, ORMA_GENERIC_SLICES, ORMA_GENERIC_COUNTER } is;
};

/* Where the last look-up of args in a bundle stopped; several, since cpus alternate. */
#define ORMA_ARGS_WALKS 16
struct orma_args_walk {
    uint32_t bundle; /* + 1; 0: none */
    struct orma_bundle_cursor cursor;
    struct orma_compact_sched last; /* of the item before the cursor */
};

/* From when on the events of a machine count, in one trace. */
struct orma_kernel_limits {
    struct orma_kernel_limits *next;
    uint32_t trace;
    uint16_t machine;
    bool has_tracing_start, preserve;
    int64_t tracing_start;
    int64_t latest_start; /* when all cpus have data */
    uint8_t cpu_seen[ORMA_CPUS_MAX];
};

struct orma_kernel_state {
    struct orma_args_walk walks[4][ORMA_ARGS_WALKS]; /* by kind of item */
    void (*handlers[ORMA_FTRACE_FIELDS_MAX])(struct orma_import_ctx *imp,
                                             const struct orma_kernel_event *e);
    uint8_t symbol_fields[ORMA_FTRACE_FIELDS_MAX]; /* of events by field */
    uint32_t names[ORMA_FTRACE_FIELDS_MAX];        /* pool ids of event names by field */
    struct orma_map generic;    /* field in FtraceEvent → struct orma_kernel_generic_event * */
    int64_t last_pair_ts;       /* of a bundle's own clock */
    struct orma_map setup_told; /* sequences whose setup errors are in the log */
    struct orma_map reporters;  /* sequences that report of ring buffers, numbered */
    struct orma_map begins;     /* what they said at the start, see stats.c */
    struct orma_map losses;     /* by sequence and cpu: those before its latest bundle */
    struct orma_kernel_limits *limits, *last_limits; /* of all; those looked at last */
    uint32_t sched_switch, sched_waking, prev_comm, prev_pid, prev_prio, prev_state, next_comm,
        next_pid, next_prio, comm, pid, prio, target_cpu;
};

void orma_kernel_fini(struct orma_import_ctx *imp);

/* A text from the kernel's marker file; false: it is not in the atrace convention. */
bool orma_kernel_parse_marker(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                              struct orma_str text);

/* A row of ftrace_event, with its place in the bundle, from which its args are decoded. */
uint32_t orma_kernel_add_row(struct orma_import_ctx *imp, const struct orma_item *item,
                             uint32_t name, uint32_t utid, uint32_t common_flags, uint32_t cpu);

/* Kernel events before this time were there before the session began. */
void orma_kernel_set_tracing_start(struct orma_import_ctx *imp, uint16_t machine, int64_t ts);

/* The session wanted what the kernel's buffers held before it. */
void orma_kernel_preserve(struct orma_import_ctx *imp, uint16_t machine);

/* The comm at an index of the bundle's table, as pool id. */
uint32_t orma_kernel_comm(struct orma_import_ctx *imp, const struct orma_item *item,
                          uint32_t index);

/* The args of a row of ftrace_event. */
bool orma_kernel_decode_args(void *imp, uint32_t row, struct orma_args_list *ret);

/* ---- generic.c ---- */

/* Reads a GenericEventDescriptor. */
void orma_kernel_describe(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes);

/* NULL if nothing described the field. */
const struct orma_kernel_generic_event *orma_kernel_generic(struct orma_import_ctx *imp,
                                                            uint32_t field);

/* The name of an event in the older form, which carries its own description; 0: it has none. */
uint32_t orma_kernel_generic_name(struct orma_import_ctx *imp, struct orma_str payload);

void orma_kernel_generic_args(struct orma_import_ctx *imp,
                              const struct orma_kernel_generic_event *g, struct orma_str payload,
                              struct orma_args_list *ret);
void orma_kernel_generic_parse(struct orma_import_ctx *imp,
                               const struct orma_kernel_generic_event *g,
                               const struct orma_kernel_event *e);
void orma_kernel_generic_fini(struct orma_kernel_state *st);

/* Fills the field of each event that holds the id of an interned kernel symbol; 0: none does. */
void orma_kernel_symbol_fields(uint8_t fields[ORMA_FTRACE_FIELDS_MAX]);

/* Counts the symbol of an event's raw row if it is unknown. */
void orma_kernel_check_symbol(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                              uint32_t field);

/* The text of an interned kernel symbol; 0 if the id is unknown, which is counted. */
uint32_t orma_kernel_lookup_symbol(struct orma_import_ctx *imp, const struct orma_item *item,
                                   uint64_t iid);

/* The text of an interned kernel symbol, 0 if the id is unknown. */
uint32_t orma_kernel_symbol(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                            uint64_t iid);

/* A thread inside write(2) wrote the marker at hand: its slice ends here. */
void orma_kernel_cut_write(struct orma_import_ctx *imp, const struct orma_kernel_event *e);

/* The state of the module; parts are made when they are needed. */
struct orma_kernel {
    const struct orma_kernel_handler *const *families; /* NULL-terminated; kernel.c */
    struct orma_kernel_state *ftrace;                  /* state.c */
    struct orma_kernel_syscalls *syscalls;             /* sys.c */
    struct orma_kernel_generic *generic_kernel;        /* generic_kernel.c */
    struct orma_kernel_gpu *gpu;                       /* gpu.c */
    struct orma_kernel_net *net;                       /* net.c */
    struct orma_map *media;                            /* media.c */
    struct orma_kernel_devices *devices;               /* devices.c */
    struct orma_kernel_mem *mem;                       /* mem.c */
    struct orma_kernel_power *power;                   /* power.c */
    struct orma_kernel_binder *binder;                 /* binder.c */
};

static inline struct orma_kernel *orma_kernel(const struct orma_import_ctx *imp)
{
    ORMA_ASSERT_HOT(imp->state);
    return imp->state;
}

/* ---- what every event asks (state.c) ---- */

struct orma_kernel_state *orma_kernel_state_new(struct orma_import_ctx *imp);
struct orma_kernel_limits *orma_kernel_limits_find(struct orma_import_ctx *imp, uint16_t machine);

/* Made on first use; NULL: no memory. */
static inline struct orma_kernel_state *orma_kernel_state(struct orma_import_ctx *imp)
{
    struct orma_kernel_state *st = orma_kernel(imp)->ftrace;

    return ORMA_LIKELY(st) ? st : orma_kernel_state_new(imp);
}

/* Of the kernel events of the file that is read, or emitted, now. */
static inline struct orma_account *orma_kernel_account(struct orma_import_ctx *imp)
{
    return orma_accounts_get(imp->accounts, imp->model, imp->reader->file,
                             ORMA_ACCOUNT_KERNEL_EVENT);
}

/* An event that was handed to the sorter is in no table after all, or in one as a number only. */
ORMA_COLD void orma_kernel_turn(struct orma_import_ctx *imp, const struct orma_item *item,
                                enum orma_account_reason reason, uint32_t kind);

/* The same for one from before the recording began. */
ORMA_COLD void orma_kernel_turn_early(struct orma_import_ctx *imp, const struct orma_item *item);

/* The limits of a machine in the trace that is read now; NULL: no memory. */
static inline struct orma_kernel_limits *orma_kernel_limits(struct orma_import_ctx *imp,
                                                            uint16_t machine)
{
    const struct orma_kernel_state *st = orma_kernel(imp)->ftrace;
    struct orma_kernel_limits *l = st ? st->last_limits : NULL;

    if (ORMA_LIKELY(l && l->machine == machine && l->trace == imp->model->trace_row))
        return l;
    return orma_kernel_limits_find(imp, machine);
}

/* True: the event is before all cpus have data, so it only gets its ftrace_event row. */
static inline bool orma_kernel_raw_only(struct orma_import_ctx *imp, uint16_t machine, int64_t ts)
{
    const struct orma_kernel_limits *l = orma_kernel_limits(imp, machine);

    return l && ts < l->latest_start;
}

/* True, and counted: the event is from before tracing started, and is dropped. */
static inline bool orma_kernel_too_early(struct orma_import_ctx *imp, uint16_t machine, int64_t ts)
{
    const struct orma_kernel_limits *l = orma_kernel_limits(imp, machine);

    if (ORMA_LIKELY(!l || !l->has_tracing_start || l->preserve || ts >= l->tracing_start))
        return false;
    orma_stats_inc(orma_model_stats(imp->model, machine),
                   ORMA_STAT_FTRACE_PACKET_BEFORE_TRACING_START);
    return true;
}

extern const struct orma_import_module orma_kernel_module;
extern const struct orma_importer orma_kernel_binder_importer, orma_kernel_devices_importer,
    orma_kernel_bundle_importer, orma_kernel_etw_importer, orma_kernel_event_importer,
    orma_kernel_sched_importer, orma_kernel_generic_kernel_importer, orma_kernel_gpu_importer,
    orma_kernel_media_importer, orma_kernel_mm_importer, orma_kernel_net_importer,
    orma_kernel_ftrace_stats_importer, orma_kernel_syscalls_importer;
#endif
