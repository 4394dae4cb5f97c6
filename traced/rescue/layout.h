/*
 * What lies in a rescue folder, byte by byte. Numbers are those of the machine: the files are for
 * the same machine, and for the same version; whoever reads them checks that first.
 *
 *   sN.state   a page: struct traced_rescue_state
 *   sN.config  the TraceConfig
 *   sN.note0,1 u32 length, packets that are still to come at the head of the trace, then incidents
 *              as fields of TraceStats; `state.note` says which of the two is valid
 *   sN.bI      a page: struct traced_rescue_buffer; then the records (buffers/buffer_internal.h)
 *   sN.qI      sequences, an array of struct traced_seq
 *   pN.who     struct traced_rescue_producer, then for each writer id the buffer it was announced
 *              for, plus 1 (0: it was not)
 *   pN.shm     shared memory (sdk/shm/layout.h)
 *
 * Order of writes: data, then the word that makes it valid. What was being changed when the process
 * died is named by `busy`, and left out. A process that is killed has done all stores up to some
 * point and none behind it; so only the compiler must keep their order (traced_rescue_barrier()).
 */
#ifndef ORMA_TRACED_RESCUE_LAYOUT_H
#define ORMA_TRACED_RESCUE_LAYOUT_H
#include <stdatomic.h>
#include <stdint.h>

#define TRACED_RESCUE_VERSION 4u
/* First bytes of the text in `lock`: "orma-rescue 4 pid 123\n". */
#define TRACED_RESCUE_TITLE "orma-rescue"

enum traced_rescue_kind {
    TRACED_RESCUE_STATE = 0x5453524f,    /* "ORST" */
    TRACED_RESCUE_BUFFER = 0x4642524f,   /* "ORBF" */
    TRACED_RESCUE_PRODUCER = 0x5250524f, /* "ORPR" */
};

struct traced_rescue_head {
    uint32_t kind; /* enum traced_rescue_kind; 0: not complete */
    uint32_t version;
    uint32_t head_bytes; /* what is in front of the data */
    uint32_t item_bytes; /* sizeof(struct traced_seq), or of a record's header: they must be ours */
};

/* A central buffer. */
struct traced_rescue_buffer {
    struct traced_rescue_head head;
    uint64_t size;
    uint32_t policy;
    uint32_t target; /* id by which producers know the buffer */
    _Atomic uint64_t wptr, used;
    /* Records from `wptr` up to here are being changed; 0: none. */
    _Atomic uint64_t busy;
    /* Behind it the memory is not that of the file. */
    _Atomic uint64_t limit;
    _Atomic uint64_t seqs_num; /* sequences in the other file */
};

#define TRACED_RESCUE_PATH_MAX 1856

/* What was written into the file: its first so many blocks, up to this place. */
struct traced_rescue_place {
    uint64_t blocks, bytes;
    uint64_t old_bytes; /* as far as the file before goes, while that is being completed; or 0 */
    uint32_t file;      /* which of traced_rescue_state.files; the other one is the file before */
    uint32_t number;    /* how often there was another file */
};

/* An empty path: there is none, or it is not a regular one. */
struct traced_rescue_file {
    uint64_t dev, ino, start;
    char path[TRACED_RESCUE_PATH_MAX];
};

struct traced_rescue_state {
    struct traced_rescue_head head;
    uint64_t session_id;
    int64_t uuid_msb, uuid_lsb;
    int32_t uid;
    int32_t pid; /* of the service */
    uint32_t buffers_num;
    _Atomic uint32_t note;        /* which of the two; 2: none yet */
    _Atomic uint32_t place;       /* which of the two is valid */
    _Atomic uint32_t is_complete; /* the file has everything */
    struct traced_rescue_place places[2];
    uint64_t start_boot_ns;
    struct traced_rescue_file files[2];
    /* The block in which the packets of a note are, times 2, plus which note: from when that block
     * is in the file, they are not still to come, although no other note is there yet. 0: none. */
    _Atomic uint64_t noted;
};

struct traced_rescue_producer {
    struct traced_rescue_head head;
    uint32_t id;
    int32_t uid, pid;
    uint32_t machine_id;
    uint32_t page_size, shm_size; /* 0: no shared memory of ours */
    char name[128];               /* cut */
};
#define TRACED_RESCUE_WRITERS 32768u

/* What was stored before is there before what is stored after it, for who looks when we are dead.
 */
static inline void traced_rescue_barrier(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}
#endif
