#include "tools/relay/machines.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "probes/probes.h"
#include "protos/fields/common.h"
#include "sdk/base/buf.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/thread.h"
#include "sdk/wire/pb_reader.h"
#include "tools/relay/address.h"
#include "tools/relay/link.h"
#include "tools/service/state.h"

#define WAIT_SSH_MS 60000 /* somebody may have to type a password */
#define WAIT_MS 10000
#define OFFER_MS 3000 /* a relay without probes and programs offers nothing */
#define POLL_MS 10
#define RETRY_FIRST_MS 500
#define RETRY_LAST_MS 30000

struct orma_relay_machines {
    struct orma_relay_machines_config config;
    int stop_fd;
    struct orma_relay_link links[ORMA_RELAY_MACHINES_MAX];
    unsigned started;
};

static bool is_ssh(const char *spec)
{
    return !strncmp(spec, "ssh:", 4);
}

const char *orma_relay_machine_check(const char *spec)
{
    struct orma_sock_addr addr;
    char text[ORMA_RELAY_ADDRESS_MAX];

    if (is_ssh(spec))
        return orma_relay_ssh_check(spec);
    if (strncmp(spec, "tcp:", 4) && strncmp(spec, "vsock:", 6))
        return "expected ssh:HOST, tcp:HOST:PORT or vsock:CID:PORT";
    if (!orma_relay_address(spec, text, sizeof(text)))
        return "it is too long";
    int r = orma_sock_parse(text, &addr);
    return r == -EINVAL || (r == 0 && addr.family == AF_UNIX) ? "it is no host with a port" : NULL;
}

/* ---- one link ---- */

/* As long as the recording goes on. */
static void *run(void *arg)
{
    struct orma_relay_link *link = arg;
    int wait = RETRY_FIRST_MS;

    while (!link->hopeless) {
        link->up = false;
        if (is_ssh(link->spec))
            orma_relay_ssh_run(link);
        else
            orma_relay_call_run(link);
        bool was_up = link->up;
        link->up = false;
        if (!orma_relay_link_rest(link, 0))
            return NULL;
        if (was_up) {
            link->told = false;
            orma_relay_link_say(link, "the connection is lost; trying again");
            wait = RETRY_FIRST_MS;
        }
        if (!link->hopeless && !orma_relay_link_rest(link, wait))
            return NULL;
        wait = link->busy ? RETRY_FIRST_MS : ORMA_MIN(wait * 2, RETRY_LAST_MS);
    }
    return NULL;
}

static int start(struct orma_relay_machines *self, const char *spec)
{
    struct orma_relay_link *link = &self->links[self->started];

    *link = (struct orma_relay_link){.program = self->config.program,
                                     .spec = spec,
                                     .service = self->config.service,
                                     .stop_fd = self->stop_fd};
    int r = orma_thread_start(&link->thread, NULL, run, link);
    self->started += r == 0;
    return r;
}

int orma_relay_machines_new(const struct orma_relay_machines_config *config,
                            struct orma_relay_machines **ret)
{
    ORMA_AUTO(orma_relay_machines_free_p)
    struct orma_relay_machines *self = calloc(1, sizeof(*self));
    int r = self ? 0 : -ENOMEM;

    if (r == 0) {
        self->config = *config;
        self->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        r = self->stop_fd < 0 ? -errno : 0;
    }
    for (unsigned i = 0; r == 0 && i < config->num; i++)
        r = start(self, config->specs[i]);
    if (r == 0)
        *ret = ORMA_STEAL(self);
    else
        fprintf(stderr, "%s: cannot reach other machines: %s\n", config->program, strerror(-r));
    return r;
}

/* ---- all of them ---- */

struct offers {
    uint64_t producers[256]; /* of other machines */
    uint32_t machines[256];
    unsigned producers_num;
    uint32_t ready[256]; /* machines whose probes are there */
    unsigned ready_num;
};

static void read_producer(const struct orma_pb_field *field, struct offers *o)
{
    struct orma_pb_reader r = orma_pb_sub(field);
    struct orma_pb_field f;
    uint64_t id = 0;
    uint32_t machine = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_ID)
            id = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_MACHINE_ID)
            machine = orma_pb_u32(&f);
    }
    if (machine && o->producers_num < ORMA_ARRAY_LEN(o->producers)) {
        o->producers[o->producers_num] = id;
        o->machines[o->producers_num++] = machine;
    }
}

/* It may have several probes, also those of a link that broke. */
static void note_ready(struct offers *o, uint32_t machine)
{
    for (unsigned i = 0; i < o->ready_num; i++)
        if (o->ready[i] == machine)
            return;
    if (o->ready_num < ORMA_ARRAY_LEN(o->ready))
        o->ready[o->ready_num++] = machine;
}

static bool is_source(struct orma_str bytes, const char *name)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_DATA_SOURCE_DESCRIPTOR_NAME)
            return orma_str_eq(orma_pb_str(&f), orma_str_from(name));
    return false;
}

/* Probes register their sources in order: where the last one is, all are. */
static void read_source(const struct orma_pb_field *field, const char *last, struct offers *o)
{
    struct orma_pb_reader r = orma_pb_sub(field);
    struct orma_pb_field f;
    uint64_t id = 0;
    bool wanted = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACING_SERVICE_STATE_DATA_SOURCE_PRODUCER_ID)
            id = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_TRACING_SERVICE_STATE_DATA_SOURCE_DS_DESCRIPTOR)
            wanted = is_source(orma_pb_str(&f), last);
    }
    for (unsigned i = 0; wanted && i < o->producers_num; i++)
        if (o->producers[i] == id)
            note_ready(o, o->machines[i]);
}

static int ask(struct orma_consumer *consumer, struct offers *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf state = {0};
    const char *const *sources = orma_probes_sources();
    struct orma_pb_field f;
    int r = orma_service_state_query(consumer, &state);

    *ret = (struct offers){0};
    while (sources[0] && sources[1])
        sources++;
    for (int pass = 0; r == 0 && pass < 2; pass++) {
        struct orma_pb_reader reader = orma_pb_reader(state.data, state.len);

        while (orma_pb_next(&reader, &f)) {
            if (!pass && f.id == ORMA_PB_TRACING_SERVICE_STATE_PRODUCERS)
                read_producer(&f, ret);
            else if (pass && f.id == ORMA_PB_TRACING_SERVICE_STATE_DATA_SOURCES && sources[0])
                read_source(&f, sources[0], ret);
        }
    }
    return r;
}

static unsigned count_up(const struct orma_relay_machines *self)
{
    unsigned up = 0;

    for (unsigned i = 0; i < self->started; i++)
        up += self->links[i].up;
    return up;
}

static bool is_hopeless(const struct orma_relay_machines *self)
{
    for (unsigned i = 0; i < self->started; i++)
        if (self->links[i].hopeless)
            return true;
    return false;
}

static uint64_t patience_ms(const struct orma_relay_machines *self)
{
    for (unsigned i = 0; i < self->started; i++)
        if (is_ssh(self->links[i].spec))
            return WAIT_SSH_MS;
    return WAIT_MS;
}

/* That an ssh has ended is told by its link. */
static bool is_asked_to_end(int signal_fd)
{
    struct signalfd_siginfo info;

    return read(signal_fd, &info, sizeof(info)) == sizeof(info) && info.ssi_signo != SIGCHLD;
}

static bool waits_over(uint64_t since_ns, uint64_t ms)
{
    return orma_clock_monotonic() - since_ns > ms * 1000000;
}

int orma_relay_machines_wait(struct orma_relay_machines *self, struct orma_consumer *consumer,
                             int signal_fd)
{
    uint64_t began = orma_clock_monotonic(), all_up = 0;
    struct pollfd signal = {.fd = signal_fd, .events = POLLIN};
    struct offers offers = {0};
    int r = 0;

    while (r == 0) {
        r = ask(consumer, &offers);
        if (r < 0 || is_hopeless(self))
            return r < 0 ? r : -ENOTCONN; /* it was told why */
        if (offers.ready_num >= self->started)
            return 0;
        if (!all_up && count_up(self) == self->started)
            all_up = orma_clock_monotonic();
        if (all_up && waits_over(all_up, OFFER_MS))
            break;
        if (!all_up && waits_over(began, patience_ms(self)))
            r = -ETIMEDOUT;
        if (r == 0 && poll(&signal, 1, POLL_MS) > 0 && is_asked_to_end(signal_fd))
            return -ECANCELED;
    }
    for (unsigned i = 0; r < 0 && i < self->started; i++)
        if (!self->links[i].up)
            orma_relay_link_say(&self->links[i], "it did not come");
    if (r == 0 && !self->config.quiet)
        fprintf(stderr,
                "%s: nothing of the kernel and the system of %u of %u machines: relays there run "
                "without --probes\n",
                self->config.program, self->started - offers.ready_num, self->started);
    return r;
}

void orma_relay_machines_free(struct orma_relay_machines *self)
{
    if (!self)
        return;
    if (self->stop_fd >= 0)
        (void)!write(self->stop_fd, &(uint64_t){1}, sizeof(uint64_t)); /* there is room */
    for (unsigned i = 0; i < self->started; i++)
        pthread_join(self->links[i].thread, NULL);
    orma_fd_close(&self->stop_fd);
    free(self);
}
