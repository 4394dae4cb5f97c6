/* The module, and what it does for others. */
#include "processor/import/android/android.h"

static void offer(struct orma_ports *ports, struct orma_import_ctx *self)
{
    ports->android = (struct orma_android_port){
        .module = self,
        .screen_state = orma_android_screen_state,
        .battery_stats = orma_android_battery_stats,
        .gpu_memory = orma_android_late_gpu_memory,
        .gpu_call = orma_android_gpu_call,
        .process_event = orma_android_process_event,
    };
}

const struct orma_import_module orma_android_module = {
    .name = "android", .state_size = sizeof(struct orma_android), .offer = offer};
