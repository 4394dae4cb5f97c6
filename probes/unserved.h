/*
 * Unserved: fields of a config that a data source accepts but does not support.
 * A session that sets one works without it, after a warning.
 */
#ifndef ORMA_PROBES_UNSERVED_H
#define ORMA_PROBES_UNSERVED_H
#include "protos/perfetto/config.pb-c.h"
#include "sdk/base/buf.h"

/* Fields of that kind that the config sets, "a.b, c.d"; "" if there are none. */
void orma_probes_unserved(const char *source, const Perfetto__Protos__DataSourceConfig *config,
                          struct orma_buf *ret);
#endif
