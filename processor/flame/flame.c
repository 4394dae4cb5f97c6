/*
 *   parts (node, thread, weight) ─► a line each (collapsed), a sample each (speedscope)
 *   nodes ─► boxes: a row per depth, as wide as their weight (SVG)
 *   all of it as JSON in a page with its own script (HTML)
 *
 * Stacks are walked from the node to the root, so the depth is that of the tree; the tree is
 * made of a trace, whose importer bounds it.
 */
#include "processor/flame/flame.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protos/reflect/json.h"
#include "sdk/base/assert.h"
#include "sdk/base/hash.h"
#include "sdk/base/utf8.h"

#define BLOCK ((size_t)256 << 10)

struct writer {
    const struct orma_flame *flame;
    const struct orma_stacks *s;
    struct orma_buf out;
    int err;
};

static void flush(struct writer *w, bool all)
{
    if (!w->err && w->out.failed)
        w->err = -ENOMEM;
    if (w->err || (!all && w->out.len < BLOCK))
        return;
    w->err = w->flame->sink.write(w->flame->sink.ctx, w->out.data, w->out.len);
    orma_buf_clear(&w->out);
}

static const char *name_of(const struct writer *w, uint32_t node)
{
    const struct orma_stacks_node *n = orma_stacks_nodes(w->s);

    return orma_stacks_text(w->s, orma_stacks_functions(w->s)[n[node].function].name);
}

static const struct orma_stacks_part *parts_of(const struct writer *w, size_t *ret_num)
{
    *ret_num = ORMA_STACKS_NUM(w->s, parts, orma_stacks_part);
    return ORMA_STACKS_ROWS(w->s, parts, orma_stacks_part);
}

/* The nodes from below the root to this one. */
static size_t path_of(const struct writer *w, uint32_t node, struct orma_buf *ret)
{
    const struct orma_stacks_node *n = orma_stacks_nodes(w->s);
    uint32_t *nodes;
    size_t num;

    orma_buf_clear(ret);
    for (; node; node = n[node].parent)
        orma_buf_put(ret, &node, sizeof(node));
    nodes = (uint32_t *)(void *)ret->data;
    num = ret->len / sizeof(*nodes);
    for (size_t i = 0; i < num / 2; i++) {
        uint32_t other = nodes[i];

        nodes[i] = nodes[num - 1 - i];
        nodes[num - 1 - i] = other;
    }
    return num;
}

/* ---- collapsed ---- */

/* Frames are parted by ';', stacks by line ends; a blank before digits would end the stack. */
static void put_plain(struct orma_buf *out, const char *name)
{
    for (struct orma_str rest = orma_str_from(name); rest.len;) {
        uint32_t c = orma_utf8_next(&rest);

        (void)orma_utf8_put(out, c == ';' ? ':' : c < ' ' ? ' ' : c);
    }
}

static void put_thread(struct orma_buf *out, const struct orma_stacks *s, uint32_t thread)
{
    const struct orma_stacks_thread *t = &orma_stacks_threads(s)[thread];
    const char *process = orma_stacks_text(s, t->process), *name = orma_stacks_text(s, t->name);
    const char *text = *process ? process : *name ? name : NULL;

    if (text)
        put_plain(out, text);
    else
        orma_buf_printf(out, "%" PRId64, t->pid);
}

static void write_collapsed(struct writer *w)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};
    size_t num;
    const struct orma_stacks_part *parts = parts_of(w, &num);

    for (size_t i = 0; i < num && !w->err; i++) {
        size_t depth = path_of(w, parts[i].node, &path);
        const uint32_t *nodes = (const void *)path.data;

        if (!w->s->sums)
            put_thread(&w->out, w->s, parts[i].thread);
        for (size_t d = 0; d < depth; d++) {
            if (d || !w->s->sums)
                orma_buf_put_byte(&w->out, ';');
            put_plain(&w->out, name_of(w, nodes[d]));
        }
        orma_buf_printf(&w->out, " %" PRIu64 "\n", parts[i].weight);
        flush(w, false);
    }
}

/* ---- JSON ---- */

static void put_string(struct orma_buf *out, const char *text)
{
    (void)orma_json_quote_in_page(out, orma_str_from(text)); /* bad UTF-8 is shown as such */
}

static const char *comma(size_t i)
{
    return i ? "," : "";
}

static const char *unit_of(const struct orma_stacks *s)
{
    return orma_stacks_is_memory(s) ? "bytes" : s->period_ns ? "nanoseconds" : "none";
}

static uint64_t value_of(const struct orma_stacks *s, uint64_t weight)
{
    return !orma_stacks_is_memory(s) && s->period_ns ? weight * s->period_ns : weight;
}

/* The samples of a thread: stacks, and what each weighs. */
static void put_profile(struct writer *w, uint32_t thread, size_t from, size_t to)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};
    ORMA_AUTO(orma_buf_fini) struct orma_buf weights = {0};
    const struct orma_stacks_node *n = orma_stacks_nodes(w->s);
    const struct orma_stacks_thread *t = &orma_stacks_threads(w->s)[thread];
    ORMA_AUTO(orma_buf_fini) struct orma_buf title = {0};
    const struct orma_stacks_part *parts = ORMA_STACKS_ROWS(w->s, parts, orma_stacks_part);
    uint64_t end = 0;

    if (w->s->sums) {
        orma_buf_put_str(&title, "all");
    } else {
        put_thread(&title, w->s, thread);
        orma_buf_printf(&title, " %s %" PRId64, orma_stacks_text(w->s, t->name), t->tid);
    }
    orma_buf_put_str(&w->out, "{\"type\":\"sampled\",\"name\":");
    put_string(&w->out, orma_buf_cstr(&title));
    orma_buf_printf(&w->out, ",\"unit\":\"%s\",\"startValue\":0,\"samples\":[", unit_of(w->s));
    for (size_t i = from; i < to; i++) {
        size_t depth = path_of(w, parts[i].node, &path);
        const uint32_t *nodes = (const void *)path.data;

        orma_buf_printf(&w->out, "%s[", comma(i - from));
        for (size_t d = 0; d < depth; d++)
            orma_buf_printf(&w->out, "%s%u", comma(d), n[nodes[d]].function);
        orma_buf_put_byte(&w->out, ']');
        orma_buf_printf(&weights, "%s%" PRIu64, comma(i - from), value_of(w->s, parts[i].weight));
        end += value_of(w->s, parts[i].weight);
        flush(w, false);
    }
    orma_buf_printf(&w->out, "],\"weights\":[%s],\"endValue\":%" PRIu64 "}",
                    orma_buf_cstr(&weights), end);
}

static void write_speedscope(struct writer *w)
{
    const struct orma_stacks_function *f = orma_stacks_functions(w->s);
    size_t num;
    const struct orma_stacks_part *parts = parts_of(w, &num);

    orma_buf_put_str(&w->out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                              "\"exporter\":\"orma\",\"name\":");
    put_string(&w->out, w->flame->title);
    orma_buf_put_str(&w->out, ",\"activeProfileIndex\":0,\"shared\":{\"frames\":[");
    for (size_t i = 0; i < orma_stacks_functions_num(w->s); i++) {
        orma_buf_printf(&w->out, "%s{\"name\":", comma(i));
        put_string(&w->out, orma_stacks_text(w->s, f[i].name));
        orma_buf_put_str(&w->out, ",\"file\":");
        put_string(&w->out, orma_stacks_text(w->s, f[i].module));
        orma_buf_put_byte(&w->out, '}');
        flush(w, false);
    }
    orma_buf_put_str(&w->out, "]},\"profiles\":[");
    for (size_t from = 0, to; from < num && !w->err; from = to) {
        for (to = from; to < num && parts[to].thread == parts[from].thread; to++)
            ;
        orma_buf_put_str(&w->out, comma(from));
        put_profile(w, parts[from].thread, from, to);
    }
    orma_buf_put_str(&w->out, "]}\n");
}

/* ---- HTML ---- */

static void put_functions(struct writer *w)
{
    const struct orma_stacks_function *f = orma_stacks_functions(w->s);

    for (size_t i = 0; i < orma_stacks_functions_num(w->s); i++) {
        orma_buf_printf(&w->out, "%s[", comma(i));
        put_string(&w->out, orma_stacks_text(w->s, f[i].name));
        orma_buf_put_byte(&w->out, ',');
        put_string(&w->out, orma_stacks_text(w->s, f[i].module));
        orma_buf_put_byte(&w->out, ']');
        flush(w, false);
    }
}

static void put_threads(struct writer *w)
{
    const struct orma_stacks_thread *t = orma_stacks_threads(w->s);

    for (size_t i = 0; i < orma_stacks_threads_num(w->s); i++) {
        ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};

        if (w->s->sums)
            orma_buf_put_str(&name, "all");
        else
            orma_buf_printf(&name, "%s (%" PRId64 ")", orma_stacks_text(w->s, t[i].name), t[i].tid);
        orma_buf_printf(&w->out, "%s[", comma(i));
        put_string(&w->out, orma_buf_cstr(&name));
        orma_buf_put_byte(&w->out, ',');
        put_string(&w->out, orma_stacks_text(w->s, t[i].process));
        orma_buf_put_byte(&w->out, ']');
        flush(w, false);
    }
}

static void put_data(struct writer *w)
{
    const struct orma_stacks_node *n = orma_stacks_nodes(w->s);
    size_t nodes = orma_stacks_nodes_num(w->s), num;
    const struct orma_stacks_part *parts = parts_of(w, &num);

    orma_buf_put_str(&w->out, "{\"title\":");
    put_string(&w->out, w->flame->title);
    orma_buf_printf(&w->out, ",\"unit\":\"%s\",\"period_ns\":%" PRIu64 ",\"functions\":[",
                    unit_of(w->s), w->s->period_ns);
    put_functions(w);
    orma_buf_put_str(&w->out, "],\"threads\":[");
    put_threads(w);
    orma_buf_put_str(&w->out, "],\"parent\":[");
    for (size_t i = 0; i < nodes; i++, flush(w, false))
        orma_buf_printf(&w->out, "%s%u", comma(i), i ? n[i].parent : 0);
    orma_buf_put_str(&w->out, "],\"fn\":[");
    for (size_t i = 0; i < nodes; i++, flush(w, false))
        orma_buf_printf(&w->out, "%s%d", comma(i), i ? (int)n[i].function : -1);
    orma_buf_put_str(&w->out, "],\"parts\":[");
    for (size_t i = 0; i < num; i++, flush(w, false))
        orma_buf_printf(&w->out, "%s%u,%u,%" PRIu64, comma(i), parts[i].node, parts[i].thread,
                        parts[i].weight);
    orma_buf_put_str(&w->out, "]}");
}

/* XML has no way to write control characters, U+FFFE and U+FFFF. */
static void put_markup(struct orma_buf *out, const char *text)
{
    for (struct orma_str rest = orma_str_from(text); rest.len;) {
        uint32_t c = orma_utf8_next(&rest);

        if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'')
            orma_buf_printf(out, "&#%u;", c);
        else
            (void)orma_utf8_put(out, c < ' ' ? ' ' : c == 0xfffe || c == 0xffff ? 0xfffd : c);
    }
}

static void write_html(struct writer *w)
{
    char *texts = NULL;

    if (orma_embedded_unpack(&orma_flame_pages, &texts) < 0) {
        w->out.failed = true;
        return;
    }
    const char *page = ORMA_EMBEDDED_TEXT(orma_flame_pages.files, texts).data; /* the only one */
    const char *title = strstr(page, "@TITLE@"), *data = strstr(page, "@DATA@");

    ORMA_ASSERT(title && data && title < data);
    orma_buf_put(&w->out, page, (size_t)(title - page));
    put_markup(&w->out, w->flame->title);
    title += strlen("@TITLE@");
    orma_buf_put(&w->out, title, (size_t)(data - title));
    put_data(w);
    orma_buf_put_str(&w->out, data + strlen("@DATA@"));
    free(texts);
}

/* ---- SVG ---- */

#define SVG_WIDTH 1200.0
#define SVG_ROW 18.0
#define SVG_HEAD 40.0
#define SVG_LEAST 0.3 /* of a box, in points */
#define SVG_DEPTH_MAX 400u
#define LETTER 6.6

/* Warm for the kernel, a colour of its own for each module, shades for its functions. */
static void put_color(struct orma_buf *out, const char *name, const char *module)
{
    uint64_t m = orma_mix64(orma_fnv1a(ORMA_FNV1A_BASIS, module, strlen(module)));
    uint64_t f = orma_mix64(orma_fnv1a(ORMA_FNV1A_BASIS, name, strlen(name)));

    if (*name == '[')
        orma_buf_put_str(out, "#d0d0d8");
    else
        orma_buf_printf(out, "hsl(%u,62%%,%u%%)",
                        strcmp(module, "kernel") ? 40 + (unsigned)(m % 300) : 22u,
                        72 + (unsigned)(f % 12));
}

/* As much of the name as fits, whole characters. */
static void put_fitting(struct orma_buf *out, const char *name, double width)
{
    size_t most = (size_t)((width - 6) / LETTER), len = strlen(name);
    char part[256];

    if (width < 30)
        return;
    if (most >= sizeof(part))
        most = sizeof(part) - 1;
    if (len > most) {
        len = most - 2;
        while (len && ((unsigned char)name[len] & 0xc0) == 0x80)
            len--;
        snprintf(part, sizeof(part), "%.*s..", (int)len, name);
        name = part;
    }
    put_markup(out, name);
}

static void put_box(struct writer *w, uint32_t node, unsigned depth, double x, double width)
{
    const struct orma_stacks_node *n = &orma_stacks_nodes(w->s)[node];
    const struct orma_stacks_function *f = node ? &orma_stacks_functions(w->s)[n->function] : NULL;
    const char *name = f ? orma_stacks_text(w->s, f->name) : "all";
    const char *module = f ? orma_stacks_text(w->s, f->module) : "";
    double y = SVG_HEAD + depth * SVG_ROW;

    orma_buf_put_str(&w->out, "<g><title>");
    put_markup(&w->out, name);
    orma_buf_put_str(&w->out, *module ? "  " : "");
    put_markup(&w->out, module);
    orma_buf_printf(&w->out,
                    "  total %.2f %%, self %.2f %%</title><rect x=\"%.2f\" y=\"%.1f\" "
                    "width=\"%.2f\" height=\"%.1f\" fill=\"",
                    100.0 * (double)n->total / (double)w->s->weight,
                    100.0 * (double)n->self / (double)w->s->weight, x, y,
                    width > 2 ? width - 0.7 : width, SVG_ROW - 1);
    put_color(&w->out, name, module);
    orma_buf_printf(&w->out, "\"/><text x=\"%.2f\" y=\"%.1f\">", x + 3, y + SVG_ROW - 5.5);
    put_fitting(&w->out, name, width);
    orma_buf_put_str(&w->out, "</text></g>\n");
    flush(w, false);
}

static unsigned put_boxes(struct writer *w, uint32_t node, unsigned depth, double x, double width)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf order = {0};
    const struct orma_stacks_node *n = orma_stacks_nodes(w->s);
    unsigned deepest = depth;

    put_box(w, node, depth, x, width);
    if (depth == SVG_DEPTH_MAX)
        return depth;
    orma_stacks_children(w->s, node, &order);
    const uint32_t *rows = (const void *)order.data;
    for (size_t i = 0; i < order.len / sizeof(*rows); i++) {
        double part = width * (double)n[rows[i]].total / (double)n[node].total;

        if (part < SVG_LEAST)
            break; /* the heaviest come first */
        unsigned below = put_boxes(w, rows[i], depth + 1, x, part);
        deepest = ORMA_MAX(deepest, below);
        x += part;
    }
    return deepest;
}

static unsigned depth_of(const struct orma_stacks *s)
{
    const struct orma_stacks_node *n = orma_stacks_nodes(s);
    size_t num = orma_stacks_nodes_num(s);
    uint16_t *depth = calloc(num, sizeof(*depth));
    unsigned ret = 0;

    for (size_t i = 1; depth && i < num; i++) {
        depth[i] = (uint16_t)ORMA_MIN(depth[n[i].parent] + 1u, SVG_DEPTH_MAX);
        if ((double)n[i].total * SVG_WIDTH / (double)s->weight >= SVG_LEAST && depth[i] > ret)
            ret = depth[i];
    }
    free(depth);
    return ret;
}

static void write_svg(struct writer *w)
{
    double height = SVG_HEAD + (depth_of(w->s) + 1) * SVG_ROW + 8;

    orma_buf_printf(&w->out,
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                    "viewBox=\"0 0 %.0f %.0f\" font-family=\"monospace\" font-size=\"11\">\n"
                    "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
                    "<text x=\"6\" y=\"24\" font-size=\"15\" font-family=\"sans-serif\">",
                    SVG_WIDTH, height, SVG_WIDTH, height);
    put_markup(&w->out, w->flame->title);
    orma_buf_put_str(&w->out, "</text>\n");
    (void)put_boxes(w, 0, 0, 0, SVG_WIDTH);
    orma_buf_put_str(&w->out, "</svg>\n");
}

/* ---- all ---- */

static const struct {
    const char *name;
    void (*write)(struct writer *w);
} formats[] = {
    [ORMA_FLAME_COLLAPSED] = {"collapsed", write_collapsed},
    [ORMA_FLAME_SPEEDSCOPE] = {"speedscope", write_speedscope},
    [ORMA_FLAME_SVG] = {"svg", write_svg},
    [ORMA_FLAME_HTML] = {"html", write_html},
};

bool orma_flame_format_of(const char *name, enum orma_flame_format *ret)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(formats); i++) {
        if (strcmp(formats[i].name, name) != 0)
            continue;
        *ret = (enum orma_flame_format)i;
        return true;
    }
    return false;
}

int orma_flame_write(struct orma_flame *self, enum orma_flame_format format)
{
    struct writer w = {.flame = self, .s = self->stacks};

    formats[format].write(&w);
    flush(&w, true);
    orma_buf_fini(&w.out);
    return w.err;
}
