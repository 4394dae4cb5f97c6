/*
 * Translations: names that a trace brings for what its events call otherwise.
 *
 * Names of slices and of tracks of processes, and hashes in args of Chrome's events. They hold for
 * the file and machine that brought them, from when they are read on. A model without any has a
 * NULL pointer here, so the others pay one comparison. Threads: none.
 */
#ifndef ORMA_PROCESSOR_MODEL_TRANSLATE_H
#define ORMA_PROCESSOR_MODEL_TRANSLATE_H
#include "processor/store/storage.h"

struct orma_model;

enum orma_translation {
    ORMA_TRANSLATE_SLICE,
    ORMA_TRANSLATE_PROCESS_TRACK,
    ORMA_TRANSLATE_HISTOGRAM, /* from here on: hashes in args */
    ORMA_TRANSLATE_USER_EVENT,
    ORMA_TRANSLATE_MARK_SITE,
    ORMA_TRANSLATE_MARK,
    ORMA_TRANSLATE_STUDY,
    ORMA_TRANSLATIONS_NUM,
};

struct orma_translations {
    struct orma_map names; /* hash of kind, file, machine and name or hash → name */
    const uint32_t *trace; /* row of the file at hand */
    /* By kind: the arg that holds the hash, and the one that gets the name. */
    struct {
        uint32_t hash, name;
    } keys[ORMA_TRANSLATIONS_NUM];
    bool has_hashes;
};

/* What `from` (a name in the pool, or a hash) is called. */
void orma_translate_add(struct orma_model *model, uint16_t machine, enum orma_translation kind,
                        uint64_t from, uint32_t name);

/* Where it is in `names`. */
uint64_t orma_translate_key(const struct orma_translations *self, uint16_t machine,
                            enum orma_translation kind, uint64_t from);

/* The name, or 0: there is none. */
uint32_t orma_translate_find(const struct orma_translations *self, uint16_t machine,
                             enum orma_translation kind, uint64_t from);

/* The name that a track of this type gets. */
uint32_t orma_translate_track(const struct orma_translations *self, uint16_t machine,
                              const char *type, uint32_t name);

/* Adds the names of the hashes in the list. */
void orma_translate_args(const struct orma_translations *self, uint16_t machine,
                         struct orma_args_list *args);

void orma_translate_fini(struct orma_model *model);
#endif
