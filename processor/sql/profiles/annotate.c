#include "processor/sql/profiles/annotate.h"

#include <string.h>

#include "sdk/base/defs.h"

const char *orma_profiles_annotation_name(enum orma_profiles_annotation annotation)
{
    switch (annotation) {
    case ORMA_PROFILES_AOT:
        return "aot";
    case ORMA_PROFILES_INTERP:
        return "interp";
    case ORMA_PROFILES_JIT:
        return "jit";
    case ORMA_PROFILES_COMMON:
        return "common-frame";
    case ORMA_PROFILES_COMMON_INTERP:
        return "common-frame-interp";
    case ORMA_PROFILES_NATIVE:
        break;
    }
    return NULL;
}

void orma_profiles_chain(const struct orma_storage *st, uint32_t callsite, uint32_t max,
                         struct orma_ints *ret_rows)
{
    const struct orma_table *t = &st->tables[ORMA_TABLE_STACK_PROFILE_CALLSITE];
    int64_t row = callsite;

    for (uint32_t i = 0; i < max && row >= 0 && row < t->rows; i++) {
        orma_ints_add(ret_rows, row);
        if (orma_table_is_null(t, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, (uint32_t)row))
            break;
        row = orma_table_int(t, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, (uint32_t)row);
    }
}

static bool begins_with(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static const char *mapping_of(const struct orma_storage *st, uint32_t frame)
{
    const struct orma_table *f = &st->tables[ORMA_TABLE_STACK_PROFILE_FRAME];
    const struct orma_table *m = &st->tables[ORMA_TABLE_STACK_PROFILE_MAPPING];
    int64_t mapping = orma_table_int(f, ORMA_STACK_PROFILE_FRAME_MAPPING, frame);

    if (orma_table_is_null(f, ORMA_STACK_PROFILE_FRAME_MAPPING, frame) || mapping < 0 ||
        mapping >= m->rows)
        return "";
    return orma_strpool_cstr(
        &st->pool, (uint32_t)orma_table_int(m, ORMA_STACK_PROFILE_MAPPING_NAME, (uint32_t)mapping));
}

static bool is_runtime(const char *mapping)
{
    const char *slash = strrchr(mapping, '/');

    return slash && (begins_with(slash, "/libart.so") || begins_with(slash, "/libartd.so"));
}

/* What an extension says; what follows it does not count. */
static enum orma_profiles_annotation of_mapping(const char *mapping)
{
    static const struct {
        const char *extension;
        enum orma_profiles_annotation is;
    } made[] = {
        {".oat", ORMA_PROFILES_AOT},    {".odex", ORMA_PROFILES_AOT},
        {".dex", ORMA_PROFILES_INTERP}, {".vdex", ORMA_PROFILES_INTERP},
        {".jar", ORMA_PROFILES_INTERP}, {".apk", ORMA_PROFILES_INTERP},
    };
    const char *dot = strrchr(mapping, '.');

    if (strstr(mapping, "jit-cache") || strstr(mapping, "jit-code-cache") ||
        strstr(mapping, "jit-zygote-cache"))
        return ORMA_PROFILES_JIT;
    for (size_t i = 0; dot && i < ORMA_ARRAY_LEN(made); i++) {
        if (begins_with(dot, made[i].extension))
            return made[i].is;
    }
    return ORMA_PROFILES_NATIVE;
}

static bool interprets(const char *function)
{
    static const char *const names[] = {"nterp_", "Nterp", "ExecuteNterp", "ExecuteSwitchImpl",
                                        "_ZN3art11interpreter"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        if (begins_with(function, names[i]))
            return true;
    }
    return false;
}

/* What is known of the callers of a frame. */
struct callers {
    bool managed; /* some are no native code: then frames of the runtime are its own matter */
    bool jni;     /* the last one calls native code, which counts even if the runtime has it */
};

static enum orma_profiles_annotation annotate(const struct orma_storage *st, uint32_t frame,
                                              struct callers *callers)
{
    const struct orma_table *f = &st->tables[ORMA_TABLE_STACK_PROFILE_FRAME];
    const char *function = orma_strpool_cstr(
        &st->pool, (uint32_t)orma_table_int(f, ORMA_STACK_PROFILE_FRAME_NAME, frame));
    const char *mapping = mapping_of(st, frame);

    if (callers->jni) {
        *callers = (struct callers){.managed = true};
        return ORMA_PROFILES_NATIVE;
    }
    if (!strcmp(function, "art_jni_trampoline") || begins_with(function, "art_jni_trampoline_")) {
        callers->jni = true;
        return ORMA_PROFILES_COMMON;
    }
    enum orma_profiles_annotation made = of_mapping(mapping);
    callers->managed |= made != ORMA_PROFILES_NATIVE;
    if (made != ORMA_PROFILES_NATIVE || !callers->managed || !is_runtime(mapping))
        return made;
    return interprets(function) ? ORMA_PROFILES_COMMON_INTERP : ORMA_PROFILES_COMMON;
}

void orma_profiles_annotate(const struct orma_storage *st, const struct orma_ints *rows,
                            struct orma_ints *ret)
{
    const struct orma_table *t = &st->tables[ORMA_TABLE_STACK_PROFILE_CALLSITE];
    const uint32_t frames = st->tables[ORMA_TABLE_STACK_PROFILE_FRAME].rows;
    struct callers callers = {0};

    for (size_t i = 0; i < rows->len; i++)
        orma_ints_add(ret, ORMA_PROFILES_NATIVE);
    for (size_t i = rows->len; i-- > 0 && !ret->failed;) {
        const int64_t frame =
            orma_table_int(t, ORMA_STACK_PROFILE_CALLSITE_FRAME_ID, (uint32_t)rows->data[i]);

        if (frame >= 0 && frame < frames)
            ret->data[i] = annotate(st, (uint32_t)frame, &callers);
    }
}
