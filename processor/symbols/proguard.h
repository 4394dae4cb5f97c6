/*
 * ProGuard and R8 write down which names they made short:
 *
 *     com.example.Shop -> a.b:
 *         int price -> a
 *         12:15:void sell(int):40:43 -> c
 *
 * A mapping becomes packets (DeobfuscationMapping) that stand behind a trace. A short name of
 * several methods gets all of their classes, with "[ambiguous]" for several of one class.
 */
#ifndef ORMA_PROCESSOR_SYMBOLS_PROGUARD_H
#define ORMA_PROCESSOR_SYMBOLS_PROGUARD_H
#include "sdk/base/buf.h"
#include "sdk/base/str.h"

/*
 * Appends packets for the mapping in `text`. An empty `package` is for all. 0; -ENOMEM; -EBADMSG
 * and *ret_line, counted from 1: a line that is none of a mapping; nothing was appended then.
 */
int orma_proguard_packets(struct orma_str text, struct orma_str package, struct orma_buf *out,
                          unsigned *ret_line);
#endif
