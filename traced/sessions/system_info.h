/* This machine, as traces describe it. Threads: any. */
#ifndef ORMA_TRACED_SESSIONS_SYSTEM_INFO_H
#define ORMA_TRACED_SESSIONS_SYSTEM_INFO_H
#include "sdk/base/buf.h"

/* Appends the fields of a SystemInfo. `version` of the service; NULL: there is none here. */
void traced_machine_put_system_info(struct orma_buf *out, const char *version);
#endif
