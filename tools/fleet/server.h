/*
 * ClickHouse over HTTP, by libcurl, which is loaded when the first server is asked.
 *
 * Threads: none; a process that was forked asks by handles of its own.
 */
#ifndef ORMA_TOOLS_FLEET_SERVER_H
#define ORMA_TOOLS_FLEET_SERVER_H
#include "sdk/base/buf.h"

#define ORMA_FLEET_HOSTS_MAX 64
#define ORMA_FLEET_ANSWER_S 300       /* an insert that merges take the disk from */
#define ORMA_FLEET_ANSWER_SPEED 10000 /* bytes a second, of long answers */

/* clickhouse[s]://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]...][/DATABASE] */
struct orma_fleet_address {
    struct orma_buf text; /* what the others point into */
    const char *scheme, *user, *password, *database;
    const char *hosts[ORMA_FLEET_HOSTS_MAX]; /* HOST:PORT */
    size_t hosts_num;
};

/* 0 or -EINVAL with the reason in *ret_why. */
int orma_fleet_address_parse(const char *url, struct orma_fleet_address *ret, const char **ret_why);
void orma_fleet_address_fini(struct orma_fleet_address *self);

enum orma_fleet_fault {
    ORMA_FLEET_FINE,
    ORMA_FLEET_AWAY,    /* the server cannot be reached, or is overloaded: try again */
    ORMA_FLEET_REFUSED, /* it does not take this; it may take another */
    ORMA_FLEET_BROKEN,  /* nor will it take another: no space, no rights, no tables */
};

struct orma_fleet_answer {
    enum orma_fleet_fault fault;
    struct orma_buf body; /* what it said, or what was wrong */
};

/* Fills a buffer of `size`; how much, 0: that was all; SIZE_MAX: give up. */
typedef size_t orma_fleet_read(void *ctx, void *to, size_t size);

/* So long after the last byte was sent, with so many received: shall an answer be waited for? */
bool orma_fleet_may_wait(int64_t waited_s, int64_t received);

/*
 * Runs a statement; `read` gives the data of an INSERT (NULL: none). `settings` are parameters of
 * the URL, "&name=value", or "".
 */
void orma_fleet_ask(const struct orma_fleet_address *address, size_t host, const char *sql,
                    const char *settings, orma_fleet_read *read, void *ctx,
                    struct orma_fleet_answer *ret);
#endif
