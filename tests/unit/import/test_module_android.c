/* Packets of Android and of the journal, without a reader. Lines of Android's own log and rails of
 * power carry times of other clocks, and are tested with one. */
#include "processor/import/android/android.h"
#include "protos/fields/trace.h"
#include "tests/support/module.h"

static const struct orma_importer *const importers[] = {
    &orma_android_power_rails_importer,
    &orma_android_energy_importer,
    &orma_android_frame_timeline_importer,
    &orma_android_gpu_counters_importer,
    &orma_android_gpu_info_importer,
    &orma_android_gpu_log_importer,
    &orma_android_gpu_stages_importer,
    &orma_android_vulkan_importer,
    &orma_android_graphics_importer,
    &orma_android_logs_importer,
    &orma_android_packages_importer,
    &orma_android_android_importer,
    &orma_android_android_log_importer,
    &orma_android_vulkan_memory_importer,
    NULL,
};

static void journal(struct module *r, int64_t ts, const struct module_field *payload)
{
    module_packet(r, &orma_android_logs_importer, ORMA_PB_TRACE_PACKET_JOURNALD_EVENT, ts, payload);
}

Test(module_android, entries_of_the_journal_are_logs_with_args)
{
    struct module *r = module_new(&orma_android_module, importers);

    journal(r, 10,
            MSG(NUM(ORMA_PB_SYSTEMD_JOURNALD_EVENT_PID, 5),
                NUM(ORMA_PB_SYSTEMD_JOURNALD_EVENT_TID, 6),
                NUM(ORMA_PB_SYSTEMD_JOURNALD_EVENT_PRIO, 3),
                STR(ORMA_PB_SYSTEMD_JOURNALD_EVENT_TAG, "sshd"),
                STR(ORMA_PB_SYSTEMD_JOURNALD_EVENT_MESSAGE, "no such user"),
                NUM(ORMA_PB_SYSTEMD_JOURNALD_EVENT_UID, 0),
                STR(ORMA_PB_SYSTEMD_JOURNALD_EVENT_SYSTEMD_UNIT, "ssh.service")));
    journal(r, 20, MSG(STR(ORMA_PB_SYSTEMD_JOURNALD_EVENT_MESSAGE, "kernel")));
    module_expect(r, ORMA_TABLE_LOGS, "ts utid.tid prio log_source tag msg {arg_set_id}",
                  "10 6 3 systemd_journald sshd 'no such user' uid=0,systemd_unit=ssh.service\n"
                  "20 - 0 systemd_journald - kernel -\n");
    module_free(r);
}

Test(module_android, counts_of_the_journal_are_statistics_and_no_entries)
{
    struct module *r = module_new(&orma_android_module, importers);

    journal(r, 10,
            MSG(NUM(ORMA_PB_SYSTEMD_JOURNALD_EVENT_NUM_TOTAL, 7),
                NUM(ORMA_PB_SYSTEMD_JOURNALD_EVENT_NUM_FAILED, 2)));
    module_expect(r, ORMA_TABLE_LOGS, "ts", "");
    cr_assert_eq(module_stat(r, SYSTEMD_JOURNAL_NUM_TOTAL), 7);
    cr_assert_eq(module_stat(r, SYSTEMD_JOURNAL_NUM_FAILED), 2);
    module_free(r);
}

static void packages(struct module *r, const char *name, uint32_t uid)
{
    cr_assert(
        module_tokenize(r, &orma_android_packages_importer, ORMA_PB_TRACE_PACKET_PACKAGES_LIST, 0,
                        MSG(SUB(1, STR(1, name), NUM(2, uid), NUM(3, 1), NUM(5, 42)), NUM(2, 1))));
}

Test(module_android, packages_are_shown_as_they_were_seen_first)
{
    struct module *r = module_new(&orma_android_module, importers);

    packages(r, "com.a", 10001);
    packages(r, "com.b", 10002);
    packages(r, "com.a", 10003);
    module_expect(r, ORMA_TABLE_PACKAGE_LIST,
                  "package_name uid debuggable profileable_from_shell version_code",
                  "com.a 10001 1 0 42\n"
                  "com.b 10002 1 0 42\n");
    cr_assert_eq(module_stat(r, PACKAGES_LIST_HAS_PARSE_ERRORS), 1);
    cr_assert_eq(module_stat(r, PACKAGES_LIST_HAS_READ_ERRORS), 0);
    module_free(r);
}

static void frame(struct module *r, int64_t ts, const struct module_field *payload)
{
    module_packet(r, &orma_android_frame_timeline_importer,
                  ORMA_PB_TRACE_PACKET_FRAME_TIMELINE_EVENT, ts, payload);
}

/* FrameTimelineEvent: 2 the actual display frame, 4 that of a surface, 5 an end, by cookie.
 *
 *   app 7:             10 [== 61 ====] 30
 *   SurfaceFlinger 5:        20 [== 51 ==] 40        an arrow from the surface to the display */
Test(module_android, surfaces_point_to_the_frame_that_displays_them)
{
    struct module *r = module_new(&orma_android_module, importers);

    frame(r, 10, MSG(SUB(4, NUM(1, 100), NUM(2, 61), NUM(3, 51), NUM(4, 7), STR(5, "layer"))));
    frame(r, 20, MSG(SUB(2, NUM(1, 101), NUM(2, 51), NUM(3, 5), NUM(4, 1))));
    frame(r, 30, MSG(SUB(5, NUM(1, 100))));
    frame(r, 40, MSG(SUB(5, NUM(1, 101))));
    module_expect(r, ORMA_TABLE_SLICE, "ts dur name track_id.type track_id.upid.pid",
                  "10 20 61 android_actual_frame_timeline 7\n"
                  "20 20 51 android_actual_frame_timeline 5\n");
    module_expect(r, ORMA_TABLE_FLOW, "slice_out slice_in", "0 1\n");
    module_free(r);
}

/*  lane 0:  10 [== 1 ==] 30  35 [== 3 ==]
 *  lane 1:     20 [== 2 ==] 40            */
Test(module_android, frames_of_a_process_that_overlap_lie_on_lanes)
{
    struct module *r = module_new(&orma_android_module, importers);

    frame(r, 10, MSG(SUB(1, NUM(1, 100), NUM(2, 1), NUM(3, 5))));
    frame(r, 20, MSG(SUB(1, NUM(1, 101), NUM(2, 2), NUM(3, 5))));
    frame(r, 30, MSG(SUB(5, NUM(1, 100))));
    frame(r, 35, MSG(SUB(1, NUM(1, 102), NUM(2, 3), NUM(3, 5))));
    frame(r, 40, MSG(SUB(5, NUM(1, 101))));
    frame(r, 50, MSG(SUB(5, NUM(1, 102))));
    module_expect(r, ORMA_TABLE_SLICE, "ts dur name depth track_id",
                  "10 20 1 0 0\n20 20 2 0 1\n35 15 3 0 0\n");
    module_free(r);
}

Test(module_android, frames_that_lack_what_they_need_are_counted)
{
    struct module *r = module_new(&orma_android_module, importers);

    frame(r, 1, MSG(SUB(1, NUM(2, 1), NUM(3, 5))));            /* no cookie */
    frame(r, 2, MSG(SUB(2, NUM(1, 9), NUM(2, 1))));            /* no process */
    frame(r, 3, MSG(SUB(4, NUM(1, 9), NUM(2, 1), NUM(4, 7)))); /* no display frame */
    frame(r, 4, MSG(SUB(5, NUM(2, 1))));                       /* the end of what? */
    cr_assert_eq(module_stat(r, FRAME_TIMELINE_EVENT_PARSER_ERRORS), 4);
    frame(r, 5, MSG(SUB(5, NUM(1, 77)))); /* begun before the trace */
    cr_assert_eq(module_stat(r, FRAME_TIMELINE_UNPAIRED_END_EVENT), 1);
    module_expect(r, ORMA_TABLE_SLICE, "ts", "");
    module_free(r);
}

Test(module_android, the_kernel_tells_counters_through_the_port)
{
    struct module *r = module_new(&orma_android_module, importers);

    orma_port_screen_state(&r->ctx, 0, 1, 2);
    orma_port_battery_stats(&r->ctx, 0, 2, ORMA_STR("battery_stats.wifi"), 1);
    orma_port_gpu_memory(&r->ctx, 0, 3, 0, 0, 4096);
    orma_port_gpu_memory(&r->ctx, 0, 4, 0, 99, 1); /* of a process that nobody knows */
    (void)orma_processes_process(orma_model_processes(&r->model, 0), 5);
    orma_port_gpu_memory(&r->ctx, 0, 5, 0, 5, 512);
    module_expect(r, ORMA_TABLE_COUNTER, "ts value track_id.type track_id.name track_id.upid.pid",
                  "1 2 screen_state ScreenState -\n"
                  "2 1 battery_stats battery_stats.wifi -\n"
                  "3 4096 gpu_memory 'GPU Memory' -\n"
                  "5 512 process_gpu_memory 'GPU Memory' 5\n");
    module_free(r);
}

/* Whatever the packet: all that its importer needs may be missing. Rails, lines of the log and
 * atoms are items of their own, which a reader sorts. */
Test(module_android, no_importer_needs_any_field_of_its_packet)
{
    struct module *r = module_new(&orma_android_module, importers);
    unsigned parsed = 0;

    for (unsigned i = 0; importers[i]; i++) {
        const struct orma_importer *m = importers[i];

        for (const uint16_t *f = m->fields; m->parse && !m->tokenize && f && *f; f++, parsed++)
            module_packet(r, m, *f, 10, MSG({0}));
        if (m == &orma_android_packages_importer)
            for (const uint16_t *f = m->fields; *f; f++, parsed++)
                if (!module_tokenize(r, m, *f, 10, MSG({0})))
                    module_packet(r, m, *f, 10, MSG({0}));
    }
    cr_assert_geq(parsed, 15);
    module_finish(r);
    module_free(r);
}
