/*
 * Folders of uftrace: calls of functions, thread by thread.
 *
 *   info        what was recorded, and which arguments functions have
 *   task.txt    sessions (a program that a process runs), threads, forks
 *   sid-X.map   where the files of a session lay in memory
 *   NAME.sym    symbols of a file; NAME.dbg: its arguments and source lines
 *   N.dat       records of thread N: entries and exits of functions, events
 *   perf-cpuN.dat, extern.dat, events.txt
 *
 * The folder is one file here: `info` stands for it, and has the others as its parts.
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_UFTRACE_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_UFTRACE_H
#include "processor/import/core/arg_key.h"
#include "processor/import/core/file.h"
#include "sdk/base/arena.h"
#include "sdk/base/vec.h"

#define ORMA_UFTRACE_NOTHING UINT32_MAX

/* A value that a record has behind it. */
struct orma_uftrace_value {
    char format;    /* d i u x o c f s S p e; t: a struct; 0: as the width says */
    uint16_t bytes; /* 0 for texts */
};

#define ORMA_UFTRACE_VALUES_MAX 16
struct orma_uftrace_spec {
    bool is_known; /* else it is not told how long the values are */
    uint8_t num;
    struct orma_uftrace_value values[ORMA_UFTRACE_VALUES_MAX];
};

struct orma_uftrace_symbol {
    uint64_t addr, size; /* size 0: not told */
    struct orma_str raw;
    uint32_t name;   /* pool id, demangled; 0: not asked for yet */
    uint32_t source; /* "t.c:9"; 0: not told */
    char type;
    bool has_args, has_retval; /* in the debug file; the specs are below */
    bool looked_up;
    struct orma_str arg_text, retval_text;
    struct orma_uftrace_spec args, retval;
};

struct orma_uftrace_module {
    struct orma_str name; /* of the file that it is in */
    ORMA_VEC(struct orma_uftrace_symbol) symbols;
};

struct orma_uftrace_mapping {
    uint64_t start, end;
    uint64_t base;   /* the lowest start of the same file */
    uint32_t module; /* ORMA_UFTRACE_NOTHING: no symbols */
};

struct orma_uftrace_session {
    uint64_t id;
    ORMA_VEC(struct orma_uftrace_mapping) maps;
};

/* From then on a process runs a session. */
struct orma_uftrace_era {
    uint32_t pid;
    int64_t ts;
    uint32_t session; /* ORMA_UFTRACE_NOTHING: that of `parent` at that time */
    uint32_t parent;
    uint32_t line; /* in the order of the file */
};

struct orma_uftrace_frame {
    uint16_t depth;
    bool refused; /* it has no slice */
    struct orma_uftrace_symbol *symbol;
    uint64_t addr;
};

struct orma_uftrace_task {
    uint32_t tid, pid;
    const uint8_t *begin, *end; /* of its records */
    uint32_t utid;              /* ORMA_ID_NONE: not made yet */
    ORMA_VEC(struct orma_uftrace_frame) open;
};

/* "PATTERN@values" */
struct orma_uftrace_rule {
    struct orma_str pattern, values; /* values.data NULL: those of the debug file */
};
ORMA_VEC_STRUCT(orma_uftrace_rules, struct orma_uftrace_rule);

struct orma_uftrace_running {
    uint32_t utid, row; /* of sched, + 1; 0: nothing that is known */
};

struct orma_uftrace {
    bool big, wide; /* byte order; 64 bits */
    uint64_t features;
    struct orma_str info;     /* its text */
    struct orma_str patterns; /* "regex", "glob", "simple" */
    struct orma_uftrace_rules args, retvals, auto_args, auto_retvals;
    ORMA_VEC(struct orma_uftrace_module) modules;
    ORMA_VEC(struct orma_uftrace_session) sessions;
    ORMA_VEC(struct orma_uftrace_era) eras;        /* sorted by pid and line */
    ORMA_VEC(struct orma_uftrace_task) tasks;      /* sorted by where their records are */
    ORMA_VEC(struct orma_uftrace_running) running; /* by cpu */
    struct orma_map by_tid;                        /* → place in tasks, until they are sorted */
    struct orma_map event_names;                   /* id → pool id */
    struct orma_arena arena;
    uint64_t work; /* what may still be looked at in search of names and rules */
};

/* Takes so much of the budget. Few bytes can ask for much: each record for one of many sessions,
 * each map for one of many parts, each function for one of many rules. False: nothing is left. */
static inline bool orma_uftrace_spend(struct orma_file *file, uint64_t num)
{
    struct orma_uftrace *self = file->state;

    if (self->work >= num) {
        self->work -= num;
        return true;
    }
    self->work = 0;
    orma_file_part(file, ORMA_ACCOUNT_NOT_READ, "names and rules that take too long to find", NULL);
    return false;
}

/* A number of the file. */
static inline uint64_t orma_uftrace_number(const struct orma_uftrace *self, const uint8_t *at,
                                           unsigned bytes)
{
    uint64_t val = 0;

    for (unsigned i = 0; i < bytes; i++)
        val = val << 8 | at[self->big ? i : bytes - 1 - i];
    return val;
}

/* The part of that name; data NULL: there is none. */
static inline struct orma_str orma_uftrace_part(const struct orma_file *file, const char *name)
{
    for (uint32_t i = 0; i < file->parts_num; i++)
        if (orma_str_eq_c(file->parts[i].name, name))
            return file->parts[i].bytes;
    return (struct orma_str){NULL, 0};
}

/* Records of perf: a head, and at their end pid, tid and time. */
#define ORMA_UFTRACE_PERF_HEAD 8
#define ORMA_UFTRACE_PERF_ID_BYTES 16

#define ORMA_UFTRACE_RECORD_BYTES 16

enum orma_uftrace_record_type {
    ORMA_UFTRACE_ENTRY,
    ORMA_UFTRACE_EXIT,
    ORMA_UFTRACE_LOST,
    ORMA_UFTRACE_EVENT,
};

struct orma_uftrace_record {
    int64_t ts;
    enum orma_uftrace_record_type type;
    bool more;
    uint16_t depth;
    uint64_t addr;
};

/* ---- uftrace_symbols.c ---- */

/* Reads the map of a session, and the symbols of its files. */
uint32_t orma_uftrace_session(struct orma_file *file, uint64_t id);

/* The symbol of an address at a time; NULL: none. */
struct orma_uftrace_symbol *orma_uftrace_find(struct orma_file *file, uint32_t pid, int64_t ts,
                                              uint64_t addr);

/* What it is called, as pool id. */
uint32_t orma_uftrace_name(struct orma_file *file, struct orma_uftrace_symbol *symbol,
                           uint64_t addr);

/* ---- uftrace_args.c ---- */

/* The rules of "a@arg1;b@arg2/s". */
void orma_uftrace_read_rules(struct orma_file *file, struct orma_str text,
                             struct orma_uftrace_rules *ret);

/* The values of entries, or of exits, of a function. */
const struct orma_uftrace_spec *orma_uftrace_spec(struct orma_file *file,
                                                  struct orma_uftrace_symbol *symbol, bool exits);

/* Bytes of the values behind a record; 0: not known, or more than there are. */
size_t orma_uftrace_values_len(const struct orma_uftrace *self,
                               const struct orma_uftrace_spec *spec, struct orma_str bytes);

/* The values as args. */
void orma_uftrace_put_values(struct orma_file *file, const struct orma_uftrace_spec *spec,
                             bool exits, struct orma_str bytes, struct orma_args_list *ret);

/* ---- uftrace_records.c ---- */

/* False: it is none. */
bool orma_uftrace_read_record(const struct orma_uftrace *self, const uint8_t *at, size_t len,
                              struct orma_uftrace_record *ret);

/* "7589.631391270", in ns. */
bool orma_uftrace_read_time(struct orma_str text, int64_t *ret);

/* Whether a file is of switches, and of which cpu. */
bool orma_uftrace_is_perf(struct orma_str name, uint32_t *ret_cpu);

/* Notes all that is in the files of threads, of switches, and in extern.dat. */
void orma_uftrace_add_records(struct orma_file *file);

/* ---- uftrace_rows.c ---- */

struct orma_unit_end orma_uftrace_parse(struct orma_file *file, const struct orma_item *item);
#endif
