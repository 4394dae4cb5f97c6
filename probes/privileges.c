#include "probes/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sdk/base/defs.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#define CAPS_MAX 64

static const int kept[] = {CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE, CAP_SYSLOG, CAP_PERFMON};

static uint64_t kept_bits(void)
{
    uint64_t ret = 0;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(kept); i++)
        ret |= UINT64_C(1) << kept[i];
    return ret;
}

/* What a program that we execute could get. */
static void drop_bounding_set(void)
{
    for (int cap = 0; cap < CAPS_MAX; cap++) {
        if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1 && !(kept_bits() >> cap & 1))
            (void)prctl(PR_CAPBSET_DROP, cap, 0, 0, 0); /* not ours to drop: we have not got it */
    }
}

int orma_probes_drop_privileges(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];

    if (geteuid() != 0)
        return 0;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -errno;
    /* In a container some of these are not for us: what counts is the last call. */
    (void)prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED, 0, 0, 0);
    drop_bounding_set();
    if (syscall(SYS_capget, &header, data) < 0)
        return -errno;
    for (unsigned i = 0; i < 2; i++) {
        data[i].permitted &= (uint32_t)(kept_bits() >> 32 * i);
        data[i].effective = data[i].permitted;
        data[i].inheritable = 0;
    }
    return syscall(SYS_capset, &header, data) < 0 ? -errno : 1;
}
