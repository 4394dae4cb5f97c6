#include <string.h>

#include "probes/probes.h"
#include "tools/doctor/doctor.h"

/* What a usual recording has, and every machine could have. The others are hardware, or asked for
 * by a config. */
static const char *const usual[] = {"linux.ftrace", "linux.perf", "linux.systemd_journald"};

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
}
