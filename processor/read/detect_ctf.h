/* The metadata of the Common Trace Format, which is found in packets and as text. Threads: none. */
#ifndef ORMA_PROCESSOR_READ_DETECT_CTF_H
#define ORMA_PROCESSOR_READ_DETECT_CTF_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many bytes of the file suffice. */
#define ORMA_DETECT_CTF_BYTES 256

bool orma_detect_ctf(const uint8_t *data, size_t len);
#endif
