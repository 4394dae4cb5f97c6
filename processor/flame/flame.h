/*
 * Stacks as files of others, and as pictures: one line a stack (collapsed), speedscope's JSON, a
 * flame graph that stands still (SVG), and one to look into (HTML: a single file, no network).
 *
 * Names come from a trace and may hold anything: each format escapes them.
 */
#ifndef ORMA_PROCESSOR_FLAME_FLAME_H
#define ORMA_PROCESSOR_FLAME_FLAME_H
#include "processor/stacks/stacks.h"
#include "protos/reflect/embedded.h"
#include "protos/reflect/io.h"

enum orma_flame_format {
    ORMA_FLAME_COLLAPSED,
    ORMA_FLAME_SPEEDSCOPE,
    ORMA_FLAME_SVG,
    ORMA_FLAME_HTML,
};

struct orma_flame {
    const struct orma_stacks *stacks;
    const char *title; /* of pictures */
    struct orma_reflect_sink sink;
};

/* 0, what the sink returned, or -ENOMEM. */
int orma_flame_write(struct orma_flame *self, enum orma_flame_format format);

/* "collapsed", "speedscope", "svg", "html". False: none of them. */
bool orma_flame_format_of(const char *name, enum orma_flame_format *ret);

/* flame.html, alone. */
extern const struct orma_embedded orma_flame_pages;
#endif
