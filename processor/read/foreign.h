/*
 * Files of others that are no trace which is read here, by their content alone: what they are, and
 * what reads them. The table is in foreign.c; a new kind is a row there and one in
 * tests/integration/clients/test_foreign.py.
 *
 * All results are sentences without a full stop that follow "this is", in static memory:
 * "a capture of network packets (pcap); Wireshark and tcpdump read it".
 */
#ifndef ORMA_PROCESSOR_READ_FOREIGN_H
#define ORMA_PROCESSOR_READ_FOREIGN_H
#include <stddef.h>
#include <stdint.h>

/* By what only such files begin with; NULL: none of them. Nothing that is read here is one. */
const char *orma_foreign_find(const uint8_t *data, size_t len);

/* By its form only, of text of which nothing could be read; NULL: it is no text. */
const char *orma_foreign_guess(const uint8_t *data, size_t len);
#endif
