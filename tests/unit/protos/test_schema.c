#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"
#include "tests/unit/protos/kinds.h"

static struct orma_str str(const char *text)
{
    return orma_str_from(text);
}

static const struct orma_field *field(const struct orma_schema *s, const char *msg,
                                      const char *name)
{
    uint32_t idx = orma_schema_find_msg(s, str(msg));

    cr_assert_neq(idx, ORMA_SCHEMA_NONE, "%s", msg);
    return orma_schema_field_named(s, idx, str(name));
}

Test(default_schema, knows_messages_fields_enums_and_our_extensions)
{
    const struct orma_schema *s = orma_schema_default();
    const struct orma_field *f = field(s, "perfetto.protos.TraceConfig", "buffers");

    cr_assert_not_null(f);
    cr_assert_eq(f->number, 1);
    cr_assert_eq(f->type, ORMA_TYPE_MESSAGE);
    cr_assert(orma_field_is_repeated(f));
    cr_assert_str_eq(orma_schema_msg_name(s, f->type_idx),
                     "perfetto.protos.TraceConfig.BufferConfig");
    f = field(s, "perfetto.protos.TraceStats", "perfetto.protos.orma_sequence_counts");
    cr_assert_not_null(f);
    cr_assert_eq(f->number, 90001);
    cr_assert(f->flags & ORMA_FIELD_EXTENSION);
    uint32_t e = orma_schema_find_enum(s, str("perfetto.protos.BuiltinClock"));
    int32_t number;
    cr_assert_neq(e, ORMA_SCHEMA_NONE);
    cr_assert(orma_schema_value_named(s, e, str("BUILTIN_CLOCK_BOOTTIME"), &number));
    cr_assert_eq(number, 6);
    cr_assert_str_eq(orma_schema_value_name(s, e, 6), "BUILTIN_CLOCK_BOOTTIME");
    cr_assert_null(orma_schema_value_name(s, e, 12345));
    orma_assert_no_leaks();
}

/* Whatever way a field is asked for, it is the same one. */
static void check_schema(const struct orma_schema *s)
{
    for (uint32_t m = 0; m < orma_schema_msg_count(s); m++) {
        uint32_t n;
        const struct orma_field *fields = orma_schema_fields(s, m, &n);
        const char *name = orma_schema_msg_name(s, m);

        cr_assert_eq(orma_schema_find_msg(s, str(name)), m, "%s", name);
        for (uint32_t i = 0; i < n; i++) {
            const char *fname = orma_field_name(s, &fields[i]);

            cr_assert(!i || fields[i].number > fields[i - 1].number, "%s order", name);
            cr_assert_eq(orma_schema_field(s, m, fields[i].number), &fields[i], "%s", fname);
            cr_assert_eq(orma_schema_field_named(s, m, str(fname)), &fields[i], "%s", fname);
            cr_assert_null(
                orma_schema_field_named(s, m, (struct orma_str){fname, strlen(fname) + 1}),
                "a name with a zero byte");
            if (fields[i].type == ORMA_TYPE_MESSAGE)
                cr_assert_lt(fields[i].type_idx, orma_schema_msg_count(s));
            if (fields[i].type == ORMA_TYPE_ENUM)
                cr_assert_lt(fields[i].type_idx, orma_schema_enum_count(s));
            cr_assert_leq(fields[i].oneof, orma_schema_oneof_count(s, m));
        }
        cr_assert_null(orma_schema_field(s, m, 0));
        cr_assert_null(orma_schema_field(s, m, UINT32_MAX));
    }
    for (uint32_t e = 0; e < orma_schema_enum_count(s); e++) {
        uint32_t n;
        const struct orma_enum_value *values = orma_schema_values(s, e, &n);

        cr_assert_eq(orma_schema_find_enum(s, str(orma_schema_enum_name(s, e))), e);
        for (uint32_t i = 1; i < n; i++)
            cr_assert_leq(values[i - 1].number, values[i].number);
    }
}

Test(default_schema, every_field_is_found_by_number_and_by_name)
{
    check_schema(orma_schema_default());
    orma_assert_no_leaks();
}

Test(default_schema, a_copy_is_the_same_and_its_own)
{
    struct orma_schema *copy;

    cr_assert_eq(orma_schema_new(orma_schema_default(), &copy), 0);
    check_schema(copy);
    cr_assert_eq(orma_schema_msg_count(copy), orma_schema_msg_count(orma_schema_default()));
    orma_schema_free(copy);
    orma_assert_no_leaks();
}

Test(schema, reads_labels_types_packing_oneofs_and_defaults)
{
    struct orma_schema *s = kinds_schema(false);
    const struct orma_field *f;

    check_schema(s);
    f = field(s, "orma.test.Kinds", "p_sint64");
    cr_assert_eq(f->type, ORMA_TYPE_SINT64);
    cr_assert_eq(f->flags, ORMA_FIELD_REPEATED | ORMA_FIELD_PACKED);
    f = field(s, "orma.test.Kinds", "r_int32");
    cr_assert_eq(f->flags, ORMA_FIELD_REPEATED);
    f = field(s, "orma.test.Strict", "must");
    cr_assert_eq(f->flags, ORMA_FIELD_REQUIRED);
    f = field(s, "orma.test.Kinds", "five");
    cr_assert_eq(f->oneof, 2);
    cr_assert_str_eq(orma_schema_oneof_name(s, kinds_msg(s, "Kinds"), 1), "other");
    cr_assert_str_eq(orma_field_default(s, field(s, "orma.test.Kinds", "f_enum")), "GREEN");
    cr_assert_str_eq(orma_field_default(s, field(s, "orma.test.Kinds", "with_default")), "it's");
    cr_assert_null(orma_field_default(s, f));
    f = field(s, "orma.test.Kinds", "far");
    cr_assert_eq(f->number, ORMA_PB_ID_MAX);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(schema, the_first_name_of_aliases_is_printed_and_all_are_understood)
{
    struct orma_schema *s = kinds_schema(false);
    uint32_t e = orma_schema_find_enum(s, str(".orma.test.Colour"));
    int32_t number = 0;

    cr_assert_str_eq(orma_schema_value_name(s, e, 1), "RED");
    cr_assert(orma_schema_value_named(s, e, str("CRIMSON"), &number));
    cr_assert_eq(number, 1);
    cr_assert_str_eq(orma_schema_value_name(s, e, -3), "MINUS");
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(schema, json_names_are_camel_case_original_or_declared)
{
    struct orma_schema *s = kinds_schema(true);
    uint32_t m = kinds_msg(s, "Kinds");
    struct orma_buf name = {0};
    static const struct {
        const char *json, *field;
    } cases[] = {
        {"fDouble", "f_double"},
        {"f_double", "f_double"},
        {"ODD", "odd_json"},
        {"odd_json", "odd_json"},
        {"oddJson", NULL},
        {"FDouble", NULL},
        {"fdouble", NULL},
        {"fDoubl", NULL},
        {"fDoublee", NULL},
        {"", NULL},
        {"[orma.more.ext_int]", "orma.more.ext_int"},
        {"orma.more.ext_int", NULL},
        {"[f_double]", NULL},
        {"[]", NULL},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        const struct orma_field *f = orma_schema_field_json(s, m, str(cases[i].json));

        cr_assert_eq(f != NULL, cases[i].field != NULL, "%s", cases[i].json);
        if (f)
            cr_assert_str_eq(orma_field_name(s, f), cases[i].field);
    }
    orma_field_json_name(s, field(s, "orma.test.Kinds", "odd_json"), &name);
    orma_buf_put_byte(&name, ' ');
    orma_field_json_name(s, field(s, "orma.test.Kinds", "f_sfixed32"), &name);
    orma_buf_put_byte(&name, ' ');
    orma_field_json_name(s, field(s, "orma.test.Kinds", "orma.more.ext_int"), &name);
    cr_assert_str_eq(orma_buf_cstr(&name), "ODD fSfixed32 [orma.more.ext_int]");
    orma_buf_fini(&name);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(schema, a_second_set_extends_what_the_first_declared)
{
    struct orma_schema *s = kinds_schema(false);
    uint32_t kinds = kinds_msg(s, "Kinds"), holder = kinds_msg(s, "Holder");
    struct orma_buf set = {0};

    cr_assert_null(orma_schema_field(s, kinds, 1000));
    kinds_ext_read_set(&set);
    for (int again = 0; again < 3; again++) {
        cr_assert_eq(orma_schema_add(s, set.data, set.len, NULL), 0);
        check_schema(s);
        cr_assert_eq(kinds_msg(s, "Kinds"), kinds, "indices stay");
        const struct orma_field *f = orma_schema_field(s, kinds, 1001);
        cr_assert_str_eq(orma_field_name(s, f), "orma.more.ext_message");
        cr_assert_str_eq(orma_schema_msg_name(s, f->type_idx), "orma.more.Added");
        f = orma_schema_field(s, holder, 100);
        cr_assert_str_eq(orma_field_name(s, f), "orma.more.Scope.scoped");
        cr_assert_eq(f->flags, ORMA_FIELD_EXTENSION | ORMA_FIELD_REPEATED);
    }
    orma_buf_fini(&set);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

/* FileDescriptorSet { file { package: "orma.test"; message_type { name, field... } } } */
static void put_field_desc(struct orma_buf *out, const char *name, uint32_t number, uint32_t type,
                           const char *type_name)
{
    size_t begun = orma_pb_begin(out, 2);

    orma_pb_put_cstr(out, 1, name);
    orma_pb_put_u64(out, 3, number);
    orma_pb_put_u64(out, 4, 1);
    if (type)
        orma_pb_put_u64(out, 5, type);
    if (type_name)
        orma_pb_put_cstr(out, 6, type_name);
    orma_pb_end(out, begun);
}

struct set {
    struct orma_buf buf;
    size_t file, msg;
};

static struct set set_begin(const char *package, const char *msg)
{
    struct set s = {0};

    s.file = orma_pb_begin(&s.buf, 1);
    orma_pb_put_cstr(&s.buf, 2, package);
    s.msg = orma_pb_begin(&s.buf, 4);
    orma_pb_put_cstr(&s.buf, 1, msg);
    return s;
}

static int set_add(struct set *s, struct orma_schema *to, struct orma_buf *notes)
{
    orma_pb_end(&s->buf, s->msg);
    orma_pb_end(&s->buf, s->file);
    int r = orma_schema_add(to, s->buf.data, s->buf.len, notes);
    orma_buf_fini(&s->buf);
    return r;
}

Test(schema, known_messages_get_new_fields_and_keep_their_own)
{
    struct orma_schema *s = kinds_schema(false);
    struct orma_buf notes = {0};
    struct set set = set_begin("orma.test", "Holder");

    put_field_desc(&set.buf, "opaque", 1, ORMA_TYPE_MESSAGE, ".orma.test.Strict");
    put_field_desc(&set.buf, "kinds", 2, ORMA_TYPE_INT32, NULL);
    put_field_desc(&set.buf, "fresh", 3, 0, "Strict"); /* relative, kind not said */
    put_field_desc(&set.buf, "colour", 4, ORMA_TYPE_ENUM, ".orma.test.Colour");
    put_field_desc(&set.buf, "group", 5, ORMA_TYPE_GROUP, ".orma.test.Strict");
    put_field_desc(&set.buf, "missing", 6, ORMA_TYPE_MESSAGE, ".orma.test.Nowhere");
    cr_assert_eq(set_add(&set, s, &notes), 3, "%s", orma_buf_cstr(&notes));
    cr_assert_str_eq(orma_buf_cstr(&notes),
                     "orma.test.Holder.group: groups are not supported\n"
                     "orma.test.Holder.missing: its type is not in the set; shown as bytes or as a "
                     "number\n"
                     "orma.test.Holder: field 2 is another one: \"kinds\" is kept\n");
    check_schema(s);
    cr_assert_eq(field(s, "orma.test.Holder", "opaque")->type, ORMA_TYPE_MESSAGE);
    cr_assert_eq(field(s, "orma.test.Holder", "kinds")->type, ORMA_TYPE_MESSAGE);
    cr_assert_eq(field(s, "orma.test.Holder", "fresh")->type, ORMA_TYPE_MESSAGE);
    cr_assert_eq(field(s, "orma.test.Holder", "colour")->type, ORMA_TYPE_ENUM);
    cr_assert_eq(field(s, "orma.test.Holder", "missing")->type, ORMA_TYPE_BYTES);
    cr_assert_null(field(s, "orma.test.Holder", "group"));
    orma_buf_fini(&notes);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(schema, bad_sets_are_refused_whole)
{
    struct orma_schema *s = kinds_schema(false);
    uint32_t msgs = orma_schema_msg_count(s);
    static const struct {
        const char *what, *package, *msg, *name, *type_name;
        uint32_t number, type;
    } cases[] = {
        {"number 0", "a", "M", "f", NULL, 0, ORMA_TYPE_INT32},
        {"number too large", "a", "M", "f", NULL, ORMA_PB_ID_MAX + 1, ORMA_TYPE_INT32},
        {"no type", "a", "M", "f", NULL, 1, 0},
        {"type 19", "a", "M", "f", NULL, 1, 19},
        {"field name", "a", "M", "f g", NULL, 1, ORMA_TYPE_INT32},
        {"empty field name", "a", "M", "", NULL, 1, ORMA_TYPE_INT32},
        {"digit first", "a", "M", "1f", NULL, 1, ORMA_TYPE_INT32},
        {"dot in a name", "a", "M.N", "f", NULL, 1, ORMA_TYPE_INT32},
        {"package", "a..b", "M", "f", NULL, 1, ORMA_TYPE_INT32},
        {"package ends in a dot", "a.", "M", "f", NULL, 1, ORMA_TYPE_INT32},
        {"message name", "a", "", "f", NULL, 1, ORMA_TYPE_INT32},
        {"enum as message", "a", "M", "f", ".orma.test.Colour", 1, ORMA_TYPE_MESSAGE},
        {"message as enum", "a", "M", "f", ".a.M", 1, ORMA_TYPE_ENUM},
        {"message where an enum is", "orma.test", "Colour", "f", NULL, 1, ORMA_TYPE_INT32},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct set set = set_begin(cases[i].package, cases[i].msg);
        struct orma_buf notes = {0};

        put_field_desc(&set.buf, cases[i].name, cases[i].number, cases[i].type, cases[i].type_name);
        cr_assert_eq(set_add(&set, s, &notes), -EBADMSG, "%s", cases[i].what);
        cr_assert_gt(notes.len, 0, "%s", cases[i].what);
        cr_assert_eq(orma_schema_msg_count(s), msgs, "%s", cases[i].what);
        orma_buf_fini(&notes);
    }
    check_schema(s);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(schema, names_longer_than_the_limit_are_refused)
{
    struct orma_schema *s = kinds_schema(false);
    char name[ORMA_SCHEMA_NAME_MAX + 1];

    memset(name, 'x', sizeof(name));
    name[ORMA_SCHEMA_NAME_MAX - 2] = '\0'; /* with "a." exactly the limit */
    struct set set = set_begin("a", name);
    cr_assert_eq(set_add(&set, s, NULL), 0);
    name[ORMA_SCHEMA_NAME_MAX - 2] = 'x';
    name[ORMA_SCHEMA_NAME_MAX - 1] = '\0';
    set = set_begin("a", name);
    cr_assert_eq(set_add(&set, s, NULL), -E2BIG);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(schema, an_extension_of_nothing_is_named_and_left_out)
{
    struct orma_schema *s = kinds_schema(false);
    struct orma_buf set = {0}, notes = {0};

    kinds_from_hex("0a 09 3a 07 0a 01 78 18 01 28 05", &set);
    cr_assert_eq(orma_schema_add(s, set.data, set.len, &notes), 1);
    cr_assert_str_eq(orma_buf_cstr(&notes), ".x: extends a message that is not known\n");
    orma_buf_fini(&set);
    orma_buf_fini(&notes);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(schema, declarations_nested_without_end_are_refused)
{
    struct orma_schema *s = kinds_schema(false);
    struct orma_buf out = {0};
    size_t begun[ORMA_SCHEMA_NAME_PARTS_MAX], n = 0;

    begun[n++] = orma_pb_begin(&out, 1);
    begun[n++] = orma_pb_begin(&out, 4);
    orma_pb_put_cstr(&out, 1, "M");
    while (n < ORMA_ARRAY_LEN(begun)) {
        begun[n++] = orma_pb_begin(&out, 3);
        orma_pb_put_cstr(&out, 1, "M");
    }
    while (n)
        orma_pb_end(&out, begun[--n]);
    cr_assert_eq(orma_schema_add(s, out.data, out.len, NULL), -EBADMSG);
    orma_buf_fini(&out);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(schema, a_set_cut_anywhere_is_refused_or_smaller)
{
    struct orma_buf set = {0};

    kinds_read_set(&set);
    for (size_t len = 0; len < set.len; len++) {
        struct orma_schema *s;

        cr_assert_eq(orma_schema_new(NULL, &s), 0);
        int r = orma_schema_add(s, set.data, len, NULL);
        cr_assert(len == 0 ? r == 0 : r == -EBADMSG, "cut at %zu: %d", len, r);
        orma_schema_free(s);
    }
    orma_buf_fini(&set);
    orma_assert_no_leaks();
}

Test(suggest, names_what_is_near_or_lists_what_there_is)
{
    const struct orma_schema *s = orma_schema_default();
    uint32_t m = orma_schema_find_msg(s, str("perfetto.protos.TraceConfig"));
    static const struct {
        const char *name, *hint;
    } cases[] = {
        {"duration", "; did you mean \"duration_ms\"?"},
        {"Buffers", "; did you mean \"buffers\"?"},
        {"data_source", "; did you mean \"data_sources\"?"},
        {"x", "; it has buffers, data_sources, duration_ms, enable_extra_guardrails, "
              "lockdown_mode, producers, statsd_metadata, write_into_file and 34 more"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_buf out = {0};

        orma_schema_suggest_field(s, m, str(cases[i].name), &out);
        cr_assert_str_eq(orma_buf_cstr(&out), cases[i].hint);
        orma_buf_fini(&out);
    }
    orma_assert_no_leaks();
}
