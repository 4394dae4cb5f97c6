/* Orma: instrument a program. See track_event.h for the first slice, tracing.h for the rest. */
#ifndef ORMA_ORMA_H
#define ORMA_ORMA_H
#include "orma/data_source.h"
#include "orma/recording.h"
#include "orma/tracing.h"
#include "orma/track_event.h"
#endif
