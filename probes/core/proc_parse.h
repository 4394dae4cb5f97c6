/*
 * Files below /proc that many sources read, and their parsers. Text in, structs out;
 * what a line does not say stays as it was. Nothing is trusted: lengths are
 * capped, numbers checked, names may be any bytes.
 */
#ifndef ORMA_PROBES_PROC_PARSE_H
#define ORMA_PROBES_PROC_PARSE_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/str.h"

#define ORMA_PROC_NS_MAX 32

/* The file `name` of a process; of one that is too long the first `max` bytes. False: it cannot be
 * read. */
bool orma_proc_read(int proc_fd, int32_t pid, const char *name, size_t max, struct orma_buf *ret);

/* Memory counters of a process, in KiB; indices of orma_proc_status.mem. */
enum orma_proc_mem {
    ORMA_PROC_VM_SIZE,
    ORMA_PROC_VM_RSS,
    ORMA_PROC_RSS_ANON,
    ORMA_PROC_RSS_FILE,
    ORMA_PROC_RSS_SHMEM,
    ORMA_PROC_VM_SWAP,
    ORMA_PROC_VM_LCK,
    ORMA_PROC_VM_HWM,
    ORMA_PROC_MEM_NUM,
};

/* /proc/PID/status */
struct orma_proc_status {
    int32_t pid, tgid, ppid;         /* pid 0: the line was missing */
    uint32_t uid;                    /* real */
    struct orma_str name;            /* points into the text; the kernel's escapes are kept */
    int32_t nspid[ORMA_PROC_NS_MAX]; /* from this namespace inwards */
    unsigned nspid_num;
    bool has_kthread, is_kthread;
    uint64_t mem[ORMA_PROC_MEM_NUM];
    uint32_t mem_present; /* bit per enum orma_proc_mem */
};

/* /proc/PID/stat */
struct orma_proc_stat {
    uint64_t utime, stime, start_time; /* ticks */
};

/* /proc/PID/smaps_rollup, KiB */
struct orma_proc_smaps {
    uint64_t rss, pss, pss_anon, pss_file, pss_shmem, swap_pss;
};

/* False: not even a pid and a thread group. */
bool orma_proc_parse_status(struct orma_str text, struct orma_proc_status *ret);
/* The name in the line may hold blanks and brackets: what counts begins behind the last ')'. */
bool orma_proc_parse_stat(struct orma_str text, struct orma_proc_stat *ret);
bool orma_proc_parse_smaps(struct orma_str text, struct orma_proc_smaps *ret);

/*
 * /proc/PID/cgroup: the path of the one hierarchy of version 2 ("0::/path"), else of
 * systemd's, else of the first. Empty: there is none, or it is the root.
 */
struct orma_str orma_proc_parse_cgroup(struct orma_str text);

/* "Key:   123 kB": true if the line has that key and a number. */
bool orma_proc_key_number(struct orma_str line, const char *key, uint64_t *ret);

/* The next word (blanks and tabs separate), removed from *rest. False: no more. */
bool orma_proc_word(struct orma_str *rest, struct orma_str *ret);
/* The next word as a number. */
bool orma_proc_number(struct orma_str *rest, uint64_t *ret);
#endif
