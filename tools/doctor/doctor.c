#include "tools/doctor/doctor.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/utf8.h"
#include "tools/base/cell.h"
#include "tools/base/cli.h"
#include "tools/base/units.h"

static void finding_fini(struct orma_doctor_finding *finding)
{
    orma_buf_fini(&finding->what);
    orma_buf_fini(&finding->change);
}

void orma_doctor_fini(struct orma_doctor *self)
{
    for (unsigned i = 0; i < self->num; i++)
        finding_fini(&self->findings[i]);
    finding_fini(&self->rest);
    orma_buf_fini(&self->notes);
    if (self->config)
        protobuf_c_message_free_unpacked(&self->config->base, NULL);
    *self = (struct orma_doctor){0};
}

static void ORMA_PRINTF(2, 0) put(struct orma_buf *out, const char *fmt, va_list args)
{
    char text[2048];

    (void)vsnprintf(text, sizeof(text), fmt, args); /* longer names are cut */
    orma_buf_put_str(out, text);
}

struct orma_doctor_finding *orma_doctor_find(struct orma_doctor *self, const char *key,
                                             const char *fmt, ...)
{
    struct orma_doctor_finding *finding = &self->rest;
    va_list args;

    if (self->num < ORMA_DOCTOR_FINDINGS_MAX) {
        finding = &self->findings[self->num++];
    } else {
        finding_fini(finding);
        self->more++;
    }
    *finding = (struct orma_doctor_finding){.key = key};
    va_start(args, fmt);
    put(&finding->what, fmt, args);
    va_end(args);
    return finding;
}

static void ORMA_PRINTF(2, 0)
    put_change(struct orma_doctor_finding *finding, const char *fmt, va_list args)
{
    if (finding->change.len)
        orma_buf_put_str(&finding->change, "\n");
    put(&finding->change, fmt, args);
}

void orma_doctor_advise(struct orma_doctor_finding *finding, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    put_change(finding, fmt, args);
    va_end(args);
}

void orma_doctor_changed(struct orma_doctor_finding *finding, const char *fmt, ...)
{
    va_list args;

    finding->by_config = true;
    va_start(args, fmt);
    put_change(finding, fmt, args);
    va_end(args);
}

void orma_doctor_note(struct orma_doctor *self, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    put(&self->notes, fmt, args);
    va_end(args);
    orma_buf_put_str(&self->notes, "\n");
}

/* ---- changes ---- */

uint64_t orma_doctor_round(uint64_t kb)
{
    uint64_t ret = 1;

    while (ret < kb && ret < (uint64_t)1 << 62)
        ret *= 2;
    return ret;
}

void orma_doctor_grow(struct orma_doctor *self, struct orma_doctor_finding *finding,
                      uint32_t buffer, uint64_t size_kb)
{
    uint64_t kb = ORMA_MIN(orma_doctor_round(size_kb), ORMA_DOCTOR_BUFFER_MAX_KB);

    if (!self->config || buffer >= self->config->n_buffers) {
        orma_doctor_advise(finding, "buffers[%u].size_kb: %llu (orma record -b %llukb)", buffer,
                           (unsigned long long)kb, (unsigned long long)kb);
        return;
    }
    Perfetto__Protos__TraceConfig__BufferConfig *b = self->config->buffers[buffer];
    if (b->size_kb >= kb)
        return;
    orma_doctor_changed(finding, "buffers[%u].size_kb: %u -> %llu (orma record -b %llukb)", buffer,
                        b->size_kb, (unsigned long long)kb, (unsigned long long)kb);
    b->has_size_kb = true;
    b->size_kb = (uint32_t)kb;
}

void orma_doctor_stream(struct orma_doctor *self, struct orma_doctor_finding *finding)
{
    if (!self->config) {
        orma_doctor_advise(finding, "write_into_file: true (orma record --stream)");
        return;
    }
    if (!self->config->write_into_file) {
        orma_doctor_changed(finding, "write_into_file: true (orma record --stream)");
        self->config->has_write_into_file = self->config->write_into_file = true;
    }
    for (size_t i = 0; i < self->config->n_buffers; i++) {
        Perfetto__Protos__TraceConfig__BufferConfig *b = self->config->buffers[i];

        if (b->fill_policy == PERFETTO__PROTOS__TRACE_CONFIG__BUFFER_CONFIG__FILL_POLICY__DISCARD) {
            b->fill_policy =
                PERFETTO__PROTOS__TRACE_CONFIG__BUFFER_CONFIG__FILL_POLICY__RING_BUFFER;
            orma_doctor_changed(finding, "buffers[%zu].fill_policy: DISCARD -> RING_BUFFER", i);
        }
    }
}

void orma_doctor_each_ftrace(struct orma_doctor *self, orma_doctor_ftrace_fn *fn, void *ctx)
{
    for (size_t i = 0; self->config && i < self->config->n_data_sources; i++) {
        Perfetto__Protos__DataSourceConfig *c = self->config->data_sources[i]->config;

        if (c && c->ftrace_config)
            fn(ctx, c->ftrace_config);
    }
}

/* ---- what is printed ---- */

/* Each line behind `head`, and what follows below it. */
static void print_lines(struct orma_str rest, const char *head, size_t indent, FILE *out)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf shown = {0};
    struct orma_str line;

    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        orma_buf_clear(&shown);
        orma_cell_put(&shown, line, UINT32_MAX); /* names are of others */
        fputs(head, out);
        orma_cli_wrap(out, orma_buf_cstr(&shown), indent);
    }
}

void orma_doctor_print(const struct orma_doctor *self, FILE *out)
{
    for (unsigned i = 0; i < self->num; i++) {
        const struct orma_doctor_finding *f = &self->findings[i];

        fprintf(out, "%2u. ", i + 1);
        print_lines(orma_buf_str(&f->what), "", 4, out);
        print_lines(orma_buf_str(&f->change), "    -> ", 7, out);
    }
    if (self->more)
        fprintf(out, "... and %u more\n", self->more);
    if (!self->num)
        fputs("Nothing to do.\n", out);
    print_lines(orma_buf_str(&self->notes), "Note: ", 6, out);
}

static void put_text(FILE *out, struct orma_str text)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf shown = {0};

    orma_cell_put(&shown, text, UINT32_MAX); /* from here on there is no control character in it */
    fputc('"', out);
    for (size_t i = 0; i < shown.len; i++) {
        if (shown.data[i] == '"' || shown.data[i] == '\\')
            fputc('\\', out);
        fputc(shown.data[i], out);
    }
    fputc('"', out);
}

static void put_lines(FILE *out, struct orma_str rest)
{
    struct orma_str line;
    const char *sep = "";

    fputc('[', out);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        fputs(sep, out);
        put_text(out, line);
        sep = ", ";
    }
    fputc(']', out);
}

void orma_doctor_print_json(const struct orma_doctor *self, FILE *out)
{
    fputs("{\"findings\": [", out);
    for (unsigned i = 0; i < self->num; i++) {
        const struct orma_doctor_finding *f = &self->findings[i];

        fprintf(out, "%s\n  {\"key\": \"%s\", \"what\": ", i ? "," : "", f->key);
        put_text(out, orma_buf_str(&f->what));
        fputs(", \"changes\": ", out);
        put_lines(out, orma_buf_str(&f->change));
        fprintf(out, ", \"in_config\": %s}", f->by_config ? "true" : "false");
    }
    fprintf(out, "%s], \"more\": %u, \"notes\": ", self->num ? "\n" : "", self->more);
    put_lines(out, orma_buf_str(&self->notes));
    fputs("}\n", out);
}
