/*
 * Recovery from copies of the rescue folder of a living service: whole ones, and damaged ones, of
 * which nothing may be believed.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "tests/integration/traced/fixture.h"
#include "traced/internal.h"
#include "traced/recover.h"
#include "traced/rescue/folder.h"
#include "traced/rescue/layout.h"

#define ROUNDS 400

struct copy {
    char base[64], folder[128];
};

static void copy_file(int from_dir, const char *name, const char *folder)
{
    struct orma_buf all = {0};
    char path[PATH_MAX];

    cr_assert_eq(orma_fd_read_file(from_dir, name, SIZE_MAX / 2, &all), 0);
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    cr_assert_geq(fd, 0);
    cr_assert_eq(orma_fd_write_all(fd, all.data, all.len), 0);
    orma_fd_close(&fd);
    orma_buf_fini(&all);
}

/* As if the service had died at this moment: nobody holds the lock of the copy. */
static struct copy copy_folder(const char *from)
{
    struct copy copy = {.base = "/tmp/orma-recover-XXXXXX"};
    DIR *dir = opendir(from);
    struct dirent *entry;

    cr_assert(dir && mkdtemp(copy.base));
    snprintf(copy.folder, sizeof(copy.folder), "%s/folder", copy.base);
    cr_assert_eq(mkdir(copy.folder, 0700), 0);
    while ((entry = readdir(dir)))
        if (*entry->d_name != '.')
            copy_file(dirfd(dir), entry->d_name, copy.folder);
    closedir(dir);
    return copy;
}

static void remove_copy(struct copy *copy)
{
    int dir = open(copy->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (dir >= 0) {
        (void)traced_rescue_discard(dir, copy->folder);
        close(dir);
    }
    (void)rmdir(copy->base);
}

/* The trace of the only session, as bytes; a negative result: none could be made. */
static int recover(const struct copy *copy, struct orma_buf *ret)
{
    ORMA_AUTO(traced_recovery_free_p) struct traced_recovery *rec = NULL;
    struct traced_recovery_result result;
    struct orma_buf error = {0};
    char path[PATH_MAX];

    int r = traced_recovery_open(copy->folder, &rec, &error);
    size_t num = r == 0 ? traced_recovery_sessions_num(rec) : 0;
    snprintf(path, sizeof(path), "%s/trace", copy->base);
    for (size_t i = 0; i < num && r == 0; i++) {
        int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

        r = traced_recovery_write(rec, i, fd, &result, &error);
        if (r == 0 && ret)
            r = orma_fd_read_file(AT_FDCWD, path, SIZE_MAX / 2, ret);
        close(fd);
        (void)unlink(path);
    }
    orma_buf_fini(&error);
    return r;
}

static const char *folder_of(const struct fixture *s)
{
    return s->rig.service->rescue ? s->rig.service->rescue->path : NULL;
}

static bool contains(const struct orma_buf *data, const char *text)
{
    return memmem(data->data, data->len, text, strlen(text)) != NULL;
}

static bool scene_init(struct fixture *s)
{
    fixture_init(s, true);
    if (!folder_of(s)) {
        fixture_fini(s);
        cr_skip_test("no rescue folder here");
    }
    rig_config_buffer(&s->config, 256, 0);
    rig_config_source(&s->config, "test.source", 0);
    fixture_enable(s, -1);
    fixture_commit(s, 0, TEXTS("committed"));
    /* The chunk is complete, and no request names it. */
    struct orma_shm_chunk chunk =
        rig_producer_write(&s->producer, 3, 1, 1, 0, TEXTS("never named"));
    orma_shm_complete(&s->producer.shm, &chunk);
    /* Its last packet is being written. */
    (void)rig_producer_write(&s->producer, 4, 1, 2, 0, TEXTS("finished", "unfinished"));
    return true;
}

static void scene_fini(struct fixture *s)
{
    fixture_disable(s);
    fixture_fini(s);
}

Test(traced_recover, what_was_finished_is_there)
{
    struct fixture s;
    struct orma_buf trace = {0};

    scene_init(&s);
    struct copy copy = copy_folder(folder_of(&s));
    cr_assert_eq(recover(&copy, &trace), 0);
    cr_assert(contains(&trace, "committed"));
    cr_assert(contains(&trace, "never named"));
    cr_assert(contains(&trace, "finished"));
    cr_assert_not(contains(&trace, "unfinished"));
    orma_buf_fini(&trace);
    remove_copy(&copy);
    scene_fini(&s);
}

static void damage(const struct copy *copy, const char *name)
{
    char path[PATH_MAX + 300];
    struct stat st;

    snprintf(path, sizeof(path), "%s/%s", copy->folder, name);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    cr_assert(fd >= 0 && fstat(fd, &st) == 0);
    if (rand() % 8 == 0)
        cr_assert_eq(ftruncate(fd, rand() % (st.st_size + 1)), 0);
    for (int i = rand() % 40; i >= 0; i--) {
        static const uint8_t bytes[] = {0, 1, 0x7f, 0x80, 0xff};
        uint8_t byte = rand() % 2 ? bytes[rand() % 5] : (uint8_t)rand();
        /* Mostly where sizes and counts are. */
        off_t range = rand() % 3 ? ORMA_MIN(st.st_size, (off_t)256) : st.st_size;
        off_t at = range ? rand() % range + (rand() % 2 && st.st_size > 8192 ? 4096 : 0) : 0;

        if (at < st.st_size)
            (void)!pwrite(fd, &byte, 1, at);
    }
    close(fd);
}

Test(traced_recover, nothing_in_a_folder_is_believed)
{
    struct fixture s;
    int good = 0;

    srand(3);
    scene_init(&s);
    for (int i = 0; i < ROUNDS; i++) {
        struct copy copy = copy_folder(folder_of(&s));
        struct dirent *entry;
        DIR *dir = opendir(copy.folder);

        while ((entry = readdir(dir)))
            if (*entry->d_name != '.' && strcmp(entry->d_name, "lock") && rand() % 3 == 0)
                damage(&copy, entry->d_name);
        closedir(dir);
        good += recover(&copy, NULL) == 0;
        remove_copy(&copy);
    }
    cr_assert_gt(good, 10);
    scene_fini(&s);
}

/* A file of 4 GiB that has a few KiB: no more than those is held, however much it says there is. */
Test(traced_recover, holes_take_no_memory)
{
    struct fixture s;
    struct orma_buf trace = {0};
    struct traced_rescue_buffer head;
    struct rusage before, after;
    char path[PATH_MAX];

    scene_init(&s);
    struct copy copy = copy_folder(folder_of(&s));
    snprintf(path, sizeof(path), "%s/s1.b0", copy.folder);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    cr_assert(fd >= 0 && orma_fd_read_at(fd, &head, sizeof(head), 0) == 0);
    head.size = head.used = head.limit = ((uint64_t)4 << 30) - 1024;
    cr_assert_eq(pwrite(fd, &head, sizeof(head), 0), (ssize_t)sizeof(head));
    cr_assert_eq(ftruncate(fd, ((off_t)4 << 30) + 65536), 0);
    close(fd);
    snprintf(path, sizeof(path), "%s/s1.q0", copy.folder);
    cr_assert_eq(truncate(path, (off_t)4 << 30), 0);
    getrusage(RUSAGE_SELF, &before);
    (void)recover(&copy, &trace); /* refused or not */
    getrusage(RUSAGE_SELF, &after);
    cr_assert_lt(after.ru_maxrss - before.ru_maxrss, 256 << 10, "KiB");
    orma_buf_fini(&trace);
    remove_copy(&copy);
    scene_fini(&s);
}
