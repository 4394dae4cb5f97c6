/*
 * What the importers of Android's packets share, and counters that kernel events report as well.
 * Threads: none.
 */
#ifndef ORMA_PROCESSOR_IMPORT_ANDROID_ANDROID_H
#define ORMA_PROCESSOR_IMPORT_ANDROID_ANDROID_H
#include "processor/import/core/ports.h"
#include "sdk/base/assert.h"

/* Something that uses energy; texts are pool ids. */
struct orma_android_consumer {
    int32_t id, ordinal;
    uint32_t type, name;
};

struct orma_android_state {
    struct orma_map entities;  /* hash of machine, entity and state → their names */
    struct orma_map rails;     /* hash of machine, session and index → track */
    struct orma_map consumers; /* machine and id → index of consumer_rows */
    struct orma_android_consumer *consumer_rows;
    uint32_t consumers_num, consumers_cap;
    struct orma_map packages;  /* pool ids of names that have a row */
    struct orma_map by_uid;    /* the first package of a user id, as pool id */
    struct orma_map processes; /* upid → row; process_events.c */
    struct orma_map wakelocks; /* hash of sequence, state and number → track; wakelocks.c */
};

/* NULL when memory is out. */
struct orma_android_state *orma_android_state(struct orma_import_ctx *imp);

/* Whether the screen is on. */
void orma_android_screen_state(struct orma_import_ctx *imp, uint16_t machine, int64_t ts,
                               double value);

/* A value of the battery's statistics, by its name. */
void orma_android_battery_stats(struct orma_import_ctx *imp, uint16_t machine, int64_t ts,
                                struct orma_str key, double value);

/* Memory that a graphics card holds for a process, or (pid 0) in all. */
void orma_android_gpu_memory(struct orma_import_ctx *imp, uint16_t machine, int64_t ts,
                             uint32_t gpu, uint32_t pid, double size);

/* The same as the kernel tells it, also of processes that have ended: those are left out. */
void orma_android_late_gpu_memory(struct orma_import_ctx *imp, uint16_t machine, int64_t ts,
                                  uint32_t gpu, uint32_t pid, double size);

/* The name of the package of that user id, as pool id; 0: none is known. */
uint32_t orma_android_package(struct orma_import_ctx *imp, uint32_t uid);

/* The same, added if it is new; false: it is known. packages.c */
bool orma_android_add_package(struct orma_import_ctx *imp, uint32_t name, int64_t uid);

/* A process was started or has died, as a track event tells. process_events.c */
void orma_android_process_event(struct orma_import_ctx *imp, uint16_t machine, int64_t ts,
                                uint32_t field, struct orma_str bytes);

/* ---- gpu_vulkan.c ---- */

/* VkObjectType */
enum { ORMA_VK_COMMAND_BUFFER = 6, ORMA_VK_RENDER_PASS = 18, ORMA_VK_FRAMEBUFFER = 24 };

/* What a program called an object of Vulkan, as pool id; 0: nothing. */
uint32_t orma_android_vulkan_name(struct orma_import_ctx *imp, uint16_t machine, uint32_t kind,
                                  uint64_t object);

/* ---- gpu_flows.c ---- */

/* A stage of that number, and one that waited for it. */
void orma_android_gpu_stage(struct orma_import_ctx *imp, uint16_t machine, uint64_t id,
                            uint32_t slice);
void orma_android_gpu_stage_waits(struct orma_import_ctx *imp, uint16_t machine, uint64_t id,
                                  uint32_t slice);

/* A slice of a program, with its GpuCorrelation message. */
void orma_android_gpu_call(struct orma_import_ctx *imp, uint16_t machine, uint32_t slice,
                           struct orma_str correlation);
void orma_android_gpu_flows_fini(struct orma_import_ctx *imp);

/* The state of the module; parts are made when they are needed. */
struct orma_android {
    struct orma_android_state *probes;                /* probes.c */
    struct orma_android_frames *frames;               /* frame_timeline.c */
    struct orma_android_graphics *graphics;           /* graphics.c */
    struct orma_android_gpu_counters *gpu_counters;   /* gpu_counters.c */
    struct orma_android_gpu_stages *gpu_stages;       /* gpu_stages.c */
    struct orma_android_gpu_vulkan *gpu_vulkan;       /* gpu_vulkan.c */
    struct orma_android_gpu_flows *gpu_flows;         /* gpu_flows.c */
    struct orma_android_lists *lists;                 /* lists.c */
    struct orma_android_vulkan_memory *vulkan_memory; /* vulkan_memory.c */
    struct orma_android_cpu_per_uid *cpu_per_uid;     /* cpu_per_uid.c */
    struct orma_android_protolog *protolog;           /* protolog.c */
    struct orma_android_video *video;                 /* video.c */
};

static inline struct orma_android *orma_android(const struct orma_import_ctx *imp)
{
    ORMA_ASSERT_HOT(imp->state);
    return imp->state;
}

extern const struct orma_import_module orma_android_module;
extern const struct orma_importer orma_android_power_rails_importer, orma_android_energy_importer,
    orma_android_frame_timeline_importer, orma_android_gpu_counters_importer,
    orma_android_gpu_info_importer, orma_android_gpu_log_importer, orma_android_gpu_stages_importer,
    orma_android_vulkan_importer, orma_android_graphics_importer, orma_android_logs_importer,
    orma_android_packages_importer, orma_android_android_importer,
    orma_android_android_log_importer, orma_android_vulkan_memory_importer,
    orma_android_lists_importer, orma_android_network_importer, orma_android_art_importer,
    orma_android_cpu_per_uid_importer, orma_android_protolog_importer, orma_android_statsd_importer,
    orma_android_video_importer, orma_android_wakelocks_importer;
#endif
