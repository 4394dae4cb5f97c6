#include "processor/model/incidents.h"

#include "processor/model/model.h"
#include "protos/incident.h"

/* Of the boot clock, by which incidents are timed; 0: unknown. */
static uint64_t started_at(struct orma_model *self, uint16_t machine)
{
    uint32_t row =
        orma_metadata_find(self, "tracing_started_ns", ORMA_METADATA_MACHINE_AND_TRACE, machine);

    if (row == ORMA_ROW_NONE)
        return 0;
    return (uint64_t)orma_table_int(orma_model_table(self, ORMA_TABLE_METADATA),
                                    ORMA_METADATA_INT_VALUE, row);
}

static bool is_there(const struct orma_model *self, const struct orma_table *t, uint32_t text,
                     uint16_t machine)
{
    for (uint32_t row = 0; row < t->rows; row++) {
        if (orma_table_int(t, ORMA_INCIDENT_TEXT, row) == text &&
            orma_table_int(t, ORMA_INCIDENT_MACHINE_ID, row) == machine &&
            orma_table_int(t, ORMA_INCIDENT_TRACE_ID, row) == self->trace_row)
            return true;
    }
    return false;
}

static void put_row(struct orma_model *self, struct orma_table *t, uint16_t machine,
                    const struct orma_incident *incident, uint32_t text)
{
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_INCIDENT_REASON, row,
                   orma_model_cstr(self, orma_incident_name(incident->kind)));
    if (incident->source.len)
        orma_table_set(t, ORMA_INCIDENT_SOURCE, row, orma_model_str(self, incident->source));
    if (incident->producer.len)
        orma_table_set(t, ORMA_INCIDENT_PRODUCER, row, orma_model_str(self, incident->producer));
    if (incident->pid > 0)
        orma_table_set(t, ORMA_INCIDENT_PID, row, incident->pid);
    if (incident->from_ns)
        orma_table_set(t, ORMA_INCIDENT_TS, row, (int64_t)incident->from_ns);
    if (incident->until_ns)
        orma_table_set(t, ORMA_INCIDENT_TS_END, row, (int64_t)incident->until_ns);
    orma_table_set(t, ORMA_INCIDENT_TEXT, row, text);
    orma_table_set(t, ORMA_INCIDENT_MACHINE_ID, row, machine);
    orma_table_set(t, ORMA_INCIDENT_TRACE_ID, row, self->trace_row);
}

void orma_model_add_incident(struct orma_model *self, uint16_t machine, struct orma_str message)
{
    struct orma_table *t = orma_model_table(self, ORMA_TABLE_INCIDENT);
    ORMA_AUTO(orma_buf_fini) struct orma_buf words = {0};
    struct orma_incident incident;

    orma_incident_read(orma_pb_reader(message.data, message.len), &incident);
    orma_incident_put_text(&words, &incident, started_at(self, machine));
    uint32_t text = orma_model_str(self, orma_buf_str(&words));
    if (t->rows < ORMA_INCIDENTS_MAX * 16 && !is_there(self, t, text, machine))
        put_row(self, t, machine, &incident, text);
}
