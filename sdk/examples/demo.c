/*
 * A small instrumented program: threads that do nested work, counters, an
 * instant per round, and exact numbers of everything.
 *
 *   orma_demo [--threads N] [--iterations M] [--wait MS] [--spin NS] [--values N]
 *
 * The argument `i` of "iteration" is the number of the round; with --values N it has N values.
 * Connects to the service, waits up to --wait ms for a session that wants
 * events (exit code 3 if none comes), emits, hands over, and prints what it emitted.
 */
#include <orma/orma.h>

#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* "iteration", "step", "detail" twice. */
#define SLICES_PER_ITERATION 4

ORMA_CATEGORY_DEFINE(demo, "demo", "The demo's work", NULL);
ORMA_CATEGORY_DEFINE(demo_details, "demo.details", "Small steps of the work", NULL);

static struct {
    int threads, iterations, wait_ms, spin_ns, values;
} options = {.threads = 4, .iterations = 1000, .wait_ms = 5000, .spin_ns = 1000};

struct worker {
    pthread_t thread;
    int number;
};

/* Work that takes a known time. */
static void spin(int ns)
{
    uint64_t end = orma_now() + (uint64_t)ns;

    while (orma_now() < end)
        ;
}

static void detail(int which)
{
    ORMA_SLICE(demo_details, "detail", ORMA_ARG_INT("which", which));
    spin(options.spin_ns);
}

static void step(void)
{
    ORMA_SLICE(demo, "step");
    detail(0);
    detail(1);
}

static void *work(void *arg)
{
    struct worker *self = arg;
    char name[16];

    snprintf(name, sizeof(name), "demo-%d", self->number);
    pthread_setname_np(pthread_self(), name);
    for (int i = 0; i < options.iterations; i++) {
        int value = options.values ? i % options.values : i;

        ORMA_SLICE_BEGIN(demo, "iteration", ORMA_ARG_INT("i", value), ORMA_ARG_STR("worker", name));
        step();
        if (i % 10 == 0)
            ORMA_INSTANT(demo, "tenth");
        if (self->number == 0)
            ORMA_COUNTER(demo, "iterations of worker 0", i);
        ORMA_SLICE_END(demo);
    }
    return NULL;
}

static int number(const char *text)
{
    char *end;
    long val = strtol(text, &end, 10);

    if (end == text || *end || val < 0 || val > 1000000000) {
        fprintf(stderr, "orma_demo: not a number: %s\n", text);
        exit(2);
    }
    return (int)val;
}

static void parse(int argc, char **argv)
{
    static const struct option longs[] = {
        {"threads", required_argument, NULL, 't'}, {"iterations", required_argument, NULL, 'i'},
        {"wait", required_argument, NULL, 'w'},    {"spin", required_argument, NULL, 's'},
        {"values", required_argument, NULL, 'v'},  {NULL, 0, NULL, 0},
    };

    for (int c; (c = getopt_long(argc, argv, "t:i:w:s:v:", longs, NULL)) != -1;) {
        switch (c) {
        case 't':
            options.threads = number(optarg);
            break;
        case 'i':
            options.iterations = number(optarg);
            break;
        case 'w':
            options.wait_ms = number(optarg);
            break;
        case 's':
            options.spin_ns = number(optarg);
            break;
        case 'v':
            options.values = number(optarg);
            break;
        default:
            fprintf(stderr, "usage: orma_demo [--threads N] [--iterations M] [--wait MS] "
                            "[--spin NS] [--values N]\n");
            exit(2);
        }
    }
}

int main(int argc, char **argv)
{
    struct orma_init_args args = ORMA_INIT_ARGS;

    parse(argc, argv);
    args.name = "orma_demo";
    args.exhausted = ORMA_EXHAUSTED_STALL; /* exact counts matter more here than time */
    if (orma_init(&args) < 0 || !orma_wait_for_session(options.wait_ms)) {
        fprintf(stderr,
                "orma_demo: no session wanted events within %d ms; start one, for "
                "example: orma record -- orma_demo\n",
                options.wait_ms);
        return 3;
    }

    struct worker *workers = calloc((size_t)options.threads, sizeof(*workers));
    if (!workers && options.threads)
        return 1;
    for (int i = 0; i < options.threads; i++) {
        workers[i].number = i;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i])) {
            fprintf(stderr, "orma_demo: cannot start thread %d\n", i);
            return 1;
        }
    }
    for (int i = 0; i < options.threads; i++)
        pthread_join(workers[i].thread, NULL);
    free(workers);
    if (orma_flush(5000) < 0) {
        fprintf(stderr, "orma_demo: the service did not accept the events in time\n");
        return 1;
    }
    long per_thread = options.iterations, threads = options.threads;
    long instants = threads * ((per_thread + 9) / 10);
    /* Instants are slices without duration: so they are counted in SQL, so we count them here. */
    printf("threads=%ld slices=%ld instants=%ld counters=%ld\n", threads,
           threads * per_thread * SLICES_PER_ITERATION + instants, instants,
           threads ? per_thread : 0);
    return 0;
}
