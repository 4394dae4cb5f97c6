/*
 * ChangeTraceConfig: of all that a config holds only the producer filters of
 * its data sources can change while a session lives, and only by addition
 * (rule 30 of docs/service.md).
 *
 * Nothing may have changed if it is refused: so first all patterns are compiled,
 * then add_all() only counts what would be added, and then it adds. Data sources
 * that match now are found by a new sweep.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "protos/pbc.h"
#include "sdk/ipc/frame.h"
#include "traced/config/wanted.h"
#include "traced/sessions/registry.h"
#include "traced/sessions/session.h"

typedef Perfetto__Protos__TraceConfig config_t;
typedef Perfetto__Protos__TraceConfig__DataSource entry_t;

/* Filters in one request: each is compared with each entry that has the name of its own. */
#define FILTERS_MAX 1024
/* The whole config is the answer to Attach, and must fit in its frame. */
#define CONFIG_MAX (ORMA_IPC_FRAME_MAX - 1024)
/* Around a filter: field number and length. */
#define FILTER_OVERHEAD 5

struct change {
    struct traced_session *session;
    const config_t *wanted;
    bool dry;     /* only `added` is counted */
    size_t added; /* bytes of the config */
};

/* Lists of protobuf-c come from malloc(). */
static int append(char ***list, size_t *num, const char *text)
{
    char **grown = realloc(*list, (*num + 1) * sizeof(*grown));

    if (!grown)
        return -ENOMEM;
    *list = grown;
    grown[*num] = strdup(text);
    if (!grown[*num])
        return -ENOMEM;
    ++*num;
    return 0;
}

static int add_name(struct change *c, uint32_t idx, const char *name)
{
    entry_t *entry = c->session->config->data_sources[idx];

    if (traced_wanted_names(c->session->wanted, idx, name))
        return 0;
    c->added += strlen(name) + FILTER_OVERHEAD;
    if (c->dry)
        return 0;
    int r = append(&entry->producer_name_filter, &entry->n_producer_name_filter, name);
    if (r < 0)
        return r;
    return traced_wanted_add_name(c->session->wanted, idx,
                                  entry->producer_name_filter[entry->n_producer_name_filter - 1]);
}

static int add_pattern(struct change *c, uint32_t idx, const char *pattern)
{
    entry_t *entry = c->session->config->data_sources[idx];

    if (traced_wanted_has_pattern(c->session->wanted, idx, pattern))
        return 0;
    c->added += strlen(pattern) + FILTER_OVERHEAD;
    if (c->dry)
        return 0;
    int r =
        append(&entry->producer_name_regex_filter, &entry->n_producer_name_regex_filter, pattern);
    return r < 0 ? r : traced_wanted_add_pattern(c->session->wanted, idx, pattern);
}

static int add_filters(struct change *c, uint32_t idx, const entry_t *more)
{
    int r = 0;

    for (size_t i = 0; i < more->n_producer_name_filter && r == 0; i++)
        r = add_name(c, idx, more->producer_name_filter[i]);
    for (size_t i = 0; i < more->n_producer_name_regex_filter && r == 0; i++)
        r = add_pattern(c, idx, more->producer_name_regex_filter[i]);
    return r;
}

/* An entry without any filter means all producers already. */
static int add_all(struct change *c)
{
    const struct traced_wanted *w = c->session->wanted;
    int r = 0;

    c->added = 0;
    for (size_t i = 0; i < c->wanted->n_data_sources && r == 0; i++) {
        const entry_t *more = c->wanted->data_sources[i];
        const char *name = more->config && more->config->name ? more->config->name : "";

        for (uint32_t k = traced_wanted_first(w, name); k != TRACED_WANTED_NONE && r == 0;
             k = traced_wanted_next(w, k))
            if (traced_wanted_is_filtered(w, k))
                r = add_filters(c, k, more);
        if (c->dry && c->session->config_bytes.len + c->added > CONFIG_MAX)
            return -E2BIG;
    }
    return r;
}

static bool is_too_much(const config_t *wanted)
{
    size_t num = wanted->n_data_sources;

    for (size_t i = 0; i < wanted->n_data_sources; i++)
        num += wanted->data_sources[i]->n_producer_name_filter +
               wanted->data_sources[i]->n_producer_name_regex_filter;
    return num > FILTERS_MAX;
}

/* All of them, so that nothing has changed if one can't be had. */
static int compile_all(struct traced_session *s, const config_t *wanted)
{
    struct orma_buf error = {0};
    int r = 0;

    for (size_t i = 0; i < wanted->n_data_sources; i++)
        for (size_t k = 0; k < wanted->data_sources[i]->n_producer_name_regex_filter && r == 0; k++)
            r = traced_wanted_compile(
                s->wanted, wanted->data_sources[i]->producer_name_regex_filter[k], &error);
    orma_buf_fini(&error);
    return r;
}

/* The config in the trace is the one in use. Unknown fields are kept by protobuf-c. */
static int encode_again(struct traced_session *s)
{
    size_t len = protobuf_c_message_get_packed_size(&s->config->base);
    struct orma_buf bytes = {0};
    uint8_t *to = len ? orma_buf_extend(&bytes, len) : NULL;

    if (len && !to)
        return -ENOMEM;
    if (len)
        protobuf_c_message_pack(&s->config->base, to);
    traced_instances_forget_configs(s);
    orma_buf_fini(&s->config_bytes);
    s->config_bytes = bytes;
    return 0;
}

static int change(struct traced_session *s, const config_t *wanted)
{
    struct change c = {.session = s, .wanted = wanted, .dry = true};

    if (is_too_much(wanted))
        return -E2BIG;
    int r = compile_all(s, wanted);
    if (r == 0)
        r = add_all(&c);
    if (r < 0 || !c.added)
        return r;
    c.dry = false;
    r = add_all(&c);
    if (r == 0)
        r = encode_again(s);
    traced_instances_sweep(s); /* also what was added before memory ran out */
    return r;
}

int traced_session_change_config(struct traced_session *s, struct orma_str bytes)
{
    ProtobufCMessage *msg;
    int r = orma_pbc_unpack(&perfetto__protos__trace_config__descriptor, bytes, &msg);

    if (r < 0)
        return r;
    if (s->state == TRACED_CONFIGURED || s->state == TRACED_STARTED)
        r = change(s, (const config_t *)msg);
    protobuf_c_message_free_unpacked(msg, NULL);
    return r;
}
