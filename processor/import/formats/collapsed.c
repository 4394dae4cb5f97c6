/*
 * Collapsed stacks, outermost frame first, one per line, with how often they were seen:
 *
 *     main;work;sort 12
 *
 * The number may have a fraction.
 */
#include <math.h>

#include "processor/import/formats/formats.h"
#include "processor/import/formats/lines.h"
#include "processor/model/callstacks.h"
#include "protos/reflect/number.h"

#define NUMBER_MAX 64
#define DIGITS_MAX 15 /* of integers that all are doubles */

struct collapsed {
    struct orma_formats_lines lines;
    uint32_t profile; /* + 1; 0: not made yet */
    uint32_t mapping; /* the same, of all frames */
};

/* The profile of the file, made with its first stack. */
static uint32_t profile_of(struct orma_import_ctx *imp, struct collapsed *c)
{
    if (!c->profile)
        c->profile =
            1 + orma_callstacks_aggregate(imp->model, "collapsed_stack_file",
                                          orma_model_cstr(imp->model, "collapsed_stack samples"),
                                          orma_model_cstr(imp->model, "samples"),
                                          orma_model_cstr(imp->model, "count"));
    return c->profile - 1;
}

/* What frames lie in, made with the first one. */
static uint32_t mapping_of(struct orma_import_ctx *imp, struct collapsed *c)
{
    if (!c->mapping)
        c->mapping = 1 + orma_callstacks_dummy_mapping(imp->model, "[collapsed_stack]");
    return c->mapping - 1;
}

/* Names that are empty are left out. */
static uint32_t stack_of(struct orma_import_ctx *imp, struct collapsed *c, struct orma_str stack)
{
    uint32_t callsite = ORMA_CALLSITE_NONE;
    struct orma_str name;

    while (orma_str_cut(&stack, ';', &name)) {
        const struct orma_stack_frame f = {.mapping = mapping_of(imp, c),
                                           .name = orma_model_str(imp->model, name)};

        if (name.len)
            callsite = orma_callstacks_callsite(imp->model, callsite,
                                                orma_callstacks_symbolized_frame(imp->model, &f));
    }
    return callsite;
}

/* What nearly all are. */
static bool read_whole(struct orma_str word, double *ret)
{
    int64_t val = 0;

    if (word.len > DIGITS_MAX)
        return false;
    for (size_t i = 0; i < word.len; i++) {
        if (word.data[i] < '0' || word.data[i] > '9')
            return false;
        val = val * 10 + (word.data[i] - '0');
    }
    *ret = (double)val;
    return word.len;
}

/* "12", "1.5", "2e3"; what is below zero was never seen, and is none. */
static bool read_count(struct orma_str word, double *ret)
{
    char text[NUMBER_MAX];

    if (read_whole(word, ret))
        return true;
    if (!word.len || word.len >= sizeof(text) || word.data[0] < '0' || word.data[0] > '9')
        return false;
    memcpy(text, word.data, word.len);
    text[word.len] = '\0';
    return orma_number_to_double(text, ret) && isfinite(*ret);
}

static bool read_stack(struct orma_file *file, struct collapsed *c, struct orma_str line)
{
    struct orma_import_ctx *imp = file->imp;
    struct orma_str stack = line, num = orma_formats_cut_last(&stack);
    double count;

    stack.len -= stack.len > 0; /* one blank; others belong to the last name */
    if (!stack.len || !read_count(num, &count))
        return false;
    uint32_t profile = profile_of(imp, c);
    if (count == 0)
        return true;
    uint32_t callsite = stack_of(imp, c, stack);
    if (callsite == ORMA_CALLSITE_NONE)
        return false;
    orma_callstacks_aggregate_add(imp->model, profile, callsite, count);
    return true;
}

static size_t collapsed_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct collapsed *c = file->state;
    struct orma_str rest = {(const char *)data, len}, line;

    while (!orma_file_failed(file) &&
           orma_formats_next_line(&c->lines, file, &rest, at_end, &line)) {
        line = orma_str_trim(line);
        if (!line.len || line.data[0] == '#')
            continue;
        orma_file_unit(file, line.data);
        (void)(read_stack(file, c, line)
                   ? orma_file_took(file)
                   : orma_file_damaged(file, "lines", line.data, line.len, ORMA_DAMAGED_LINE));
    }
    return len - rest.len;
}

const struct orma_format_ops orma_format_collapsed = {
    .state_bytes = sizeof(struct collapsed),
    .unit = "line",
    .read = collapsed_read,
};
