#include "traced/config/regex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define HEAP_LIMIT_KIB 1024
/* A second line of defence: what the library counts is close to our steps. */
#define MATCH_LIMIT 100000
#endif

struct traced_regex {
    char *text; /* of the pattern, where it is plain; NULL otherwise */
    size_t size;
#ifdef HAVE_PCRE2
    pcre2_code *code;
    pcre2_match_data *data;
#endif
};

void traced_regex_free(struct traced_regex *self)
{
    if (!self)
        return;
#ifdef HAVE_PCRE2
    pcre2_match_data_free(self->data);
    pcre2_code_free(self->code);
#endif
    free(self->text);
    free(self);
}

size_t traced_regex_size(const struct traced_regex *self)
{
    return self->size;
}

static bool is_plain(const char *pattern)
{
    return !pattern[strcspn(pattern, "\\^$.|?*+()[]{}")];
}

#ifdef HAVE_PCRE2
static int compile(struct traced_regex *self, const char *pattern, struct orma_buf *error)
{
    PCRE2_SIZE at, size;
    PCRE2_UCHAR why[128] = {0};
    int err;

    /* Automatic callouts are how steps are counted. */
    self->code =
        pcre2_compile((PCRE2_SPTR)pattern, strlen(pattern),
                      PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_AUTO_CALLOUT, &err, &at, NULL);
    if (!self->code) {
        (void)pcre2_get_error_message(err, why, sizeof(why)); /* cut at worst */
        orma_buf_printf(error, "%s (at character %zu)", (const char *)why, at + 1);
        return -EINVAL;
    }
    self->data = pcre2_match_data_create_from_pattern(self->code, NULL);
    if (!self->data)
        return -ENOMEM;
    if (pcre2_pattern_info(self->code, PCRE2_INFO_SIZE, &size) == 0)
        self->size += size;
    return 0;
}

struct match_steps {
    uint32_t num, max;
};

static int on_step(pcre2_callout_block *block, void *arg)
{
    struct match_steps *steps = arg;

    (void)block;
    return ++steps->num > steps->max ? PCRE2_ERROR_CALLOUT : 0;
}

static bool run(const struct traced_regex *self, const char *text, struct match_steps *steps)
{
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    bool found = false;

    if (limits) {
        pcre2_set_callout(limits, on_step, steps);
        pcre2_set_match_limit(limits, MATCH_LIMIT);
        pcre2_set_heap_limit(limits, HEAP_LIMIT_KIB);
        found =
            pcre2_match(self->code, (PCRE2_SPTR)text, strlen(text), 0, 0, self->data, limits) >= 0;
    }
    pcre2_match_context_free(limits);
    return found;
}
#else
static int compile(struct traced_regex *self, const char *pattern, struct orma_buf *error)
{
    (void)self;
    (void)pattern;
    orma_buf_put_str(error, "this service was built without regular expressions");
    return -EINVAL;
}
#endif

int traced_regex_new(const char *pattern, struct traced_regex **ret, struct orma_buf *error)
{
    ORMA_AUTO(traced_regex_free_p) struct traced_regex *self = calloc(1, sizeof(*self));
    size_t len = strlen(pattern);
    int r = 0;

    if (!self)
        return -ENOMEM;
    if (len > TRACED_REGEX_PATTERN_MAX) {
        orma_buf_printf(error, "longer than %d bytes", TRACED_REGEX_PATTERN_MAX);
        return -EINVAL;
    }
    self->size = sizeof(*self) + len;
    if (!is_plain(pattern))
        r = compile(self, pattern, error);
    else if (!(self->text = strdup(pattern)))
        r = -ENOMEM;
    if (r < 0)
        return r;
    *ret = ORMA_STEAL(self);
    return 0;
}

bool traced_regex_matches(const struct traced_regex *self, const char *text, uint32_t max_steps,
                          uint32_t *ret_steps)
{
    *ret_steps = 1;
    if (self->text)
        return !strcmp(self->text, text);
#ifdef HAVE_PCRE2
    struct match_steps steps = {0, max_steps};
    bool found = strlen(text) <= TRACED_REGEX_TEXT_MAX && run(self, text, &steps);

    *ret_steps = steps.num;
    return found;
#else
    (void)max_steps;
    return false;
#endif
}
