/* The page: HTML around the program, with the blocks as text in it or without. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

#include "processor/view/view_impl.h"
#include "sdk/base/base64.h"

#define TURNS 3

struct page {
    struct orma_buf out;
    int (*write)(void *ctx, const void *data, size_t len);
    void *ctx;
    int err;
};

static void flush(struct page *p)
{
    if (!p->err)
        p->err = p->out.failed ? -ENOMEM : p->write(p->ctx, p->out.data, p->out.len);
    orma_buf_clear(&p->out);
}

/* The style and behind it the program, or NULL. */
static char *unpack(const struct orma_view_page *page)
{
    uLongf len = (uLongf)page->css_len + page->js_len;
    char *texts = malloc(len);

    if (texts && uncompress((Bytef *)texts, &len, page->packed, page->packed_len) == Z_OK)
        return texts;
    free(texts); /* our own bytes: only memory can be missing */
    return NULL;
}

static void put_head(struct page *p, const struct orma_view_page *page, const char *css,
                     bool with_blocks)
{
    orma_buf_printf(
        &p->out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "script-src '%s'; style-src '%s'; %sbase-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<title>orma</title>\n<style>%.*s</style></head>\n<body><div id=\"app\"></div>\n"
        "<noscript>This page draws a timeline, and needs JavaScript for it.</noscript>\n",
        page->js_hash, page->css_hash, with_blocks ? "" : "connect-src 'self'; ",
        (int)page->css_len, css);
}

/* What a page reads first stands first in it. */
static void put_blocks(struct page *p, const struct orma_view *self, unsigned turn)
{
    for (uint32_t i = 0; i < self->blocks.len; i++) {
        if (self->blocks.data[i].turn != turn)
            continue;
        flush(p);
        orma_buf_printf(&p->out, "<script type=\"application/octet-stream\" id=\"b%" PRIu32 "\">",
                        i + 1);
        orma_base64_put(&p->out, orma_view_block(self, i + 1));
        orma_buf_put_str(&p->out, "</script>\n");
    }
}

int orma_view_write_page(const struct orma_view *self, const struct orma_view_page *page,
                         int (*write)(void *ctx, const void *data, size_t len), void *ctx)
{
    bool with_blocks = self != NULL;
    struct page p = {.write = write, .ctx = ctx};
    char *texts = unpack(page);

    if (!texts)
        return -ENOMEM;
    put_head(&p, page, texts, with_blocks);
    if (with_blocks) {
        orma_buf_put_str(&p.out, "<script type=\"application/json\" id=\"info\">");
        orma_buf_put(&p.out, self->info.data, self->info.len);
        orma_buf_put_str(&p.out, "</script>\n");
    }
    orma_buf_put_str(&p.out, "<script>");
    orma_buf_put(&p.out, texts + page->css_len, page->js_len);
    orma_buf_put_str(&p.out, "</script>\n");
    free(texts);
    for (unsigned turn = 0; with_blocks && turn < TURNS; turn++)
        put_blocks(&p, self, turn);
    if (with_blocks)
        orma_buf_printf(&p.out, "<script type=\"text/plain\" id=\"end\">%" PRIu32 "</script>\n",
                        self->blocks.len);
    orma_buf_put_str(&p.out, "</body></html>\n");
    flush(&p);
    orma_buf_fini(&p.out);
    return p.err;
}
