#include <string.h>
#include <unistd.h>

#include "probes/probes.h"
#include "sdk/base/path.h"
#include "tools/base/units.h"
#include "tools/doctor/disk.h"
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

void orma_doctor_look_at_disk(struct orma_doctor *self, const char *path, uint64_t bytes_per_s,
                              bool lost)
{
    struct orma_str folder = {path, (size_t)(orma_path_base(path) - path)};
    struct orma_doctor_disk disk;
    char takes[ORMA_UNITS_TEXT_MAX], brings[ORMA_UNITS_TEXT_MAX], bytes[ORMA_UNITS_TEXT_MAX];
    char time[ORMA_UNITS_TEXT_MAX];
    int r = orma_doctor_disk_measure(path, &disk);

    if (!folder.len)
        folder = ORMA_STR("this folder");
    if (r < 0) {
        orma_doctor_note(self, "how fast the disk of %.*s is was not measured: %s",
                         ORMA_STR_ARG(folder), strerror(-r));
        return;
    }
    orma_units_format_size(disk.bytes_per_s, takes);
    orma_units_format_size(disk.bytes, bytes);
    orma_units_format_size(bytes_per_s, brings);
    orma_units_format_duration(disk.ns, time);
    if (bytes_per_s && disk.bytes_per_s < bytes_per_s + bytes_per_s / 4) {
        struct orma_doctor_finding *f = orma_doctor_find(
            self, "disk",
            "The disk of %.*s takes %s a second (%s were written in %s), and %s a second come",
            ORMA_STR_ARG(folder), takes, bytes, time, brings);
        orma_doctor_advise(f, "write to a faster disk or into memory (orma record -o "
                              "/dev/shm/NAME.pftrace), keep the newest in a ring (--ring), or "
                              "record less");
    } else if (lost || !bytes_per_s) {
        orma_doctor_note(self, "the disk of %.*s takes %s a second (%s were written in %s)%s%s%s",
                         ORMA_STR_ARG(folder), takes, bytes, time,
                         bytes_per_s ? ": fast enough for the " : "", bytes_per_s ? brings : "",
                         bytes_per_s ? " a second that came" : "");
    }
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
    orma_doctor_look_at_disk(self, "", 0, false);
}
