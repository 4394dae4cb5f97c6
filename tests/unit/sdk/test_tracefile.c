#include "sdk/tracefile/orma_tracefile.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/buf.h"
#include "sdk/wire/pb_reader.h"
#include "tests/support/leaks.h"

struct sink {
    struct orma_buf bytes;
    unsigned calls;
    int answer;
};

static int take(void *ctx, const void *data, size_t len)
{
    struct sink *s = ctx;

    s->calls++;
    orma_buf_put(&s->bytes, data, len);
    return s->answer;
}

static unsigned count_packets(const struct orma_buf *b)
{
    struct orma_pb_reader r = orma_pb_reader(b->data, b->len);
    struct orma_pb_field f;
    unsigned num = 0;

    while (orma_pb_next(&r, &f)) {
        cr_assert_eq(f.id, 1);
        num++;
    }
    cr_assert_not(r.failed);
    return num;
}

Test(tracefile, whole_packets_leave_in_order)
{
    struct sink s = {.answer = 0};
    struct orma_tracefile *f;

    cr_assert_eq(orma_tracefile_open_with(take, &s, &f), 0);
    uint64_t track = orma_tracefile_track(f, 0, "t");
    for (unsigned i = 0; i < 20000; i++) {
        char name[32];

        snprintf(name, sizeof(name), "event %u", i % 5000);
        orma_tracefile_slice(f, track, i, 1, name);
    }
    cr_assert_eq(orma_tracefile_close(f), 0);
    cr_assert_gt(s.calls, 2);
    cr_assert_eq(count_packets(&s.bytes), 40001);
    orma_buf_fini(&s.bytes);
    orma_assert_no_leaks();
}

Test(tracefile, the_first_failure_stays)
{
    struct sink s = {.answer = -ENOSPC};
    struct orma_tracefile *f;

    cr_assert_eq(orma_tracefile_open_with(take, &s, &f), 0);
    uint64_t track = orma_tracefile_track(f, 0, "t");
    cr_assert_eq(orma_tracefile_flush(f), -ENOSPC);
    s.answer = -EIO;
    for (unsigned i = 0; i < 100000; i++)
        orma_tracefile_slice(f, track, i, 1, "late");
    cr_assert_eq(orma_tracefile_close(f), -ENOSPC);
    cr_assert_eq(s.calls, 1);
    orma_buf_fini(&s.bytes);
    orma_assert_no_leaks();
}

Test(tracefile, a_full_disk_and_no_folder_are_told)
{
    struct orma_tracefile *f;

    cr_assert_eq(orma_tracefile_open("/nowhere/at/all", &f), -ENOENT);
    cr_assert_eq(orma_tracefile_close(NULL), 0);
    if (orma_tracefile_open("/dev/full", &f) < 0)
        cr_skip_test("no /dev/full here");
    orma_tracefile_instant(f, 1, 1, "x");
    cr_assert_eq(orma_tracefile_close(f), -ENOSPC);
    orma_assert_no_leaks();
}

Test(tracefile, who_reads_the_old_file_keeps_it)
{
    char path[] = "/tmp/orma-tracefile-XXXXXX", old[4] = "";
    struct orma_tracefile *f;
    struct stat st;
    int reader = mkstemp(path);

    cr_assert_eq(write(reader, "old", 3), 3);
    cr_assert_eq(fchmod(reader, 0640), 0);
    cr_assert_eq(orma_tracefile_open(path, &f), 0);
    orma_tracefile_instant(f, 1, 1, "x");
    cr_assert_eq(orma_tracefile_close(f), 0);
    cr_assert_eq(pread(reader, old, 3, 0), 3);
    cr_assert_str_eq(old, "old");
    cr_assert_eq(stat(path, &st), 0);
    cr_assert_gt(st.st_size, 3);
    cr_assert_eq(st.st_mode & 0777, 0640);
    close(reader);
    unlink(path);
    orma_assert_no_leaks();
}

/* Whatever order the calls come in, what is written can be read. */
Test(tracefile, misuse_leaves_a_valid_file)
{
    struct sink s = {.answer = 0};
    struct orma_tracefile *f;

    cr_assert_eq(orma_tracefile_open_with(take, &s, &f), 0);
    orma_tracefile_arg_int(f, "nowhere", 1);
    orma_tracefile_flow(f, 1);
    orma_tracefile_arg_close(f);
    orma_tracefile_event_end(f);
    orma_tracefile_event(f, ORMA_TRACEFILE_BEGIN, 1, 1, "deep");
    for (int i = 0; i < 100; i++)
        orma_tracefile_arg_dict(f, "d");
    orma_tracefile_arg_int(f, "too deep", 1);
    for (int i = 0; i < 90; i++)
        orma_tracefile_arg_close(f);
    orma_tracefile_arg_str(f, "s", NULL);
    orma_tracefile_category(f, NULL);
    orma_tracefile_begin(f, 1, 2, "begun while another was open");
    orma_tracefile_event(f, ORMA_TRACEFILE_END, 1, 3, NULL);
    cr_assert_eq(orma_tracefile_close(f), 0); /* the open one is forgotten */
    cr_assert_eq(count_packets(&s.bytes), 2);
    orma_buf_fini(&s.bytes);
    orma_assert_no_leaks();
}
