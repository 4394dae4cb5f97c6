/* All formats other than packets. A new one is a row here and a file with its functions. */
#include "processor/import/formats/file.h"

extern const struct orma_format_ops orma_format_json, orma_format_systrace, orma_format_packed,
    orma_format_archive, orma_format_gecko, orma_format_perf_text, orma_format_collapsed,
    orma_format_pprof, orma_format_ninja, orma_format_perf_data, orma_format_strace,
    orma_format_logcat, orma_format_instruments, orma_format_simpleperf, orma_format_hprof,
    orma_format_fuchsia;

const struct orma_format_ops *const orma_format_ops[ORMA_FORMATS_NUM] = {
    [ORMA_FORMAT_JSON] = &orma_format_json,
    [ORMA_FORMAT_SYSTRACE] = &orma_format_systrace,
    [ORMA_FORMAT_GZIP] = &orma_format_packed,
    [ORMA_FORMAT_ZSTD] = &orma_format_packed,
    [ORMA_FORMAT_CTRACE] = &orma_format_packed,
    [ORMA_FORMAT_ZIP] = &orma_format_archive,
    [ORMA_FORMAT_TAR] = &orma_format_archive,
    [ORMA_FORMAT_GECKO] = &orma_format_gecko,
    [ORMA_FORMAT_PERF_TEXT] = &orma_format_perf_text,
    [ORMA_FORMAT_COLLAPSED] = &orma_format_collapsed,
    [ORMA_FORMAT_STRACE] = &orma_format_strace,
    [ORMA_FORMAT_LOGCAT] = &orma_format_logcat,
    [ORMA_FORMAT_INSTRUMENTS] = &orma_format_instruments,
    [ORMA_FORMAT_PERF] = &orma_format_perf_data,
    [ORMA_FORMAT_SIMPLEPERF] = &orma_format_simpleperf,
    [ORMA_FORMAT_PPROF] = &orma_format_pprof,
    [ORMA_FORMAT_NINJA] = &orma_format_ninja,
    [ORMA_FORMAT_FUCHSIA] = &orma_format_fuchsia,
    [ORMA_FORMAT_ART_HPROF] = &orma_format_hprof,
};
