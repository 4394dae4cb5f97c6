/*
 * The kernel's description of one event: events/GROUP/EVENT/format, parsed.
 *
 * Every field gets a kind: how its bytes in the raw event are to be read. The
 * kinds follow from the declaration text, since the kernel says no more. What
 * is strange in the text (no name, no numbers, a field outside any sensible
 * event) is left out and counted; what is left can be trusted: names are not
 * empty, offset + size stays below ORMA_FTRACE_FORMAT_EVENT_MAX.
 *
 * All text is copied into the arena that the caller gives. Threads: none.
 */
#ifndef ORMA_SDK_FTRACE_FORMAT_H
#define ORMA_SDK_FTRACE_FORMAT_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/arena.h"
#include "sdk/base/str.h"

#define ORMA_FTRACE_FORMAT_FIELDS_MAX 128
#define ORMA_FTRACE_FORMAT_EVENT_MAX 0x8000
#define ORMA_FTRACE_FORMAT_PRINTK_MAX 1024 /* of a text behind an ORMA_FTRACE_KIND_PRINTK */

enum orma_ftrace_kind {
    ORMA_FTRACE_KIND_UINT,   /* size 1, 2, 4, 8 */
    ORMA_FTRACE_KIND_INT,    /* the same, signed */
    ORMA_FTRACE_KIND_BOOL,   /* one byte */
    ORMA_FTRACE_KIND_DEV,    /* kernel's own packing of major and minor, 4 or 8 bytes */
    ORMA_FTRACE_KIND_INODE,  /* 4 or 8 bytes */
    ORMA_FTRACE_KIND_PID,    /* 4 bytes, signed */
    ORMA_FTRACE_KIND_SYMBOL, /* address of kernel code, 4 or 8 bytes */
    ORMA_FTRACE_KIND_PRINTK, /* address of a string that printk_formats may know, 4 or 8 bytes */
    ORMA_FTRACE_KIND_CHARS,  /* char[N]: text up to the first NUL */
    ORMA_FTRACE_KIND_CHARS_TO_END, /* char[] of size 0: text up to the first NUL or the event's end
                                    */
    ORMA_FTRACE_KIND_ARRAY,        /* `count` numbers of `elem_size` */
    ORMA_FTRACE_KIND_ARRAY_TO_END, /* numbers of `elem_size` up to the event's end */
    ORMA_FTRACE_KIND_LOC_CHARS,    /* u32: offset (low half) and length of a text elsewhere in the
                                      event */
    ORMA_FTRACE_KIND_LOC_ARRAY,    /* the same, of numbers of `elem_size` */
    ORMA_FTRACE_KIND_OPAQUE,       /* cannot be read: a struct, a number of an odd size */
};

struct orma_ftrace_format_field {
    const char *name;
    uint16_t offset;
    uint16_t size;
    uint8_t kind; /* enum orma_ftrace_kind */
    uint8_t elem_size;
    bool is_signed;
    bool is_relative; /* LOC: the offset counts from the end of this field (__rel_loc) */
    uint16_t count;   /* ARRAY */
};

struct orma_ftrace_format {
    const char *name;
    uint16_t id;
    uint16_t common_pid_offset; /* 0: there is none */
    uint16_t common_flags_offset;
    uint16_t size; /* highest end of a field: an event is at least that long */
    uint16_t fields_num;
    uint16_t odd_lines;                      /* field lines that made no sense */
    struct orma_ftrace_format_field *fields; /* without the common_ ones, in the file's order */
};

/*
 * 0; -EBADMSG: no name, no id (1..65535), or no field line that makes sense;
 * -ENOMEM. `word_size` is that of the kernel: 8, or 4.
 */
int orma_ftrace_format_parse(struct orma_arena *arena, struct orma_str text, unsigned word_size,
                             struct orma_ftrace_format *ret);

/* The field, or NULL. */
const struct orma_ftrace_format_field *
orma_ftrace_format_field(const struct orma_ftrace_format *self, const char *name);
#endif
