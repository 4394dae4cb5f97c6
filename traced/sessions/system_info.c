#include "traced/sessions/system_info.h"

#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "sdk/wire/pb_writer.h"

static int32_t timezone_off_mins(void)
{
    time_t now = time(NULL);
    struct tm tm;

    return localtime_r(&now, &tm) ? (int32_t)(tm.tm_gmtoff / 60) : 0;
}

void traced_machine_put_system_info(struct orma_buf *out, const char *version)
{
    struct utsname un;

    if (uname(&un) == 0) {
        size_t uts = orma_pb_begin(out, ORMA_PB_SYSTEM_INFO_UTSNAME);

        orma_pb_put_cstr(out, ORMA_PB_UTSNAME_SYSNAME, un.sysname);
        orma_pb_put_cstr(out, ORMA_PB_UTSNAME_VERSION, un.version);
        orma_pb_put_cstr(out, ORMA_PB_UTSNAME_RELEASE, un.release);
        orma_pb_put_cstr(out, ORMA_PB_UTSNAME_MACHINE, un.machine);
        orma_pb_end(out, uts);
    }
    if (version)
        orma_pb_put_cstr(out, ORMA_PB_SYSTEM_INFO_TRACING_SERVICE_VERSION, version);
    orma_pb_put_i64(out, ORMA_PB_SYSTEM_INFO_TIMEZONE_OFF_MINS, timezone_off_mins());
    orma_pb_put_i64(out, ORMA_PB_SYSTEM_INFO_PAGE_SIZE, sysconf(_SC_PAGESIZE));
    orma_pb_put_i64(out, ORMA_PB_SYSTEM_INFO_NUM_CPUS, sysconf(_SC_NPROCESSORS_CONF));
    orma_pb_put_i64(out, ORMA_PB_SYSTEM_INFO_SYSTEM_RAM_BYTES,
                    (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
}
