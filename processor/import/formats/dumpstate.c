/*
 * Bug reports of Android: the text of dumpstate, line by line.
 *
 * The text is flat, but its lines of dashes nest. A section goes from "------ NAME ------" to the
 * like with "was the duration of"; in sections of dumpsys a service goes from "DUMP OF SERVICE
 * NAME:" to "--------- ... was the duration of dumpsys". Marks have no rows, all other lines have.
 * Lines of the battery's history are events besides (battery.h); what `dumpsys batterystats -c`
 * printed into a file of its own has no sections at all.
 */
#include <string.h>

#include "processor/import/formats/battery.h"
#include "processor/import/formats/formats.h"

/* A longer line is read in parts: nobody can make us wait for its end. */
#define LINE_MAX 65536

#define MARK ORMA_STR("------ ")
#define MARK_END ORMA_STR(" ------")
#define SERVICE ORMA_STR("DUMP OF SERVICE ")

struct dumpstate {
    uint32_t section, service; /* pool ids; 0: in none */
    bool dumpsys, no_history;
    struct orma_formats_battery battery;
};

static bool has(struct orma_str s, const char *what)
{
    return orma_str_find(s, orma_str_from(what)) != NULL;
}

static bool ends(struct orma_str s, struct orma_str suffix)
{
    return s.len >= suffix.len && !memcmp(s.data + s.len - suffix.len, suffix.data, suffix.len);
}

/* "------ NAME ------": a section begins, or the one before ends. */
static bool is_mark(struct orma_str line)
{
    return line.len > MARK.len + MARK_END.len && orma_str_starts(line, MARK) &&
           ends(line, MARK_END);
}

static void begin_section(struct orma_file *file, struct dumpstate *d, struct orma_str line)
{
    struct orma_str name = {line.data + MARK.len, line.len - MARK.len - MARK_END.len};
    bool over = has(name, "was the duration of");

    d->service = 0;
    d->section = over ? 0 : orma_model_str(file->imp->model, name);
    d->dumpsys = !over && orma_str_starts(name, ORMA_STR("DUMPSYS"));
    d->no_history = over || !orma_str_starts(name, ORMA_STR("CHECKIN BATTERYSTATS"));
}

/* "DUMP OF SERVICE CRITICAL NAME:" */
static void begin_service(struct orma_file *file, struct dumpstate *d, struct orma_str line)
{
    static const char *const priorities[] = {"CRITICAL ", "HIGH ", "NORMAL "};
    struct orma_str name = {line.data + SERVICE.len, line.len - SERVICE.len};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(priorities); i++) {
        struct orma_str word = orma_str_from(priorities[i]);

        if (orma_str_starts(name, word))
            name = (struct orma_str){name.data + word.len, name.len - word.len};
    }
    if (name.len && name.data[name.len - 1] == ':')
        name.len--;
    d->service = orma_model_str(file->imp->model, name);
}

/* True: the line only says where a service begins or ends. */
static bool is_service_mark(struct orma_file *file, struct dumpstate *d, struct orma_str line)
{
    if (orma_str_starts(line, SERVICE)) {
        begin_service(file, d, line);
        return true;
    }
    if (orma_str_starts(line, ORMA_STR("--------- ")) && has(line, "was the duration of dumpsys")) {
        d->service = 0;
        return true;
    }
    return false;
}

static struct orma_unit_end add_line(struct orma_file *file, struct dumpstate *d,
                                     struct orma_str line)
{
    struct orma_model *model = file->imp->model;
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_ANDROID_DUMPSTATE);

    if (is_mark(line)) {
        begin_section(file, d, line);
        return orma_file_took(file);
    }
    if (d->dumpsys && is_service_mark(file, d, line))
        return orma_file_took(file);
    if (!d->no_history && !orma_formats_battery_read(file, &d->battery, line))
        orma_stats_inc(orma_model_stats(model, model->base), ORMA_STAT_ANDROID_BR_PARSE_ERRORS);
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_ANDROID_DUMPSTATE_SECTION, row, d->section);
    orma_table_set(t, ORMA_ANDROID_DUMPSTATE_SERVICE, row, d->service);
    orma_table_set(t, ORMA_ANDROID_DUMPSTATE_LINE, row, orma_model_str(model, line));
    return orma_file_took(file);
}

static size_t dumpstate_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct orma_str rest = {(const char *)data, len};

    while (rest.len && !orma_file_failed(file)) {
        const char *end = memchr(rest.data, '\n', ORMA_MIN(rest.len, (size_t)LINE_MAX));
        size_t n = end ? (size_t)(end - rest.data) : ORMA_MIN(rest.len, (size_t)LINE_MAX);
        struct orma_str line = {rest.data, n};

        if (!end && rest.len < LINE_MAX && !at_end)
            break; /* it comes again, with more */
        if (line.len && line.data[line.len - 1] == '\r')
            line.len--;
        orma_file_unit(file, rest.data);
        (void)add_line(file, file->state, line);
        n += end != NULL;
        rest = (struct orma_str){rest.data + n, rest.len - n};
    }
    return len - rest.len;
}

static struct orma_unit_end dumpstate_parse(struct orma_file *file, const struct orma_item *item)
{
    struct dumpstate *d = file->state;

    orma_formats_battery_parse(file, &d->battery, item);
    return orma_file_took(file);
}

static void dumpstate_fini(struct orma_file *file)
{
    struct dumpstate *d = file->state;

    orma_formats_battery_fini(&d->battery);
}

const struct orma_format_ops orma_format_dumpstate = {
    .state_bytes = sizeof(struct dumpstate),
    .clock = ORMA_CLOCK_REALTIME,
    .unit = "line",
    .read = dumpstate_read,
    .parse = dumpstate_parse,
    .fini = dumpstate_fini,
};
