/* What the recorder told about its machines: the system, cpus, interrupts.
 */
#include <stdio.h>
#include <stdlib.h>

#include "processor/import/linux/linux.h"
#include "protos/fields/common.h"
#include "protos/fields/trace.h"
#include "protos/tables/syscalls.h"

#define CPU_INFO_MAX 1024

/* ---- system info ---- */

static void read_utsname(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_MACHINE);
    struct orma_machine *m = &imp->model->machines[machine];
    uint32_t texts[8] = {0};

    while (orma_pb_next(&r, &f))
        if (f.id < ORMA_ARRAY_LEN(texts))
            texts[f.id] = orma_model_str(imp->model, orma_pb_str(&f));
    static const struct {
        uint8_t field, column;
        const char *key;
    } rows[] = {
        {ORMA_PB_UTSNAME_SYSNAME, ORMA_MACHINE_SYSNAME, "system_name"},
        {ORMA_PB_UTSNAME_VERSION, ORMA_MACHINE_VERSION, "system_version"},
        {ORMA_PB_UTSNAME_RELEASE, ORMA_MACHINE_RELEASE, "system_release"},
        {ORMA_PB_UTSNAME_MACHINE, ORMA_MACHINE_ARCH, "system_machine"},
    };
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(rows); i++) {
        orma_metadata_str(imp->model, rows[i].key, false, ORMA_METADATA_MACHINE, machine,
                          texts[rows[i].field]);
        orma_table_set(t, rows[i].column, machine, texts[rows[i].field]);
    }
    unsigned major = 0, minor = 0;
    const char *release =
        orma_strpool_cstr(&imp->model->storage->pool, texts[ORMA_PB_UTSNAME_RELEASE]);
    if (sscanf(release, "%u.%u", &major, &minor) == 2)
        m->kernel_version = major << 16 | (minor & 0xffff);
    m->syscalls = orma_syscall_table_find(
        orma_strpool_cstr(&imp->model->storage->pool, texts[ORMA_PB_UTSNAME_MACHINE]));
}

static void read_ram(struct orma_import_ctx *imp, uint16_t machine, int64_t bytes)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_MACHINE);
    int64_t gb = bytes / 1000000000 + (bytes % 1000000000 >= 500000000);

    orma_metadata_int(imp->model, "system_ram_bytes", false, ORMA_METADATA_MACHINE, machine, bytes);
    orma_metadata_int(imp->model, "system_ram_gb", false, ORMA_METADATA_MACHINE, machine, gb);
    orma_table_set(t, ORMA_MACHINE_SYSTEM_RAM_BYTES, machine, bytes);
    orma_table_set(t, ORMA_MACHINE_SYSTEM_RAM_GB, machine, gb);
}

/* "brand/product/device:VERSION/build/INCREMENTAL:type/keys" */
static void read_fingerprint(struct orma_import_ctx *imp, uint16_t machine, struct orma_str text,
                             int64_t *ret_sdk)
{
    /* A name in place of the number is a build before the release; Tiramisu still counted as 31. */
    static const struct {
        const char *version;
        int sdk;
    } versions[] = {
        {"9", 28},  {"10", 29},
        {"11", 30}, {"12", 31},
        {"S", 31},  {"12L", 32},
        {"13", 33}, {"Tiramisu", 31},
        {"14", 34}, {"UpsideDownCake", 34},
        {"15", 35}, {"VanillaIceCream", 35},
        {"16", 36}, {"Baklava", 36},
    };
    struct orma_str rest = text, part, version, incremental;
    uint32_t id = orma_model_str(imp->model, text);

    orma_metadata_str(imp->model, "android_build_fingerprint", false, ORMA_METADATA_MACHINE,
                      machine, id);
    orma_table_set(orma_model_table(imp->model, ORMA_TABLE_MACHINE),
                   ORMA_MACHINE_ANDROID_BUILD_FINGERPRINT, machine, id);
    if (!orma_str_cut(&rest, ':', &part) || !orma_str_cut(&rest, '/', &version) ||
        !orma_str_cut(&rest, '/', &part) || !orma_str_cut(&rest, ':', &incremental))
        return;
    orma_metadata_str(imp->model, "android_incremental_build", false, ORMA_METADATA_MACHINE,
                      machine, orma_model_str(imp->model, incremental));
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(versions); i++)
        if (orma_str_eq_c(version, versions[i].version))
            *ret_sdk = versions[i].sdk;
}

/* Texts that are metadata under a name of their own. */
static void read_model(struct orma_import_ctx *imp, uint16_t machine, const struct orma_pb_field *f)
{
    static const char *const keys[] = {
        [ORMA_PB_SYSTEM_INFO_ANDROID_SOC_MODEL] = "android_soc_model",
        [ORMA_PB_SYSTEM_INFO_ANDROID_HARDWARE_REVISION] = "android_hardware_revision",
        [ORMA_PB_SYSTEM_INFO_ANDROID_STORAGE_MODEL] = "android_storage_model",
        [ORMA_PB_SYSTEM_INFO_ANDROID_RAM_MODEL] = "android_ram_model",
        [ORMA_PB_SYSTEM_INFO_ANDROID_GUEST_SOC_MODEL] = "android_guest_soc_model",
        [ORMA_PB_SYSTEM_INFO_ANDROID_DEVICE_MANUFACTURER] = "android_device_manufacturer",
        [ORMA_PB_SYSTEM_INFO_ANDROID_SERIAL_CONSOLE] = "android_serial_console",
    };
    uint32_t text;

    if (f->id >= ORMA_ARRAY_LEN(keys) || !keys[f->id])
        return;
    text = orma_model_str(imp->model, orma_pb_str(f));
    orma_metadata_str(imp->model, keys[f->id], false, ORMA_METADATA_MACHINE, machine, text);
    if (f->id == ORMA_PB_SYSTEM_INFO_ANDROID_DEVICE_MANUFACTURER)
        orma_table_set(orma_model_table(imp->model, ORMA_TABLE_MACHINE),
                       ORMA_MACHINE_ANDROID_DEVICE_MANUFACTURER, machine, text);
}

static bool system_info_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f;
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_MACHINE);
    uint16_t m = ctx->machine;
    int64_t timezone = 0, ram = 0, sdk = 0, sdk_given = 0;
    uint32_t version = 0;
    struct orma_str fingerprint = {0};
    bool has_timezone = false;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_SYSTEM_INFO_UTSNAME:
            read_utsname(imp, m, orma_pb_str(&f));
            break;
        case ORMA_PB_SYSTEM_INFO_TIMEZONE_OFF_MINS:
            timezone = orma_pb_i32(&f);
            has_timezone = true;
            break;
        case ORMA_PB_SYSTEM_INFO_TRACING_SERVICE_VERSION:
            version = orma_model_str(imp->model, orma_pb_str(&f));
            orma_port_service_version(imp, orma_pb_str(&f));
            break;
        case ORMA_PB_SYSTEM_INFO_NUM_CPUS:
            orma_table_set(t, ORMA_MACHINE_NUM_CPUS, m, orma_pb_u32(&f));
            break;
        case ORMA_PB_SYSTEM_INFO_ANDROID_BUILD_FINGERPRINT:
            fingerprint = orma_pb_str(&f);
            break;
        case ORMA_PB_SYSTEM_INFO_ANDROID_SDK_VERSION:
            sdk_given = orma_pb_i64(&f);
            break;
        case ORMA_PB_SYSTEM_INFO_SYSTEM_RAM_BYTES:
            ram = orma_pb_i64(&f);
            break;
        case ORMA_PB_SYSTEM_INFO_PAGE_SIZE:
            imp->model->machines[m].page_size = orma_pb_u32(&f);
            break;
        case ORMA_PB_SYSTEM_INFO_MACHINE_NAME:
            orma_table_set(t, ORMA_MACHINE_NAME, m, orma_model_str(imp->model, orma_pb_str(&f)));
            break;
        }
    }
    if (has_timezone)
        orma_metadata_int(imp->model, "timezone_off_mins", false, ORMA_METADATA_MACHINE, m,
                          timezone);
    if (fingerprint.data)
        read_fingerprint(imp, m, fingerprint, &sdk);
    for (r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len); orma_pb_next(&r, &f);)
        if (f.id == ORMA_PB_SYSTEM_INFO_ANDROID_DEVICE_MANUFACTURER)
            read_model(imp, m, &f);
    sdk = sdk_given ? sdk_given : sdk;
    if (sdk) {
        orma_metadata_int(imp->model, "android_sdk_version", false, ORMA_METADATA_MACHINE, m, sdk);
        orma_table_set(t, ORMA_MACHINE_ANDROID_SDK_VERSION, m, sdk);
    }
    if (version)
        orma_metadata_str(imp->model, "tracing_service_version", false, ORMA_METADATA_MACHINE, m,
                          version);
    for (r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len); orma_pb_next(&r, &f);)
        if (f.id != ORMA_PB_SYSTEM_INFO_ANDROID_DEVICE_MANUFACTURER)
            read_model(imp, m, &f);
    if (ram)
        read_ram(imp, m, ram);
    return false;
}

static const uint16_t system_info_fields[] = {ORMA_PB_TRACE_PACKET_SYSTEM_INFO, 0};
const struct orma_importer orma_linux_system_info_importer = {
    .name = "system_info", .fields = system_info_fields, .early = system_info_early};

struct cpu_info {
    uint32_t ucpu;
    uint32_t capacity, max_freq;
    bool has_capacity;
};

static void read_arm(struct orma_import_ctx *imp, struct orma_args_list *args,
                     struct orma_str bytes)
{
    static const char *const keys[] = {
        [ORMA_PB_CPU_INFO_ARM_CPU_IDENTIFIER_IMPLEMENTER] = "arm_cpu_implementer",
        [ORMA_PB_CPU_INFO_ARM_CPU_IDENTIFIER_ARCHITECTURE] = "arm_cpu_architecture",
        [ORMA_PB_CPU_INFO_ARM_CPU_IDENTIFIER_VARIANT] = "arm_cpu_variant",
        [ORMA_PB_CPU_INFO_ARM_CPU_IDENTIFIER_PART] = "arm_cpu_part",
        [ORMA_PB_CPU_INFO_ARM_CPU_IDENTIFIER_REVISION] = "arm_cpu_revision",
    };
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id < ORMA_ARRAY_LEN(keys) && keys[f.id])
            orma_args_put_uint(args, orma_model_cstr(imp->model, keys[f.id]), orma_pb_u64(&f));
}

/* Bits with names, then all of them as they came. */
static void put_features(struct orma_import_ctx *imp, struct orma_args_list *args, uint16_t machine,
                         uint64_t bits)
{
    static const char *const names[] = {"cpu_features.mte", "cpu_features.mte3"};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(names); i++)
        if (bits >> i & 1)
            orma_args_put_bool(args, orma_model_cstr(imp->model, names[i]), true);
    orma_args_put_uint(args, orma_model_lit(imp->model, "cpu_features.raw_bitmap"), bits);
    if (bits >> ORMA_ARRAY_LEN(names))
        orma_stats_inc(orma_model_stats(imp->model, machine),
                       ORMA_STAT_CPU_INFO_UNKNOWN_CPU_FEATURES);
}

static void read_cpu(struct orma_import_ctx *imp, uint16_t machine, uint32_t cpu,
                     struct orma_str bytes, struct cpu_info *ret)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_CPU);
    struct orma_table *freqs = orma_model_table(imp->model, ORMA_TABLE_CPU_FREQ);

    *ret = (struct cpu_info){.ucpu = orma_model_ucpu(imp->model, machine, cpu)};
    ORMA_MODEL_ARGS(args, imp->model);
    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader list = {0};
        uint64_t freq;

        switch (f.id) {
        case ORMA_PB_CPU_INFO_CPU_PROCESSOR:
            orma_table_set(t, ORMA_CPU_PROCESSOR, ret->ucpu,
                           orma_model_str(imp->model, orma_pb_str(&f)));
            break;
        case ORMA_PB_CPU_INFO_CPU_FREQUENCIES:
            for (orma_pb_numbers(&f, &list); orma_pb_number(&f, &list, &freq);) {
                uint32_t row = orma_table_add(freqs);

                orma_table_set(freqs, ORMA_CPU_FREQ_UCPU, row, ret->ucpu);
                orma_table_set(freqs, ORMA_CPU_FREQ_FREQ, row, (int64_t)freq);
                ret->max_freq = ORMA_MAX(ret->max_freq, (uint32_t)freq);
            }
            break;
        case ORMA_PB_CPU_INFO_CPU_CAPACITY:
            ret->capacity = orma_pb_u32(&f);
            ret->has_capacity = true;
            orma_table_set(t, ORMA_CPU_CAPACITY, ret->ucpu, ret->capacity);
            break;
        case ORMA_PB_CPU_INFO_CPU_ARM_IDENTIFIER:
            read_arm(imp, args, orma_pb_str(&f));
            break;
        case ORMA_PB_CPU_INFO_CPU_FEATURES:
            put_features(imp, args, machine, orma_pb_u64(&f));
            break;
        }
    }
    orma_model_add_args(imp->model, ORMA_TABLE_CPU, ORMA_CPU_ARG_SET_ID, ret->ucpu, args);
}

static int by_capacity(const void *a, const void *b)
{
    const struct cpu_info *x = a, *y = b;

    if (x->capacity != y->capacity)
        return x->capacity < y->capacity ? -1 : 1;
    return x->ucpu < y->ucpu ? -1 : x->ucpu > y->ucpu;
}

/* Cpus of one capacity are a cluster; where one has none, the highest frequency stands for it. */
static void number_clusters(struct orma_import_ctx *imp, struct cpu_info *cpus, uint32_t num)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_CPU);
    bool all = true;
    uint32_t cluster = 0;

    for (uint32_t i = 0; i < num; i++)
        all = all && cpus[i].has_capacity;
    for (uint32_t i = 0; !all && i < num; i++)
        cpus[i].capacity = cpus[i].max_freq;
    qsort(cpus, num, sizeof(*cpus), by_capacity);
    for (uint32_t i = 0; i < num; i++) {
        cluster += i && cpus[i].capacity != cpus[i - 1].capacity;
        orma_table_set(t, ORMA_CPU_CLUSTER_ID, cpus[i].ucpu, cluster);
    }
}

static bool cpu_info_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f;
    struct cpu_info *cpus = calloc(CPU_INFO_MAX, sizeof(*cpus));
    uint32_t num = 0;

    imp->model->storage->failed |= !cpus;
    while (cpus && num < CPU_INFO_MAX && orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_CPU_INFO_CPUS)
            continue;
        read_cpu(imp, ctx->machine, num, orma_pb_str(&f), &cpus[num]);
        num++;
    }
    if (num)
        number_clusters(imp, cpus, num);
    else
        orma_stats_inc(orma_model_stats(imp->model, ctx->machine), ORMA_STAT_CPU_INFO_EMPTY);
    free(cpus);
    return true;
}

static const uint16_t cpu_info_fields[] = {ORMA_PB_TRACE_PACKET_CPU_INFO, 0};
const struct orma_importer orma_linux_cpu_info_importer = {
    .name = "cpu_info", .fields = cpu_info_fields, .early = cpu_info_early};

/* ---- interrupts ---- */

static bool interrupts_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f, g;
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_LINUX_INTERRUPT_MAPPING);

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader one = orma_pb_sub(&f);
        uint32_t irq = 0, name = 0;

        if (f.id != ORMA_PB_INTERRUPT_INFO_IRQ_MAPPING)
            continue;
        while (orma_pb_next(&one, &g)) {
            if (g.id == ORMA_PB_INTERRUPT_INFO_INTERRUPT_MAPPING_IRQ_ID)
                irq = orma_pb_u32(&g);
            else if (g.id == ORMA_PB_INTERRUPT_INFO_INTERRUPT_MAPPING_NAME)
                name = orma_model_str(imp->model, orma_pb_str(&g));
        }
        uint32_t row = orma_table_add(t);
        orma_table_set(t, ORMA_LINUX_INTERRUPT_MAPPING_IRQ_ID, row, irq);
        orma_table_set(t, ORMA_LINUX_INTERRUPT_MAPPING_NAME, row, name);
        orma_table_set(t, ORMA_LINUX_INTERRUPT_MAPPING_MACHINE_ID, row, ctx->machine);
    }
    return true;
}

static const uint16_t interrupt_fields[] = {ORMA_PB_TRACE_PACKET_INTERRUPT_INFO, 0};
const struct orma_importer orma_linux_interrupts_importer = {
    .name = "interrupt_info", .fields = interrupt_fields, .early = interrupts_early};

const struct orma_import_module orma_linux_module = {.name = "linux",
                                                     .state_size = sizeof(struct orma_linux)};
