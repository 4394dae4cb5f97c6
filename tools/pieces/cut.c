#include "tools/pieces/cut.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protos/fields/trace.h"
#include "sdk/base/vec.h"
#include "sdk/wire/pb_writer.h"
#include "tools/base/units.h"
#include "tools/pieces/copy.h"
#include "tools/pieces/options.h"

static int read_time(const struct orma_pieces_cut_request *request, const char *option,
                     const char *text, const struct orma_pieces_survey *survey, int64_t *ret)
{
    return text ? orma_units_read_trace_time(request->program, option, text, survey->first,
                                             survey->last, ret)
                : 0;
}

static int find_range(const struct orma_pieces_cut_request *request,
                      const struct orma_pieces_survey *survey, int64_t *range)
{
    range[0] = INT64_MIN;
    range[1] = INT64_MAX;
    if (!survey->any) {
        fprintf(stderr, "%s: %s: nothing in it has a time\n", request->program, request->path);
        return -ENODATA;
    }
    if (request->range) {
        range[0] = request->range[0];
        range[1] = request->range[1];
    }
    int r = read_time(request, "from", request->from, survey, &range[0]);
    if (r == 0)
        r = read_time(request, "to", request->to, survey, &range[1]);
    if (r == 0 && (range[0] >= range[1] || range[0] > survey->last || range[1] <= survey->first)) {
        fprintf(stderr,
                "%s: the range is empty: the trace is %.6f s long, and --to must be later than "
                "--from\n",
                request->program, (double)(survey->last - survey->first) / 1e9);
        r = -ERANGE;
    }
    return r;
}

static void describe(const struct orma_pieces_survey *survey, const int64_t *range,
                     const struct orma_pieces_piece *piece, char *to, size_t size)
{
    char part[ORMA_UNITS_TEXT_MAX], whole[ORMA_UNITS_TEXT_MAX];
    const int64_t from = ORMA_MAX(range[0], survey->first),
                  until = ORMA_MIN(range[1], survey->last);

    snprintf(to, size, "%s of %s, %" PRIu64 " event%s",
             orma_units_format_duration((uint64_t)until - (uint64_t)from, part),
             orma_units_format_duration((uint64_t)survey->last - (uint64_t)survey->first, whole),
             piece->events, piece->events == 1 ? "" : "s");
}

static void tell_timeless(const char *program, const char *path,
                          const struct orma_pieces_copied *copied)
{
    if (copied->timeless)
        fprintf(stderr,
                "%s: %s: warning: left out %" PRIu64 " packet%s whose clock nothing explains\n",
                program, path, copied->timeless, copied->timeless == 1 ? "" : "s");
}

static int cut(const struct orma_pieces_cut_request *request, struct orma_pieces_source *source,
               struct orma_pieces_survey *survey)
{
    int64_t range[2];
    const struct orma_pieces_edges edges = {.times = range, .num = 2, .overlap = true};
    struct orma_pieces_piece piece;
    struct orma_pieces_copied copied;
    char what[128] = "";
    int r = orma_pieces_survey_times(survey, source, NULL);

    if (r == 0)
        r = find_range(request, survey, range);
    if (r == 0)
        r = orma_pieces_survey_slices(survey, source, &edges);
    if (r < 0 || (r = orma_pieces_piece_open(&piece, &request->want,
                                             orma_pieces_choose(source, request->packing))) < 0)
        return r;
    r = orma_pieces_copy(source, survey, &edges, &piece, &copied);
    if (r == 0)
        orma_pieces_tell_damage(source);
    if (r == 0)
        tell_timeless(request->program, request->path, &copied);
    describe(survey, range, &piece, what, sizeof(what));
    return orma_pieces_piece_close(&piece, r, what);
}

int orma_pieces_cut(const struct orma_pieces_cut_request *request)
{
    struct orma_pieces_source source;
    struct orma_pieces_survey survey = {.begun = false};

    if (!orma_pieces_can_pack(request->program, request->packing))
        return -ENOTSUP;
    int r = orma_output_check(&request->want);
    if (r == 0)
        r = orma_pieces_source_open(&source, request->program, request->path);
    if (r < 0)
        return orma_pieces_tell_memory(request->program, request->path, r);
    r = cut(request, &source, &survey);
    orma_pieces_survey_fini(&survey);
    orma_pieces_source_close(&source);
    return orma_pieces_tell_memory(request->program, request->path, r);
}

/* ---- split ---- */

#define PATH_SIZE 4096

struct split {
    const struct orma_pieces_split_request *request;
    struct orma_pieces_source source;
    struct orma_pieces_survey survey;
    struct orma_pieces_sizes *sizes;
    ORMA_VEC(int64_t) edges;
    struct orma_pieces_piece *pieces;
    char (*paths)[PATH_SIZE];
    uint32_t num, open;
    bool made_folder;
};

static int add_edge(struct split *self, int64_t ts)
{
    if (self->edges.len > ORMA_PIECES_MAX) {
        fprintf(stderr, "%s: %s: more than %d pieces: choose larger ones\n", self->request->program,
                self->request->path, ORMA_PIECES_MAX);
        return -E2BIG;
    }
    return ORMA_VEC_PUSH(&self->edges, ts);
}

/* All pieces but the last are open at their ends to nothing else: the first begins before all that
 * there is, the last one ends after it. */
static int edges_by_time(struct split *self)
{
    const struct orma_pieces_survey *survey = &self->survey;
    const uint64_t len = (uint64_t)survey->last - (uint64_t)survey->first;
    int r = add_edge(self, INT64_MIN);

    for (uint64_t at = self->request->every; r == 0 && at <= len; at += self->request->every) {
        r = add_edge(self, (int64_t)((uint64_t)survey->first + at));
        if (at > UINT64_MAX - self->request->every)
            break;
    }
    return r ? r : add_edge(self, INT64_MAX);
}

static int edges_by_size(struct split *self)
{
    const struct orma_pieces_sizes *sizes = self->sizes;
    const uint64_t size = self->request->size;
    uint64_t sum = 0;
    int r = add_edge(self, INT64_MIN);

    if (sizes->always >= size) {
        fprintf(stderr, "%s: %s: %" PRIu64 " bytes are needed in each piece: choose larger ones\n",
                self->request->program, self->request->path, sizes->always);
        return -E2BIG;
    }
    for (uint32_t i = 0; r == 0 && i < ORMA_PIECES_STEPS; i++) {
        if (sum && sum + sizes->steps[i] > size - sizes->always) {
            r = add_edge(self, sizes->from + (int64_t)i * sizes->width);
            sum = 0;
        }
        sum += sizes->steps[i];
    }
    return r ? r : add_edge(self, INT64_MAX);
}

/* False: too long. */
static bool name_piece(const struct split *self, uint32_t number, char path[PATH_SIZE])
{
    const struct orma_pieces_split_request *request = self->request;
    const struct orma_str stem = orma_pieces_stem(request->path);
    const int len = snprintf(path, PATH_SIZE, "%s/%.*s-%03u.pftrace", request->folder,
                             ORMA_STR_ARG(stem), number);

    return len >= 0 && len < PATH_SIZE;
}

/* More pieces of an earlier run would be taken for pieces of this one. */
static void remove_older(const struct split *self)
{
    char path[PATH_SIZE];
    uint32_t removed = 0;
    struct stat st;

    for (uint32_t i = self->num + 1; i <= ORMA_PIECES_MAX; i++) {
        if (!name_piece(self, i, path) || lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
            continue;
        if (unlink(path) == 0)
            removed++;
        else
            fprintf(stderr, "%s: warning: %s is of an earlier run: %s\n", self->request->program,
                    path, strerror(errno));
    }
    if (removed)
        fprintf(stderr, "%s: removed %u piece%s of an earlier run\n", self->request->folder,
                removed, removed == 1 ? "" : "s");
}

static int open_pieces(struct split *self)
{
    const struct orma_pieces_split_request *request = self->request;
    struct rlimit limit;
    int r = 0;

    self->num = self->edges.len - 1;
    self->pieces = calloc(self->num, sizeof(*self->pieces));
    self->paths = calloc(self->num, sizeof(*self->paths));
    if (!self->pieces || !self->paths)
        return -ENOMEM;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit); /* else opening tells */
    }
    self->made_folder = mkdir(request->folder, 0777) == 0;
    if (!self->made_folder && errno != EEXIST) {
        r = -errno;
        fprintf(stderr, "%s: %s: %s\n", request->program, request->folder, strerror(-r));
    }
    for (; r == 0 && self->open < self->num; self->open++) {
        char *path = self->paths[self->open];
        const struct orma_output_want want = {
            .program = request->program, .path = path, .force = request->force, .binary = true};

        if (!name_piece(self, self->open + 1, path)) {
            fprintf(stderr, "%s: %s: %s\n", request->program, request->folder,
                    strerror(ENAMETOOLONG));
            return -ENAMETOOLONG;
        }
        r = orma_pieces_piece_open(&self->pieces[self->open], &want,
                                   orma_pieces_choose(&self->source, request->packing));
        if (r < 0)
            break;
        orma_pieces_piece_share(&self->pieces[self->open], self->num);
    }
    return r;
}

/* Pieces without events are told apart by a packet that has nothing but the time at which the piece
 * begins: of equal files, readers of them all would say that events are there twice. */
static int mark_empty(struct split *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf packet = {0};

    for (uint32_t i = 0; i < self->open; i++) {
        if (self->pieces[i].events)
            continue;
        orma_buf_clear(&packet);
        orma_pb_put_u64(&packet, ORMA_PB_TRACE_PACKET_TIMESTAMP,
                        (uint64_t)ORMA_MAX(self->edges.data[i], self->survey.first));
        if (packet.failed)
            return -ENOMEM;
        orma_pieces_piece_put_packet(&self->pieces[i], orma_buf_str(&packet));
    }
    return 0;
}

/* All or none get their names: so all are written before the first one is closed. */
static int close_pieces(struct split *self, int r)
{
    uint32_t bad = UINT32_MAX;

    for (uint32_t i = 0; i < self->open; i++) {
        struct orma_pieces_piece *piece = &self->pieces[i];
        const int error = r < 0 ? piece->error : orma_pieces_piece_flush(piece);

        if (error && bad == UINT32_MAX && (r == 0 || r == error)) {
            bad = i;
            r = error;
        }
    }
    for (uint32_t i = 0; i < self->open; i++) {
        const int64_t range[] = {self->edges.data[i], self->edges.data[i + 1]};
        char what[128];

        describe(&self->survey, range, &self->pieces[i], what, sizeof(what));
        const int failed =
            orma_pieces_piece_close(&self->pieces[i], r == 0 || i == bad ? r : -ECANCELED, what);
        r = r < 0 ? r : failed;
    }
    return r;
}

static int split(struct split *self)
{
    struct orma_pieces_edges edges = {0};
    struct orma_pieces_copied copied = {0};
    int r = orma_pieces_survey_times(&self->survey, &self->source, self->sizes);

    if (r == 0 && !self->survey.any) {
        fprintf(stderr, "%s: %s: nothing in it has a time\n", self->request->program,
                self->request->path);
        r = -ENODATA;
    }
    if (r == 0)
        r = self->sizes ? edges_by_size(self) : edges_by_time(self);
    edges.times = self->edges.data;
    edges.num = self->edges.len;
    if (r == 0)
        r = orma_pieces_survey_slices(&self->survey, &self->source, &edges);
    if (r == 0)
        r = open_pieces(self);
    if (r == 0)
        r = orma_pieces_copy(&self->source, &self->survey, &edges, self->pieces, &copied);
    if (r == 0)
        orma_pieces_tell_damage(&self->source);
    if (r == 0)
        tell_timeless(self->request->program, self->request->path, &copied);
    if (r == 0)
        r = mark_empty(self);
    r = close_pieces(self, r);
    if (r < 0 && self->made_folder)
        (void)rmdir(self->request->folder); /* unless somebody has put something there */
    if (r == 0 && self->request->force)
        remove_older(self);
    return r;
}

int orma_pieces_split(const struct orma_pieces_split_request *request)
{
    struct split self = {.request = request};

    if (!orma_pieces_can_pack(request->program, request->packing))
        return -ENOTSUP;
    int r = orma_pieces_source_open(&self.source, request->program, request->path);
    if (r < 0)
        return orma_pieces_tell_memory(request->program, request->path, r);
    self.sizes = request->size ? calloc(1, sizeof(*self.sizes)) : NULL;
    r = request->size && !self.sizes ? -ENOMEM : split(&self);
    orma_pieces_survey_fini(&self.survey);
    orma_pieces_source_close(&self.source);
    ORMA_VEC_FINI(&self.edges);
    free(self.sizes);
    free(self.pieces);
    free(self.paths);
    return orma_pieces_tell_memory(request->program, request->path, r);
}
