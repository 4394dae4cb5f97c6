#include <criterion/criterion.h>

#include "probes/unserved.h"
#include "tests/support/leaks.h"

static void expect(const char *source, const Perfetto__Protos__DataSourceConfig *config,
                   const char *want)
{
    struct orma_buf got = {0};

    orma_probes_unserved(source, config, &got);
    cr_expect_str_eq(orma_buf_cstr(&got), want);
    orma_buf_fini(&got);
}

Test(unserved, names_the_fields_that_are_set)
{
    Perfetto__Protos__DataSourceConfig config = PERFETTO__PROTOS__DATA_SOURCE_CONFIG__INIT;
    Perfetto__Protos__PerfEventConfig perf = PERFETTO__PROTOS__PERF_EVENT_CONFIG__INIT;
    Perfetto__Protos__PerfEventConfig__CallstackSampling sampling =
        PERFETTO__PROTOS__PERF_EVENT_CONFIG__CALLSTACK_SAMPLING__INIT;
    Perfetto__Protos__PerfEventConfig__Scope scope =
        PERFETTO__PROTOS__PERF_EVENT_CONFIG__SCOPE__INIT;
    Perfetto__Protos__AndroidPowerConfig power = PERFETTO__PROTOS__ANDROID_POWER_CONFIG__INIT;
    char *cpuids[] = {(char[]){"x"}};

    expect("linux.perf", &config, "");
    config.perf_event_config = &perf;
    config.android_power_config = &power;
    expect("linux.perf", &config, "");
    perf.callstack_sampling = &sampling;
    sampling.scope = &scope;
    perf.has_sampling_frequency = 1; /* served */
    expect("linux.perf", &config, "");
    scope.has_process_shard_count = 1;
    perf.cpuid = cpuids;
    perf.n_cpuid = 1;
    expect("linux.perf", &config,
           "perf_event_config.cpuid, "
           "perf_event_config.callstack_sampling.scope.process_shard_count");
    power.has_collect_power_rails = 1;
    expect("linux.sysfs_power", &config, "android_power_config.collect_power_rails");
    expect("linux.ftrace", &config, "");
    orma_assert_no_leaks();
}
