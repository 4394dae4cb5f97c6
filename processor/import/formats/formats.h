/* Formats other than packets: each in a file of its own, listed in processor/assembly/importers.c.
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_FORMATS_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_FORMATS_H
#include "processor/import/core/file.h"

extern const struct orma_format_ops orma_format_archive, orma_format_art_method,
    orma_format_art_method_v2, orma_format_callgrind, orma_format_collapsed, orma_format_ctf, orma_format_dhat, orma_format_dumpstate, orma_format_fuchsia,
    orma_format_gecko, orma_format_hprof, orma_format_instruments, orma_format_jfr, orma_format_json,
    orma_format_logcat, orma_format_manifest, orma_format_ninja, orma_format_packed,
    orma_format_otlp, orma_format_perf_data, orma_format_perf_text, orma_format_pprof, orma_format_simpleperf, orma_format_speedscope,
    orma_format_strace, orma_format_systrace, orma_format_tracedat, orma_format_uftrace, orma_format_v8_cpu, orma_format_v8_heap;

/* Their module; files bring the state of their format along. */
extern const struct orma_import_module orma_formats_module;

/*
 * Reports what went wrong with unpacking the file inside, if anything did. `result` is of
 * orma_inflater_feed() with `bytes`. A stream that is malformed or truncated gives what came out of
 * it, if anything did, and the rest is damage. False: there is no more to come out.
 */
struct orma_inflater;
bool orma_formats_unpacked(struct orma_file *inside, const struct orma_inflater *inflater,
                           int result, struct orma_str bytes, bool at_end);

/* So many files inside of this one have no content. */
void orma_formats_skip_empty(struct orma_file *file, unsigned num);

#endif
