/*
 * Profiles of callgrind (`valgrind --tool=callgrind`, `--tool=cachegrind`, and what other
 * profilers write for KCachegrind):
 *
 *   events: Ir Dr            names of what was counted
 *   fn=(3) main              "(3)" is enough the next time
 *   16 400                   a position and the costs of its line
 *   +1 20                    positions may be relative to those of the line before
 *   cfn=(4) work
 *   calls=2 30               what is called, how often, and where that begins;
 *   * 5000                   the position of the call, and all that it cost
 *
 * A file may have several parts and threads, each with a header; ids of names hold in all of them.
 */
#include "processor/import/formats/callgrind.h"

#include <errno.h>

#include "processor/import/formats/formats.h"
#include "processor/import/formats/lines.h"
#include "processor/model/model.h"
#include "processor/model/processes.h"

#define POSITIONS_MAX 4

/* Names with ids of their own. */
enum names { NAMES_OBJECT, NAMES_FILE, NAMES_FUNCTION, NAMES_NUM };

/* What a line of a position is about. */
enum next { NEXT_COST, NEXT_CALL, NEXT_JUMP };

struct callgrind {
    struct orma_callgrind_graph graph;
    struct orma_map names[NAMES_NUM]; /* id → pool id */
    struct orma_map pairs[2];         /* thread, object → id; that, file → id */
    struct orma_map functions;        /* the last one, name → index */
    struct orma_map calls, places;
    struct orma_map threads; /* number → index */
    uint32_t unknown;        /* pool id */
    uint32_t thread;
    uint32_t object, source, name; /* where lines are, name 0: nowhere */
    uint32_t function;             /* the same, in the file in which it begins */
    uint32_t to_object, to_source, to_name;
    uint32_t place; /* + 1, of the last line; 0: to be looked up */
    enum next next;
    uint64_t times; /* of the call at hand */
    uint64_t positions[POSITIONS_MAX];
    unsigned positions_num, line_at;            /* line_at == positions_num: lines are not told */
    uint8_t columns[ORMA_CALLGRIND_EVENTS_MAX]; /* of values → event */
    unsigned columns_num;
    int64_t cost[ORMA_CALLGRIND_EVENTS_MAX];
    struct orma_str cmd;
    uint64_t pid;
};

static void out_of_memory(struct orma_file *file)
{
    file->imp->model->storage->failed = true;
}

static void put(struct orma_file *file, struct orma_map *map, uint64_t key, uint64_t val)
{
    if (orma_map_put(map, key, val))
        out_of_memory(file);
}

/* ---- names ---- */

static uint32_t text_of(struct orma_file *file, struct orma_str text)
{
    const struct callgrind *c = file->state;

    return text.len && !orma_str_eq(text, ORMA_STR("???")) ? orma_model_str(file->imp->model, text)
                                                           : c->unknown;
}

/* "(3) main", "(3)", "main" */
static uint32_t name_of(struct orma_file *file, enum names kind, struct orma_str text)
{
    struct callgrind *c = file->state;
    struct orma_str rest = text, id;
    uint64_t number;

    if (!text.len || text.data[0] != '(' || !orma_str_cut(&rest, ')', &id) ||
        !orma_str_to_u64((struct orma_str){id.data + 1, id.len - 1}, &number))
        return text_of(file, text);
    rest = orma_str_trim(rest);
    if (!rest.len) {
        const uint64_t known = orma_map_get(&c->names[kind], number);

        if (known == ORMA_MAP_NONE)
            orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "names whose text is missing", text.data);
        return known == ORMA_MAP_NONE ? c->unknown : (uint32_t)known;
    }
    const uint32_t name = text_of(file, rest);
    put(file, &c->names[kind], number, name);
    return name;
}

/* The number of a pair of numbers: the next one for what is new. */
static uint32_t pair(struct orma_file *file, struct orma_map *map, uint32_t a, uint32_t b)
{
    const uint64_t key = (uint64_t)a << 32 | b;
    const uint64_t known = orma_map_get(map, key);

    if (known == ORMA_MAP_NONE)
        put(file, map, key, map->len);
    return known == ORMA_MAP_NONE ? (uint32_t)map->len - 1 : (uint32_t)known;
}

/* Makes space for the costs of one more. */
static void add_costs(struct orma_file *file, struct orma_callgrind_graph *g, bool of_call)
{
    for (uint32_t i = 0; i < g->events_num; i++)
        if (of_call ? ORMA_VEC_PUSH(&g->call_costs, 0) : ORMA_VEC_PUSH(&g->place_costs, 0))
            out_of_memory(file);
}

static uint32_t function_of(struct orma_file *file, uint32_t object, uint32_t source, uint32_t name)
{
    struct callgrind *c = file->state;
    const uint32_t in_object = pair(file, &c->pairs[0], c->thread, object);
    const uint32_t in_file = pair(file, &c->pairs[1], in_object, source);
    const uint32_t at = pair(file, &c->functions, in_file, name);
    const struct orma_callgrind_function fn = {
        .name = name, .object = object, .source = source, .thread = c->thread};

    if (at == c->graph.functions.len && ORMA_VEC_PUSH(&c->graph.functions, fn))
        out_of_memory(file);
    return at;
}

/* ---- lines ---- */

static bool add_value(int64_t *sum, int64_t value)
{
    return !__builtin_add_overflow(*sum, value, sum);
}

/* "125", "0x10f2", "+4", "-2", "*" */
static bool read_position(struct orma_str word, uint64_t *at)
{
    uint64_t number;

    if (orma_str_eq(word, ORMA_STR("*")))
        return true;
    const char sign = word.len ? word.data[0] : 0;
    if (sign == '+' || sign == '-')
        word = (struct orma_str){word.data + 1, word.len - 1};
    if (!orma_str_to_u64(word, &number))
        return false;
    *at = sign == '+' ? *at + number : sign == '-' ? *at - number : number;
    return true;
}

/* False: the line means nothing. Values that are missing are 0. */
static bool read_line(struct orma_file *file, struct callgrind *c, struct orma_str line)
{
    const char *begin = line.data;
    uint64_t positions[POSITIONS_MAX];
    struct orma_str word;

    memcpy(positions, c->positions, sizeof(positions));
    for (unsigned i = 0; i < c->positions_num; i++)
        if (!read_position(orma_formats_cut_first(&line), &positions[i]))
            return false;
    memset(c->cost, 0, sizeof(c->cost));
    for (unsigned i = 0; (word = orma_formats_cut_first(&line)).len; i++) {
        int64_t value;

        if (!orma_str_to_i64(word, &value))
            return false;
        if (i >= c->columns_num)
            orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "values of no event", begin);
        else if (c->columns[i] < ORMA_CALLGRIND_EVENTS_MAX)
            c->cost[c->columns[i]] = value;
        else
            orma_file_part(file, ORMA_ACCOUNT_NOT_READ,
                           "values of events that the first part of the file does not have", begin);
    }
    memcpy(c->positions, positions, sizeof(positions));
    return true;
}

static uint32_t line_of(const struct callgrind *c)
{
    const uint64_t line = c->line_at < c->positions_num ? c->positions[c->line_at] : 0;

    return line <= INT32_MAX ? (uint32_t)line : 0;
}

static void add_cost(struct orma_file *file, struct callgrind *c, int64_t *costs, uint32_t at)
{
    for (uint32_t i = 0; i < c->graph.events_num; i++)
        if (!add_value(&costs[(size_t)at * c->graph.events_num + i], c->cost[i]))
            orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "sums too large for 64 bits", NULL);
}

static void add_own(struct orma_file *file, struct callgrind *c)
{
    struct orma_callgrind_graph *g = &c->graph;

    if (!c->place) {
        const uint32_t at = pair(file, &c->places, c->function, c->source);
        const struct orma_callgrind_place place = {c->function, c->source, line_of(c)};

        if (at == g->places.len) {
            if (ORMA_VEC_PUSH(&g->places, place))
                out_of_memory(file);
            add_costs(file, g, false);
        }
        c->place = at + 1;
    }
    if (orma_file_failed(file))
        return;
    if (g->functions.data[c->function].source == c->source && !g->functions.data[c->function].line)
        g->functions.data[c->function].line = line_of(c);
    add_cost(file, c, g->place_costs.data, c->place - 1);
}

static void add_call(struct orma_file *file, struct callgrind *c)
{
    struct orma_callgrind_graph *g = &c->graph;
    const uint32_t to = function_of(file, c->to_object ? c->to_object : c->object,
                                    c->to_source ? c->to_source : c->source, c->to_name);
    const uint32_t at = pair(file, &c->calls, c->function, to);
    const struct orma_callgrind_call call = {.from = c->function, .to = to};

    if (at == g->calls.len) {
        if (ORMA_VEC_PUSH(&g->calls, call))
            out_of_memory(file);
        add_costs(file, g, true);
    }
    if (orma_file_failed(file))
        return;
    g->calls.data[at].times += c->times;
    add_cost(file, c, g->call_costs.data, at);
}

/* A line that begins with a position. */
static struct orma_unit_end read_cost(struct orma_file *file, struct callgrind *c,
                                      struct orma_str line)
{
    const enum next next = c->next;

    c->next = NEXT_COST;
    if (!read_line(file, c, line))
        return orma_file_damaged(file, "lines", line.data, line.len, ORMA_DAMAGED_LINE);
    if (next == NEXT_JUMP)
        return orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "jumps");
    if (!c->name || !c->graph.events_num)
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "costs outside of functions");
    if (next == NEXT_CALL && !c->to_name) {
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "calls of no function");
    } else if (next == NEXT_CALL) {
        add_call(file, c);
        c->to_object = c->to_source = c->to_name = 0;
    } else {
        add_own(file, c);
    }
    return orma_file_took(file);
}

/* ---- places ---- */

static void enter_function(struct orma_file *file, struct callgrind *c, uint32_t name)
{
    c->name = name;
    c->function = function_of(file, c->object, c->source, name);
    c->place = 0;
}

/* "fn=(3) main". False: it is none. */
static bool read_place(struct orma_file *file, struct callgrind *c, struct orma_str key,
                       struct orma_str value)
{
    if (orma_str_eq_c(key, "fn")) {
        enter_function(file, c, name_of(file, NAMES_FUNCTION, value));
    } else if (orma_str_eq_c(key, "ob")) {
        c->object = name_of(file, NAMES_OBJECT, value);
    } else if (orma_str_eq_c(key, "fl") || orma_str_eq_c(key, "fi") || orma_str_eq_c(key, "fe")) {
        c->source = name_of(file, NAMES_FILE, value);
        c->place = 0;
    } else if (orma_str_eq_c(key, "cfn")) {
        c->to_name = name_of(file, NAMES_FUNCTION, value);
    } else if (orma_str_eq_c(key, "cob")) {
        c->to_object = name_of(file, NAMES_OBJECT, value);
    } else if (orma_str_eq_c(key, "cfi") || orma_str_eq_c(key, "cfl")) {
        c->to_source = name_of(file, NAMES_FILE, value);
    } else if (orma_str_eq_c(key, "jfi")) {
        (void)name_of(file, NAMES_FILE, value); /* others refer to it */
    } else if (orma_str_eq_c(key, "jfn")) {
        (void)name_of(file, NAMES_FUNCTION, value); /* the same */
    } else if (orma_str_eq_c(key, "jump") || orma_str_eq_c(key, "jcnd")) {
        c->next = NEXT_JUMP;
    } else if (orma_str_eq_c(key, "calls")) {
        c->next = NEXT_CALL;
        return orma_str_to_u64(orma_formats_cut_first(&value), &c->times);
    } else {
        return false;
    }
    return true;
}

/* ---- headers ---- */

static void read_positions(struct callgrind *c, struct orma_str names)
{
    struct orma_str word;

    c->positions_num = 0;
    c->line_at = POSITIONS_MAX;
    while (c->positions_num < POSITIONS_MAX && (word = orma_formats_cut_first(&names)).len) {
        if (orma_str_eq_c(word, "line"))
            c->line_at = c->positions_num;
        c->positions_num++;
    }
    c->line_at = ORMA_MIN(c->line_at, c->positions_num);
}

static uint8_t event_of(const struct orma_callgrind_graph *g, uint32_t name)
{
    for (uint32_t i = 0; i < g->events_num; i++)
        if (g->events[i] == name)
            return (uint8_t)i;
    return ORMA_CALLGRIND_EVENTS_MAX;
}

/* Those of the first part are those of the file. */
static void read_events(struct orma_file *file, struct callgrind *c, struct orma_str names)
{
    struct orma_callgrind_graph *g = &c->graph;
    const bool first = !g->events_num;
    struct orma_str word;

    c->columns_num = 0;
    while ((word = orma_formats_cut_first(&names)).len &&
           c->columns_num < ORMA_CALLGRIND_EVENTS_MAX) {
        const uint32_t name = orma_model_str(file->imp->model, word);

        if (first && event_of(g, name) == ORMA_CALLGRIND_EVENTS_MAX)
            g->events[g->events_num++] = name;
        c->columns[c->columns_num++] = event_of(g, name);
    }
}

static void begin_thread(struct orma_file *file, struct callgrind *c, uint32_t number)
{
    struct orma_callgrind_graph *g = &c->graph;

    c->thread = pair(file, &c->threads, 0, number);
    if (c->thread == g->threads.len && ORMA_VEC_PUSH(&g->threads, number))
        out_of_memory(file);
    c->name = c->place = 0;
}

/* "cmd: ./a". False: it is none. */
static bool read_header(struct orma_file *file, struct callgrind *c, struct orma_str key,
                        struct orma_str value)
{
    static const char *const others[] = {"version", "creator", "desc",    "event",
                                         "summary", "totals",  "trigger", "part"};
    uint64_t number;

    if (orma_str_eq_c(key, "events")) {
        read_events(file, c, value);
    } else if (orma_str_eq_c(key, "positions")) {
        read_positions(c, value);
    } else if (orma_str_eq_c(key, "cmd")) {
        c->cmd = value;
    } else if (orma_str_eq_c(key, "pid")) {
        (void)orma_str_to_u64(value, &c->pid);
    } else if (orma_str_eq_c(key, "thread")) {
        if (!orma_str_to_u64(value, &number) || number > UINT32_MAX)
            return false;
        begin_thread(file, c, (uint32_t)number);
    } else {
        for (size_t i = 0; i < ORMA_ARRAY_LEN(others); i++)
            if (orma_str_eq_c(key, others[i]))
                return true;
        return false;
    }
    return true;
}

/* ---- all ---- */

static void name_process(struct orma_file *file, const struct callgrind *c)
{
    struct orma_processes *p = orma_model_processes(file->imp->model, file->imp->model->base);

    if (c->cmd.len && c->pid && c->pid <= INT32_MAX)
        orma_processes_name_process(p, orma_processes_process(p, (uint32_t)c->pid),
                                    orma_model_str(file->imp->model, c->cmd),
                                    ORMA_PROCESS_NAME_OTHER);
}

static bool is_position(struct orma_str line)
{
    return (line.data[0] >= '0' && line.data[0] <= '9') || memchr("+-*", line.data[0], 3);
}

static void read_any(struct orma_file *file, struct callgrind *c, struct orma_str line)
{
    if (is_position(line)) {
        orma_file_unit(file, line.data);
        (void)read_cost(file, c, line);
        return;
    }
    size_t at = 0;

    while (at < line.len && line.data[at] != '=' && line.data[at] != ':')
        at++;
    if (at < line.len) {
        const struct orma_str key = {line.data, at};
        const struct orma_str value = {line.data + at + 1, line.len - at - 1};

        if (line.data[at] == '=' ? read_place(file, c, key, value)
                                 : read_header(file, c, key, orma_str_trim(value)))
            return;
    }
    orma_file_unit(file, line.data);
    (void)orma_file_damaged(file, "lines", line.data, line.len, ORMA_DAMAGED_LINE);
}

static size_t callgrind_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct callgrind *c = file->state;
    struct orma_str rest = {(const char *)data, len}, line;
    struct orma_formats_lines lines = {0};

    (void)at_end; /* it is read once, whole */
    c->unknown = orma_model_lit(file->imp->model, "???");
    c->object = c->source = c->unknown;
    read_positions(c, ORMA_STR("line"));
    begin_thread(file, c, 0);
    while (!orma_file_failed(file) && orma_formats_next_line(&lines, file, &rest, true, &line)) {
        line = orma_str_trim(line);
        if (line.len && line.data[0] != '#')
            read_any(file, c, line);
    }
    if (!c->graph.events_num)
        orma_file_error(file, -EBADMSG, "a profile of callgrind without the line 'events:'");
    if (orma_file_failed(file))
        return len;
    name_process(file, c);
    orma_callgrind_put_stacks(file, &c->graph);
    return len;
}

static void callgrind_fini(struct orma_file *file)
{
    struct callgrind *c = file->state;

    for (unsigned i = 0; i < NAMES_NUM; i++)
        orma_map_fini(&c->names[i]);
    orma_map_fini(&c->pairs[0]);
    orma_map_fini(&c->pairs[1]);
    orma_map_fini(&c->functions);
    orma_map_fini(&c->calls);
    orma_map_fini(&c->places);
    orma_map_fini(&c->threads);
    orma_callgrind_graph_fini(&c->graph);
}

const struct orma_format_ops orma_format_callgrind = {
    .state_bytes = sizeof(struct callgrind),
    .unit = "line",
    .whole = true,
    .read = callgrind_read,
    .fini = callgrind_fini,
};
