/*
 * A module of importers alone: a storage, a model, and a context without a reader. What a packet
 * says is written down as a message, handed to an importer as the sorter would, and read as rows
 * (rows.h):
 *
 *     struct module *r = module_new(&orma_trace_module, importers);
 *     module_packet(r, &orma_trace_triggers_importer, ORMA_PB_TRACE_PACKET_TRIGGER, 100,
 *                 MSG(STR(ORMA_PB_TRIGGER_TRIGGER_NAME, "t")));
 *     module_expect(r, ORMA_TABLE_SLICE, "ts name", "100 t\n");
 *     module_free(r);
 *
 * Ports of other modules are absent until module_record_calls(). Whoever links a module's library
 * and this has neither other modules nor the table of importers in the program.
 */
#ifndef ORMA_TESTS_SUPPORT_ROOM_H
#define ORMA_TESTS_SUPPORT_ROOM_H
#include "processor/import/core/ports.h"
#include "processor/read/reader.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/rows.h"

/* A field of a message. `kind` 0 ends a list. */
struct module_field {
    enum { ROOM_END, ROOM_NUM, ROOM_REAL, ROOM_FLOAT, ROOM_FIXED64, ROOM_STR, ROOM_MSG } kind;
    uint32_t id;
    uint64_t num;
    double real;
    const char *text;
    const struct module_field *fields;
};
/* clang-format off */
#define MSG(...) ((const struct module_field[]){__VA_ARGS__, {.kind = ROOM_END}})
#define NUM(i, v) {.kind = ROOM_NUM, .id = (i), .num = (uint64_t)(v)}
#define REAL(i, v) {.kind = ROOM_REAL, .id = (i), .real = (v)}
#define FLOAT(i, v) {.kind = ROOM_FLOAT, .id = (i), .real = (v)}
#define FIXED64(i, v) {.kind = ROOM_FIXED64, .id = (i), .num = (uint64_t)(v)}
#define STR(i, v) {.kind = ROOM_STR, .id = (i), .text = (v)}
#define SUB(i, ...) {.kind = ROOM_MSG, .id = (i), .fields = MSG(__VA_ARGS__)}
/* clang-format on */

struct module {
    struct orma_storage storage;
    struct orma_model model;
    struct orma_import_options options;
    struct orma_ports ports;
    struct orma_import_ctx ctx;
    const struct orma_importer *const *importers;
    struct orma_seqs seqs;
    struct orma_seq *seq; /* whose packets come; its state is valid and empty */
    struct orma_arena bytes;
    struct orma_buf calls; /* of ports that are recorded, a line each */
    struct orma_reader reader;
};

/* `importers`: NULL-terminated, those that finish and are freed with the module. */
struct module *module_new(const struct orma_import_module *what,
                          const struct orma_importer *const *importers);
void module_free(struct module *self);

/* Times of other clocks need a reader: one that has read nothing, and relates no clocks. */
void module_add_reader(struct module *self);

/* The end of the trace: of the importers, then of the model. */
void module_finish(struct module *self);

/* From here on the other modules are there, and do nothing but note that they were called. */
void module_record_calls(struct module *self);

/* The bytes of a message; they stay as long as the module. */
struct orma_str module_bytes(struct module *self, const struct module_field *fields);

/* An item of the module's sequence, for what takes items itself. */
struct orma_item module_item(struct module *self, uint32_t field, int64_t ts,
                             struct orma_str bytes);

/* A packet with this payload in this field: parsed in its place in time, or as it is read. */
void module_packet(struct module *self, const struct orma_importer *importer, uint32_t field,
                   int64_t ts, const struct module_field *payload);
bool module_early(struct module *self, const struct orma_importer *importer, uint32_t field,
                  int64_t ts, const struct module_field *payload);
bool module_tokenize(struct module *self, const struct orma_importer *importer, uint32_t field,
                     int64_t ts, const struct module_field *payload);

/* What the sequence interns, as fields of InternedData. */
void module_intern(struct module *self, const struct module_field *data);

/* Slices that nothing came behind have no args before the end, which this is. */
#define module_expect(self, table, columns, expected)                                              \
    do {                                                                                           \
        orma_slices_finish(&(self)->model.slices);                                                 \
        rows_expect(&(self)->storage, table, columns, expected);                                   \
    } while (0)
#define module_stat(self, name) rows_stat(&(self)->storage, name)
#define module_expect_calls(self, expected)                                                        \
    do {                                                                                           \
        struct orma_str calls_ = orma_buf_str(&(self)->calls);                                     \
                                                                                                   \
        cr_assert(orma_str_eq_c(calls_, expected), "expected calls:\n%s\ncalled:\n%.*s", expected, \
                  ORMA_STR_ARG(calls_));                                                           \
    } while (0)
#endif
