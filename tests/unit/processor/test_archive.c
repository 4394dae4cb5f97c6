#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "processor/api/processor_impl.h"
#include "processor/store/image_format.h"
#include "sdk/base/fd.h"
#include "tests/support/image.h"
#include "tests/support/leaks.h"
#include "tests/unit/processor/ask.h"

static const char json[] =
    "[{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":5,\"name\":\"a\",\"args\":{\"n\":7}},"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":3,\"ts\":2,\"dur\":9,\"name\":\"b\"}]";

static struct orma_processor *load(const void *data, size_t len,
                                   const struct orma_processor_config *config, int expect)
{
    struct orma_processor *tp;

    cr_assert_eq(orma_processor_new(config, &tp), 0);
    int r = orma_processor_feed(tp, data, len);
    if (!r)
        r = orma_processor_finish(tp);
    cr_assert_eq(r, expect, "%d: %s", r, orma_processor_error(tp));
    return tp;
}

static void export(struct orma_processor *tp, struct orma_buf *ret)
{
    struct orma_buf error = {0};
    int fd = memfd_create("archive", MFD_CLOEXEC);

    cr_assert_eq(orma_processor_write_archive(tp, fd, &error), 0, "%s", orma_buf_cstr(&error));
    cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
    cr_assert_eq(orma_fd_read_all(fd, (size_t)1 << 30, ret), 0);
    close(fd);
    orma_buf_fini(&error);
}

static struct orma_buf archive_of(const struct orma_processor_config *config)
{
    struct orma_processor *tp = load(json, sizeof(json) - 1, config, 0);
    struct orma_buf ret = {0};

    export(tp, &ret);
    orma_processor_free(tp);
    return ret;
}

/* The reason has these words. A copy of its own size, so that sanitizers see its end. */
static void refused(const void *data, size_t len, int expect, const char *words)
{
    uint8_t *copy = malloc(len ? len : 1);

    memcpy(copy, data, len);
    struct orma_processor *tp = load(copy, len, NULL, expect);
    cr_assert(strstr(orma_processor_error(tp), words), "%s", orma_processor_error(tp));
    orma_processor_free(tp);
    free(copy);
}

Test(archive, is_loaded_in_pieces_of_any_size_and_exported_again)
{
    static const size_t pieces[] = {1, 7, 5000, 1 << 20};
    struct orma_buf archive = archive_of(NULL);

    for (size_t i = 0; i < ORMA_ARRAY_LEN(pieces); i++) {
        struct orma_buf again = {0};
        struct orma_processor *tp;

        cr_assert_eq(orma_processor_new(NULL, &tp), 0);
        for (size_t at = 0; at < archive.len; at += pieces[i])
            cr_assert_eq(
                orma_processor_feed(tp, archive.data + at, ORMA_MIN(pieces[i], archive.len - at)),
                0);
        cr_assert_eq(orma_processor_finish(tp), 0, "%s", orma_processor_error(tp));
        cr_assert_eq(orma_processor_size(tp), sizeof(json) - 1, "that of the trace");
        cr_assert_eq(ask(tp, "SELECT sum(dur) FROM slice"), 14000);
        cr_assert_eq(ask(tp, "SELECT extract_arg(arg_set_id, 'args.n') FROM slice"), 7);
        cr_assert_eq(orma_processor_feed(tp, json, 1), -EBUSY);
        cr_assert_eq(orma_processor_finish(tp), -EBUSY);
        export(tp, &again);
        struct orma_processor *twice = load(again.data, again.len, NULL, 0);
        cr_assert_eq(ask(twice, "SELECT sum(dur) FROM slice"), 14000);
        orma_processor_free(twice);
        orma_processor_free(tp);
        orma_buf_fini(&again);
    }
    orma_buf_fini(&archive);
    orma_assert_no_leaks();
}

Test(archive, begins_as_no_other_trace_does)
{
    refused("Orma", 4, -EBADMSG, "Unknown trace type");
    refused("OrmaImg2 and more", 17, -EBADMSG, "Unknown trace type");
    refused("OrmaImg1", 8, -EBADMSG, "damaged or truncated");
    orma_assert_no_leaks();
}

Test(archive, has_nothing_that_queries_made)
{
    struct orma_processor *tp = load(json, sizeof(json) - 1, NULL, 0);
    struct orma_buf archive = {0}, error = {0};
    struct orma_query *q;

    cr_assert_eq(orma_query_prepare(tp, "CREATE TABLE mine AS SELECT 1 AS a", SIZE_MAX, &q, NULL),
                 0);
    while (orma_query_step(q) == 1)
        ;
    orma_query_free(q);
    (void)ask(tp, "SELECT orma_slice(orma_track('t'), 1, 2, 'derived')");
    cr_assert_eq(ask(tp, "SELECT count(*) FROM slice"), 3);
    cr_assert_eq(orma_processor_write_archive(tp, -1, &error), -EBUSY);
    cr_assert(strstr(orma_buf_cstr(&error), "reset the session"));
    cr_assert_eq(orma_processor_restore(tp), 0);
    export(tp, &archive);
    orma_processor_free(tp);
    tp = load(archive.data, archive.len, NULL, 0);
    cr_assert_eq(ask(tp, "SELECT count(*) FROM slice"), 2);
    cr_assert_eq(ask(tp, "SELECT count(*) FROM sqlite_master WHERE name = 'mine'"), 0);
    orma_processor_free(tp);
    orma_buf_fini(&archive);
    orma_buf_fini(&error);
    orma_assert_no_leaks();
}

Test(archive, drops_nothing_that_an_open_query_reads)
{
    struct orma_processor *tp = load(json, sizeof(json) - 1, NULL, 0);
    struct orma_query *q;

    cr_assert_eq(
        orma_query_prepare(tp, "CREATE PERFETTO TABLE mine AS SELECT 1 AS a UNION ALL SELECT 2",
                           SIZE_MAX, &q, NULL),
        0);
    orma_query_free(q);
    cr_assert_eq(orma_query_prepare(tp, "SELECT a FROM mine", SIZE_MAX, &q, NULL), 0);
    cr_assert_eq(orma_query_step(q), 1);
    cr_expect_eq(orma_processor_restore(tp), -EBUSY);
    cr_expect(strstr(orma_processor_error(tp), "a query is open"));
    cr_expect_eq(orma_query_step(q), 1);
    cr_expect_eq(orma_query_reset(q), 0); /* one statement in the place of another */
    orma_query_free(q);
    cr_expect_eq(orma_processor_restore(tp), 0);
    orma_processor_free(tp);
    orma_assert_no_leaks();
}

Test(archive, is_of_a_loaded_trace)
{
    struct orma_buf error = {0};
    struct orma_processor *tp;

    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(orma_processor_write_archive(tp, -1, &error), -EINVAL);
    cr_assert_str_eq(orma_buf_cstr(&error), "no trace is loaded");
    orma_processor_free(tp);
    orma_buf_fini(&error);
    orma_assert_no_leaks();
}

Test(archive, of_other_versions_is_refused)
{
    static const struct {
        size_t at; /* in the key of the label */
        const char *bytes, *words;
    } cases[] = {
        {0, "another kind", "a file of the cache, not a trace"},
        {16, "99.1", "exported by version 99.1"},
        {16, "\x1b[31m", "exported by version  of Orma"},
        {48, "form", "another build of Orma"},
    };
    struct orma_buf archive = archive_of(NULL);

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        uint8_t *copy = malloc(archive.len);
        size_t at = offsetof(struct orma_image_head, label) + cases[i].at;

        memcpy(copy, archive.data, archive.len);
        memcpy(copy + at, cases[i].bytes, strlen(cases[i].bytes));
        refused(copy, archive.len, -EBADMSG, "damaged"); /* as its sum says */
        test_image_sum(copy, archive.len);
        refused(copy, archive.len, -ENOTSUP, cases[i].words);
        free(copy);
    }
    orma_buf_fini(&archive);
    orma_assert_no_leaks();
}

Test(archive, is_refused_for_what_its_import_was_not_asked)
{
    const struct orma_processor_config content = {.size = sizeof(content), .analyze_content = true},
                                       sorted = {.size = sizeof(sorted), .full_sort = true};
    struct orma_buf plain = archive_of(NULL), with = archive_of(&content);

    struct orma_processor *tp = load(plain.data, plain.len, &content, -ENOTSUP);
    cr_assert(strstr(orma_processor_error(tp), "without --analyze-trace-proto-content"));
    orma_processor_free(tp);
    orma_processor_free(load(plain.data, plain.len, &sorted, 0));
    orma_processor_free(load(with.data, with.len, &content, 0));
    orma_processor_free(load(with.data, with.len, NULL, 0));
    orma_buf_fini(&plain);
    orma_buf_fini(&with);
    orma_assert_no_leaks();
}

Test(archive, that_is_damaged_is_refused)
{
    struct orma_buf archive = archive_of(NULL);
    uint8_t *copy = malloc(archive.len + 1);
    struct orma_image_head head;

    memcpy(copy, archive.data, archive.len);
    copy[archive.len] = 0;
    refused(copy, archive.len + 1, -EBADMSG, "damaged or truncated");
    for (size_t len = 8; len < archive.len; len += len < 300 || len > 4000 ? 331 : 1000)
        refused(copy, len, -EBADMSG, "damaged or truncated");
    memcpy(&head, copy, sizeof(head));
    /* Behind the head its page is empty, and nobody reads it. */
    for (size_t at = 8; at < archive.len; at += at < sizeof(head) ? 13 : 211) {
        if (at >= sizeof(head) && at < ORMA_IMAGE_BULK)
            continue;
        copy[at] ^= 0x40;
        refused(copy, archive.len, -EBADMSG, "damaged or truncated");
        copy[at] ^= 0x40;
    }
    /* Counts that are as large as they can be, with sums that are right. */
    for (size_t at = ORMA_IMAGE_BULK + head.bulk_bytes + 8; at + 8 < archive.len; at += 8 * 37) {
        memset(copy + at, 0xff, 8);
        test_image_sum(copy, archive.len);
        struct orma_processor *tp;
        cr_assert_eq(orma_processor_new(NULL, &tp), 0);
        cr_assert_eq(orma_processor_feed(tp, copy, archive.len), 0);
        int r = orma_processor_finish(tp);
        cr_assert(!r || r == -EBADMSG || r == -ENOTSUP, "%d: %s", r, orma_processor_error(tp));
        orma_processor_free(tp);
        memcpy(copy, archive.data, archive.len);
    }
    free(copy);
    orma_buf_fini(&archive);
    orma_assert_no_leaks();
}
