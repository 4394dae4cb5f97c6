/*
 * Frame pointers: does the code that a program consists of keep them? Then the kernel can follow
 * its calls, and no stack need be copied.
 *
 * Judged by what is, or will be, mapped: program, loader and libraries, by their own rules for
 * unwinding. What cannot be read, is a script, or has none, counts as keeping none. Threads: none.
 */
#ifndef ORMA_TOOLS_RECORD_FRAME_POINTERS_H
#define ORMA_TOOLS_RECORD_FRAME_POINTERS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a command that is not running yet: `name` as for execvp(). */
bool orma_record_frame_pointers_of_command(const char *name);

/* Of all of these processes, as they are mapped now. */
bool orma_record_frame_pointers_of_processes(const char *proc_root, const int32_t *pids,
                                             size_t num);
#endif
