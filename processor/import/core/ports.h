/*
 * Ports: what a module of importers does for others.
 *
 * A module offers its port when the import begins. What is not there does nothing: a module can be
 * tested alone, and a processor can be built without some of them. Modules never call each other in
 * another way. Threads: none.
 */
#ifndef ORMA_PROCESSOR_IMPORT_CORE_PORTS_H
#define ORMA_PROCESSOR_IMPORT_CORE_PORTS_H
#include "processor/import/core/importer.h"

struct orma_schema;

/* A kernel event whose time has come. */
struct orma_kernel_event {
    int64_t ts;
    uint16_t machine;
    uint32_t cpu;
    uint32_t pid;
    uint32_t utid; /* of pid */
    uint32_t common_flags;
    bool has_flags;
    uint32_t field; /* in FtraceEvent */
    struct orma_str payload;
    struct orma_str code; /* of binder's transactions, as its text has it; empty: in the payload */
    const struct orma_item *item;
};

/* kernel/: used by trace/ (configs and service events) and formats/ (text of the kernel). */
struct orma_kernel_port {
    struct orma_import_ctx *module;
    /* Kernel events before this time were there before the session began. */
    void (*set_tracing_start)(struct orma_import_ctx *module, uint16_t machine, int64_t ts);
    /* The session wanted what the kernel's buffers held before it. */
    void (*preserve)(struct orma_import_ctx *module, uint16_t machine);
    /* A text from the kernel's marker file; false: it is not in the atrace convention. */
    bool (*marker)(struct orma_import_ctx *module, const struct orma_kernel_event *e,
                   struct orma_str text);
    /* The handler of the event's field; false: it has none. */
    bool (*handle)(struct orma_import_ctx *module, const struct orma_kernel_event *e);
    /* A row of ftrace_event that knows where its args are. */
    uint32_t (*add_row)(struct orma_import_ctx *module, const struct orma_item *item, uint32_t name,
                        uint32_t utid, uint32_t common_flags, uint32_t cpu);
};

/* profile/: used by events/ (stacks of track events) and by the owner (symbols, found late). */
struct orma_profile_port {
    struct orma_import_ctx *module;
    /* An InlineCallstack message as callsite. */
    uint32_t (*inline_callsite)(struct orma_import_ctx *module, struct orma_str bytes);
    /* Interned entries as rows of a process, or of none (upid ORMA_ID_NONE). ORMA_ROW_NONE and a
     * statistic if they are broken. */
    uint32_t (*interned_callsite)(struct orma_import_ctx *module, uint16_t machine, uint32_t upid,
                                  const struct orma_seq_gen *gen, uint64_t iid);
    uint32_t (*interned_mapping)(struct orma_import_ctx *module, uint16_t machine, uint32_t upid,
                                 const struct orma_seq_gen *gen, uint64_t iid);
    /* ModuleSymbols and DeobfuscationMapping messages. */
    void (*symbols)(struct orma_import_ctx *module, uint16_t machine, struct orma_str bytes);
    void (*deobfuscate)(struct orma_import_ctx *module, struct orma_str bytes);
    /* A DeobfuscationMapping for heap graphs, which get their names at the end of the import. */
    void (*heap_names)(struct orma_import_ctx *module, struct orma_str bytes);
};

/* Of TrackEvent: what the system server says of processes. */
enum { ORMA_EVENT_PROCESS_STARTED = 2010, ORMA_EVENT_PROCESS_DIED = 2013 };

/* android/: used by kernel/, whose events say it too, and events/. */
struct orma_android_port {
    struct orma_import_ctx *module;
    void (*screen_state)(struct orma_import_ctx *module, uint16_t machine, int64_t ts,
                         double value);
    /* A value of the battery's statistics, by its name. */
    void (*battery_stats)(struct orma_import_ctx *module, uint16_t machine, int64_t ts,
                          struct orma_str key, double value);
    /* Memory that a graphics card holds for a process, or (pid 0) in all. */
    void (*gpu_memory)(struct orma_import_ctx *module, uint16_t machine, int64_t ts, uint32_t gpu,
                       uint32_t pid, double size);
    /* A slice of a program that handed work to a graphics card: a GpuCorrelation message. */
    void (*gpu_call)(struct orma_import_ctx *module, uint16_t machine, uint32_t slice,
                     struct orma_str correlation);
    /* A process was started, or has died: `field` says which. */
    void (*process_event)(struct orma_import_ctx *module, uint16_t machine, int64_t ts,
                          uint32_t field, struct orma_str bytes);
};

/* trace/: used by linux/ (the service's version), kernel/ (clocks of bundles) and events/. */
struct orma_trace_port {
    struct orma_import_ctx *module;
    /* A snapshot of clocks: for conversions, and as rows of clock_snapshot. */
    void (*clock_snapshot)(struct orma_import_ctx *module, uint16_t machine, struct orma_seq *seq,
                           const struct orma_clock_value *values, uint32_t num, uint64_t primary);
    void (*service_version)(struct orma_import_ctx *module, struct orma_str version);
    /* A track event that is imported: what its bytes are for is told by category and name. NULL:
     * nobody asked. */
    void (*content_event)(struct orma_import_ctx *module, const struct orma_item *item,
                          uint32_t category, uint32_t name);
};

struct orma_ports {
    struct orma_kernel_port kernel;
    struct orma_profile_port profile;
    struct orma_android_port android;
    struct orma_trace_port trace;
    struct orma_schema *schema; /* the built-in one with what the trace describes; NULL: nothing */
};

/* ---- what modules call; without the other module they do nothing, and give what says so ---- */

static inline void orma_port_set_tracing_start(struct orma_import_ctx *imp, uint16_t machine,
                                               int64_t ts)
{
    if (imp->ports->kernel.module)
        imp->ports->kernel.set_tracing_start(imp->ports->kernel.module, machine, ts);
}

static inline void orma_port_preserve(struct orma_import_ctx *imp, uint16_t machine)
{
    if (imp->ports->kernel.module)
        imp->ports->kernel.preserve(imp->ports->kernel.module, machine);
}

static inline bool orma_port_marker(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                                    struct orma_str text)
{
    return !imp->ports->kernel.module ||
           imp->ports->kernel.marker(imp->ports->kernel.module, e, text);
}

static inline bool orma_port_handle(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    return imp->ports->kernel.module && imp->ports->kernel.handle(imp->ports->kernel.module, e);
}

static inline uint32_t orma_port_add_row(struct orma_import_ctx *imp, const struct orma_item *item,
                                         uint32_t name, uint32_t utid, uint32_t common_flags,
                                         uint32_t cpu)
{
    return imp->ports->kernel.module ? imp->ports->kernel.add_row(imp->ports->kernel.module, item,
                                                                  name, utid, common_flags, cpu)
                                     : ORMA_ROW_NONE;
}

static inline uint32_t orma_port_inline_callsite(struct orma_import_ctx *imp, struct orma_str bytes)
{
    return imp->ports->profile.module
               ? imp->ports->profile.inline_callsite(imp->ports->profile.module, bytes)
               : ORMA_ROW_NONE;
}

static inline uint32_t orma_port_interned_callsite(struct orma_import_ctx *imp, uint16_t machine,
                                                   uint32_t upid, const struct orma_seq_gen *gen,
                                                   uint64_t iid)
{
    return imp->ports->profile.module ? imp->ports->profile.interned_callsite(
                                            imp->ports->profile.module, machine, upid, gen, iid)
                                      : ORMA_ROW_NONE;
}

static inline uint32_t orma_port_interned_mapping(struct orma_import_ctx *imp, uint16_t machine,
                                                  uint32_t upid, const struct orma_seq_gen *gen,
                                                  uint64_t iid)
{
    return imp->ports->profile.module ? imp->ports->profile.interned_mapping(
                                            imp->ports->profile.module, machine, upid, gen, iid)
                                      : ORMA_ROW_NONE;
}

static inline void orma_port_screen_state(struct orma_import_ctx *imp, uint16_t machine, int64_t ts,
                                          double value)
{
    if (imp->ports->android.module)
        imp->ports->android.screen_state(imp->ports->android.module, machine, ts, value);
}

static inline void orma_port_battery_stats(struct orma_import_ctx *imp, uint16_t machine,
                                           int64_t ts, struct orma_str key, double value)
{
    if (imp->ports->android.module)
        imp->ports->android.battery_stats(imp->ports->android.module, machine, ts, key, value);
}

static inline void orma_port_gpu_memory(struct orma_import_ctx *imp, uint16_t machine, int64_t ts,
                                        uint32_t gpu, uint32_t pid, double size)
{
    if (imp->ports->android.module)
        imp->ports->android.gpu_memory(imp->ports->android.module, machine, ts, gpu, pid, size);
}

static inline void orma_port_gpu_call(struct orma_import_ctx *imp, uint16_t machine, uint32_t slice,
                                      struct orma_str correlation)
{
    if (imp->ports->android.module)
        imp->ports->android.gpu_call(imp->ports->android.module, machine, slice, correlation);
}

static inline void orma_port_process_event(struct orma_import_ctx *imp, uint16_t machine,
                                           int64_t ts, uint32_t field, struct orma_str bytes)
{
    if (imp->ports->android.module)
        imp->ports->android.process_event(imp->ports->android.module, machine, ts, field, bytes);
}

static inline void orma_port_clock_snapshot(struct orma_import_ctx *imp, uint16_t machine,
                                            struct orma_seq *seq,
                                            const struct orma_clock_value *values, uint32_t num,
                                            uint64_t primary)
{
    if (imp->ports->trace.module)
        imp->ports->trace.clock_snapshot(imp->ports->trace.module, machine, seq, values, num,
                                         primary);
}

static inline void orma_port_service_version(struct orma_import_ctx *imp, struct orma_str version)
{
    if (imp->ports->trace.module)
        imp->ports->trace.service_version(imp->ports->trace.module, version);
}

static inline void orma_port_content_event(struct orma_import_ctx *imp,
                                           const struct orma_item *item, uint32_t category,
                                           uint32_t name)
{
    if (ORMA_UNLIKELY(imp->ports->trace.content_event != NULL))
        imp->ports->trace.content_event(imp->ports->trace.module, item, category, name);
}
#endif
