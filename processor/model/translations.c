/* Translations as they come: from here on slices and tracks look for them. */
#include "processor/model/model.h"
#include "processor/model/translate.h"

/* "chrome_histogram_sample.name_hash" and its like. */
static void find_keys(struct orma_model *model, struct orma_translations *self)
{
    static const struct {
        const char *hash, *name;
    } keys[ORMA_TRANSLATIONS_NUM] = {
        [ORMA_TRANSLATE_HISTOGRAM] = {"chrome_histogram_sample.name_hash",
                                      "chrome_histogram_sample.name"},
        [ORMA_TRANSLATE_USER_EVENT] = {"chrome_user_event.action_hash", "chrome_user_event.action"},
        [ORMA_TRANSLATE_MARK_SITE] = {"chrome_hashed_performance_mark.site_hash",
                                      "chrome_hashed_performance_mark.site"},
        [ORMA_TRANSLATE_MARK] = {"chrome_hashed_performance_mark.mark_hash",
                                 "chrome_hashed_performance_mark.mark"},
        [ORMA_TRANSLATE_STUDY] = {"chrome_trigger.name_hash", "chrome_trigger.name"},
    };

    for (unsigned i = ORMA_TRANSLATE_HISTOGRAM; i < ORMA_TRANSLATIONS_NUM; i++) {
        self->keys[i].hash = orma_model_cstr(model, keys[i].hash);
        self->keys[i].name = orma_model_cstr(model, keys[i].name);
    }
}

void orma_translate_add(struct orma_model *model, uint16_t machine, enum orma_translation kind,
                        uint64_t from, uint32_t name)
{
    struct orma_translations *self = model->translations;

    if (!self) {
        self =
            orma_model_lazy(model, (void **)&model->translations, sizeof(struct orma_translations));
        if (!self)
            return;
        self->trace = &model->trace_row;
        find_keys(model, self);
        model->slices.translations = self;
        model->tracks.translations = self;
    }
    self->has_hashes |= kind >= ORMA_TRANSLATE_HISTOGRAM;
    if (orma_map_put(&self->names, orma_translate_key(self, machine, kind, from), name))
        model->storage->failed = true;
}

void orma_translate_fini(struct orma_model *model)
{
    if (model->translations)
        orma_map_fini(&model->translations->names);
}
