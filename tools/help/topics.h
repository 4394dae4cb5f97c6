/*
 * `orma help TOPIC`: what can be asked about besides the commands. What the
 * program knows itself (fields, columns, presets, sources) is shown from there.
 */
#ifndef ORMA_TOOLS_TOPICS_H
#define ORMA_TOOLS_TOPICS_H

struct orma_help_topic {
    const char *name;
    const char *summary;
    const char *arg;                /* what may follow the name; NULL: nothing */
    int (*show)(const char *about); /* NULL: the topic as a whole. An exit code. */
};

extern const struct orma_help_topic orma_help_topics[]; /* ended by a NULL name */

/* config: topics_config.c; tables: topics_tables.c */
int orma_help_topic_config(const char *path);
int orma_help_topic_tables(const char *name);
#endif
