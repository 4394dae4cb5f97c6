/*
 * Where CPython keeps what its functions do, version by version.
 *
 *   3.11, 3.12   as in their sources; it does not change within a version
 *   3.13         the interpreter says it itself, in the _Py_DebugOffsets that begin its _PyRuntime
 *
 * Older ones have no such frames, what newer ones say has another form: both are refused. What is
 * read may be nonsense all the same; who uses it checks what comes of it.
 * Threads: none.
 */
#ifndef ORMA_PYTHON_LAYOUT_H
#define ORMA_PYTHON_LAYOUT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORMA_PYTHON_FRAME_BYTES 128 /* of a frame, as far as we look into it */

/* Memory of another process: all of `len` bytes, or false. */
struct orma_python_memory {
    bool (*read)(void *ctx, uint64_t address, void *to, size_t len);
    void *ctx;
};

/* Places in structs, in bytes from their beginnings. */
struct orma_python_layout {
    uint16_t runtime_interpreters;
    uint16_t interpreter_next, interpreter_threads;
    uint16_t thread_next, thread_native_id;
    uint16_t thread_frame; /* _PyCFrame *, or without those, _PyInterpreterFrame * */
    uint16_t thread_root;  /* the outermost _PyCFrame, which lies in the thread itself */
    bool has_cframes;      /* a _PyCFrame lies in the C frame of each run of the interpreter */
    uint16_t cframe_frame, cframe_previous;
    uint16_t frame_code, frame_previous, frame_instr, frame_owner;
    uint16_t frame_is_entry; /* 0: such frames are of their own kind, on the C stack */
    uint16_t code_filename, code_qualname, code_linetable, code_firstlineno, code_adaptive;
    uint16_t text_length, text_state, text_ascii, text_compact; /* where characters begin */
    uint16_t bytes_data;
};

/* Of a version as PY_VERSION_HEX has it. NULL: none that is known. */
const struct orma_python_layout *orma_python_layout_of(uint32_t version);

/* As _PyRuntime at that address says. False: it says nothing, or no layout that can be. */
bool orma_python_layout_read(const struct orma_python_memory *memory, uint64_t runtime,
                             uint32_t version, struct orma_python_layout *ret);

static inline bool orma_python_u64(const struct orma_python_memory *memory, uint64_t address,
                                   uint64_t *ret)
{
    return memory->read(memory->ctx, address, ret, sizeof(*ret));
}
#endif
