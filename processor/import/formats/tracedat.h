/*
 * trace-cmd's trace.dat, versions 6 and 7.
 *
 *   tracedat_read.c    the file: blocks or sections, options, where the pages of each CPU lie
 *   tracedat_pages.c   pages of other machines and clocks to pages of this one
 *   tracedat_time.c    the clock of the times, and what is to be added to them
 *   tracedat.c         pages to bundles, which are read as those of recordings of ours are
 *
 * All texts and spans below lie in the file, or in memory of `blobs`, and were checked to be there.
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_TRACEDAT_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_TRACEDAT_H
#include "processor/import/core/file.h"
#include "processor/read/inflate.h"
#include "protos/fields/ftrace.h"
#include "sdk/base/vec.h"
#include "sdk/ftrace/format.h"
#include "sdk/ftrace/page.h"

#define ORMA_TRACEDAT_MAGIC "\x17\x08\x44tracing"

struct orma_tracedat_cpu {
    uint32_t cpu;
    uint64_t offset, size;
};

/* One ring buffer: the top one, whose name is empty, or an instance. */
struct orma_tracedat_buffer {
    struct orma_str name, clock;
    uint32_t page_size; /* as the file has it, which may be wrong */
    bool packed;
    ORMA_VEC(struct orma_tracedat_cpu) cpus;
};

/* Times of a guest to those of its host, by pairs of one CPU: see tracedat_time.c. */
struct orma_tracedat_shift {
    const uint8_t *times, *offsets, *scalings,
        *fractions; /* num * 8 bytes each; fractions: or NULL */
    uint32_t num;
};

struct orma_tracedat {
    struct orma_file *file;
    const uint8_t *data;
    size_t len;
    unsigned version;
    bool big; /* numbers of the file and of its pages */
    bool packs;
    enum orma_inflate_form form;
    uint32_t page_size;
    struct orma_tracefs_page_layout layout;
    uint32_t real_page_size; /* as header_page has it; 0: not known */

    /* Blocks. A list of formats begins with its number of systems, or formats. */
    struct orma_str ftrace_formats, event_formats, kallsyms, printk, cmdlines;
    struct orma_str latency; /* text in the place of pages */
    ORMA_VEC(struct orma_tracedat_buffer) buffers;
    uint32_t cpus_num;

    /* Options. */
    struct orma_str clock, uname, tool, procmaps;
    ORMA_VEC(struct orma_str) cpu_stats;
    uint64_t trace_id;
    int64_t added_ns; /* to every time: DATE and OFFSET */
    bool has_date, has_trace_id;
    struct {
        uint32_t mult, shift;
    } tsc; /* mult 0: times are what they are */
    bool interpolates;
    ORMA_VEC(struct orma_tracedat_shift) shifts; /* by CPU; empty: the trace is of no guest */

    ORMA_VEC(struct orma_buf) blobs;
    /* Sections and tables lie beside each other, so there are no more bytes of them than the file
     * has: what is left of these. */
    uint64_t unclaimed;
    bool overlaps; /* more were asked for */
};

static inline bool orma_tracedat_has_data(const struct orma_tracedat_buffer *b)
{
    for (uint32_t i = 0; i < b->cpus.len; i++)
        if (b->cpus.data[i].size)
            return true;
    return false;
}

/* An event outside of pages. */
struct orma_tracedat_event {
    uint64_t ts;
    uint32_t cpu;
    struct orma_str bytes; /* as in a page, behind its time */
};

/*
 * What perf.data has of kernel events. `head` is the begin of a trace.dat of version 6, up to the
 * names of threads; `uname` as there ("Linux HOST RELEASE MACHINE"). Events are sorted by CPU, then
 * by time, and become rows as those of pages do. Where switches are missing, since single processes
 * were recorded, those that are there are rows of ftrace_event only.
 */
struct orma_tracedat_events {
    struct orma_str all; /* bytes of the file */
    struct orma_str head, uname;
    const struct orma_tracedat_event *list;
    size_t num;
    bool of_all; /* of all tasks, as the recorder's command line says */
};

/* True: scheduling was told. */
bool orma_tracedat_put_events(struct orma_file *file, const struct orma_tracedat_events *events);

/* tracedat_switches.c. `format`: of sched_switch. */
bool orma_tracedat_breaks_off(const struct orma_ftrace_format *format,
                              const struct orma_tracedat_event *list, size_t num);

/* False: it can't be read, and the error is told. */
bool orma_tracedat_read(struct orma_tracedat *self);
/* The same of such a head; false: it is damaged. */
bool orma_tracedat_read_head(struct orma_tracedat *self, struct orma_str head);
void orma_tracedat_fini(struct orma_tracedat *self);

/* A number of the file. */
uint64_t orma_tracedat_number(const struct orma_tracedat *self, const uint8_t *at, unsigned bytes);

/* The formats of a block: calls `fn` for each, with its system; until that is false. */
bool orma_tracedat_each_format(const struct orma_tracedat *self, struct orma_str block,
                               bool has_systems,
                               bool (*fn)(void *data, struct orma_str system, struct orma_str text),
                               void *data);

/* One packed piece, of which so many bytes come out. False: it is damaged, or too large (an error).
 */
bool orma_tracedat_unpack(const struct orma_tracedat *self, struct orma_str packed, uint32_t size,
                          struct orma_buf *ret);

/* ---- tracedat_counts.c ---- */

/* What the kernel says of one CPU's buffer. */
struct orma_tracedat_counts {
    uint64_t vals[ORMA_PB_FTRACE_CPU_STATS_READ_EVENTS + 1];
    bool known;
};

/* `all`: by CPU, ORMA_CPUS_MAX of them. */
void orma_tracedat_read_counts(struct orma_str text, struct orma_tracedat_counts *all);

/* ---- tracedat_time.c ---- */

/* The number of the clock that is called so; of the file itself if it is not one of the system. */
uint32_t orma_tracedat_clock(const struct orma_tracedat *self, struct orma_str name);

/* Are the times of the pages not those of the events? */
bool orma_tracedat_has_other_times(const struct orma_tracedat *self);
uint64_t orma_tracedat_time(const struct orma_tracedat *self, uint32_t cpu, uint64_t ts);

/* ---- tracedat_pages.c ---- */

/*
 * A page as this machine would have it, with the times of the events, in `ret`: from then on its
 * layout is {8, 16}. `formats`: by id, may have gaps. A page that is malformed is left as it is up
 * to there, and something malformed follows, for whoever walks over it.
 */
void orma_tracedat_convert_page(const struct orma_tracedat *self, uint32_t cpu,
                                const struct orma_ftrace_format *const *formats,
                                unsigned formats_num, struct orma_str page, struct orma_buf *ret);

/* A page of as many of the events as fit, and are of the CPU of the first. Gives their number. */
size_t orma_tracedat_make_page(const struct orma_tracedat_event *list, size_t num,
                               struct orma_buf *ret);

/* The size of the pages of one CPU, of which `data` are the first ones. */
uint32_t orma_tracedat_page_size(const struct orma_tracedat *self,
                                 const struct orma_tracedat_buffer *buffer, struct orma_str data);
#endif
