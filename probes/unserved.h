/*
 * Unserved: what a config may ask of a data source and this one does not do.
 * A session that sets such a field is told so; it works without.
 */
#ifndef ORMA_PROBES_UNSERVED_H
#define ORMA_PROBES_UNSERVED_H
#include "protos/perfetto/config.pb-c.h"
#include "sdk/base/buf.h"

/* Fields of that kind that the config sets, "a.b, c.d"; "" if there are none. */
void orma_probes_unserved(const char *source, const Perfetto__Protos__DataSourceConfig *config,
                          struct orma_buf *ret);
#endif
