/*
 * How fast the disk of a folder takes data: a file without a name is written there and brought to
 * the disk (fdatasync), in pieces that double, until ORMA_DOCTOR_DISK_MS have passed or
 * ORMA_DOCTOR_DISK_BYTES are there; never more than a sixteenth of what is free. What the page
 * cache takes alone says nothing about a recording that goes on.
 */
#ifndef ORMA_TOOLS_DOCTOR_DISK_H
#define ORMA_TOOLS_DOCTOR_DISK_H
#include <stdint.h>

#define ORMA_DOCTOR_DISK_MS 300
#define ORMA_DOCTOR_DISK_BYTES ((uint64_t)32 << 20)

struct orma_doctor_disk {
    uint64_t bytes, ns; /* written in so much time */
    uint64_t bytes_per_s;
};

/* `path`: a file of that folder, which need not exist. 0, or -errno: nothing was measured. */
int orma_doctor_disk_measure(const char *path, struct orma_doctor_disk *ret);
#endif
