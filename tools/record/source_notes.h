/*
 * A sentence for each data source, for people.
 */
#ifndef ORMA_TOOLS_SOURCE_NOTES_H
#define ORMA_TOOLS_SOURCE_NOTES_H

struct orma_record_source_note {
    const char *source;
    const char *config; /* its part of DataSourceConfig, NULL: none */
    const char *text;
};

extern const struct orma_record_source_note orma_record_source_notes[]; /* ended by a NULL source */
#endif
