/*
 * All files are fed in turn, each as much as its queue takes, so that one that
 * accepts nothing costs the others no time. Between two turns poll() waits for any
 * of the writing threads.
 */
#include "traced/sessions/finish.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/log.h"
#include "traced/output/file.h"
#include "traced/producers/commit.h"
#include "traced/producers/producer.h"
#include "traced/sessions/registry.h"
#include "traced/sessions/session.h"

#define SESSIONS_MAX 256 /* far more than there can be */

/* At once and in one go: there are no others any more who would have to wait. */
static void scrape_all(struct traced_session *s)
{
    ORMA_LIST_EACH (struct traced_producer, p, &s->registry->producers->list, link)
        if (p->scraping)
            traced_scrape(p, &s->targets);
}

/* Nothing comes in any more; what is still in shared memory is taken. */
static void disable(struct traced_session *s)
{
    s->freeing = true;
    traced_flushes_cancel(s);
    if (s->output.file && !s->output.error && !traced_session_is_over(s)) {
        scrape_all(s);
        traced_session_end(s);
    }
}

/* The file that is waited for; NULL: all has what it will ever get. */
static struct traced_file *advance(struct traced_session *s)
{
    if (!s->output.file)
        return NULL;
    bool whole = traced_session_output_write_rest(s);
    if (s->output.next.old && !traced_file_look(s->output.next.old).done)
        return s->output.next.old;
    return whole && traced_file_look(s->output.file).done ? NULL : s->output.file;
}

/* Waits for a thread that has got on. */
static void wait_for_any(struct pollfd *fds, nfds_t num, uint64_t end_ns)
{
    uint64_t now = orma_clock_monotonic(), count;

    if (now >= end_ns || poll(fds, num, (int)((end_ns - now) / 1000000 + 1)) <= 0)
        return;
    for (nfds_t i = 0; i < num; i++)
        if (fds[i].revents)
            (void)!read(fds[i].fd, &count, sizeof(count)); /* only its being readable matters */
}

/* One turn. How many files are not complete; 0: all is done. */
static nfds_t turn(struct traced_sessions *self, uint64_t end_ns)
{
    struct pollfd fds[SESSIONS_MAX];
    nfds_t num = 0;

    ORMA_LIST_EACH (struct traced_session, s, &self->list, link) {
        const struct traced_file *file = advance(s);

        if (file && num < SESSIONS_MAX)
            fds[num++] = (struct pollfd){.fd = traced_file_progress_fd(file), .events = POLLIN};
    }
    if (num)
        wait_for_any(fds, num, end_ns);
    return num;
}

static void report(struct traced_session *s)
{
    struct traced_file_state state = traced_file_look(s->output.file);
    char name[TRACED_FILE_NAME_MAX];

    traced_file_name(s->output.file, name);
    if (!s->output.finished || !state.done)
        orma_log_error(
            "session %" PRIu64
            ": the trace file %s accepts no more data; its end is missing, %zu bytes or more",
            s->id, name, state.queued);
    else if (state.error && state.error != -EFBIG && !s->output.error)
        orma_log_error("session %" PRIu64 ": cannot write the trace file %s: %s", s->id, name,
                       traced_file_reason(state.error));
}

void traced_sessions_finish(struct traced_sessions *self, uint32_t max_ms)
{
    uint64_t end_ns = orma_clock_monotonic() + (uint64_t)max_ms * 1000000;

    ORMA_LIST_EACH (struct traced_session, s, &self->list, link)
        disable(s);
    while (turn(self, end_ns) && orma_clock_monotonic() < end_ns)
        continue;
    ORMA_LIST_EACH (struct traced_session, s, &self->list, link) {
        if (s->output.file) {
            report(s);
            traced_file_hurry(s->output.file, 0); /* of no matter to one that is complete */
            if (s->output.next.old)
                traced_file_hurry(s->output.next.old, 0);
        }
        traced_session_free(s);
    }
}
