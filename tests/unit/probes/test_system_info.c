#include <criterion/criterion.h>

#include "probes/core/source.h"
#include "probes/system/cpuinfo.h"
#include "probes/system/sources.h"
#include "protos/fields/trace.h"
#include "sdk/wire/pb_reader.h"
#include "tests/support/leaks.h"
#include "tests/support/probes_fixture.h"

Test(cpuinfo, reads_processors_of_pcs)
{
    static const char text[] = "processor\t: 0\nmodel name\t: Fast One\nflags\t\t: fpu tsc\n\n"
                               "processor\t: 2\nmodel name\t: Slow One\n\n";
    struct orma_system_cpuinfo info;

    cr_assert_eq(orma_system_cpuinfo_parse(orma_str_from(text), &info), 0);
    cr_assert_eq(info.num, 3);
    cr_assert(orma_str_eq_c(info.cpus[0].name, "Fast One"));
    cr_assert_not(info.cpus[1].present, "offline");
    cr_assert(orma_str_eq_c(info.cpus[2].name, "Slow One"));
    orma_system_cpuinfo_fini(&info);
    orma_assert_no_leaks();
}

Test(cpuinfo, reads_identifiers_and_features_of_arm)
{
    static const char text[] = "Processor\t: AArch64 Processor rev 14\n"
                               "processor\t: 0\nFeatures\t: fp asimd mte mte3\n"
                               "CPU implementer\t: 0x51\nCPU architecture: 8\nCPU variant\t: 0xd\n"
                               "CPU part\t: 0x805\nCPU revision\t: 14\n";
    struct orma_system_cpuinfo info;

    cr_assert_eq(orma_system_cpuinfo_parse(orma_str_from(text), &info), 0);
    cr_assert(info.cpus[0].has_arm);
    cr_assert_eq(info.cpus[0].implementer, 0x51);
    cr_assert_eq(info.cpus[0].architecture, 8);
    cr_assert_eq(info.cpus[0].part, 0x805);
    cr_assert_eq(info.cpus[0].features, ORMA_SYSTEM_CPU_FEATURE_MTE | ORMA_SYSTEM_CPU_FEATURE_MTE3);
    cr_assert(orma_str_eq_c(info.cpus[0].name, "AArch64 Processor rev 14"));
    orma_system_cpuinfo_fini(&info);
    orma_assert_no_leaks();
}

Test(cpuinfo, refuses_what_has_no_processor)
{
    struct orma_system_cpuinfo info;

    cr_assert_lt(orma_system_cpuinfo_parse(ORMA_STR(""), &info), 0);
    cr_assert_lt(orma_system_cpuinfo_parse(ORMA_STR("processor : 99999999\n"), &info), 0);
    orma_assert_no_leaks();
}

Test(interrupts, takes_number_and_name_of_a_line)
{
    static const struct {
        const char *line, *name;
        uint32_t irq;
    } cases[] = {
        {" 24:          1          0  IO-APIC   5-edge      ACPI:Ged", "ACPI:Ged", 24},
        {" 28:   0   0 PCI-MSIX-0000:00:01.0   0-edge      virtio0-config", "virtio0-config", 28},
        {"NMI:   0   0   Non-maskable interrupts", NULL, 0},
        {"           CPU0       CPU1", NULL, 0},
        {"", NULL, 0},
        {"5:", NULL, 0},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_str name;
        uint32_t irq;
        bool ok = orma_system_interrupt_parse(orma_str_from(cases[i].line), &irq, &name);

        cr_expect_eq(ok, cases[i].name != NULL, "%s", cases[i].line);
        if (ok && cases[i].name) {
            cr_expect_eq(irq, cases[i].irq);
            cr_expect(orma_str_eq_c(name, cases[i].name), "%.*s", ORMA_STR_ARG(name));
        }
    }
    orma_assert_no_leaks();
}

Test(system_info, writes_one_packet_with_frequencies_and_capacity)
{
    struct orma_source *s;
    struct orma_pb_field p, c, v;
    unsigned cpus = 0, frequencies = 0, capacity = 0;
    struct pf pf;

    pf_init(&pf);
    pf_file(&pf, "proc/cpuinfo", "processor\t: 0\nmodel name\t: One\n\nprocessor\t: 1\n");
    pf_file(&pf, "sys/devices/system/cpu/cpu1/cpufreq/scaling_available_frequencies",
            "300000 600000 \n");
    pf_file(&pf, "sys/devices/system/cpu/cpu1/cpu_capacity", "1024\n");
    s = pf_source(&pf, &orma_system_info_source, NULL);
    s->type->start(s);
    cr_assert_eq(pf.packets_num, 1);
    struct orma_pb_reader r = orma_pb_reader(pf.packets[0].data, pf.packets[0].len);
    while (orma_pb_next(&r, &p)) {
        if (p.id != ORMA_PB_TRACE_PACKET_CPU_INFO)
            continue;
        struct orma_pb_reader info = orma_pb_sub(&p);
        while (orma_pb_next(&info, &c)) {
            struct orma_pb_reader cpu = orma_pb_sub(&c);

            cpus++;
            while (orma_pb_next(&cpu, &v)) {
                frequencies += v.id == ORMA_PB_CPU_INFO_CPU_FREQUENCIES;
                if (v.id == ORMA_PB_CPU_INFO_CPU_CAPACITY)
                    capacity = orma_pb_u32(&v);
            }
        }
    }
    cr_assert_eq(cpus, 2);
    cr_assert_eq(frequencies, 2);
    cr_assert_eq(capacity, 1024);
    pf_free_source(&pf, s);
    pf_fini(&pf);
    orma_assert_no_leaks();
}
