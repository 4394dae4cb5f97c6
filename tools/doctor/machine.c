#include <string.h>
#include <unistd.h>

#include "probes/probes.h"
#include "tools/doctor/doctor.h"

/* What a usual recording has, and every machine could have. The others are hardware, or asked for
 * by a config. */
static const char *const usual[] = {"linux.ftrace", "linux.perf", "linux.systemd_journald"};

/* Addresses are zero for who may not see them; root lowers kptr_restrict for a moment. */
static void check_symbols(struct orma_doctor *self)
{
    char address[17] = "";
    FILE *file = geteuid() ? fopen("/proc/kallsyms", "re") : NULL;

    if (!file)
        return;
    bool hidden = fread(address, 1, 16, file) == 16 && strspn(address, "0") == 16;
    (void)fclose(file); /* nothing was written */
    if (!hidden)
        return;
    struct orma_doctor_finding *f =
        orma_doctor_find(self, "symbols",
                         "The kernel hides the addresses of its functions from you: kernel frames "
                         "and events that refer to functions would have no names");
    orma_doctor_advise(f, "as root, or: sudo sysctl kernel.kptr_restrict=0 "
                          "kernel.perf_event_paranoid=1");
}

void orma_doctor_look_at_machine(struct orma_doctor *self)
{
    const char *const *names = orma_probes_sources();

    for (; *names; names++) {
        char why[512] = "";
        bool is_usual = false;

        if (orma_probes_source_usable(NULL, *names, why, sizeof(why)))
            continue;
        for (size_t i = 0; i < ORMA_ARRAY_LEN(usual); i++)
            is_usual |= !strcmp(*names, usual[i]);
        if (is_usual)
            orma_doctor_find(self, "source", "%s cannot record here: %s", *names, why);
        else
            orma_doctor_note(self, "%s cannot record here: %s", *names, why);
    }
    check_symbols(self);
}
