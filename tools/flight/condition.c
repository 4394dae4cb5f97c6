#include "tools/flight/condition.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "tools/base/units.h"

static const char *skip_blanks(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* The word and a blank; *at moves behind it. */
static bool take_word(const char **at, const char *word)
{
    size_t len = strlen(word);

    if (strncasecmp(*at, word, len) || !isspace((unsigned char)(*at)[len]))
        return false;
    *at = skip_blanks(*at + len);
    return true;
}

/* Up to the closing quote, or without quotes up to the last '>'. */
static bool take_name(const char **at, char *ret)
{
    const char *end, *next;

    if (**at == '"' || **at == '\'') {
        end = strchr(*at + 1, **at);
        (*at)++;
        next = end ? end + 1 : NULL;
    } else {
        next = end = strrchr(*at, '>');
        while (end && end > *at && isspace((unsigned char)end[-1]))
            end--;
    }
    if (!end || end == *at || (size_t)(end - *at) >= ORMA_FLIGHT_NAME_MAX)
        return false;
    memcpy(ret, *at, (size_t)(end - *at));
    ret[end - *at] = '\0';
    *at = skip_blanks(next);
    return true;
}

const char *orma_flight_condition_parse(const char *text, struct orma_flight_condition *ret)
{
    const char *at = skip_blanks(text);

    *ret = (struct orma_flight_condition){.text = text};
    if (take_word(&at, "select") || take_word(&at, "with") || take_word(&at, "include")) {
        ret->kind = ORMA_FLIGHT_SQL;
        return NULL;
    }
    if (take_word(&at, "slice"))
        ret->kind = ORMA_FLIGHT_SLICE;
    else if (take_word(&at, "latency"))
        ret->kind = ORMA_FLIGHT_LATENCY;
    else
        return "expected: slice \"NAME\" > TIME, latency NAME > TIME, or SQL that begins with "
               "SELECT";
    if (!take_name(&at, ret->name) || *at != '>')
        return "expected a name and '> TIME' behind it, such as \"request\" > 50ms";
    at = skip_blanks(at + 1);
    if (!orma_units_parse_time_ns(at, &ret->longer_ns) || !ret->longer_ns)
        return "expected a time behind '>', such as 50ms";
    return NULL;
}
