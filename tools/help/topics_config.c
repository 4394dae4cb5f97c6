/*
 * orma help config: how configs are written, and what any message of them holds.
 */
#include <string.h>

#include "protos/reflect/schema.h"
#include "sdk/base/defs.h"
#include "sdk/base/str.h"
#include "tools/base/cli.h"
#include "tools/help/topics.h"

#define ROOT "perfetto.protos.TraceConfig"
#define VALUES_SHOWN 40

static const char intro[] =
    "A trace config says what to record, into which buffers, and for how long. It is text:\n"
    "\n"
    "  buffers { size_kb: 32768 fill_policy: RING_BUFFER }\n"
    "  data_sources {\n"
    "    config {\n"
    "      name: \"linux.ftrace\"\n"
    "      ftrace_config { ftrace_events: \"sched/sched_switch\" }\n"
    "    }\n"
    "  }\n"
    "  duration_ms: 10000\n"
    "\n"
    "  orma record -c my.pbtxt -o t.pftrace    # records with it\n"
    "  orma record sched irq --explain         # a commented one to start from\n"
    "\n"
    "Comments go from # to the end of the line. Times are in milliseconds and sizes in kilobytes\n"
    "if the name says so (_ms, _kb); values have no units. Enum values are written by\n"
    "name. Repeated fields are written several times, or as [a, b].\n"
    "\n"
    "Below are the top-level fields; 'orma help config NAME.NAME...' shows those of a message:\n"
    "\n"
    "  orma help config buffers\n"
    "  orma help config data_sources.config.ftrace_config\n"
    "\n";

static const char *scalar_name(unsigned type)
{
    static const char *const names[] = {
        [ORMA_TYPE_DOUBLE] = "double",     [ORMA_TYPE_FLOAT] = "float",
        [ORMA_TYPE_INT64] = "int64",       [ORMA_TYPE_UINT64] = "uint64",
        [ORMA_TYPE_INT32] = "int32",       [ORMA_TYPE_FIXED64] = "fixed64",
        [ORMA_TYPE_FIXED32] = "fixed32",   [ORMA_TYPE_BOOL] = "true/false",
        [ORMA_TYPE_STRING] = "\"text\"",   [ORMA_TYPE_BYTES] = "\"bytes\"",
        [ORMA_TYPE_UINT32] = "uint32",     [ORMA_TYPE_SFIXED32] = "sfixed32",
        [ORMA_TYPE_SFIXED64] = "sfixed64", [ORMA_TYPE_SINT32] = "sint32",
        [ORMA_TYPE_SINT64] = "sint64",
    };

    return type < ORMA_ARRAY_LEN(names) && names[type] ? names[type] : "?";
}

static void show_values(const struct orma_schema *s, uint32_t enum_idx)
{
    uint32_t num;
    const struct orma_enum_value *values = orma_schema_values(s, enum_idx, &num);

    for (uint32_t i = 0; i < num && i < VALUES_SHOWN; i++)
        printf("      %s\n", orma_schema_string(s, values[i].name));
    if (num > VALUES_SHOWN)
        printf("      ... and %u more\n", (unsigned)(num - VALUES_SHOWN));
}

static void show_field(const struct orma_schema *s, const struct orma_field *f)
{
    const char *name = orma_field_name(s, f);
    bool ext = f->flags & ORMA_FIELD_EXTENSION;
    const char *type = f->type == ORMA_TYPE_MESSAGE ? "{ ... }" : scalar_name(f->type);

    if (f->type == ORMA_TYPE_ENUM)
        type = "one of";

    printf("  %s%s%s%s %s%s\n", ext ? "[" : "", name, ext ? "]" : "",
           f->type == ORMA_TYPE_MESSAGE ? "" : ":", type,
           f->flags & ORMA_FIELD_REPEATED ? "   (repeated)" : "");
    if (f->type == ORMA_TYPE_ENUM)
        show_values(s, f->type_idx);
}

static void show_message(const struct orma_schema *s, uint32_t msg)
{
    uint32_t num;
    const struct orma_field *fields = orma_schema_fields(s, msg, &num);

    for (uint32_t i = 0; i < num; i++)
        show_field(s, &fields[i]);
    if (!num)
        printf("  (it has no fields)\n");
}

static int no_field(const struct orma_schema *s, uint32_t msg, struct orma_str part)
{
    struct orma_buf near = {0};

    orma_schema_suggest_field(s, msg, part, &near);
    fprintf(stderr, "orma help: %s has no field '%.*s'%s\n",
            orma_schema_short_name(orma_schema_msg_name(s, msg)), ORMA_STR_ARG(part),
            orma_buf_cstr(&near));
    orma_buf_fini(&near);
    return ORMA_EXIT_USAGE;
}

static int show_path(const struct orma_schema *s, uint32_t msg, const char *path)
{
    for (const char *at = path; *at;) {
        struct orma_str part = {at, strcspn(at, ".")};
        const struct orma_field *f = orma_schema_field_named(s, msg, part);

        if (!f)
            return no_field(s, msg, part);
        at += part.len + (at[part.len] == '.');
        if (f->type != ORMA_TYPE_MESSAGE && *at) {
            fprintf(stderr, "orma help: '%.*s' is a plain value: it has no fields\n",
                    (int)(at - path - 1), path);
            return ORMA_EXIT_USAGE;
        }
        if (f->type != ORMA_TYPE_MESSAGE) {
            show_field(s, f);
            return ORMA_EXIT_OK;
        }
        msg = f->type_idx;
    }
    printf("%s (%s):\n", path, orma_schema_short_name(orma_schema_msg_name(s, msg)));
    show_message(s, msg);
    return ORMA_EXIT_OK;
}

int orma_help_topic_config(const char *path)
{
    const struct orma_schema *s = orma_schema_default();
    uint32_t msg = orma_schema_find_msg(s, ORMA_STR(ROOT));

    if (msg == ORMA_SCHEMA_NONE)
        return ORMA_EXIT_FAILURE;
    if (path)
        return show_path(s, msg, path);
    fputs(intro, stdout);
    show_message(s, msg);
    return ORMA_EXIT_OK;
}
