/*
 * Incidents: what made a trace incomplete although no packet was counted as
 * lost. The service and the probes write them into their statistics
 * (OrmaIncident in protos/orma_ext.proto); the words for them are made here,
 * and nowhere else.
 */
#ifndef ORMA_PROTOS_INCIDENT_H
#define ORMA_PROTOS_INCIDENT_H
#include <stdbool.h>
#include <stdint.h>

#include "protos/fields/orma_ext.h"
#include "sdk/base/buf.h"
#include "sdk/wire/pb_reader.h"

/* More of one session are not listed: the last one says so. */
#define ORMA_INCIDENTS_MAX 64

struct orma_incident {
    uint32_t kind; /* ORMA_PB_ORMA_INCIDENT_... */
    int32_t pid;   /* 0: unknown */
    struct orma_str source, producer, what;
    uint64_t from_ns, until_ns; /* boot clock; 0: unknown */
};

/* Texts lie in what the reader reads, and are not to be trusted. */
void orma_incident_read(struct orma_pb_reader r, struct orma_incident *ret);

/* As field `field` of the message that `out` holds. */
void orma_incident_put(struct orma_buf *out, uint32_t field, const struct orma_incident *self);

/*
 * Appends the incident in words, without a full stop: "'live' (pid 7) did not answer for 10.0 s at
 * the end: ...". Times count from `start_ns`, when the recording began; 0: they are left out.
 */
void orma_incident_put_text(struct orma_buf *out, const struct orma_incident *self,
                            uint64_t start_ns);

/* What it means; NULL: there is no such kind. */
const char *orma_incident_text(uint32_t kind);

/* One word for it, as the reason in the table `loss`. */
const char *orma_incident_name(uint32_t kind);

/* The kind of that name; KIND_UNSPECIFIED if there is none. */
uint32_t orma_incident_of_name(const char *name);

/* Is it known that something is missing? Otherwise nobody can say. */
bool orma_incident_is_loss(uint32_t kind);
#endif
