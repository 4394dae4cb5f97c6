/*
 * The model: what a trace says, as rows.
 *
 * Importers understand formats; the model is what they may do with what they have understood:
 * machines with processes and threads (processes.h), tracks (tracks.h), slices (slices.h), lanes
 * of slices that overlap (async.h), flows (flows.h), scheduling (sched.h), stacks and samples
 * (callstacks.h), heap graphs (heap_graph.h), counters, args, metadata (metadata.h), and the log
 * of what could not be imported.
 *
 *   importers (import/...)  ->  model  ->  store (tables, texts, arg sets, stats)
 *
 * It knows nothing of files, packets or clocks: times are those of the trace already. So each
 * importer can be tested with a model and nothing else. Memory: out of it sets storage->failed,
 * ids are then those of no row. Threads: none; one model belongs to one import.
 */
#ifndef ORMA_PROCESSOR_MODEL_MODEL_H
#define ORMA_PROCESSOR_MODEL_MODEL_H
#include "processor/model/known_strings.h"
#include "processor/model/metadata.h"
#include "processor/model/processes.h"
#include "processor/model/slices.h"
#include "processor/model/tracks.h"
#include "sdk/base/vec.h"

/* One machine of the trace. Its row in the machine table is its index. */
struct orma_machine {
    struct orma_processes processes;
    uint32_t kernel_version; /* major << 16 | minor; 0: unknown */
    const struct orma_syscall_table *syscalls;
    uint32_t page_size; /* bytes; 0: unknown */
    bool has_data;
};

#define ORMA_LITERALS_NUM 512
/* Cpus that are found without a look at their row. */
#define ORMA_UCPUS_KNOWN 64

/* A list of args that is handed out, see ORMA_MODEL_ARGS. */
struct orma_model_args {
    struct orma_args_list list;
    struct orma_model *model;     /* NULL: the spare one */
    struct orma_model_args *next; /* of args_free */
};

struct orma_model {
    struct orma_storage *storage;
    struct orma_known_strings known;
    struct orma_machine machines[ORMA_MACHINES_MAX];
    uint16_t machines_num;
    struct orma_tracks tracks;
    struct orma_slices slices;
    struct orma_async *async;           /* async.c; NULL: not needed yet, as for the next ones */
    struct orma_flows *flows;           /* flows.c */
    struct orma_sched *sched;           /* sched.c */
    struct orma_callstacks *callstacks; /* callstacks.c */
    struct orma_translations *translations;       /* translate.c */
    struct orma_thread_counters *thread_counters; /* thread_counters.c */
    uint32_t ucpus[ORMA_UCPUS_KNOWN]; /* numbers + 1 of those that have rows, by remainder */
    struct orma_map gpus;             /* machine and number → row */
    struct orma_map made_up;          /* pool id → number; of orma_model_made_up() */
    struct {
        const char *text;
        uint32_t id;
    } literals[ORMA_LITERALS_NUM];
    struct orma_arena lazy;            /* of orma_model_lazy() */
    struct orma_model_args *args_free; /* lists that nobody has taken */
    struct orma_model_args args_spare; /* for all when memory is out; what it holds is lost */
    struct orma_map row_args; /* of rows that packets add args to: → struct orma_row_args * */
    struct orma_row_args *row_args_first, *row_args_last;
    struct orma_map metadata; /* of metadata.c: hash of key and scope → row */
    uint32_t trace_row;       /* of the file that is imported now, in trace_file */
    uint16_t base;            /* the machine of that file, where its events name none */
    struct orma_map bases;    /* files → their machines, but for those of machine 0 */
    uint32_t files_read;      /* so far, this one included */
    uint32_t clock_snapshots; /* numbers of clock_snapshot that were given */
    struct {
        uint64_t places, bytes, truncated;
        int64_t first; /* the place of the first one; -1: none, or not in the file as such */
    } damage;          /* bytes that were skipped because they have no meaning */
    struct {
        const uint64_t *read;      /* the order of the packet to read next; NULL: of no packets */
        ORMA_VEC(uint64_t) places; /* of the entries: they stand in this order at the end */
        bool late;                 /* one of them came late */
    } log;
};

/* The storage stays the caller's, and must outlive the model. The model must not move in memory. */
void orma_model_init(struct orma_model *self, struct orma_storage *storage);
void orma_model_fini(struct orma_model *self);

/* The end of the trace: slices that never ended, args of rows. */
void orma_model_finish(struct orma_model *self);

/* The log in order; of the same two. */
void orma_model_finish_log(struct orma_model *self);
void orma_model_fini_log(struct orma_model *self);

/* The args that rows have got (orma_model_add_args()), as sets; of orma_model_finish() and _fini().
 */
void orma_model_write_row_args(struct orma_model *self);
void orma_model_free_row_args(struct orma_model *self);

/*
 * An empty list of args for the scope at hand: nobody else has it, whatever is called meanwhile. It
 * goes back by itself where the scope ends; its memory is used again.
 */
#define ORMA_MODEL_ARGS(name, model)                                                               \
    ORMA_AUTO(orma_model_args_give_p)                                                              \
    struct orma_args_list *name = orma_model_args_take(model)

struct orma_args_list *orma_model_args_take(struct orma_model *self);
void orma_model_args_give_p(struct orma_args_list **list);

/* A machine that was not seen before; `raw` is what the trace calls it. */
void orma_model_add_machine(struct orma_model *self, uint16_t machine, uint64_t raw);

/* `size` zeroed bytes in *slot, made on first use; they live as long as the model. NULL when memory
 * is out. */
void *orma_model_lazy(struct orma_model *self, void **slot, size_t size);

static inline struct orma_table *orma_model_table(struct orma_model *self, enum orma_table_id id)
{
    return &self->storage->tables[id];
}

static inline uint32_t orma_model_str(struct orma_model *self, struct orma_str s)
{
    return orma_strpool_add(&self->storage->pool, s);
}

static inline uint32_t orma_model_cstr(struct orma_model *self, const char *text)
{
    return orma_strpool_add_c(&self->storage->pool, text);
}

/* The same for a literal (or other text that never changes): found by its address. */
uint32_t orma_model_lit(struct orma_model *self, const char *literal);

/* The number of a process or thread that is known by a text alone (a pool id): far from those of
 * systems, from 2^31 on in the order in which they are first asked for. */
uint32_t orma_model_made_up(struct orma_model *self, uint32_t text);

static inline struct orma_processes *orma_model_processes(struct orma_model *self, uint16_t machine)
{
    return &self->machines[machine].processes;
}

static inline struct orma_stats *orma_model_stats(struct orma_model *self, uint16_t machine)
{
    return &self->storage->stats[machine];
}

/* What is imported from here on is of this file, and of its machine. */
void orma_model_use_trace(struct orma_model *self, uint32_t row);

/* The same for a file that begins. */
void orma_model_begin_trace(struct orma_model *self, uint32_t row, uint16_t machine);

/* A counter track without parent and source args, by type and dimensions. Names are pool ids. */
uint32_t orma_model_counter_track(struct orma_model *self, uint16_t machine, const char *type,
                                  uint32_t name, const char *unit, unsigned dims_num,
                                  const struct orma_track_dim *dims);

/* The same for slices. */
uint32_t orma_model_slice_track(struct orma_model *self, uint16_t machine, const char *type,
                                uint32_t name, unsigned dims_num,
                                const struct orma_track_dim *dims);

/* The track of a thread's ordinary slices. */
uint32_t orma_model_thread_track(struct orma_model *self, uint16_t machine, uint32_t utid);

/* A row of the counter table. */
void orma_model_counter(struct orma_model *self, int64_t ts, uint32_t track, double value);

/* Adds to the args of a row, which are written at the end; the last value of a key counts. */
void orma_model_add_args(struct orma_model *self, enum orma_table_id table, unsigned col,
                         uint32_t row, const struct orma_args_list *args);

/* The machine-wide number of a cpu; its row in the cpu table exists afterwards. */
uint32_t orma_model_ucpu_slow(struct orma_model *self, uint32_t ucpu, uint32_t cpu);
static inline uint32_t orma_model_ucpu(struct orma_model *self, uint16_t machine, uint32_t cpu)
{
    uint32_t ucpu = machine * ORMA_UCPUS_PER_MACHINE + ORMA_MIN(cpu, ORMA_UCPUS_PER_MACHINE - 1);

    if (ORMA_LIKELY(self->ucpus[ucpu % ORMA_UCPUS_KNOWN] == ucpu + 1))
        return ucpu;
    return orma_model_ucpu_slow(self, ucpu, cpu);
}

/*
 * Something that could not be imported: counts it and leaves a row with details.
 * ts INT64_MIN and offset < 0: unknown. `args` may be NULL.
 */
void orma_model_log(struct orma_model *self, uint16_t machine, enum orma_stat stat, int64_t ts,
                    int64_t byte_offset, const struct orma_args_list *args);

/* The same of what should have been found when a packet was read: it stands there in the log.
 * `order`: as it was then, of the packet behind it. */
void orma_model_log_read(struct orma_model *self, uint16_t machine, enum orma_stat stat,
                         uint64_t order, int64_t byte_offset, const struct orma_args_list *args);

/* Somebody says who made a process: logged if somebody else said another. */
void orma_model_set_parent(struct orma_model *self, uint16_t machine, int64_t ts, uint32_t upid,
                           uint32_t parent_upid);

/* A slice that begins at `ts` reaches out of another one, which is told behind `args`. */
void orma_model_log_overlap(struct orma_model *self, enum orma_stat stat, int64_t ts,
                            uint32_t existing, struct orma_args_list *args);

/*
 * Bytes of the trace that were skipped since they mean nothing, and where; offset < 0: unknown. And
 * those at its end that are the begin of something.
 */
/* Something was lost in front of `ts`: events of a cpu, or packets of a sequence. */
struct orma_model_gap {
    int64_t ts;
    bool of_cpu;
    uint32_t cpu;
    uint32_t sequence, pid, tid; /* 0: not known */
};
void orma_model_add_gap(struct orma_model *self, uint16_t machine,
                        const struct orma_model_gap *gap);

void orma_model_damage(struct orma_model *self, int64_t offset, uint64_t bytes, const char *why);
void orma_model_truncated(struct orma_model *self, uint64_t bytes);

/* The row of a graphics processor, and the counter track of its frequency. */
uint32_t orma_model_ugpu(struct orma_model *self, uint16_t machine, uint32_t gpu);
uint32_t orma_model_gpu_frequency_track(struct orma_model *self, uint16_t machine, uint32_t gpu);

/* Truncates toward zero; 0 if no int64_t holds it. */
static inline int64_t orma_model_whole(double val)
{
    return val > -9.2e18 && val < 9.2e18 ? (int64_t)val : 0;
}

#endif
