/*
 * Window traces of Android (winscope): what is on the screen, by whom it was put there, and how.
 *
 * Each packet is a snapshot or a change, and becomes a row; what is inside (layers, views, windows)
 * becomes rows that refer to it. Rows have all fields of their message as args, and the number of
 * the message itself, from which SQL can make args of fields that are not there, too. Rectangles
 * and transformations are rows that others share. Threads: none.
 */
#ifndef ORMA_PROCESSOR_IMPORT_WINSCOPE_WINSCOPE_H
#define ORMA_PROCESSOR_IMPORT_WINSCOPE_WINSCOPE_H
#include "processor/import/core/msg.h"
#include "processor/import/core/proto_args.h"
#include "processor/read/seq.h"
#include "protos/fields/trace.h"
#include "sdk/base/assert.h"
#include "sdk/base/vec.h"

/* Messages within messages are read this deep at most. */
#define ORMA_WINSCOPE_DEPTH_MAX 64

/* The state of the module. */
struct orma_winscope {
    struct orma_map rows;        /* hash of what a shared row says → row */
    struct orma_map messages;    /* hash of bytes → number of the message */
    struct orma_map flags;       /* masks → numbers of sets of flags */
    struct orma_map transitions; /* machine and id → index; transitions.c */
    ORMA_VEC_STRUCT(orma_winscope_transitions, struct orma_winscope_transition *) list;
};

static inline struct orma_winscope *orma_winscope(const struct orma_import_ctx *imp)
{
    ORMA_ASSERT_HOT(imp->state);
    return imp->state;
}

/* ---- args.c: messages as args ---- */

/* The columns of a table for what is said of a message as a whole. */
struct orma_winscope_columns {
    enum orma_table_id table;
    uint8_t args, message;
};

struct orma_winscope_msg {
    const char *type; /* full name, of com.android.internal. A literal */
    struct orma_str bytes;
    const struct orma_seq_gen *gen; /* for interned texts; may be NULL */
    uint16_t machine;
    bool (*wanted)(uint32_t number); /* fields of it; NULL: all */
};

/* Sets both; `args` (may be NULL) is what is added to those of the message. */
void orma_winscope_set_message(struct orma_import_ctx *imp, const struct orma_winscope_columns *to,
                               uint32_t row, const struct orma_winscope_msg *msg,
                               struct orma_args_list *args);

/* The args of a message, behind those that are there. */
void orma_winscope_put_args(struct orma_import_ctx *imp, const struct orma_winscope_msg *msg,
                            struct orma_args_list *args);

/* The number of a message; the same bytes have the same. */
uint32_t orma_winscope_number(struct orma_import_ctx *imp, struct orma_str bytes);

/* The text of an interned string, as pool id; 0, and counted: there is none. */
uint32_t orma_winscope_interned(struct orma_import_ctx *imp, const struct orma_winscope_msg *msg,
                                uint32_t kind, uint64_t iid);

/* Interned data of ViewCapture. */
enum {
    ORMA_WINSCOPE_PACKAGES = 38,
    ORMA_WINSCOPE_WINDOWS,
    ORMA_WINSCOPE_VIEW_IDS,
    ORMA_WINSCOPE_CLASSES,
    ORMA_WINSCOPE_TEXTS = 46,
    ORMA_WINSCOPE_DESCRIPTIONS = 45,
};

/* ---- rects.c ---- */

struct orma_winscope_rect {
    double x, y, w, h;
};

struct orma_winscope_transform {
    double dsdx, dtdx, tx, dtdy, dsdy, ty;
};

#define ORMA_WINSCOPE_IDENTITY ((struct orma_winscope_transform){.dsdx = 1, .dsdy = 1})

/* A rectangle that is drawn. */
struct orma_winscope_drawn {
    struct orma_winscope_rect rect;
    struct orma_winscope_transform transform;
    uint32_t group, depth;
    bool spy, visible, own_rows, has_opacity; /* own_rows: shared with nobody */
    double opacity;
    double border_width;
    uint32_t border_color;
    bool has_border;
};

/* RectProto and FloatRectProto. False: it has no area. */
bool orma_winscope_read_rect(struct orma_str bytes, struct orma_winscope_rect *ret);
bool orma_winscope_read_float_rect(struct orma_str bytes, struct orma_winscope_rect *ret);

/* TransformProto, moved to (x, y). */
struct orma_winscope_transform orma_winscope_read_transform(struct orma_str bytes, double x,
                                                            double y);

/* Rows of winscope_rect and winscope_trace_rect. */
uint32_t orma_winscope_rect_row(struct orma_import_ctx *imp, const struct orma_winscope_rect *rect,
                                bool own);
uint32_t orma_winscope_drawn_row(struct orma_import_ctx *imp,
                                 const struct orma_winscope_drawn *drawn);

/* ---- extensions.c: what each field of WinscopeExtensions is read by ---- */

void orma_winscope_viewcapture(struct orma_import_ctx *imp, const struct orma_item *item,
                               struct orma_str bytes);
void orma_winscope_windows(struct orma_import_ctx *imp, const struct orma_item *item,
                           struct orma_str bytes);
void orma_winscope_input(struct orma_import_ctx *imp, const struct orma_item *item,
                         struct orma_str bytes);

extern const struct orma_import_module orma_winscope_module;
extern const struct orma_importer orma_winscope_extensions_importer, orma_winscope_layers_importer,
    orma_winscope_transactions_importer, orma_winscope_transitions_importer;
#endif
