#include "traced/regex.h"

#include <errno.h>
#include <string.h>

#ifdef HAVE_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Generous for names, and over in a millisecond. */
#define MATCH_LIMIT 20000
#define HEAP_LIMIT_KIB 1024
#define PATTERN_MAX 4096

static pcre2_code *compile(const char *pattern)
{
    size_t len = strlen(pattern);
    PCRE2_SIZE at;
    int err;

    if (len > PATTERN_MAX)
        return NULL;
    return pcre2_compile((PCRE2_SPTR)pattern, len, PCRE2_ANCHORED | PCRE2_ENDANCHORED, &err, &at,
                         NULL);
}

bool traced_regex_supported(void)
{
    return true;
}

int traced_regex_check(const char *pattern)
{
    pcre2_code *code = compile(pattern);

    if (!code)
        return -EINVAL;
    pcre2_code_free(code);
    return 0;
}

bool traced_regex_match(const char *pattern, const char *text)
{
    pcre2_code *code = compile(pattern);
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    pcre2_match_data *data = code ? pcre2_match_data_create_from_pattern(code, NULL) : NULL;
    bool found = false;

    if (data && limits) {
        pcre2_set_match_limit(limits, MATCH_LIMIT);
        pcre2_set_heap_limit(limits, HEAP_LIMIT_KIB);
        found = pcre2_match(code, (PCRE2_SPTR)text, strlen(text), 0, 0, data, limits) >= 0;
    }
    pcre2_match_data_free(data);
    pcre2_match_context_free(limits);
    pcre2_code_free(code);
    return found;
}

#else

bool traced_regex_supported(void)
{
    return false;
}

int traced_regex_check(const char *pattern)
{
    (void)pattern;
    return -ENOSYS;
}

bool traced_regex_match(const char *pattern, const char *text)
{
    (void)pattern;
    (void)text;
    return false;
}
#endif
