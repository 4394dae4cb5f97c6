#include "tools/convert/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/processor.h"
#include "sdk/base/buf.h"
#include "sdk/base/fd.h"
#include "tools/convert/load.h"

#define PROGRAM "trace_processor_shell util merge"
#define MANIFEST_NAME "perfetto_manifest.json"
#define TRACES_MAX 1024
#define TAR_BLOCK 512
#define TAR_NAME_MAX 99
#define TAR_SIZE_MAX ((uint64_t)8 << 30)
#define COPY_BLOCK ((size_t)1 << 20)

enum { OPT_OUTPUT = 1, OPT_MANIFEST, OPT_NO_VALIDATE, OPT_STRICT };

static const struct orma_option options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE", "The tar to write."},
    {OPT_MANIFEST, 0, "manifest", "FILE", "Put this in as " MANIFEST_NAME "."},
    {OPT_NO_VALIDATE, 0, "no-validate", NULL,
     "Do not look whether the clocks of all traces can be related."},
    {OPT_STRICT, 0, "strict", NULL, "Fail if they cannot."},
    {0},
};

const struct orma_command orma_cmd_merge = {
    .name = "merge",
    .summary = "Put several traces into one archive, which loads as one trace.",
    .synopsis = "-o FILE [OPTIONS] TRACE...",
    .examples = "  trace_processor_shell util merge -o both.tar phone.pftrace host.pftrace\n",
    .options = options,
};

struct merge {
    const char *out_path, *manifest;
    const char *traces[TRACES_MAX];
    size_t num;
    bool no_validate, strict;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int complain(const char *what, const char *why)
{
    fprintf(stderr, PROGRAM ": %s: %s\n", what, why);
    return 1;
}

/* ---- tar ---- */

struct tar_header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100],
        magic[6], version[2], rest[247];
};

static void fill_header(struct tar_header *h, const char *name, uint64_t size)
{
    unsigned sum = 0;

    *h = (struct tar_header){.type = '0', .magic = "ustar", .version = {'0', '0'}};
    snprintf(h->name, sizeof(h->name), "%s", name);
    memcpy(h->mode, "0000644", 8);
    memcpy(h->uid, "0000000", 8);
    memcpy(h->gid, "0000000", 8);
    snprintf(h->size, sizeof(h->size), "%011" PRIo64, size);
    memcpy(h->mtime, "00000000000", 12);
    memset(h->checksum, ' ', sizeof(h->checksum));
    for (size_t i = 0; i < sizeof(*h); i++)
        sum += ((const unsigned char *)h)[i];
    snprintf(h->checksum, sizeof(h->checksum), "%06o", sum); /* then a zero and a blank */
}

/* Exactly `size` bytes, then zeros up to a whole block. */
static int copy(int from, int to, uint64_t size, uint8_t *block)
{
    static const uint8_t zeros[TAR_BLOCK];
    uint64_t left = size;
    int r = 0;

    while (r == 0 && left) {
        ssize_t n = read(from, block, (size_t)ORMA_MIN(left, (uint64_t)COPY_BLOCK));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -ESTALE; /* it became shorter meanwhile */
        r = orma_fd_write_all(to, block, (size_t)n);
        left -= (uint64_t)n;
    }
    if (r == 0 && size % TAR_BLOCK)
        r = orma_fd_write_all(to, zeros, TAR_BLOCK - size % TAR_BLOCK);
    return r;
}

/* 0 or 1, has said why. */
static int add(int out, const char *path, const char *name, uint8_t *block)
{
    ORMA_AUTO(orma_fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct tar_header header;
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return complain(path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return complain(path, "not a regular file");
    if (strlen(name) > TAR_NAME_MAX)
        return complain(path, "its name is longer than an archive takes");
    if ((uint64_t)st.st_size >= TAR_SIZE_MAX)
        return complain(path, "larger than an archive takes (8 GiB)");
    fill_header(&header, name, (uint64_t)st.st_size);
    int r = orma_fd_write_all(out, &header, sizeof(header));
    if (r == 0)
        r = copy(fd, out, (uint64_t)st.st_size, block);
    return r < 0 ? complain(path, strerror(-r)) : 0;
}

static int write_archive(const struct merge *m, int out)
{
    static const uint8_t end[2 * TAR_BLOCK];
    uint8_t *block = malloc(COPY_BLOCK);
    int code = block ? 0 : complain(m->out_path, strerror(ENOMEM));

    if (!code && m->manifest)
        code = add(out, m->manifest, MANIFEST_NAME, block);
    for (size_t i = 0; i < m->num && !code; i++)
        code = add(out, m->traces[i], base_name(m->traces[i]), block);
    int r = code ? 0 : orma_fd_write_all(out, end, sizeof(end));
    if (r < 0)
        code = complain(m->out_path, strerror(-r));
    free(block);
    return code;
}

/* Beside the output, and renamed when it is whole. */
static int write_file(const struct merge *m)
{
    struct orma_buf part = {0};
    int code;

    orma_buf_printf(&part, "%s.part%d", m->out_path, (int)getpid());
    int out = open(orma_buf_cstr(&part), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (out < 0) {
        code = complain(m->out_path, strerror(errno));
    } else {
        code = write_archive(m, out);
        if (close(out) < 0 && !code)
            code = complain(m->out_path, strerror(errno));
        if (!code && rename(orma_buf_cstr(&part), m->out_path) < 0)
            code = complain(m->out_path, strerror(errno));
        if (code)
            (void)unlink(orma_buf_cstr(&part)); /* half an archive is none */
    }
    orma_buf_fini(&part);
    return code;
}

/* ---- do they fit together? ---- */

static int64_t troubles(const struct orma_processor *tp)
{
    static const char *const names[] = {"clock_sync_unrelatable_clock_domains",
                                        "clock_sync_failure_no_path",
                                        "trace_sorter_negative_timestamp_dropped"};
    struct orma_processor_stat stat;
    int64_t sum = 0;

    for (uint32_t n = 0; orma_processor_stat(tp, n, &stat); n++) {
        for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
            if (!strcmp(stat.name, names[i]))
                sum += stat.value;
        }
    }
    return sum;
}

static int validate(const struct merge *m)
{
    struct orma_processor *tp = NULL;
    int code = orma_processor_new(NULL, &tp) < 0 ||
               orma_load(tp, PROGRAM, m->out_path, ORMA_LOAD_QUIET, NULL) < 0;
    int64_t sum = code ? 0 : troubles(tp);

    orma_processor_free(tp);
    if (code)
        return 1;
    if (!sum) {
        printf("Validation: all traces line up on the shared timeline.\n");
        return 0;
    }
    fprintf(stderr,
            PROGRAM ": %s: %s: %" PRId64 " events have clocks that nothing relates to the others; "
                    "a manifest can\n",
            m->out_path, m->strict ? "error" : "warning", sum);
    return m->strict;
}

/* ---- the command line ---- */

static int take_trace(struct merge *m, const struct orma_cli *cli, const char *path)
{
    for (size_t i = 0; i < m->num; i++) {
        if (!strcmp(base_name(m->traces[i]), base_name(path)))
            return complain(path, "another trace has the same name: names must differ");
    }
    if (m->num == TRACES_MAX)
        return orma_cli_usage_error(cli, "more than %d traces", TRACES_MAX), 1;
    m->traces[m->num++] = path;
    return -1;
}

/* -1: go on; else what to exit with. */
static int parse(struct merge *m, int argc, char **argv)
{
    struct orma_cli cli;
    int id, code = -1;

    orma_cli_init(&cli, &orma_cmd_merge, PROGRAM, argc, argv);
    while (code < 0 && (id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        switch (id) {
        case OPT_OUTPUT:
            m->out_path = cli.value;
            break;
        case OPT_MANIFEST:
            m->manifest = cli.value;
            break;
        case OPT_NO_VALIDATE:
            m->no_validate = true;
            break;
        case OPT_STRICT:
            m->strict = true;
            break;
        case ORMA_CLI_POSITIONAL:
            code = take_trace(m, &cli, cli.value);
            break;
        case ORMA_CLI_HELP:
            return 0;
        case ORMA_CLI_BAD:
            return 1;
        }
        for (int i = cli.rest_idx; id == ORMA_CLI_REST && code < 0 && i < argc; i++)
            code = take_trace(m, &cli, argv[i]);
    }
    if (code < 0 && (!m->out_path || !m->num))
        return orma_cli_usage_error(&cli, m->num ? "where to? -o FILE" : "name traces to merge"), 1;
    return code;
}

int orma_merge_main(int argc, char **argv)
{
    struct merge m = {0};
    int code = parse(&m, argc, argv);

    if (code >= 0)
        return code;
    code = write_file(&m);
    if (code)
        return code;
    printf("Wrote %s (%zu trace%s%s).\n", m.out_path, m.num, m.num == 1 ? "" : "s",
           m.manifest ? " plus manifest" : "");
    fflush(stdout);
    return m.no_validate ? 0 : validate(&m);
}
