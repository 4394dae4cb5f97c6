#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/core/source.h"
#include "probes/journal/entry.h"
#include "probes/journal/source.h"
#include "protos/fields/trace.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_reader.h"
#include "tests/support/leaks.h"
#include "tests/support/probes_fixture.h"

#define BEGIN "6,1,1000,-;"

Test(kmsg, reads_records)
{
    static const struct {
        const char *text, *tag, *message;
        uint32_t prio, tid, pid;
        uint64_t ns;
    } cases[] = {
        {"6,339,5140900,-;NET: family\\x0a10\n", "kernel", "NET: family\n10", 6, 0, 0, 5140900000},
        {"3,1,7,-,caller=T17;oops\n SUBSYSTEM=usb\n DEVICE=x\n", "kernel", "oops", 3, 17, 0, 7000},
        {"12,1,7,-;systemd[55]: hello: you\n", "systemd", "hello: you", 4, 0, 55, 7000},
        {"14,1,7,-;no tag here: really\n", "", "no tag here: really", 6, 0, 0, 7000},
        {"14,1,7,-;x[1y]: z\n", "", "x[1y]: z", 6, 0, 0, 7000},
        {BEGIN "\n", "kernel", "", 6, 0, 0, 1000000},
        {BEGIN "cut \\x4", "kernel", "cut \\x4", 6, 0, 0, 1000000},
        {BEGIN "\\x41\\xzz", "kernel", "A\\xzz", 6, 0, 0, 1000000},
        {"6,1;x\n", "", NULL, 0, 0, 0, 0},
        {"nonsense\n", "", NULL, 0, 0, 0, 0},
        {"99999999,1,1,-;x\n", "", NULL, 0, 0, 0, 0},
        {"6,1,99999999999999999999,-;x\n", "", NULL, 6, 0, 0, 0},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        char text[128], *rest = text;
        size_t len = strlen(cases[i].text);
        struct orma_journal_entry e;

        memcpy(text, cases[i].text, len + 1);
        cr_assert(orma_journal_kmsg_next(&rest, &len, &e), "%s", cases[i].text);
        if (!cases[i].message) {
            cr_expect_null(e.message.data, "%s", cases[i].text);
            continue;
        }
        cr_expect(orma_str_eq_c(e.message, cases[i].message), "%.*s", ORMA_STR_ARG(e.message));
        cr_expect(orma_str_eq_c(e.tag, cases[i].tag), "%.*s", ORMA_STR_ARG(e.tag));
        cr_expect_eq(e.prio, cases[i].prio);
        cr_expect_eq(e.tid, cases[i].tid);
        cr_expect_eq(e.pid, cases[i].pid);
        cr_expect_eq(e.monotonic_ns, cases[i].ns);
        cr_expect_not(orma_journal_kmsg_next(&rest, &len, &e), "%s", cases[i].text);
    }
    orma_assert_no_leaks();
}

struct line {
    struct orma_str tag, message;
    uint64_t ts, clock, prio, failed;
};

static struct line line_of(const struct orma_str *packet)
{
    struct orma_pb_reader r = orma_pb_reader(packet->data, packet->len);
    struct line ret = {0};
    struct orma_pb_field f, e;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader sub = orma_pb_sub(&f);

        if (f.id == ORMA_PB_TRACE_PACKET_TIMESTAMP)
            ret.ts = f.num;
        if (f.id == ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID)
            ret.clock = f.num;
        while (f.id == ORMA_PB_TRACE_PACKET_JOURNALD_EVENT && orma_pb_next(&sub, &e)) {
            if (e.id == ORMA_PB_SYSTEMD_JOURNALD_EVENT_TAG)
                ret.tag = (struct orma_str){(const char *)e.data, e.len};
            if (e.id == ORMA_PB_SYSTEMD_JOURNALD_EVENT_MESSAGE)
                ret.message = (struct orma_str){(const char *)e.data, e.len};
            if (e.id == ORMA_PB_SYSTEMD_JOURNALD_EVENT_PRIO)
                ret.prio = e.num;
            if (e.id == ORMA_PB_SYSTEMD_JOURNALD_EVENT_NUM_FAILED)
                ret.failed = e.num;
        }
    }
    return ret;
}

static struct pf pf;

static bool has_two(struct pf *self)
{
    return self->packets_num >= 2;
}

/* A pipe in the place of the device. Returns the end to write to. */
static int begin(void)
{
    orma_log_init("test", ORMA_LOG_ERROR);
    pf_init(&pf);
    pf_dir(&pf, "dev");
    pf_dir(&pf, "journal");
    pf.env.journal_dir = strdup(pf_path(&pf, "journal"));
    cr_assert_eq(mkfifo(pf_path(&pf, "dev/kmsg"), 0600), 0);
    return open(pf_path(&pf, "dev/kmsg"), O_RDWR | O_NONBLOCK);
}

static void end(int fd)
{
    close(fd);
    free((char *)pf.env.journal_dir);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

Test(journald, gives_the_lines_of_the_kernel)
{
    static const char text[] = "6,1,5000,-;first\n3,2,6000,-;second\ngarbage\n";
    int fd = begin();
    struct orma_source *s = pf_source(&pf, &orma_journal_source, NULL);

    s->type->start(s);
    cr_assert_eq(write(fd, text, sizeof(text) - 1), (ssize_t)sizeof(text) - 1);
    cr_assert(pf_run(&pf, has_two, 60000));
    struct line first = line_of(&pf.packets[0]), second = line_of(&pf.packets[1]);
    cr_assert(orma_str_eq_c(first.tag, "kernel"));
    cr_assert(orma_str_eq_c(first.message, "first"));
    cr_assert_eq(first.ts, 5000000);
    cr_assert_eq(first.clock, 3, "MONOTONIC");
    cr_assert(orma_str_eq_c(second.message, "second"));
    cr_assert_eq(second.prio, 3);
    s->type->stop(s);
    cr_assert(pf.stopped);
    cr_assert_eq(pf.packets_num, 3);
    cr_assert_eq(line_of(&pf.packets[2]).failed, 1, "what made no sense is counted");
    pf_free_source(&pf, s);
    end(fd);
}

Test(journald, filters_by_priority_and_identifier)
{
    static const char text[] = "7,1,5000,-;too chatty\n12,1,5000,-;app: yes\n12,1,5000,-;b: no\n"
                               "4,1,5000,-;kernel too\n";
    char *names[] = {(char[]){"app"}, (char[]){"kernel"}};
    Perfetto__Protos__SystemdJournaldConfig jc = PERFETTO__PROTOS__SYSTEMD_JOURNALD_CONFIG__INIT;
    Perfetto__Protos__DataSourceConfig config = PERFETTO__PROTOS__DATA_SOURCE_CONFIG__INIT;
    int fd = begin();

    config.journald_config = &jc;
    jc.has_min_prio = 1;
    jc.min_prio = 6;
    jc.filter_identifiers = names;
    jc.n_filter_identifiers = 2;
    struct orma_source *s = pf_source(&pf, &orma_journal_source, &config);
    s->type->start(s);
    cr_assert_eq(write(fd, text, sizeof(text) - 1), (ssize_t)sizeof(text) - 1);
    s->type->flush(s, 9);
    cr_assert_eq(pf.flushed_id, 9);
    cr_assert_eq(pf.packets_num, 2);
    cr_assert(orma_str_eq_c(line_of(&pf.packets[0]).message, "yes"));
    cr_assert(orma_str_eq_c(line_of(&pf.packets[1]).message, "kernel too"));
    pf_free_source(&pf, s);
    end(fd);
}

Test(journald, lives_without_any_log)
{
    struct orma_source *s;
    char why[300] = "";

    orma_log_init("test", ORMA_LOG_ERROR);
    pf_init(&pf);
    pf_dir(&pf, "journal");
    pf.env.journal_dir = strdup(pf_path(&pf, "journal"));
    cr_assert_not(orma_journal_source.usable(&pf.env, why, sizeof(why)));
    cr_assert_gt(strlen(why), 20);
    s = pf_source(&pf, &orma_journal_source, NULL);
    s->type->start(s);
    s->type->flush(s, 1);
    cr_assert_eq(pf.packets_num, 0);
    s->type->stop(s);
    pf_free_source(&pf, s);
    end(-1);
}
