/*
 * Profiles of OpenTelemetry: ProfilesData { ResourceProfiles, ProfilesDictionary }.
 *
 *   otlp_dictionary.c  what all profiles of a message refer to by number: texts, attributes, stacks
 *   otlp_profiles.c    samples, and their rows
 *
 * The dictionary stands behind what refers to it, so messages are read twice.
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_OTLP_PROFILES_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_OTLP_PROFILES_H
#include "processor/import/formats/otlp.h"

/* Numbers of fields, as in opentelemetry-proto 1.11 (profiles/v1development). */
enum orma_otlp_profiles_field {
    ORMA_OTLP_PROFILES_RESOURCE_PROFILES = 1,
    ORMA_OTLP_PROFILES_DICTIONARY = 2,
    ORMA_OTLP_RESOURCE_PROFILES_RESOURCE = 1,
    ORMA_OTLP_RESOURCE_PROFILES_SCOPE_PROFILES = 2,
    ORMA_OTLP_SCOPE_PROFILES_PROFILES = 2,
    ORMA_OTLP_DICTIONARY_MAPPINGS = 1,
    ORMA_OTLP_DICTIONARY_LOCATIONS = 2,
    ORMA_OTLP_DICTIONARY_FUNCTIONS = 3,
    ORMA_OTLP_DICTIONARY_LINKS = 4,
    ORMA_OTLP_DICTIONARY_STRINGS = 5,
    ORMA_OTLP_DICTIONARY_ATTRIBUTES = 6,
    ORMA_OTLP_DICTIONARY_STACKS = 7,
    ORMA_OTLP_PROFILE_SAMPLE_TYPE = 1,
    ORMA_OTLP_PROFILE_SAMPLES = 2,
    ORMA_OTLP_PROFILE_PERIOD_TYPE = 5,
    ORMA_OTLP_PROFILE_PERIOD = 6,
    ORMA_OTLP_PROFILE_ORIGINAL_PAYLOAD = 10,
    ORMA_OTLP_VALUE_TYPE_TYPE = 1,
    ORMA_OTLP_VALUE_TYPE_UNIT = 2,
    ORMA_OTLP_SAMPLE_STACK = 1,
    ORMA_OTLP_SAMPLE_ATTRIBUTES = 2,
    ORMA_OTLP_SAMPLE_LINK = 3,
    ORMA_OTLP_SAMPLE_VALUES = 4,
    ORMA_OTLP_SAMPLE_TIMES = 5,
    ORMA_OTLP_STACK_LOCATIONS = 1,
    ORMA_OTLP_LOCATION_MAPPING = 1,
    ORMA_OTLP_LOCATION_ADDRESS = 2,
    ORMA_OTLP_LOCATION_LINES = 3,
    ORMA_OTLP_LOCATION_ATTRIBUTES = 4,
    ORMA_OTLP_LINE_FUNCTION = 1,
    ORMA_OTLP_LINE_LINE = 2,
    ORMA_OTLP_LINE_COLUMN = 3,
    ORMA_OTLP_FUNCTION_NAME = 1,
    ORMA_OTLP_FUNCTION_SYSTEM_NAME = 2,
    ORMA_OTLP_FUNCTION_FILENAME = 3,
    ORMA_OTLP_FUNCTION_START_LINE = 4,
    ORMA_OTLP_MAPPING_START = 1,
    ORMA_OTLP_MAPPING_LIMIT = 2,
    ORMA_OTLP_MAPPING_OFFSET = 3,
    ORMA_OTLP_MAPPING_FILENAME = 4,
    ORMA_OTLP_MAPPING_ATTRIBUTES = 5,
    ORMA_OTLP_ATTRIBUTE_KEY = 1,
    ORMA_OTLP_ATTRIBUTE_VALUE = 2,
    ORMA_OTLP_ATTRIBUTE_UNIT = 3,
    ORMA_OTLP_PROFILES_LINK_TRACE_ID = 1,
    ORMA_OTLP_PROFILES_LINK_SPAN_ID = 2,
    /* Of messages that spans have, too: texts by number, in profiles only. */
    ORMA_OTLP_KEY_VALUE_KEY_NUMBER = 3,
    ORMA_OTLP_VALUE_STRING_NUMBER = 8,
};

/* An attribute of the dictionary. */
struct orma_otlp_attribute {
    uint32_t key, text; /* pool ids; text 0: it is a number, or of another kind */
    bool has_number;
    int64_t number;
};

struct orma_otlp_function {
    uint32_t name, source; /* pool ids */
    uint32_t line;
};

struct orma_otlp_link {
    uint32_t trace, span; /* pool ids of hex; 0: none */
};

/* Lists by number; 0 stands for none in each of them. */
struct orma_otlp_dictionary {
    struct orma_file *file;
    ORMA_VEC(uint32_t) strings; /* pool ids */
    ORMA_VEC(struct orma_otlp_attribute) attributes;
    ORMA_VEC(struct orma_otlp_function) functions;
    ORMA_VEC(struct orma_otlp_link) links;
    ORMA_VEC(uint32_t) mappings, frames; /* rows */
    ORMA_VEC(uint32_t) stacks;           /* call sites */
};

/* ---- otlp_dictionary.c ---- */

/* `bytes` of a ProfilesDictionary. */
void orma_otlp_dictionary_read(struct orma_otlp_dictionary *self, struct orma_file *file,
                               struct orma_str bytes);
void orma_otlp_dictionary_fini(struct orma_otlp_dictionary *self);

/* Pool id of a text; ORMA_STR_EMPTY, which is told, when it is not there. */
uint32_t orma_otlp_dictionary_text(const struct orma_otlp_dictionary *self, uint64_t number);

/* A Resource whose texts stand in it. */
struct orma_str orma_otlp_dictionary_resource(const struct orma_otlp_dictionary *self,
                                              struct orma_str resource);

/* ---- otlp_profiles.c ---- */

/* A ProfilesData. False: it is none. */
bool orma_otlp_read_profiles(struct orma_file *file, struct orma_str message);

/* What happened at a time: begins as other items do, with ORMA_OTLP_NOBODY as span. */
struct orma_otlp_observation {
    struct orma_otlp_item as;
    const struct orma_otlp_sample *of;
    int64_t value;
};

struct orma_unit_end orma_otlp_on_observation(struct orma_file *file, const struct orma_item *item,
                                              const struct orma_otlp_observation *what);
#endif
