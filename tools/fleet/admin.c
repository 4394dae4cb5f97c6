#include "tools/fleet/admin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/base/cli.h"
#include "tools/fleet/load.h"
#include "tools/fleet/packed.h"
#include "tools/fleet/tables.h"

/* A load that is under way for so long is none. */
#define UNFINISHED_S 86400
#define LOADS_AT_ONCE 1000

void orma_fleet_complain(const struct orma_fleet_address *to, size_t host, const char *text)
{
    fprintf(stderr, "orma fleet: %s: %s\n", to->hosts[host], text);
}

/* The answer in text; false with a message. */
static bool ask(const struct orma_fleet_address *to, size_t host, const char *sql,
                const char *settings, struct orma_buf *ret)
{
    struct orma_fleet_answer answer;

    orma_fleet_ask(to, host, sql, settings, NULL, NULL, &answer);
    const bool good = answer.fault == ORMA_FLEET_FINE;
    if (!good)
        orma_fleet_complain(to, host, orma_buf_cstr(&answer.body));
    else if (ret)
        orma_buf_put(ret, answer.body.data, answer.body.len);
    orma_buf_fini(&answer.body);
    return good;
}

bool orma_fleet_ask_number(const struct orma_fleet_address *to, size_t host, const char *sql,
                           uint64_t *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

    if (!ask(to, host, sql, "", &text))
        return false;
    *ret = strtoull(orma_buf_cstr(&text), NULL, 10);
    return true;
}

/* The version of the schema; 0: older than all, or not there at all (`there`). */
static bool ask_version(const struct orma_fleet_address *to, size_t host, bool *there,
                        uint64_t *ret)
{
    char sql[256];
    uint64_t tables;

    *ret = 0;
    snprintf(sql, sizeof(sql),
             "SELECT count() FROM system.tables WHERE database = '%s' AND name = 'fleet'",
             to->database);
    if (!orma_fleet_ask_number(to, host, sql, &tables))
        return false;
    *there = tables > 0;
    snprintf(sql, sizeof(sql), "SELECT max(version) FROM %s.fleet", to->database);
    return !*there || orma_fleet_ask_number(to, host, sql, ret);
}

int orma_fleet_check_schema(const struct orma_fleet_address *to)
{
    for (size_t host = 0; host < to->hosts_num; host++) {
        char text[200] = "";
        uint64_t version;
        bool there;

        if (!ask_version(to, host, &there, &version))
            return ORMA_EXIT_FAILURE;
        if (!there)
            snprintf(text, sizeof(text),
                     "database '%s' has no tables yet: run 'orma fleet init --to ...' first",
                     to->database);
        else if (version < ORMA_FLEET_VERSION)
            snprintf(text, sizeof(text),
                     "the tables have version %" PRIu64
                     ", this program needs %d: run 'orma fleet init --to ...' to update them",
                     version, ORMA_FLEET_VERSION);
        else if (version > ORMA_FLEET_VERSION)
            snprintf(text, sizeof(text),
                     "the tables have version %" PRIu64 ", this program knows %d: use a newer orma",
                     version, ORMA_FLEET_VERSION);
        if (*text) {
            orma_fleet_complain(to, host, text);
            return ORMA_EXIT_FAILURE;
        }
    }
    return ORMA_EXIT_OK;
}

int orma_fleet_print_schema(const char *database, const char *cluster)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf schema = {0};

    orma_fleet_schema(database, cluster, &schema);
    for (size_t at = 0; at < schema.len; at += strlen((char *)schema.data + at) + 1)
        printf("%s;\n", (char *)schema.data + at);
    printf("INSERT INTO %s.fleet VALUES (%d);\n", database, ORMA_FLEET_VERSION);
    return ORMA_EXIT_OK;
}

/* ---- init ---- */

/* Servers of 2018 want to be told that a dictionary in a column is fine. */
static bool ask_settings(const struct orma_fleet_address *to, size_t host, const char **ret)
{
    uint64_t num;

    if (!orma_fleet_ask_number(to, host,
                               "SELECT count() FROM system.settings WHERE name = "
                               "'allow_experimental_low_cardinality_type'",
                               &num))
        return false;
    *ret = num ? "&allow_experimental_low_cardinality_type=1" : "";
    return true;
}

/* Views and tables of clusters: they hold nothing, and are made again when a table is widened. */
static bool holds_nothing(const char *statement)
{
    return !strncmp(statement, "CREATE VIEW", 11) || strstr(statement, "ENGINE = Distributed");
}

static bool drop_views(const struct orma_fleet_address *to, size_t host,
                       const struct orma_buf *schema)
{
    bool good = true;

    for (size_t at = 0; good && at < schema->len; at += strlen((char *)schema->data + at) + 1) {
        const char *statement = (char *)schema->data + at, *name = strstr(statement, "EXISTS ");
        char sql[256];

        if (!name || !holds_nothing(statement))
            continue;
        name += 7;
        snprintf(sql, sizeof(sql), "DROP TABLE IF EXISTS %.*s", (int)strcspn(name, " "), name);
        good = ask(to, host, sql, "", NULL);
    }
    return good;
}

/* Columns that a table of an older schema lacks. */
static bool widen(const struct orma_fleet_address *to, size_t host, const char *settings,
                  const struct orma_fleet_table *t, unsigned *ret_added)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf there = {0};
    const char *lists[] = {orma_fleet_head, t->columns};
    struct orma_fleet_column c;
    bool good = true;
    char sql[256];

    snprintf(
        sql, sizeof(sql),
        "SELECT concat('\\n', name, '\\n') FROM system.columns WHERE database = '%s' AND table "
        "= '%s_rows' FORMAT TabSeparatedRaw",
        to->database, t->name);
    if (!ask(to, host, sql, "", &there))
        return false;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(lists); i++) {
        while (good && orma_fleet_next_column(&lists[i], &c)) {
            char line[40];

            snprintf(line, sizeof(line), "\n%s\n", c.name);
            if (strstr(orma_buf_cstr(&there), line))
                continue;
            snprintf(sql, sizeof(sql), "ALTER TABLE %s.%s_rows ADD COLUMN %s %s", to->database,
                     t->name, c.name, orma_fleet_type(c.kind));
            good = ask(to, host, sql, settings, NULL);
            ++*ret_added;
        }
    }
    return good;
}

static bool run_schema(const struct orma_fleet_address *to, size_t host, const char *settings,
                       const struct orma_buf *schema)
{
    bool good = true;

    for (size_t at = 0; good && at < schema->len; at += strlen((char *)schema->data + at) + 1)
        good = ask(to, host, (char *)schema->data + at, settings, NULL);
    return good;
}

static bool init_host(const struct orma_fleet_address *to, size_t host,
                      const struct orma_buf *schema)
{
    const char *settings;
    unsigned added = 0;
    uint64_t version;
    bool there, good;
    char sql[128];

    if (!ask_version(to, host, &there, &version) || !ask_settings(to, host, &settings))
        return false;
    if (version > ORMA_FLEET_VERSION)
        return orma_fleet_check_schema(to) == ORMA_EXIT_OK;
    good = run_schema(to, host, settings, schema);
    for (size_t i = 0; good && i < ORMA_FLEET_TABLES; i++)
        good = widen(to, host, settings, &orma_fleet_tables[i], &added);
    if (good && added)
        good = drop_views(to, host, schema) && run_schema(to, host, settings, schema);
    if (good && (!there || version < ORMA_FLEET_VERSION)) {
        snprintf(sql, sizeof(sql), "INSERT INTO %s.fleet VALUES (%d)", to->database,
                 ORMA_FLEET_VERSION);
        good = ask(to, host, sql, "", NULL);
    }
    if (good)
        fprintf(stderr, "orma fleet: %s: database '%s' is ready%s\n", to->hosts[host], to->database,
                added ? ", its tables were updated" : "");
    return good;
}

int orma_fleet_init(const struct orma_fleet_address *to, const char *cluster)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf schema = {0};
    bool good = true;

    orma_fleet_schema(to->database, cluster, &schema);
    for (size_t host = 0; good && host < to->hosts_num; host++)
        good = init_host(to, host, &schema);
    return good ? ORMA_EXIT_OK : ORMA_EXIT_FAILURE;
}

/* ---- status ---- */

/* `format` has the database three times at most. */
static bool print_answer(const struct orma_fleet_address *to, size_t host, const char *format)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0}, text = {0};
    const char *db = to->database;

    orma_buf_printf(&sql, format, db, db, db);
    if (!ask(to, host, orma_buf_cstr(&sql), "", &text))
        return false;
    printf("%s%s", orma_buf_cstr(&text), text.len && text.data[text.len - 1] != '\n' ? "\n" : "");
    return true;
}

int orma_fleet_status(const struct orma_fleet_address *to)
{
    bool good = orma_fleet_check_schema(to) == ORMA_EXIT_OK;

    for (size_t host = 0; good && host < to->hosts_num; host++) {
        printf("%s%s, database %s, ClickHouse ", host ? "\n" : "", to->hosts[host], to->database);
        good =
            print_answer(to, host, "SELECT version()") &&
            print_answer(to, host,
                         "SELECT concat('traces: ', toString(count()), ', from ', "
                         "toString(min(date)), ' to ', toString(max(date)), ', of ', "
                         "toString(uniq(machine)), ' machines and ', toString(uniq(build)), ' "
                         "builds\\nlost: ', toString(sum(lost)), ' packets, ', "
                         "toString(sum(kernel_lost)), ' kernel events; not known of ', "
                         "toString(countIf(lost_known = 0)), ' traces') FROM %s.trace FORMAT "
                         "TabSeparatedRaw") &&
            print_answer(to, host,
                         "SELECT concat('replaced: ', toString(uniqExact(load) - "
                         "uniqExact(hash)), ' loads') FROM %s.trace_rows FORMAT TabSeparatedRaw") &&
            print_answer(to, host,
                         "SELECT replaceOne(table, '_rows', '') AS name, sum(rows) AS num_rows, "
                         "sum(bytes) AS num_bytes FROM system.parts WHERE database = '%s' AND "
                         "active AND table LIKE '%%\\\\_rows' GROUP BY name ORDER BY name FORMAT "
                         "PrettyCompactNoEscapes");
    }
    return good ? ORMA_EXIT_OK : ORMA_EXIT_FAILURE;
}

/* ---- expire ---- */

static bool drop_days(const struct orma_fleet_address *to, size_t host, const char *table,
                      const char *day, unsigned *ret_days)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf list = {0};
    bool good;
    char sql[300];

    snprintf(sql, sizeof(sql),
             "SELECT DISTINCT partition FROM system.parts WHERE database = '%s' AND table = "
             "'%s_rows' AND active AND partition < '%s' ORDER BY partition FORMAT TabSeparatedRaw",
             to->database, table, day);
    good = ask(to, host, sql, "", &list);
    for (char *at = good && list.len ? (char *)(uintptr_t)orma_buf_cstr(&list) : NULL, *end;
         good && at && (end = strchr(at, '\n')); at = end + 1) {
        snprintf(sql, sizeof(sql), "ALTER TABLE %s.%s_rows DROP PARTITION '%.*s'", to->database,
                 table, (int)strspn(at, "0123456789-"), at);
        good = ask(to, host, sql, "", NULL);
        ++*ret_days;
    }
    return good;
}

/* Rows of loads that never came whole, or were replaced by a newer one. */
static bool drop_loads(const struct orma_fleet_address *to, size_t host, const char *table,
                       uint64_t before, unsigned *ret_loads)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0}, list = {0};
    const char *db = to->database;
    bool good;

    orma_buf_printf(&sql,
                    "SELECT DISTINCT load FROM %s.%s_rows WHERE load < %" PRIu64
                    " AND load NOT IN (SELECT max(load) FROM %s.trace_rows GROUP BY hash)",
                    db, table, before, db);
    good = ask(to, host, orma_buf_cstr(&sql), "", &list);
    const char *at = orma_buf_cstr(&list);
    while (good && *at) {
        orma_buf_clear(&sql);
        orma_buf_printf(&sql, "ALTER TABLE %s.%s_rows DELETE WHERE load IN (", db, table);
        for (unsigned i = 0; i < LOADS_AT_ONCE && *at; i++, ++*ret_loads) {
            const size_t len = strcspn(at, "\n");

            orma_buf_printf(&sql, "%s%.*s", i ? ", " : "", (int)len, at);
            at += len + (at[len] == '\n');
        }
        orma_buf_put_byte(&sql, ')');
        good = ask(to, host, orma_buf_cstr(&sql), "", NULL);
    }
    return good;
}

int orma_fleet_expire(const struct orma_fleet_address *to, bool has_day, const char *day)
{
    const uint64_t before = ((uint64_t)time(NULL) - UNFINISHED_S) * 1000000 << ORMA_FLEET_LOAD_BITS;
    bool good = orma_fleet_check_schema(to) == ORMA_EXIT_OK;

    for (size_t host = 0; good && host < to->hosts_num; host++) {
        unsigned days = 0, rest = 0, loads = 0;

        /* First what makes traces seen: none is there by half. */
        if (has_day)
            good = drop_days(to, host, "trace", day, &days);
        for (size_t i = 0; good && has_day && i < ORMA_FLEET_TABLES - 1; i++)
            good = drop_days(to, host, orma_fleet_tables[i].name, day, &rest);
        for (size_t i = 0; good && i < ORMA_FLEET_TABLES; i++)
            good = drop_loads(to, host, orma_fleet_tables[i].name, before, &loads);
        if (good)
            printf("%s: %u days dropped; the server removes what %s of %u loads left\n",
                   to->hosts[host], days, "unfinished or replaced", loads);
    }
    return good ? ORMA_EXIT_OK : ORMA_EXIT_FAILURE;
}
