#include "tools/convert/profile_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "tools/load/load.h"
#include "tools/output/output.h"

static bool is_empty(int dir_fd)
{
    struct dirent *entry;
    bool ret = true;
    int fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 3);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);

    while (dir && ret && (entry = readdir(dir)))
        ret = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
    if (dir)
        closedir(dir);
    return dir && ret;
}

static int make_temporary(struct orma_convert_profile_folder *self)
{
    const char *tmp = getenv("TMPDIR");

    tmp = tmp && *tmp ? tmp : "/tmp";
    if ((size_t)snprintf(self->path_buf, sizeof(self->path_buf), "%s/profile-XXXXXX", tmp) >=
            sizeof(self->path_buf) ||
        !mkdtemp(self->path_buf)) {
        fprintf(stderr, "%s: cannot make a folder in %s: %s; name another place\n", self->program,
                tmp, strerror(errno));
        return -EIO;
    }
    self->path = self->path_buf;
    self->made = true;
    return 0;
}

int orma_convert_profile_folder_open(struct orma_convert_profile_folder *self, const char *program,
                                     const char *path, bool must_be_empty)
{
    int r;

    *self = (struct orma_convert_profile_folder){.program = program, .path = path};
    r = path ? 0 : make_temporary(self);
    if (r < 0)
        return r;
    self->made |= path && mkdir(path, 0777) == 0;
    int err = path && !self->made ? errno : EEXIST;
    int fd = open(self->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        err = err == EEXIST ? errno : err; /* why it is not there matters more */

        fprintf(stderr, "%s: %s: %s%s\n", program, self->path, strerror(err),
                err == ENOENT ? "; its parent folder must exist" : "");
        self->path = NULL;
        return -err;
    }
    bool refused = must_be_empty && !is_empty(fd);
    orma_fd_close(&fd);
    if (refused) {
        fprintf(stderr, "%s: %s: the folder is not empty; name another one\n", program, self->path);
        self->path = NULL;
        return -ENOTEMPTY;
    }
    return 0;
}

void orma_convert_profile_folder_close(struct orma_convert_profile_folder *self)
{
    orma_map_fini(&self->names);
    self->path = NULL;
}

void orma_convert_profile_folder_path(const struct orma_convert_profile_folder *self,
                                      const char *name, struct orma_buf *ret)
{
    orma_buf_printf(ret, "%s/%s", self->path, name);
}

static struct orma_output_want want(const struct orma_convert_profile_folder *self,
                                    struct orma_buf *path)
{
    return (struct orma_output_want){.program = self->program,
                                     .path = orma_buf_cstr(path),
                                     .force = self->force,
                                     .quiet = true}; /* the command has lines of its own */
}

int orma_convert_profile_folder_trace(struct orma_convert_profile_folder *self, int *ret_fd)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};
    bool created;

    orma_convert_profile_folder_path(self, ORMA_LOAD_FOLDER_TRACE, &path);
    struct orma_output_want trace = want(self, &path);
    return orma_output_begin(&trace, 0644, ret_fd, &created);
}

void orma_convert_profile_folder_drop(const struct orma_convert_profile_folder *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};

    orma_convert_profile_folder_path(self, ORMA_LOAD_FOLDER_TRACE, &path);
    if (unlink(orma_buf_cstr(&path)) == 0 && self->made)
        (void)rmdir(self->path); /* somebody else may have put something there */
}

int orma_convert_profile_folder_flame(struct orma_convert_profile_folder *self,
                                      const struct orma_stacks *stacks, const char *title)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};
    struct orma_flame flame = {.stacks = stacks, .title = title};
    struct orma_output out;

    orma_convert_profile_folder_path(self, ORMA_CONVERT_PROFILE_FLAME, &path);
    struct orma_output_want page = want(self, &path);
    int r = orma_output_open(&out, &page);
    if (r < 0)
        return r;
    flame.sink = orma_reflect_sink_fd(out.fd);
    r = orma_flame_write(&flame, ORMA_FLAME_HTML);
    if (r < 0)
        (void)orma_output_failed(&out, -r); /* says so */
    return orma_output_close(&out, r, NULL);
}

static void name_of(const struct orma_profile *p, unsigned again, char ret[128])
{
    char heap[64] = "", more[16] = "";

    if (*p->heap)
        snprintf(heap, sizeof(heap), ".%s", p->heap);
    for (char *c = heap; *c; c++) {
        if (*c == '/' || (unsigned char)*c <= ' ')
            *c = '_';
    }
    if (again > 1)
        snprintf(more, sizeof(more), ".%u", again);
    if (p->in_one) {
        snprintf(ret, 128, "profile%s.pb", more);
        return;
    }
    if (p->kind == ORMA_PROFILE_SUMS) {
        snprintf(ret, 128, "profile%s%s.pb", heap, more);
        return;
    }
    snprintf(ret, 128, "%s.%" PRId64 "%s%s.pb",
             p->kind == ORMA_PROFILE_PERF ? "profile" : "heap_dump", p->pid, heap, more);
}

static uint64_t hash_of(const char *name)
{
    return orma_mix64(orma_fnv1a(ORMA_FNV1A_BASIS, name, strlen(name)));
}

/* A pid may have been two processes, or thousands. Names that meet in a hash get a number more. */
static int take_name(struct orma_convert_profile_folder *self, const struct orma_profile *p,
                     char ret[128])
{
    uint64_t again, first, own;

    name_of(p, 1, ret);
    first = own = hash_of(ret);
    again = orma_map_get(&self->names, first);
    for (again = again == ORMA_MAP_NONE ? 1 : again + 1; again > 1; again++) {
        name_of(p, (unsigned)again, ret);
        own = hash_of(ret);
        if (orma_map_get(&self->names, own) == ORMA_MAP_NONE)
            break;
    }
    if (orma_map_put(&self->names, own, 1) == 0 && orma_map_put(&self->names, first, again) == 0)
        return 0;
    fprintf(stderr, "%s: %s: %s\n", self->program, self->path, strerror(ENOMEM));
    return -ENOMEM;
}

static int write_profile(void *ctx, const struct orma_profile *p)
{
    struct orma_convert_profile_folder *self = ctx;
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};
    struct orma_output out;
    char name[128];
    int r = take_name(self, p, name);

    if (r < 0)
        return r;
    orma_convert_profile_folder_path(self, name, &path);
    struct orma_output_want profile = want(self, &path);
    r = orma_output_open(&out, &profile);
    if (r < 0)
        return r;
    r = orma_fd_write_all(out.fd, p->bytes.data, p->bytes.len);
    if (r < 0)
        (void)orma_output_failed(&out, -r); /* says so */
    r = orma_output_close(&out, r, NULL);
    if (r == 0 && !p->in_one)
        printf("%s: %" PRIu64 " %s\n", orma_buf_cstr(&path), p->weight, p->unit);
    return r;
}

int orma_convert_profile_folder_fill(struct orma_convert_profile_folder *self,
                                     struct orma_profile_export *ex)
{
    ex->emit = write_profile;
    ex->ctx = self;
    int r = orma_export_profiles(ex);
    if (r < 0 && *orma_processor_error(ex->tp))
        fprintf(stderr, "%s: %s\n", self->program, orma_processor_error(ex->tp));
    return r;
}
