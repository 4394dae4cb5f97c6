/* Tracks of a process's memory. Viewers show what a figure means. */
#include "processor/model/memory.h"

#include "processor/model/model.h"

static const struct {
    const char *key, *description;
} descriptions[] = {
    {"virt", "Addresses that the process has mapped, used or not (VmSize), as it is polled"},
    {"rss",
     "Memory that the process has in RAM (VmRSS): the sum of rss.anon, rss.file and rss.shmem, "
     "as it is polled; those three follow each change where the kernel's events are recorded"},
    {"rss.anon", "Memory in RAM that no file backs (RssAnon): heaps and stacks. What grows here "
                 "without an end is leaked, or kept for ever"},
    {"rss.file", "Resident pages of mapped files"},
    {"rss.shmem",
     "Shared memory in RAM (RssShmem): of tmpfs, memfd and the like; it counts in each "
     "process that has it"},
    {"swap", "Memory that was written to swap (VmSwap): the kernel may do that long before it is "
             "short of RAM; using it again is a major fault"},
    {"locked", "Memory that is locked and never swapped"},
    {"rss.watermark",
     "The most that the process ever had in RAM (VmHWM), as it is polled: the time "
     "of the peak lies between two looks"},
    {"dmabuf_rss", "Buffers that devices share (dma-buf) and the process holds: surfaces, bitmaps, "
                   "frames of cameras and codecs"},
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
