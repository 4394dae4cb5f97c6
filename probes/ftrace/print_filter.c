#include "probes/ftrace/print_filter.h"

#include <errno.h>
#include <stdlib.h>

/* Userspace markers look like "TYPE|PID|MESSAGE". */
struct rule {
    char *type; /* NULL: `prefix` is that of the whole text */
    char *prefix;
    bool allow;
};

struct orma_ftrace_print_filter {
    size_t num;
    struct rule rules[];
};

static int rule_init(struct rule *rule,
                     const Perfetto__Protos__FtraceConfig__PrintFilter__Rule *config)
{
    const char *prefix = NULL, *type = NULL;

    switch (config->match_case) {
    case PERFETTO__PROTOS__FTRACE_CONFIG__PRINT_FILTER__RULE__MATCH_PREFIX:
        prefix = config->prefix;
        break;
    case PERFETTO__PROTOS__FTRACE_CONFIG__PRINT_FILTER__RULE__MATCH_ATRACE_MSG:
        type = config->atrace_msg->type;
        prefix = config->atrace_msg->prefix ? config->atrace_msg->prefix : "";
        if (!type)
            return -EINVAL;
        break;
    default:
        break; /* nothing, or of a newer version */
    }
    if (!prefix)
        return -EINVAL;
    rule->allow = config->has_allow && config->allow;
    rule->prefix = orma_str_dup(orma_str_from(prefix));
    rule->type = type ? orma_str_dup(orma_str_from(type)) : NULL;
    return rule->prefix && (!type || rule->type) ? 0 : -ENOMEM;
}

int orma_ftrace_print_filter_new(const Perfetto__Protos__FtraceConfig__PrintFilter *config,
                                 struct orma_ftrace_print_filter **ret)
{
    struct orma_ftrace_print_filter *self = NULL;

    if (config && config->n_rules) {
        self = calloc(1, sizeof(*self) + config->n_rules * sizeof(self->rules[0]));
        if (!self)
            return -ENOMEM;
    }
    for (size_t i = 0; self && i < config->n_rules; i++) {
        int r = rule_init(&self->rules[self->num++], config->rules[i]);

        if (r < 0) {
            orma_ftrace_print_filter_free(self);
            return r;
        }
    }
    *ret = self;
    return 0;
}

void orma_ftrace_print_filter_free(struct orma_ftrace_print_filter *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->num; i++) {
        free(self->rules[i].type);
        free(self->rules[i].prefix);
    }
    free(self);
}

static bool matches(const struct rule *rule, struct orma_str text)
{
    struct orma_str part;

    if (!rule->type)
        return orma_str_starts(text, orma_str_from(rule->prefix));
    if (!orma_str_cut(&text, '|', &part) || !orma_str_eq_c(part, rule->type))
        return false;
    if (!orma_str_cut(&text, '|', &part)) /* the pid */
        return !rule->prefix[0];
    return orma_str_starts(text, orma_str_from(rule->prefix));
}

bool orma_ftrace_print_filter_allows(const void *filter, struct orma_str text)
{
    const struct orma_ftrace_print_filter *self = filter;

    for (size_t i = 0; i < self->num; i++) {
        if (matches(&self->rules[i], text))
            return self->rules[i].allow;
    }
    return true;
}
