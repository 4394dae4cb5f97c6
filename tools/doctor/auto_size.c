#include "tools/doctor/auto_size.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "processor/processor.h"
#include "processor/sql/base/memory.h"
#include "protos/pbc.h"
#include "sdk/base/fd.h"
#include "sdk/transport/consumer.h"
#include "tools/base/units.h"
#include "tools/doctor/disk.h"
#include "tools/doctor/doctor.h"
#include "tools/doctor/sizes.h"
#include "tools/load/loss.h"
#include "tools/load/threads.h"
#include "tools/record/recorder.h"

#define TRIAL_MS 1000
#define TRIAL_BUFFER_KB ((uint64_t)64 << 10)
#define TRIAL_KERNEL_KB 16384u
#define CONNECT_MS 5000
#define WRITE_PERIOD_MS 500 /* of orma record */
#define NOTHING 1024        /* bytes a second: what a session says of itself */
#define MEMORY_SHARE 4      /* of what there is, for buffers */
#define MS 1000000u

typedef Perfetto__Protos__TraceConfig config_t;
typedef Perfetto__Protos__TraceConfig__BufferConfig buffer_config_t;

#define RING PERFETTO__PROTOS__TRACE_CONFIG__BUFFER_CONFIG__FILL_POLICY__RING_BUFFER

static uint64_t memory_for_buffers(void)
{
    return orma_sql_memory_there() / MEMORY_SHARE;
}

static config_t *decode(const struct orma_buf *config)
{
    ProtobufCMessage *msg;

    return orma_pbc_unpack(&perfetto__protos__trace_config__descriptor, orma_buf_str(config),
                           &msg) == 0
               ? (config_t *)msg
               : NULL;
}

static int encode(const config_t *config, struct orma_buf *out)
{
    size_t len = protobuf_c_message_get_packed_size(&config->base);

    orma_buf_clear(out);
    if (!orma_buf_reserve(out, len))
        return -ENOMEM;
    out->len += protobuf_c_message_pack(&config->base, out->data);
    return 0;
}

/* ---- the trial ---- */

static void free_message(ProtobufCMessage *msg)
{
    if (msg)
        protobuf_c_message_free_unpacked(msg, NULL);
}

static void grow_kernel(void *ctx, Perfetto__Protos__FtraceConfig *ftrace)
{
    (void)ctx;
    if (ftrace->buffer_size_kb && ftrace->buffer_size_kb < TRIAL_KERNEL_KB)
        ftrace->buffer_size_kb = TRIAL_KERNEL_KB;
    ftrace->has_drain_period_ms = false;
    ftrace->drain_period_ms = 0;
}

/* The same sources for a second, into buffers that are surely large enough, or as good as that. */
static void make_trial(config_t *config)
{
    uint64_t kb = config->n_buffers ? memory_for_buffers() / 1024 / config->n_buffers : 0;
    struct orma_doctor doctor = {.config = config};

    kb = ORMA_MIN(kb, TRIAL_BUFFER_KB);
    for (size_t i = 0; i < config->n_buffers; i++) {
        buffer_config_t *b = config->buffers[i];

        b->has_size_kb = b->has_fill_policy = true;
        b->size_kb = (uint32_t)kb;
        b->fill_policy = RING;
    }
    orma_doctor_each_ftrace(&doctor, grow_kernel, NULL);
    config->has_duration_ms = true;
    config->duration_ms = TRIAL_MS;
    config->has_write_into_file = config->has_file_write_period_ms = false;
    config->has_max_file_size_bytes = config->has_flush_period_ms = false;
    config->has_write_flush_mode = config->has_compression_type = false;
    free(config->unique_session_name);
    config->unique_session_name = NULL;
    free_message(config->trigger_config ? &config->trigger_config->base : NULL);
    config->trigger_config = NULL;
}

/* Its trace. */
static int run_trial(const struct orma_doctor_auto *how, const struct orma_buf *config, int fd,
                     uint64_t *ret_ns)
{
    ORMA_AUTO(orma_consumer_free_p) struct orma_consumer *consumer = NULL;
    int r = orma_consumer_new(how->addr, CONNECT_MS, &consumer);

    if (r < 0) {
        fprintf(stderr, "%s: nothing was measured: the service does not answer: %s\n", how->program,
                strerror(-r));
        return r;
    }
    struct orma_recorder run = {.consumer = consumer,
                                .program = how->program,
                                .config = orma_buf_str(config),
                                .out_fd = fd,
                                .duration_ms = TRIAL_MS,
                                .signal_fd = how->signal_fd};
    r = orma_recorder_run(&run);
    *ret_ns = ORMA_MAX(run.duration_ns, (uint64_t)TRIAL_MS * MS);
    orma_buf_fini(&run.sources);
    return r == 0 && !run.ended_by_itself ? -ECANCELED : r;
}

static int try_config(const struct orma_doctor_auto *how, const struct orma_buf *config, int fd,
                      uint64_t *ret_ns)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf trial = {0};
    config_t *changed = decode(config);

    if (!changed)
        return -EBADMSG;
    make_trial(changed);
    int r = encode(changed, &trial);
    free_message(&changed->base);
    return r < 0 ? r : run_trial(how, &trial, fd, ret_ns);
}

static int load(int fd, struct orma_processor **ret)
{
    struct orma_processor *tp = NULL;
    char path[40];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    int r = orma_processor_new(orma_load_config(), &tp);
    if (r == 0)
        r = orma_processor_load_file(tp, path, NULL, NULL);
    if (r < 0)
        orma_processor_free(tp);
    else
        *ret = tp;
    return r;
}

/* ---- what is said ---- */

static void say_lines(const char *program, const char *head, struct orma_str rest)
{
    struct orma_str line;

    while (rest.len && orma_str_cut(&rest, '\n', &line))
        fprintf(stderr, "%s: %s%.*s\n", program, head, ORMA_STR_ARG(line));
}

static void say(const struct orma_doctor_auto *how, const struct orma_doctor *doctor)
{
    for (unsigned i = 0; !how->quiet && i < doctor->num; i++) {
        const struct orma_doctor_finding *f = &doctor->findings[i];

        say_lines(how->program, "", orma_buf_str(&f->what));
        say_lines(how->program, f->by_config ? "  chosen: " : "  ", orma_buf_str(&f->change));
    }
    if (!how->quiet)
        say_lines(how->program, "", orma_buf_str(&doctor->notes));
}

/* ---- with a command ---- */

static void afford(struct orma_doctor *doctor)
{
    struct orma_doctor_finding *f = orma_doctor_find(
        doctor, "sizes",
        "a command is not run twice: buffers of the size that this machine affords");
    config_t *config = doctor->config;
    uint64_t kb = config->n_buffers ? memory_for_buffers() / 2 / 1024 / config->n_buffers : 0;

    kb = orma_doctor_round(ORMA_MIN(kb, ORMA_DOCTOR_BUFFER_MAX_KB) / 2 + 1); /* rounded down */
    for (uint32_t i = 0; i < config->n_buffers; i++)
        orma_doctor_grow(doctor, f, i, kb);
}

void orma_doctor_auto_tell(const struct orma_doctor_auto *how, bool streams, uint64_t bytes,
                           uint64_t duration_ns)
{
    char size[ORMA_UNITS_TEXT_MAX], length[ORMA_UNITS_TEXT_MAX];
    uint64_t rate = duration_ns ? (uint64_t)((double)bytes * 1e9 / (double)duration_ns) : 0;
    uint64_t all = orma_doctor_ring_kb(rate, duration_ns / MS + 1); /* has a place in any case */
    uint64_t kb = streams ? ORMA_MIN(orma_doctor_stream_kb(rate, WRITE_PERIOD_MS), all) : all;

    if (how->quiet || !bytes)
        return;
    kb = ORMA_MAX(ORMA_MIN(orma_doctor_round(kb), ORMA_DOCTOR_BUFFER_MAX_KB), 1024);
    fprintf(stderr, "%s: measured for %s: %s a second; -b %" PRIu64 "mb is enough for that\n",
            how->program, orma_units_format_duration(duration_ns, length),
            orma_units_format_size(rate, size), kb / 1024);
}

/* ---- all of it ---- */

static int measure(const struct orma_doctor_auto *how, const struct orma_buf *config,
                   struct orma_doctor *doctor)
{
    ORMA_AUTO(orma_fd_close) int fd = memfd_create("orma-trial", MFD_CLOEXEC);
    struct orma_processor *tp = NULL;
    struct orma_doctor_rates rates;
    uint64_t span_ns = 0;

    if (!how->quiet)
        fprintf(stderr, "%s: measuring for a second\n", how->program);
    int r = fd < 0 ? -errno : try_config(how, config, fd, &span_ns);
    if (r == 0)
        r = load(fd, &tp);
    if (r < 0)
        return r;
    orma_doctor_measure(tp, span_ns, &rates);
    orma_doctor_choose(doctor, &rates, how->hold_ms, memory_for_buffers());
    orma_doctor_look_at_rest(doctor, tp);
    if (rates.bytes < NOTHING)
        orma_doctor_note(doctor, "nothing came meanwhile: let the programs run while it measures");
    /* In a file each packet says whose it is: more bytes than in a buffer. */
    uint64_t in_file = (uint64_t)((double)orma_processor_size(tp) * 1e9 / (double)span_ns);
    if (doctor->config->write_into_file && how->out_path)
        orma_doctor_look_at_disk(doctor, how->out_path, ORMA_MAX(in_file, rates.bytes), false);
    orma_processor_free(tp);
    return 0;
}

int orma_doctor_auto_choose(const struct orma_doctor_auto *how, struct orma_buf *config)
{
    ORMA_AUTO(orma_doctor_fini) struct orma_doctor doctor = {.config = decode(config)};
    int r = doctor.config ? 0 : -EBADMSG;

    if (r == 0 && how->has_command)
        afford(&doctor);
    else if (r == 0)
        r = measure(how, config, &doctor);
    if (r == 0)
        r = encode(doctor.config, config);
    if (r == 0)
        say(how, &doctor);
    else if (r != -ECANCELED)
        fprintf(stderr, "%s: --auto-size: nothing was measured: %s\n", how->program, strerror(-r));
    return r;
}
