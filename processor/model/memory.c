/* Tracks of a process's memory. Viewers show what a figure means, word for word as the reference
 * has it. */
#include "processor/model/memory.h"

#include "processor/model/model.h"

#define SEE "See https://perfetto.dev/docs/data-sources/memory-counters#"
#define SEE_EVENTS SEE "per-process-memory-events-ftrace for information."
#define SEE_POLLED SEE "per-process-polled-counters for information."

static const struct {
    const char *key, *description;
} descriptions[] = {
    {"virt",
     "Virtual memory size (VmSize): Total virtual address space reserved by the process. "
     "Useful for understanding address space layout and detecting excessive memory "
     "reservations. WARNING: Polled periodically, so may miss short-lived changes. " SEE_POLLED},
    {"rss",
     "Resident set size (VmRSS): Total physical memory currently used by the process "
     "(rss.anon + rss.file + rss.shmem). Key metric for understanding actual memory pressure "
     "and OOM risk. WARNING: Polled periodically, so use rss.anon + rss.file + rss.shmem "
     "from ftrace for complementary high-resolution tracking. " SEE_POLLED},
    {"rss.anon",
     "Anonymous resident memory (RssAnon): Physical memory for heap and stack "
     "allocations not backed by files. High values indicate memory allocations from "
     "malloc/new. Most important for app memory usage and detecting memory leaks. " SEE_EVENTS},
    {"rss.file", "Resident pages of mapped files"},
    {"rss.shmem", "Shared memory resident pages (RssShmem): Physical memory in shared memory "
                  "regions (shmem/tmpfs). Used for IPC and shared data. Important for identifying "
                  "inter-process memory usage. " SEE_EVENTS},
    {"swap", "Swapped memory (VmSwap): Memory moved to swap storage. Does not necessarily indicate "
             "severe pressure - kswapd may swap out inactive memory proactively. However, if "
             "actively used and swap/anon ratio is high, this suggests inefficient memory usage or "
             "leaks. Accessing swapped memory causes major page faults and performance "
             "degradation. Available from both ftrace and polling for complementary views. " SEE
             "per-process-memory-events-ftrace or "
             "https://perfetto.dev/docs/data-sources/memory-counters#per-process-polled-counters "
             "for information."},
    {"locked", "Memory that is locked and never swapped"},
    {"rss.watermark",
     "Peak RSS (VmHWM): Historical maximum RSS reached by the process. Useful for "
     "capacity planning and detecting memory usage spikes that may have triggered "
     "OOM or performance issues. WARNING: Polled periodically, so the time of the "
     "spike may not be accurate. Prefer relying on rss.anon + rss.file + rss.shmem "
     "which have pushed ftrace events so are more time accurate. " SEE_POLLED},
    {"dmabuf_rss",
     "DMA buffer RSS: Physical memory used for DMA buffers (successor to Android "
     "ION). Used for surfaces, hardware bitmaps, media/camera buffers, and other "
     "GPU/hardware accelerator memory. Critical for graphics/camera apps. High values "
     "indicate GPU memory pressure or resource leaks in graphics/media pipelines. See "
     "dmabuf ftrace events or /proc/[pid]/fdinfo polling for information."},
};

static const char *description_of(const char *key)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(descriptions); i++)
        if (!strcmp(descriptions[i].key, key))
            return descriptions[i].description;
    return NULL;
}

static struct orma_track_spec spec_of(struct orma_model *model, uint16_t machine, const char *type,
                                      struct orma_track_dim owner, const char *key)
{
    return (struct orma_track_spec){
        .type = type,
        .event = ORMA_TRACK_COUNTER,
        .machine = machine,
        .dims_num = 2,
        .dims = {owner, orma_dim_str(orma_model_lit(model, "process_memory_key"),
                                     orma_model_lit(model, key))},
        .parent = ORMA_TRACK_NONE,
    };
}

static uint32_t make(struct orma_model *model, struct orma_track_spec *spec, const char *key,
                     const char *description)
{
    ORMA_MODEL_ARGS(args, model);
    spec->name = orma_strpool_addf(&model->storage->pool, "mem.%s", key);
    if (description) {
        orma_args_put_str(args, model->known.description, orma_model_lit(model, description));
        spec->source_args = args;
    }
    return orma_tracks_get(&model->tracks, spec);
}

uint32_t orma_model_memory_track(struct orma_model *model, uint16_t machine, uint32_t upid,
                                 const char *key)
{
    struct orma_track_spec spec =
        spec_of(model, machine, "process_memory", orma_dim(model->known.upid, upid), key);
    uint32_t track = orma_tracks_find_lately(&model->tracks, &spec);

    return track != ORMA_TRACK_NONE ? track : make(model, &spec, key, description_of(key));
}

uint32_t orma_model_thread_memory_track(struct orma_model *model, uint16_t machine, uint32_t utid,
                                        const char *key)
{
    struct orma_track_spec spec = spec_of(model, machine, "process_memory_thread_fallback",
                                          orma_dim(model->known.utid, utid), key);
    uint32_t track = orma_tracks_find_lately(&model->tracks, &spec);

    return track != ORMA_TRACK_NONE ? track : make(model, &spec, key, NULL);
}
