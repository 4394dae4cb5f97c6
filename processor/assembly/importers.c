/*
 * What a processor can read: all importers of packets, and all other formats.
 *
 * The order matters at the end of an import only: `finish` runs in it. A new importer or format is
 * a row here, and a file in a module of import/ (docs/HACKING.md).
 */
#include "processor/assembly/importers.h"

#include "processor/import/android/android.h"
#include "processor/import/events/events.h"
#include "processor/import/formats/formats.h"
#include "processor/import/kernel/kernel.h"
#include "processor/import/linux/linux.h"
#include "processor/import/profile/profile.h"
#include "processor/import/trace/trace.h"
#include "processor/import/winscope/winscope.h"

static const struct orma_importer_row importers[] = {
    {&orma_trace_module, &orma_trace_clock_importer},
    {&orma_trace_module, &orma_trace_service_importer},
    {&orma_trace_module, &orma_trace_uuid_importer},
    {&orma_trace_module, &orma_trace_config_importer},
    {&orma_trace_module, &orma_trace_trace_stats_importer},
    {&orma_linux_module, &orma_linux_system_info_importer},
    {&orma_kernel_module, &orma_kernel_bundle_importer},
    {&orma_kernel_module, &orma_kernel_event_importer},
    {&orma_kernel_module, &orma_kernel_sched_importer},
    {&orma_linux_module, &orma_linux_process_tree_importer},
    {&orma_linux_module, &orma_linux_process_stats_importer},
    {&orma_events_module, &orma_events_track_event_importer},
    {&orma_linux_module, &orma_linux_sys_stats_importer},
    {&orma_linux_module, &orma_linux_battery_importer},
    {&orma_trace_module, &orma_trace_triggers_importer},
    {&orma_trace_module, &orma_trace_translation_importer},
    {&orma_kernel_module, &orma_kernel_ftrace_stats_importer},
    {&orma_kernel_module, &orma_kernel_syscalls_importer},
    {&orma_kernel_module, &orma_kernel_mm_importer},
    {&orma_kernel_module, &orma_kernel_net_importer},
    {&orma_kernel_module, &orma_kernel_gpu_importer},
    {&orma_kernel_module, &orma_kernel_devices_importer},
    {&orma_kernel_module, &orma_kernel_media_importer},
    {&orma_kernel_module, &orma_kernel_generic_kernel_importer},
    {&orma_kernel_module, &orma_kernel_etw_importer},
    {&orma_trace_module, &orma_trace_extensions_importer},
    {&orma_trace_module, &orma_trace_remote_clock_importer},
    {&orma_linux_module, &orma_linux_cpu_info_importer},
    {&orma_linux_module, &orma_linux_interrupts_importer},
    {&orma_trace_module, &orma_trace_attributes_importer},
    {&orma_trace_module, &orma_trace_self_trace_importer},
    {&orma_trace_module, &orma_trace_sessions_importer},
    {&orma_android_module, &orma_android_logs_importer},
    {&orma_profile_module, &orma_profile_profile_importer},
    {&orma_profile_module, &orma_profile_heap_graph_importer},
    {&orma_profile_module, &orma_profile_v8_importer},
    {&orma_events_module, &orma_events_chrome_events_importer},
    {&orma_events_module, &orma_events_chrome_metadata_importer},
    {&orma_android_module, &orma_android_frame_timeline_importer},
    {&orma_android_module, &orma_android_android_log_importer},
    {&orma_android_module, &orma_android_android_importer},
    {&orma_android_module, &orma_android_power_rails_importer},
    {&orma_android_module, &orma_android_energy_importer},
    {&orma_android_module, &orma_android_packages_importer},
    {&orma_android_module, &orma_android_lists_importer},
    {&orma_android_module, &orma_android_network_importer},
    {&orma_android_module, &orma_android_cpu_per_uid_importer},
    {&orma_android_module, &orma_android_protolog_importer},
    {&orma_android_module, &orma_android_statsd_importer},
    {&orma_android_module, &orma_android_wakelocks_importer},
    {&orma_android_module, &orma_android_art_importer},
    {&orma_android_module, &orma_android_video_importer},
    {&orma_winscope_module, &orma_winscope_extensions_importer},
    {&orma_winscope_module, &orma_winscope_layers_importer},
    {&orma_winscope_module, &orma_winscope_transactions_importer},
    {&orma_winscope_module, &orma_winscope_transitions_importer},
    {&orma_android_module, &orma_android_graphics_importer},
    {&orma_android_module, &orma_android_gpu_info_importer},
    {&orma_android_module, &orma_android_gpu_counters_importer},
    {&orma_android_module, &orma_android_gpu_log_importer},
    {&orma_android_module, &orma_android_gpu_stages_importer},
    {&orma_android_module, &orma_android_vulkan_importer},
    {&orma_android_module, &orma_android_vulkan_memory_importer},
    {&orma_kernel_module, &orma_kernel_binder_importer},
    {&orma_trace_module, &orma_trace_proto_content_importer},
    {&orma_trace_module, &orma_trace_diagnostics_importer}, /* when all losses are counted */
    {NULL, NULL},
};

static const struct orma_format_ops *const formats[ORMA_FORMATS_NUM] = {
    [ORMA_FORMAT_JSON] = &orma_format_json,
    [ORMA_FORMAT_SYSTRACE] = &orma_format_systrace,
    [ORMA_FORMAT_GZIP] = &orma_format_packed,
    [ORMA_FORMAT_ZSTD] = &orma_format_packed,
    [ORMA_FORMAT_XZ] = &orma_format_packed,
    [ORMA_FORMAT_BZIP2] = &orma_format_packed,
    [ORMA_FORMAT_CTRACE] = &orma_format_packed,
    [ORMA_FORMAT_ZIP] = &orma_format_archive,
    [ORMA_FORMAT_TAR] = &orma_format_archive,
    [ORMA_FORMAT_GECKO] = &orma_format_gecko,
    [ORMA_FORMAT_SPEEDSCOPE] = &orma_format_speedscope,
    [ORMA_FORMAT_V8_CPU] = &orma_format_v8_cpu,
    [ORMA_FORMAT_V8_HEAP] = &orma_format_v8_heap,
    [ORMA_FORMAT_CALLGRIND] = &orma_format_callgrind,
    [ORMA_FORMAT_DHAT] = &orma_format_dhat,
    [ORMA_FORMAT_PERF_TEXT] = &orma_format_perf_text,
    [ORMA_FORMAT_COLLAPSED] = &orma_format_collapsed,
    [ORMA_FORMAT_STRACE] = &orma_format_strace,
    [ORMA_FORMAT_LOGCAT] = &orma_format_logcat,
    [ORMA_FORMAT_DUMPSTATE] = &orma_format_dumpstate,
    [ORMA_FORMAT_MANIFEST] = &orma_format_manifest,
#ifdef ORMA_HAVE_EXPAT
    [ORMA_FORMAT_INSTRUMENTS] = &orma_format_instruments,
#endif
    [ORMA_FORMAT_PERF] = &orma_format_perf_data,
    [ORMA_FORMAT_TRACE_DAT] = &orma_format_tracedat,
    [ORMA_FORMAT_OTLP] = &orma_format_otlp,
    [ORMA_FORMAT_JFR] = &orma_format_jfr,
    [ORMA_FORMAT_UFTRACE] = &orma_format_uftrace,
    [ORMA_FORMAT_CTF] = &orma_format_ctf,
    [ORMA_FORMAT_SIMPLEPERF] = &orma_format_simpleperf,
    [ORMA_FORMAT_PPROF] = &orma_format_pprof,
    [ORMA_FORMAT_NINJA] = &orma_format_ninja,
    [ORMA_FORMAT_FUCHSIA] = &orma_format_fuchsia,
    [ORMA_FORMAT_ART_METHOD] = &orma_format_art_method,
    [ORMA_FORMAT_ART_METHOD_V2] = &orma_format_art_method_v2,
    [ORMA_FORMAT_ART_HPROF] = &orma_format_hprof,
};

const struct orma_importers orma_importers = {
    .importers = importers, .formats = formats, .formats_module = &orma_formats_module};
