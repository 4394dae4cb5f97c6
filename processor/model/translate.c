/* Looking names up. One map for all kinds: what is translated is rare. */
#include "processor/model/translate.h"

#include <string.h>

#include "sdk/base/hash.h"

uint64_t orma_translate_key(const struct orma_translations *self, uint16_t machine,
                            enum orma_translation kind, uint64_t from)
{
    uint64_t where = (uint64_t)*self->trace << 16 | (uint64_t)machine << 8 | kind;

    return orma_mix64(orma_mix64(from) ^ where);
}

uint32_t orma_translate_find(const struct orma_translations *self, uint16_t machine,
                             enum orma_translation kind, uint64_t from)
{
    uint64_t name = orma_map_get(&self->names, orma_translate_key(self, machine, kind, from));

    return name == ORMA_MAP_NONE ? 0 : (uint32_t)name;
}

uint32_t orma_translate_track(const struct orma_translations *self, uint16_t machine,
                              const char *type, uint32_t name)
{
    static const char *const types[] = {"process_track_event", "process_merged_track_event",
                                        "process_counter_track_event", "process_state_track_event",
                                        "legacy_async_process_slice"};

    for (unsigned i = 0; name && i < ORMA_ARRAY_LEN(types); i++)
        if (!strcmp(type, types[i])) {
            uint32_t other = orma_translate_find(self, machine, ORMA_TRANSLATE_PROCESS_TRACK, name);

            return other ? other : name;
        }
    return name;
}

void orma_translate_args(const struct orma_translations *self, uint16_t machine,
                         struct orma_args_list *args)
{
    uint32_t len = self->has_hashes ? args->len : 0;

    for (uint32_t i = 0; i < len; i++) {
        for (unsigned k = ORMA_TRANSLATE_HISTOGRAM; k < ORMA_TRANSLATIONS_NUM; k++) {
            const struct orma_args_item *a = &args->args[i];
            uint32_t name =
                a->type == ORMA_ARG_UINT && a->key == self->keys[k].hash
                    ? orma_translate_find(self, machine, (enum orma_translation)k, (uint64_t)a->i)
                    : 0;

            if (name)
                orma_args_put_str(args, self->keys[k].name, name);
        }
    }
}
