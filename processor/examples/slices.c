/* Slices that are longer than so many nanoseconds: a query with a parameter, run twice. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <orma/processor.h>

static int print_longer(struct orma_query *q, int64_t dur)
{
    int r = orma_query_reset(q);

    if (r == 0)
        r = orma_query_bind_int64(q, orma_query_parameter(q, ":dur"), dur);
    if (r < 0)
        return r;
    printf("longer than %" PRId64 ":\n", dur);
    while ((r = orma_query_step(q)) == 1)
        printf("%" PRId64 " %s\n", orma_query_int64(q, 0), orma_query_text(q, 1));
    return r;
}

/* In pieces, as they come over a network. */
static int stream(struct orma_processor *tp, FILE *from)
{
    char piece[4096];
    size_t n;
    int r = 0;

    while (r == 0 && (n = fread(piece, 1, sizeof(piece), from)) > 0)
        r = orma_processor_feed(tp, piece, n);
    return r < 0 ? r : orma_processor_finish(tp);
}

int main(int argc, char **argv)
{
    struct orma_processor_config config = {.size = sizeof(config), .query_timeout_ms = 60000};
    struct orma_processor *tp;
    struct orma_query *q = NULL;

    if (argc < 2 || orma_processor_new(&config, &tp) < 0)
        return 2;
    FILE *from = fopen(argv[1], "rb");
    int r = from ? stream(tp, from) : -1;
    if (from)
        fclose(from);
    if (r == 0)
        r = orma_query_prepare(tp, "SELECT ts, name FROM slice WHERE dur > :dur ORDER BY ts",
                               ORMA_WHOLE, &q, NULL);
    for (int i = 2; r == 0 && i < argc; i++)
        r = print_longer(q, strtoll(argv[i], NULL, 10));
    if (r < 0)
        fprintf(stderr, "%s\n", orma_processor_error(tp));
    orma_query_free(q);
    orma_processor_free(tp);
    return r < 0;
}
