#include "protos/incident.h"

#include <inttypes.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/wire/pb_writer.h"

#define TEXT_MAX 200
#define NO_TIME_NS 50000000u /* nobody can be said not to have answered within so little */

static const struct {
    const char *name, *text;
    bool is_loss;
} kinds[] = {
    [ORMA_PB_ORMA_INCIDENT_KIND_UNSPECIFIED] = {"unknown", "written by a newer version", false},
    [ORMA_PB_ORMA_INCIDENT_CHANGED] =
        {"changed",
         "another program changed the kernel's tracer (tracefs) while "
         "it was recording",
         true},
    [ORMA_PB_ORMA_INCIDENT_SILENT] =
        {"no answer",
         "a program was stopped, frozen, hanging or not waited for at the end, and did not hand over "
         "its data",
         false},
    [ORMA_PB_ORMA_INCIDENT_NOT_STARTED] =
        {"not started", "a data source existed, but never reported that it had started", true},
    [ORMA_PB_ORMA_INCIDENT_ENDED_EARLY] =
        {"ended early", "the producer of the system's data went away before the end", true},
    [ORMA_PB_ORMA_INCIDENT_NOT_OFFERED] = {"not offered",
                                           "no program offered a requested data source", true},
    [ORMA_PB_ORMA_INCIDENT_UNCOUNTED] = {"not counted",
                                         "a program does not report how much it drops: its SDK "
                                         "does not count, or it ended before its first report",
                                         false},
    [ORMA_PB_ORMA_INCIDENT_NO_TRIGGER] = {"no trigger", "none of the session's triggers fired",
                                          true},
    [ORMA_PB_ORMA_INCIDENT_MORE] = {"more", "more went wrong than is listed", false},
    [ORMA_PB_ORMA_INCIDENT_KILLED] =
        {"killed", "a program ended before its last report of how much it dropped", false},
    [ORMA_PB_ORMA_INCIDENT_RECOVERED] =
        {"recovered", "the service died; the trace was made of what it had left in memory", false},
    [ORMA_PB_ORMA_INCIDENT_UNWATCHED] =
        {"not watched",
         "the kernel did not tell what others write into its tracer (inotify): what they changed "
         "and changed back while it was recording is not known",
         false},
};

void orma_incident_read(struct orma_pb_reader r, struct orma_incident *ret)
{
    struct orma_pb_field f;

    *ret = (struct orma_incident){0};
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_ORMA_INCIDENT_KIND:
            ret->kind = f.num < ORMA_ARRAY_LEN(kinds) ? (uint32_t)f.num : 0;
            break;
        case ORMA_PB_ORMA_INCIDENT_SOURCE:
            ret->source = orma_pb_str(&f);
            break;
        case ORMA_PB_ORMA_INCIDENT_PRODUCER:
            ret->producer = orma_pb_str(&f);
            break;
        case ORMA_PB_ORMA_INCIDENT_PID:
            ret->pid = (int32_t)f.num;
            break;
        case ORMA_PB_ORMA_INCIDENT_WHAT:
            ret->what = orma_pb_str(&f);
            break;
        case ORMA_PB_ORMA_INCIDENT_FROM_NS:
            ret->from_ns = f.num;
            break;
        case ORMA_PB_ORMA_INCIDENT_UNTIL_NS:
            ret->until_ns = f.num;
            break;
        }
    }
}

static void put_str(struct orma_buf *out, uint32_t field, struct orma_str text)
{
    if (text.len)
        orma_pb_put_bytes(out, field, text.data, text.len);
}

static void put_num(struct orma_buf *out, uint32_t field, uint64_t val)
{
    if (val)
        orma_pb_put_u64(out, field, val);
}

void orma_incident_put(struct orma_buf *out, uint32_t field, const struct orma_incident *self)
{
    size_t msg = orma_pb_begin(out, field);

    orma_pb_put_u64(out, ORMA_PB_ORMA_INCIDENT_KIND, self->kind);
    put_str(out, ORMA_PB_ORMA_INCIDENT_SOURCE, self->source);
    put_str(out, ORMA_PB_ORMA_INCIDENT_PRODUCER, self->producer);
    if (self->pid > 0)
        put_num(out, ORMA_PB_ORMA_INCIDENT_PID, (uint64_t)self->pid);
    put_str(out, ORMA_PB_ORMA_INCIDENT_WHAT, self->what);
    put_num(out, ORMA_PB_ORMA_INCIDENT_FROM_NS, self->from_ns);
    put_num(out, ORMA_PB_ORMA_INCIDENT_UNTIL_NS, self->until_ns);
    orma_pb_end(out, msg);
}

/* Names of programs are whatever those want them to be. */
static void put_safe(struct orma_buf *out, struct orma_str text)
{
    const uint8_t *bytes = (const uint8_t *)text.data;

    for (size_t i = 0; i < text.len && i < TEXT_MAX; i++) {
        bool plain = bytes[i] >= 0x20 && bytes[i] < 0x7f;

        orma_buf_put(out, plain ? &bytes[i] : (const uint8_t *)"?", 1);
    }
    if (text.len > TEXT_MAX)
        orma_buf_put_str(out, "...");
}

/* 'live' (pid 7) */
static void put_producer(struct orma_buf *out, const struct orma_incident *self)
{
    if (self->producer.len) {
        orma_buf_put_str(out, "'");
        put_safe(out, self->producer);
        orma_buf_put_str(out, "'");
    } else {
        orma_buf_put_str(out, "a program");
    }
    if (self->pid > 0)
        orma_buf_printf(out, " (pid %" PRId32 ")", self->pid);
}

static double seconds(uint64_t ts, uint64_t start)
{
    return ts > start ? (double)(ts - start) / 1e9 : 0;
}

static void put_when(struct orma_buf *out, const struct orma_incident *self, uint64_t start)
{
    if (!start || !self->until_ns)
        return;
    if (self->from_ns)
        orma_buf_printf(out, " between %.2f s and %.2f s of the recording",
                        seconds(self->from_ns, start), seconds(self->until_ns, start));
    else
        orma_buf_printf(out, " at %.2f s of the recording", seconds(self->until_ns, start));
}

static void put_changed(struct orma_buf *out, const struct orma_incident *self, uint64_t start)
{
    orma_buf_put_str(out, "another program changed the kernel's tracer");
    put_when(out, self, start);
    orma_buf_put_str(out, " (");
    put_safe(out, self->what);
    orma_buf_put_str(out, "): kernel events may be missing since then");
}

static void put_silent(struct orma_buf *out, const struct orma_incident *self, uint64_t start)
{
    put_producer(out, self);
    if (self->from_ns && self->until_ns >= self->from_ns &&
        self->until_ns - self->from_ns < NO_TIME_NS) { /* a full file ends a session at once */
        orma_buf_put_str(out,
                         " was not waited for at the end: what it wrote last may be missing");
        return;
    }
    orma_buf_put_str(out, " did not answer");
    if (self->from_ns && self->until_ns > self->from_ns)
        orma_buf_printf(out, " for %.1f s at the end", seconds(self->until_ns, self->from_ns));
    else
        put_when(out, self, start);
    orma_buf_put_str(out, " (stopped, frozen or hanging): what it wrote last may be missing");
}

static void put_source(struct orma_buf *out, const struct orma_incident *self)
{
    orma_buf_put_str(out, "'");
    put_safe(out, self->source);
    orma_buf_put_str(out, "'");
}

static void put_ended(struct orma_buf *out, const struct orma_incident *self, uint64_t start)
{
    put_source(out, self);
    orma_buf_put_str(out, " ended early");
    put_when(out, self, start);
    orma_buf_put_str(out, ": ");
    put_producer(out, self);
    orma_buf_put_str(out, " went away");
}

static void put_recovered(struct orma_buf *out, const struct orma_incident *self, uint64_t start)
{
    orma_buf_put_str(out, "the service");
    if (self->pid > 0)
        orma_buf_printf(out, " (pid %" PRId32 ")", self->pid);
    orma_buf_put_str(out, " died");
    put_when(out, self, start);
    orma_buf_put_str(out, ", and the trace was recovered from what it left behind");
    if (self->what.len) {
        orma_buf_put_str(out, " (");
        put_safe(out, self->what);
        orma_buf_put_str(out, ")");
    }
}

void orma_incident_put_text(struct orma_buf *out, const struct orma_incident *self,
                            uint64_t start_ns)
{
    switch (self->kind) {
    case ORMA_PB_ORMA_INCIDENT_CHANGED:
        put_changed(out, self, start_ns);
        break;
    case ORMA_PB_ORMA_INCIDENT_SILENT:
        put_silent(out, self, start_ns);
        break;
    case ORMA_PB_ORMA_INCIDENT_NOT_STARTED:
        put_source(out, self);
        orma_buf_put_str(out, " of ");
        put_producer(out, self);
        orma_buf_put_str(out, " never said that it had started: its data may be missing");
        break;
    case ORMA_PB_ORMA_INCIDENT_ENDED_EARLY:
        put_ended(out, self, start_ns);
        break;
    case ORMA_PB_ORMA_INCIDENT_NOT_OFFERED:
        orma_buf_put_str(out, "no producer offered the data source ");
        put_source(out, self);
        orma_buf_put_str(out, ": nothing of it was recorded");
        break;
    case ORMA_PB_ORMA_INCIDENT_UNCOUNTED:
        put_producer(out, self);
        orma_buf_put_str(out, " gave no count of what it dropped");
        break;
    case ORMA_PB_ORMA_INCIDENT_NO_TRIGGER:
        orma_buf_put_str(out, "no trigger came of those that the recording waited for (");
        put_safe(out, self->what);
        orma_buf_put_str(out, ")");
        break;
    case ORMA_PB_ORMA_INCIDENT_MORE:
        orma_buf_put_str(out, "more went wrong than is listed");
        break;
    case ORMA_PB_ORMA_INCIDENT_KILLED:
        put_producer(out, self);
        orma_buf_put_str(out, " went away");
        put_when(out, self, start_ns);
        orma_buf_put_str(out, " without its last report: what it wrote last may be missing");
        break;
    case ORMA_PB_ORMA_INCIDENT_RECOVERED:
        put_recovered(out, self, start_ns);
        break;
    case ORMA_PB_ORMA_INCIDENT_UNWATCHED:
        orma_buf_put_str(out, "it could not be watched whether others change the kernel's tracer "
                              "and change it back (");
        put_safe(out, self->what);
        orma_buf_put_str(out, ")");
        break;
    default:
        orma_buf_put_str(out, "something went wrong that this version does not know");
        break;
    }
}

const char *orma_incident_text(uint32_t kind)
{
    return kind < ORMA_ARRAY_LEN(kinds) ? kinds[kind].text : NULL;
}

const char *orma_incident_name(uint32_t kind)
{
    return kinds[kind < ORMA_ARRAY_LEN(kinds) ? kind : 0].name;
}

uint32_t orma_incident_of_name(const char *name)
{
    uint32_t kind = 0;

    for (uint32_t i = 0; i < ORMA_ARRAY_LEN(kinds); i++) {
        if (!strcmp(kinds[i].name, name))
            kind = i;
    }
    return kind;
}

bool orma_incident_is_loss(uint32_t kind)
{
    return kind < ORMA_ARRAY_LEN(kinds) && kinds[kind].is_loss;
}
