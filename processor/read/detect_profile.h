/* What kind of profile some JSON is, by the members of its outermost object in any order. */
#ifndef ORMA_PROCESSOR_READ_DETECT_PROFILE_H
#define ORMA_PROCESSOR_READ_DETECT_PROFILE_H
#include "processor/read/detect.h"

/* ORMA_FORMAT_UNKNOWN: none. ORMA_FORMAT_MORE: what is there may begin one. */
enum orma_format orma_detect_profile(const uint8_t *data, size_t len, bool at_end);
#endif
