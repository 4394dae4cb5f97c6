/*
 * A data source of one's own: packets that are not track events of this
 * program. Here: a thermometer, whose samples become a counter.
 *
 *   thermometer FILE
 */
#include <orma/orma.h>

#include <stdio.h>

/* Field numbers of the packets written: TracePacket, TrackDescriptor, TrackEvent. */
enum { TIMESTAMP = 8, TRACK_EVENT = 11, TRACK_DESCRIPTOR = 60 };
enum { UUID = 1, NAME = 2, COUNTER = 8 };
enum { TYPE = 9, TRACK_UUID = 11, COUNTER_VALUE = 30, TYPE_COUNTER = 4 };
enum { TRACK = 7001 };

struct probe {
    unsigned samples; /* of one session */
};

static void on_start(struct orma_ds_session *session, void *user)
{
    static struct probe probes[16];
    static unsigned num;

    (void)user;
    orma_ds_set_state(session, &probes[num++ % 16]);
}

static void on_stop(struct orma_ds_session *session, void *user)
{
    struct probe *p = (struct probe *)orma_ds_state(session);

    (void)user;
    printf("the session got %u samples\n", p->samples);
    p->samples = 0;
}

static const struct orma_data_source_ops ops = {sizeof(ops), NULL, on_start, on_stop, NULL, NULL};
static struct orma_data_source source = ORMA_DATA_SOURCE("com.example.thermometer", &ops, NULL);

static void describe(struct orma_ds_iter *it)
{
    struct orma_packet *p = orma_ds_packet_begin(it);

    orma_packet_nest(p, TRACK_DESCRIPTOR);
    orma_packet_u64(p, UUID, TRACK);
    orma_packet_str(p, NAME, "temperature");
    orma_packet_nest(p, COUNTER);
    orma_packet_unnest(p);
    orma_packet_unnest(p);
    (void)orma_ds_packet_end(p);
}

static void sample(int degrees)
{
    /* A turn for each session that wants it; none, and nothing here is evaluated. */
    ORMA_DATA_SOURCE_EACH(it, &source)
    {
        if (it.fresh) /* the sequence begins, or begins anew after a loss */
            describe(&it);
        struct orma_packet *p = orma_ds_packet_begin(&it);
        orma_packet_u64(p, TIMESTAMP, orma_now());
        orma_packet_nest(p, TRACK_EVENT);
        orma_packet_u64(p, TYPE, TYPE_COUNTER);
        orma_packet_u64(p, TRACK_UUID, TRACK);
        orma_packet_u64(p, COUNTER_VALUE, (uint64_t)degrees);
        orma_packet_unnest(p);
        if (orma_ds_packet_end(p) == 0)
            ((struct probe *)orma_ds_state(it.session))->samples++;
    }
}

int main(int argc, char **argv)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;
    struct orma_recording *recording;

    if (argc != 2) {
        fprintf(stderr, "usage: thermometer FILE\n");
        return 2;
    }
    args.path = argv[1];
    args.sources = "com.example.thermometer";
    if (orma_data_source_register(&source) < 0 || orma_recording_start(&args, &recording) < 0) {
        fprintf(stderr, "thermometer: cannot write %s\n", argv[1]);
        return 1;
    }
    for (int i = 0; i < 10; i++)
        sample(15 + i % 4);
    return orma_recording_stop(recording, NULL) < 0;
}
