/*
 * ChangeTraceConfig: of all that a config holds only the producer filters of
 * its data sources can change while a session lives, and only by addition
 * (rule 30 of docs/service.md).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "protos/pbc.h"
#include "traced/internal.h"
#include "traced/producer.h"
#include "traced/session.h"

typedef Perfetto__Protos__TraceConfig config_t;
typedef Perfetto__Protos__TraceConfig__DataSource entry_t;

/* More are refused: each is matched against each producer. */
#define FILTERS_MAX 1024

static bool contains(char *const *list, size_t num, const char *text)
{
    for (size_t i = 0; i < num; i++)
        if (!strcmp(list[i], text))
            return true;
    return false;
}

/* Appends the names that are new. Lists of protobuf-c come from malloc(). */
static int add_all(char ***list, size_t *num, char *const *more, size_t more_num)
{
    for (size_t i = 0; i < more_num; i++) {
        if (contains(*list, *num, more[i]))
            continue;
        if (*num >= FILTERS_MAX)
            return -E2BIG;
        char **grown = realloc(*list, (*num + 1) * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        *list = grown;
        grown[*num] = strdup(more[i]);
        if (!grown[*num])
            return -ENOMEM;
        ++*num;
    }
    return 0;
}

static const char *name_of(const entry_t *entry)
{
    return entry->config && entry->config->name ? entry->config->name : "";
}

/* An entry without any filter means all producers already. */
static bool is_filtered(const entry_t *entry)
{
    return entry->n_producer_name_filter || entry->n_producer_name_regex_filter;
}

static int add_filters(config_t *config, const entry_t *wanted)
{
    int r = 0;

    for (size_t i = 0; i < config->n_data_sources && r == 0; i++) {
        entry_t *entry = config->data_sources[i];

        if (strcmp(name_of(entry), name_of(wanted)) || !is_filtered(entry))
            continue;
        r = add_all(&entry->producer_name_filter, &entry->n_producer_name_filter,
                    wanted->producer_name_filter, wanted->n_producer_name_filter);
        if (r == 0)
            r = add_all(&entry->producer_name_regex_filter, &entry->n_producer_name_regex_filter,
                        wanted->producer_name_regex_filter, wanted->n_producer_name_regex_filter);
    }
    return r;
}

/* What goes into the trace says what the session does. Unknown fields are kept by protobuf-c. */
static int encode_again(struct traced_session *s)
{
    size_t len = protobuf_c_message_get_packed_size(&s->config->base);
    struct orma_buf bytes = {0};
    uint8_t *to = len ? orma_buf_extend(&bytes, len) : NULL;

    if (len && !to)
        return -ENOMEM;
    if (len)
        protobuf_c_message_pack(&s->config->base, to);
    orma_buf_fini(&s->config_bytes);
    s->config_bytes = bytes;
    return 0;
}

int traced_session_change_config(struct traced_session *s, struct orma_str bytes)
{
    ProtobufCMessage *msg;
    int r = orma_pbc_unpack(&perfetto__protos__trace_config__descriptor, bytes, &msg);

    if (r < 0)
        return r;
    if (s->state == TRACED_CONFIGURED || s->state == TRACED_STARTED) {
        const config_t *wanted = (const config_t *)msg;

        for (size_t i = 0; i < wanted->n_data_sources && r == 0; i++)
            r = add_filters(s->config, wanted->data_sources[i]);
        if (r == 0)
            r = encode_again(s);
        ORMA_LIST_EACH (struct traced_producer, p, &s->service->producers, link)
            ORMA_LIST_EACH (struct traced_data_source, ds, &p->data_sources, link)
                traced_session_match_again(s, ds);
    }
    protobuf_c_message_free_unpacked(msg, NULL);
    return r;
}
