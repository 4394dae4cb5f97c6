/*
 * An instrumented program for recorded conversations: hints for the shared memory from its
 * arguments, two data sources, events for as long as somebody wants them.
 *
 *   sdk_producer SHM_KB PAGE_KB
 */
#include <orma/orma.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

ORMA_CATEGORY_DEFINE(work, "work", "All of it", "loud");

static const struct orma_data_source_ops ops = {sizeof(ops), NULL, NULL, NULL, NULL, NULL};
static struct orma_data_source source = ORMA_DATA_SOURCE("sample.custom", &ops, NULL);

static void emit(uint64_t i)
{
    static const char filler[6000];

    ORMA_SLICE(work, "turn", ORMA_ARG_UINT("i", i));
    ORMA_DATA_SOURCE_EACH(it, &source)
    {
        struct orma_packet *p = orma_ds_packet_begin(&it);

        orma_packet_u64(p, 8, orma_now());
        orma_packet_nest(p, 900);
        /* Some go over several chunks. */
        orma_packet_bytes(p, 6, filler, i % 16 ? 10 : sizeof(filler));
        orma_packet_unnest(p);
        (void)orma_ds_packet_end(p);
    }
}

int main(int argc, char **argv)
{
    struct orma_init_args args = ORMA_INIT_ARGS;

    if (argc != 3)
        return 2;
    args.name = "./sdk_app";
    args.shm_size_kb = (uint32_t)atoi(argv[1]);
    args.shm_page_kb = (uint32_t)atoi(argv[2]);
    if (orma_data_source_register(&source) < 0 || orma_init(&args) < 0)
        return 1;
    if (!orma_wait_for_session(20000)) {
        fprintf(stderr, "sdk_producer: no session\n");
        return 1;
    }
    for (uint64_t i = 1; ORMA_ENABLED(work); i++) {
        emit(i);
        usleep(5000);
    }
    return 0;
}
