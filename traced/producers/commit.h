/*
 * From shared memory into central buffers: commits and scraping.
 *
 * Nothing in a commit or in the memory is believed: indices are checked, each
 * header word is read once, the payload is copied before anything in it is
 * looked at (rules 6 to 9 of docs/service.md).
 */
#ifndef ORMA_TRACED_PRODUCERS_COMMIT_H
#define ORMA_TRACED_PRODUCERS_COMMIT_H
#include "sdk/base/str.h"
#include "sdk/wire/pb_reader.h"
#include "traced/loop/turn.h"

struct traced_producer;
struct traced_target_group;

/* A CommitDataRequest on its way. The bytes stay the caller's, until it is done. */
struct traced_commit {
    struct orma_str request;
    struct orma_pb_reader at;
    bool moved; /* the chunks are done, `at` is on its second way: patches and counts */
    uint64_t flush_id;
};

void traced_commit_begin(struct traced_commit *self, struct orma_str request);
/* 1: the budget is spent. 0: done. -EBADMSG: malformed; what came before the fault has been done.
 */
int traced_commit_some(struct traced_producer *producer, struct traced_commit *self,
                       struct traced_budget *budget);
/* All of it. */
int traced_commit(struct traced_producer *producer, struct orma_str request);

/*
 * Copies the chunks of registered writers that are complete or being written,
 * and leaves them where they are, from *page on until the budget is spent.
 * Only into targets of the group; NULL: into any. True: there is more.
 */
bool traced_scrape_some(struct traced_producer *producer, const struct traced_target_group *group,
                        uint32_t *page, struct traced_budget *budget);
/* All of it. */
void traced_scrape(struct traced_producer *producer, const struct traced_target_group *group);
#endif
