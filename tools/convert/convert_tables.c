/* Conversions that need the whole trace in tables. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "processor/export/export.h"
#include "processor/flame/flame.h"
#include "tools/convert/convert.h"
#include "tools/convert/profile_folder.h"
#include "tools/load/load.h"
#include "tools/load/loss.h"
#include "tools/load/symbols.h"

#ifdef ORMA_HAVE_ZLIB
#include <zlib.h>
#endif

/* What viewers of systrace files can bear. */
#define TRUNCATE_EVENTS 500000

static int sink_write(void *ctx, const void *data, size_t len)
{
    struct orma_convert *self = ctx;
    struct orma_buf view = {.data = (uint8_t *)(uintptr_t)data, .len = len, .cap = len};

    return orma_convert_write(self, &view); /* it reads only, and clears the view */
}

static void say_result(const struct orma_convert *self, const struct orma_export *ex, int r)
{
    if (r < 0 && ex->refused)
        orma_convert_say(self, "%s: %s", self->in_path, ex->refused);
    else if (r < 0 && !self->write_failed)
        orma_convert_say(self, "%s",
                         *orma_processor_error(ex->tp) ? orma_processor_error(ex->tp)
                                                       : strerror(-r));
    if (r == 0 && ex->flows_left_out)
        orma_convert_say(
            self,
            "left out %" PRIu64
            " flows between slices that are on no thread: the format cannot express them",
            ex->flows_left_out);
}

/* What a result is made of: without any, it is empty, and that is said. */
enum content { CONTENT_ANY, CONTENT_KERNEL_EVENTS, CONTENT_SAMPLES };

static int export(struct orma_convert *self, struct orma_reflect_sink sink,
                  int (*fn)(struct orma_export *), enum content content)
{
    struct orma_export ex = {
        .sink = sink,
        .no_args = self->no_annotations,
        .kernel_events_max = self->truncate == ORMA_TRUNCATE_NO ? 0 : TRUNCATE_EVENTS,
        .kernel_events_last = self->truncate == ORMA_TRUNCATE_END,
    };
    int r = orma_convert_load(self, &ex.tp);

    if (r < 0)
        return r;
    r = fn(&ex);
    say_result(self, &ex, r);
    if (r == 0 && content == CONTENT_SAMPLES && !ex.samples) {
        bool sums =
            orma_load_number(ex.tp, "SELECT count(*) FROM __intrinsic_aggregate_sample") > 0;

        orma_convert_say(self, "%s: %s%s", self->in_path,
                         sums ? "stacks have sums in this trace, and no times, which the format "
                                "needs: flamegraph, collapsed, speedscope and profile have them"
                              : "no samples with stacks in this trace",
                         self->compatible ? ": the result is empty" : "");
        r = self->compatible ? 0 : -ENODATA;
    }
    if (r == 0 && ex.weighed && ex.samples && !self->compatible)
        orma_convert_say(self,
                         "%s: the format of Firefox counts each sample as one; flamegraph, "
                         "collapsed, speedscope and profile have their weights",
                         self->in_path);
    if (r == 0 && content == CONTENT_KERNEL_EVENTS && !ex.kernel_events)
        orma_convert_say(self, "%s: no kernel events in this trace: the result is empty",
                         self->in_path);
    orma_processor_free(ex.tp);
    return r;
}

int orma_convert_json(struct orma_convert *self)
{
    return export(self, (struct orma_reflect_sink){sink_write, self}, orma_export_json,
                  CONTENT_ANY);
}

int orma_convert_firefox(struct orma_convert *self)
{
    return export(self, (struct orma_reflect_sink){sink_write, self}, orma_export_firefox,
                  CONTENT_SAMPLES);
}

static int write_stacks(struct orma_convert *self, enum orma_flame_format format)
{
    const struct orma_stacks_choice choice = {.kind = ORMA_STACKS_SAMPLES};
    struct orma_processor *tp;
    struct orma_stacks stacks;
    int r = orma_convert_load(self, &tp);

    if (r < 0)
        return r;
    r = orma_stacks_load(&stacks, tp, &choice);
    if (r == 0) {
        struct orma_flame flame = {
            .stacks = &stacks, .title = self->in_path, .sink = {sink_write, self}};

        r = orma_flame_write(&flame, format);
        orma_stacks_fini(&stacks);
    } else if (r == -ENODATA) {
        orma_convert_say(self, "%s: no samples with stacks in this trace", self->in_path);
    } else {
        orma_convert_say(self, "%s", orma_stacks_error(&stacks, tp));
    }
    orma_processor_free(tp);
    return r;
}

int orma_convert_flamegraph(struct orma_convert *self)
{
    return write_stacks(self, ORMA_FLAME_HTML);
}

int orma_convert_flamegraph_svg(struct orma_convert *self)
{
    return write_stacks(self, ORMA_FLAME_SVG);
}

int orma_convert_collapsed(struct orma_convert *self)
{
    return write_stacks(self, ORMA_FLAME_COLLAPSED);
}

int orma_convert_speedscope(struct orma_convert *self)
{
    return write_stacks(self, ORMA_FLAME_SPEEDSCOPE);
}

int orma_convert_systrace(struct orma_convert *self)
{
    return export(self, (struct orma_reflect_sink){sink_write, self}, orma_export_systrace,
                  CONTENT_KERNEL_EVENTS);
}

#ifdef ORMA_HAVE_ZLIB
struct deflate {
    struct orma_convert *self;
    z_stream z;
    uint8_t block[65536];
};

static int deflate_some(struct deflate *d, const void *data, size_t len, int flush)
{
    int r = 0, state;

    d->z.next_in = (Bytef *)(uintptr_t)data;
    d->z.avail_in = (uInt)len;
    do {
        d->z.next_out = d->block;
        d->z.avail_out = sizeof(d->block);
        state = deflate(&d->z, flush);
        r = sink_write(d->self, d->block, sizeof(d->block) - d->z.avail_out);
    } while (r == 0 && state == Z_OK && (d->z.avail_in || !d->z.avail_out || flush == Z_FINISH));
    return r;
}

static int deflate_write(void *ctx, const void *data, size_t len)
{
    return deflate_some(ctx, data, len, Z_NO_FLUSH);
}

int orma_convert_ctrace(struct orma_convert *self)
{
    static const char magic[] = "TRACE:\n";
    struct deflate d = {.self = self};
    int r;

    if (deflateInit(&d.z, 6) != Z_OK)
        return -ENOMEM;
    r = sink_write(self, magic, sizeof(magic) - 1);
    if (r == 0)
        r = export(self, (struct orma_reflect_sink){deflate_write, &d}, orma_export_ftrace,
                   CONTENT_KERNEL_EVENTS);
    if (r == 0)
        r = deflate_some(&d, NULL, 0, Z_FINISH);
    deflateEnd(&d.z);
    return r;
}
#else
int orma_convert_ctrace(struct orma_convert *self)
{
    orma_convert_say(self, "ctrace needs zlib, which this program was built without");
    return -ENOTSUP;
}
#endif

/* ---- profiles ---- */

int orma_convert_profile(struct orma_convert *self)
{
    struct orma_convert_profile_folder folder;
    struct orma_processor *tp = NULL;
    int r = orma_convert_load(self, &tp);

    if (r < 0)
        return r;
    struct orma_profile_export ex = {.tp = tp,
                                     .kind = (enum orma_profile_kind)self->profile_kind,
                                     .pid = self->pid,
                                     .from_ns = self->from_ns,
                                     .to_ns = self->to_ns};
    r = orma_convert_profile_folder_open(&folder, self->program, self->folder, false);
    if (r == 0) {
        folder.force = self->force;
        r = orma_convert_profile_folder_fill(&folder, &ex);
        if (r == 0 && ex.left_out)
            orma_convert_say(self, "%s: %" PRIu64 " stacks are left out: their sums are too large",
                             self->in_path, ex.left_out);
        if (r == 0 && !ex.written) {
            orma_convert_say(self, "%s: no such profiles in this trace", self->in_path);
            r = -ENODATA;
        }
        if (r < 0 && folder.made)
            (void)rmdir(folder.path); /* it stays if something is in it */
        orma_convert_profile_folder_close(&folder);
    }
    orma_processor_free(tp);
    return r;
}
