/* Batteries and graphics frequencies. */
#include "processor/import/linux/linux.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"

/* BatteryCounters */
enum {
    CHARGE_COUNTER_UAH = 1,
    CAPACITY_PERCENT,
    CURRENT_UA,
    CURRENT_AVG_UA,
    NAME,
    ENERGY_COUNTER_UWH,
    VOLTAGE_UV,
    FIELDS_NUM,
};

static void push(struct orma_import_ctx *imp, const struct orma_item *item, struct orma_str supply,
                 const char *key, double value)
{
    uint32_t name = supply.len ? orma_strpool_addf(&imp->model->storage->pool, "batt.%.*s.%s",
                                                   ORMA_STR_ARG(supply), key)
                               : orma_strpool_addf(&imp->model->storage->pool, "batt.%s", key);
    const struct orma_track_dim dims[] = {
        orma_dim_str(orma_model_lit(imp->model, "battery_name"),
                     supply.data ? orma_model_str(imp->model, supply) : 0),
        orma_dim_str(orma_model_lit(imp->model, "counter_name"), orma_model_lit(imp->model, key))};

    orma_model_counter(imp->model, item->ts,
                       orma_model_counter_track(imp->model, item->machine, "battery_counter", name,
                                                NULL, ORMA_ARRAY_LEN(dims), dims),
                       value);
}

static void battery_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    struct orma_str supply = {0};
    int64_t v[FIELDS_NUM] = {0};
    bool has[FIELDS_NUM] = {0};
    float percent = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id >= FIELDS_NUM)
            continue;
        has[f.id] = true;
        v[f.id] = orma_pb_i64(&f);
        if (f.id == NAME)
            supply = orma_pb_str(&f);
        else if (f.id == CAPACITY_PERCENT)
            percent = orma_pb_float(&f);
    }
    if (has[CHARGE_COUNTER_UAH])
        push(imp, item, supply, "charge_uah", (double)v[CHARGE_COUNTER_UAH]);
    else if (has[ENERGY_COUNTER_UWH] && v[VOLTAGE_UV] > 0) /* µWh at µV */
        push(imp, item, supply, "charge_uah",
             (double)orma_model_whole((double)v[ENERGY_COUNTER_UWH] * 1e6 / (double)v[VOLTAGE_UV]));
    if (has[CAPACITY_PERCENT])
        push(imp, item, supply, "capacity_pct", (double)percent);
    if (has[CURRENT_UA])
        push(imp, item, supply, "current_ua", (double)v[CURRENT_UA]);
    if (has[CURRENT_AVG_UA])
        push(imp, item, supply, "current.avg_ua", (double)v[CURRENT_AVG_UA]);
    if (has[VOLTAGE_UV])
        push(imp, item, supply, "voltage_uv", (double)v[VOLTAGE_UV]);
    if (has[CURRENT_UA] && has[VOLTAGE_UV]) { /* in or out */
        int64_t mw = orma_model_whole((double)v[CURRENT_UA] * (double)v[VOLTAGE_UV] / 1e9);

        push(imp, item, supply, "power_mw", (double)(mw < 0 ? -mw : mw));
    }
}

static const uint16_t battery_fields[] = {ORMA_PB_TRACE_PACKET_BATTERY, 0};
const struct orma_importer orma_linux_battery_importer = {
    .name = "battery", .fields = battery_fields, .parse = battery_parse};
