#include "probes/python/layout.h"

#include <string.h>

#include "sdk/base/defs.h"

#define MINOR(version) ((version) >> 16)
#define COOKIE "xdebugpy"
#define PLACE_MAX 0xffefu /* what is looked at lies before that, whatever the size of the struct   \
                           */

static const struct orma_python_layout python_311 = {
    .runtime_interpreters = 40,
    .interpreter_next = 0,
    .interpreter_threads = 16,
    .thread_next = 8,
    .thread_native_id = 160,
    .thread_frame = 56,
    .thread_root = 336,
    .has_cframes = true,
    .cframe_frame = 8,
    .cframe_previous = 16,
    .frame_code = 32,
    .frame_previous = 48,
    .frame_instr = 56,
    .frame_owner = 69,
    .frame_is_entry = 68,
    .code_filename = 112,
    .code_qualname = 128,
    .code_linetable = 136,
    .code_firstlineno = 72,
    .code_adaptive = 184,
    .text_length = 16,
    .text_state = 32,
    .text_ascii = 48,
    .text_compact = 72,
    .bytes_data = 32,
};

static const struct orma_python_layout python_312 = {
    .runtime_interpreters = 40,
    .interpreter_next = 0,
    .interpreter_threads = 72,
    .thread_next = 8,
    .thread_native_id = 144,
    .thread_frame = 56,
    .thread_root = 272,
    .has_cframes = true,
    .cframe_frame = 0,
    .cframe_previous = 8,
    .frame_code = 0,
    .frame_previous = 8,
    .frame_instr = 56,
    .frame_owner = 70,
    .code_filename = 112,
    .code_qualname = 128,
    .code_linetable = 136,
    .code_firstlineno = 68,
    .code_adaptive = 192,
    .text_length = 16,
    .text_state = 32,
    .text_ascii = 40,
    .text_compact = 56,
    .bytes_data = 32,
};

/* Words of _Py_DebugOffsets of 3.13, behind the cookie. */
enum offset_313 {
    AT_VERSION,
    AT_FREE_THREADED,
    AT_RUNTIME_INTERPRETERS = 4,
    AT_INTERPRETER_NEXT = 7,
    AT_INTERPRETER_THREADS = 8,
    AT_THREAD_NEXT = 20,
    AT_THREAD_FRAME = 22,
    AT_THREAD_NATIVE_ID = 24,
    AT_FRAME_PREVIOUS = 28,
    AT_FRAME_CODE = 29,
    AT_FRAME_INSTR = 30,
    AT_FRAME_OWNER = 32,
    AT_CODE_FILENAME = 34,
    AT_CODE_QUALNAME = 36,
    AT_CODE_LINETABLE = 37,
    AT_CODE_FIRSTLINENO = 38,
    AT_CODE_ADAPTIVE = 42,
    AT_BYTES_DATA = 65,
    AT_TEXT_STATE = 67,
    AT_TEXT_LENGTH = 68,
    AT_TEXT_ASCII = 69,
    WORDS
};

static const uint8_t used[] = {AT_RUNTIME_INTERPRETERS, AT_INTERPRETER_NEXT, AT_INTERPRETER_THREADS,
                               AT_THREAD_NEXT,          AT_THREAD_FRAME,     AT_THREAD_NATIVE_ID,
                               AT_CODE_FILENAME,        AT_CODE_QUALNAME,    AT_CODE_LINETABLE,
                               AT_CODE_FIRSTLINENO,     AT_CODE_ADAPTIVE,    AT_BYTES_DATA,
                               AT_TEXT_STATE,           AT_TEXT_LENGTH,      AT_TEXT_ASCII};

const struct orma_python_layout *orma_python_layout_of(uint32_t version)
{
    switch (MINOR(version)) {
    case 0x030b:
        return &python_311;
    case 0x030c:
        return &python_312;
    }
    return NULL;
}

bool orma_python_layout_read(const struct orma_python_memory *memory, uint64_t runtime,
                             uint32_t version, struct orma_python_layout *ret)
{
    struct {
        char cookie[sizeof(COOKIE) - 1];
        uint64_t words[WORDS];
    } said;

    if (MINOR(version) != 0x030d || !memory->read(memory->ctx, runtime, &said, sizeof(said)) ||
        memcmp(said.cookie, COOKIE, sizeof(said.cookie)) != 0 ||
        said.words[AT_VERSION] != version || said.words[AT_FREE_THREADED])
        return false;
    const uint64_t *at = said.words;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(used); i++) {
        if (at[used[i]] > PLACE_MAX)
            return false;
    }
    for (unsigned i = AT_FRAME_PREVIOUS; i <= AT_FRAME_OWNER; i++) {
        if (at[i] > ORMA_PYTHON_FRAME_BYTES - sizeof(uint64_t))
            return false;
    }
    *ret = (struct orma_python_layout){
        .runtime_interpreters = (uint16_t)at[AT_RUNTIME_INTERPRETERS],
        .interpreter_next = (uint16_t)at[AT_INTERPRETER_NEXT],
        .interpreter_threads = (uint16_t)at[AT_INTERPRETER_THREADS],
        .thread_next = (uint16_t)at[AT_THREAD_NEXT],
        .thread_native_id = (uint16_t)at[AT_THREAD_NATIVE_ID],
        .thread_frame = (uint16_t)at[AT_THREAD_FRAME],
        .frame_code = (uint16_t)at[AT_FRAME_CODE],
        .frame_previous = (uint16_t)at[AT_FRAME_PREVIOUS],
        .frame_instr = (uint16_t)at[AT_FRAME_INSTR],
        .frame_owner = (uint16_t)at[AT_FRAME_OWNER],
        .code_filename = (uint16_t)at[AT_CODE_FILENAME],
        .code_qualname = (uint16_t)at[AT_CODE_QUALNAME],
        .code_linetable = (uint16_t)at[AT_CODE_LINETABLE],
        .code_firstlineno = (uint16_t)at[AT_CODE_FIRSTLINENO],
        .code_adaptive = (uint16_t)at[AT_CODE_ADAPTIVE],
        .text_length = (uint16_t)at[AT_TEXT_LENGTH],
        .text_state = (uint16_t)at[AT_TEXT_STATE],
        .text_ascii = (uint16_t)at[AT_TEXT_ASCII],
        .text_compact = (uint16_t)(at[AT_TEXT_ASCII] + 16), /* the UTF-8 of it, and how long */
        .bytes_data = (uint16_t)at[AT_BYTES_DATA],
    };
    return true;
}
