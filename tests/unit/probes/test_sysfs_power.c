#include <criterion/criterion.h>

#include "probes/core/source.h"
#include "probes/sources.h"
#include "probes/system/sources.h"
#include "protos/fields/trace.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_reader.h"
#include "tests/support/leaks.h"
#include "tests/support/probes_fixture.h"

struct battery {
    int64_t charge, current, average, energy, voltage;
    double percent;
    struct orma_str name;
};

static struct battery battery_of(const struct orma_str *packet)
{
    struct orma_pb_reader r = orma_pb_reader(packet->data, packet->len);
    struct battery ret = {.charge = -1, .average = -1, .energy = -1};
    struct orma_pb_field f, b;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader sub = orma_pb_sub(&f);

        while (f.id == ORMA_PB_TRACE_PACKET_BATTERY && orma_pb_next(&sub, &b)) {
            float percent;
            uint32_t bits = (uint32_t)b.num;

            switch (b.id) {
            case ORMA_PB_BATTERY_COUNTERS_CHARGE_COUNTER_UAH:
                ret.charge = (int64_t)b.num;
                break;
            case ORMA_PB_BATTERY_COUNTERS_CURRENT_UA:
                ret.current = (int64_t)b.num;
                break;
            case ORMA_PB_BATTERY_COUNTERS_CURRENT_AVG_UA:
                ret.average = (int64_t)b.num;
                break;
            case ORMA_PB_BATTERY_COUNTERS_ENERGY_COUNTER_UWH:
                ret.energy = (int64_t)b.num;
                break;
            case ORMA_PB_BATTERY_COUNTERS_VOLTAGE_UV:
                ret.voltage = (int64_t)b.num;
                break;
            case ORMA_PB_BATTERY_COUNTERS_NAME:
                ret.name = (struct orma_str){(const char *)b.data, b.len};
                break;
            case ORMA_PB_BATTERY_COUNTERS_CAPACITY_PERCENT:
                memcpy(&percent, &bits, sizeof(percent));
                ret.percent = (double)percent;
                break;
            default:
                break;
            }
        }
    }
    return ret;
}

static struct pf pf;

static bool has_four(struct pf *self)
{
    return self->packets_num >= 4;
}

Test(sysfs_power, reads_batteries_and_no_chargers)
{
    /* android_power_config { battery_poll_ms: 5 }: less than the least */
    uint8_t bytes[] = {0xd2, 0x06, 0x02, 0x08, 0x05};
    Perfetto__Protos__DataSourceConfig *config =
        perfetto__protos__data_source_config__unpack(NULL, sizeof(bytes), bytes);

    orma_log_init("test", ORMA_LOG_ERROR);
    pf_init(&pf);
    pf_file(&pf, "sys/class/power_supply/BAT0/charge_now", "3210000\n");
    pf_file(&pf, "sys/class/power_supply/BAT0/current_now", "-450000\n");
    pf_file(&pf, "sys/class/power_supply/BAT0/voltage_now", "12345678\n");
    pf_file(&pf, "sys/class/power_supply/BAT0/capacity", "87\n");
    pf_file(&pf, "sys/class/power_supply/BAT1/energy_now", "99\n");
    pf_file(&pf, "sys/class/power_supply/BAT1/current_now", "junk\n");
    pf_file(&pf, "sys/class/power_supply/AC/online", "1\n");
    struct orma_source *s = pf_source(&pf, &orma_system_power_source, config);
    s->type->start(s);
    cr_assert_eq(pf.packets_num, 2);
    struct battery a = battery_of(&pf.packets[0]), b = battery_of(&pf.packets[1]);
    cr_assert(orma_str_eq_c(a.name, "BAT0"));
    cr_assert_eq(a.charge, 3210000);
    cr_assert_eq(a.current, -450000);
    cr_assert_eq(a.voltage, 12345678);
    cr_assert_float_eq(a.percent, 87, 0.01);
    cr_assert_eq(a.average, -1, "not there, not written");
    cr_assert(orma_str_eq_c(b.name, "BAT1"));
    cr_assert_eq(b.energy, 99);
    cr_assert(pf_run(&pf, has_four, 60000), "and again after the period");
    s->type->stop(s);
    pf_free_source(&pf, s);
    perfetto__protos__data_source_config__free_unpacked(config, NULL);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

Test(sysfs_power, says_nothing_where_there_is_none)
{
    orma_log_init("test", ORMA_LOG_ERROR);
    pf_init(&pf);
    pf_dir(&pf, "sys");
    struct orma_source *s = pf_source(&pf, &orma_system_power_source, NULL);
    s->type->start(s);
    s->type->stop(s);
    cr_assert_eq(pf.packets_num, 0);
    pf_free_source(&pf, s);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

Test(sysfs_power, is_usable_where_a_battery_is)
{
    const char *const with[] = {"sys/class/power_supply/BAT0/capacity",
                                "sys/class/power_supply/ups/charge_now"};
    char why[300];

    for (size_t i = 0; i < 3; i++) {
        pf_init(&pf);
        pf_file(&pf, "sys/class/power_supply/AC/online", "1\n");
        if (i < 2)
            pf_file(&pf, with[i], "1\n");
        why[0] = '\0';
        cr_assert_eq(orma_system_power_source.usable(&pf.env, why, sizeof(why)), i < 2);
        cr_assert_eq(strstr(why, "no battery") != NULL, i == 2, "%s", why);
        pf_fini(&pf);
    }
    orma_assert_no_leaks();
}

Test(sysfs_power, is_in_the_table_of_sources)
{
    cr_assert_eq(orma_probes_source_type_find("linux.sysfs_power"), &orma_system_power_source);
}
