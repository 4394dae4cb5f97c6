/*
 * printk_formats: the texts behind addresses that some events carry.
 * One line each: 0xffffffff81a3f2b0 : "text", with \n and the like escaped.
 */
#ifndef ORMA_SDK_FTRACE_PRINTK_H
#define ORMA_SDK_FTRACE_PRINTK_H
#include "sdk/base/arena.h"
#include "sdk/base/map.h"
#include "sdk/base/str.h"

/* address -> const char * in the arena, cut at ORMA_FTRACE_FORMAT_PRINTK_MAX. -ENOMEM. */
int orma_ftrace_printk_parse(struct orma_arena *arena, struct orma_str text, struct orma_map *ret);
#endif
