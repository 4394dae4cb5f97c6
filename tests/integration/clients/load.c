/*
 * A load to be compared with itself: diff_load FACTOR SECONDS. One thread handles requests, each of
 * three steps of uneven length; "work" takes FACTOR times as much of the CPU.
 */
#include <orma/orma.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

ORMA_CATEGORY_DEFINE(load, "load", "Steps of requests", NULL);

static uint64_t seed;

/* Between 0.9 and 1.1; now and then 2. */
static double uneven(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % 64 == 0 ? 2 : 0.9 + 0.2 * (double)(seed >> 40) / (1 << 24);
}

static void spin(double loops)
{
    for (volatile unsigned i = 0; i < (unsigned)(loops * uneven()); i++)
        ;
}

static void parse(void)
{
    ORMA_SLICE(load, "parse");
    spin(20000);
}

static void work(double factor)
{
    ORMA_SLICE(load, "work");
    spin(100000 * factor);
}

static void reply(int file)
{
    ORMA_SLICE(load, "reply");
    spin(10000);
    if (write(file, "reply\n", 6) != 6)
        exit(1);
}

static void request(double factor, FILE *file)
{
    ORMA_SLICE(load, "request");
    parse();
    work(factor);
    reply(fileno(file));
}

int main(int argc, char **argv)
{
    double factor = atof(argc > 1 ? argv[1] : "1"), seconds = atof(argc > 2 ? argv[2] : "1");
    const struct timespec pause = {.tv_nsec = 200000};
    FILE *file = fopen("/dev/null", "w");

    if (!file || orma_init(NULL) < 0)
        return 1;
    seed = orma_now() | 1;
    for (uint64_t end = orma_now() + (uint64_t)(seconds * 1e9); orma_now() < end;) {
        request(factor, file);
        nanosleep(&pause, NULL);
    }
    return 0;
}
