/*
 * Who a uid is: a package of the trace, or one of the users that Android always has. Of the uid
 * only the part counts that tells apps apart; packages may share it.
 */
#include "processor/sql/functions/functions.h"

#define UIDS_PER_USER 100000
#define APP_FIRST 10000
#define SHARED_FIRST 50000
#define SHARED_LAST 59999
#define ISOLATED_FIRST 90000
#define FIXED_FIRST 1000

/* By uid from FIXED_FIRST on. */
static const char *const fixed[] = {
    "SYSTEM_USER",
    "RADIO",
    "BLUETOOTH",
    "GRAPHICS",
    "INPUT",
    "AUDIO",
    "CAMERA",
    "LOG",
    "COMPASS",
    "MOUNT",
    "WIFI",
    "ADB",
    "INSTALL",
    "MEDIA",
    "DHCP",
    "SDCARD_RW",
    "VPN",
    "KEYSTORE",
    "USB",
    "DRM",
    "MDNSR",
    "GPS",
    "UNUSED1",
    "MEDIA_RW",
    "MTP",
    "UNUSED2",
    "DRMRPC",
    "NFC",
    "SDCARD_R",
    "CLAT",
    "LOOP_RADIO",
    "MEDIA_DRM",
    "PACKAGE_INFO",
    "SDCARD_PICS",
    "SDCARD_AV",
    "SDCARD_ALL",
    "LOGD",
    "SHARED_RELRO",
    "DBUS",
    "TLSDATE",
    "MEDIA_EX",
    "AUDIOSERVER",
    "METRICS_COLL",
    "METRICSD",
    "WEBSERV",
    "DEBUGGERD",
    "MEDIA_CODEC",
    "CAMERASERVER",
    "FIREWALL",
    "TRUNKS",
    "NVRAM",
    "DNS",
    "DNS_TETHER",
    "WEBVIEW_ZYGOTE",
    "VEHICLE_NETWORK",
    "MEDIA_AUDIO",
    "MEDIA_VIDEO",
    "MEDIA_IMAGE",
    "TOMBSTONED",
    "MEDIA_OBB",
    "ESE",
    "OTA_UPDATE",
    "AUTOMOTIVE_EVS",
    "LOWPAN",
    "HSM",
    "RESERVED_DISK",
    "STATSD",
    "INCIDENTD",
    "SECURE_ELEMENT",
    "LMKD",
    "LLKD",
    "IORAPD",
    "GPU_SERVICE",
    "NETWORK_STACK",
    "GSID",
    "FSVERITY_CERT",
    "CREDSTORE",
    "EXTERNAL_STORAGE",
    "EXT_DATA_RW",
    "EXT_OBB_RW",
    "CONTEXT_HUB",
    "VIRTMANAGER",
    "ARTD",
    "UWB",
    "THREAD_NETWORK",
    "DICED",
    "DMESGD",
    "JC_WEAVER",
    "JC_STRONGBOX",
    "JC_IDENTITYCRED",
    "SDK_SANDBOX",
    "SECURITY_LOG_WRITER",
    "PRNG_SEEDER",
    "UPROBESTATS",
};

static const struct {
    int64_t app;
    const char *name;
} others[] = {
    {0, "ROOT"}, {2000, "SHELL"}, {2001, "CACHE"}, {2002, "DIAG"}, {9999, "NOBODY"},
};

/* The smaller, the better the name tells who it is. */
static int rank_of(struct orma_str name)
{
    if (orma_str_eq_c(name, "com.google.android.gms"))
        return 0;
    return orma_str_starts(name, ORMA_STR("com.android.providers.")) ? 2 : 1;
}

static struct orma_str find_package(const struct orma_storage *st, int64_t app)
{
    const struct orma_table *t = &st->tables[ORMA_TABLE_PACKAGE_LIST];
    struct orma_str best = {0};

    for (uint32_t row = 0; row < t->rows; row++) {
        struct orma_str name;

        if (orma_table_int(t, ORMA_PACKAGE_LIST_UID, row) != app)
            continue;
        name = orma_strpool_get(&st->pool,
                                (uint32_t)orma_table_int(t, ORMA_PACKAGE_LIST_PACKAGE_NAME, row));
        if (name.data && (!best.data || rank_of(name) < rank_of(best)))
            best = name;
    }
    return best;
}

static const char *find_fixed(int64_t app)
{
    if (app >= FIXED_FIRST && app < FIXED_FIRST + (int64_t)ORMA_ARRAY_LEN(fixed))
        return fixed[app - FIXED_FIRST];
    for (size_t i = 0; i < ORMA_ARRAY_LEN(others); i++) {
        if (others[i].app == app)
            return others[i].name;
    }
    return NULL;
}

static void put_name(struct orma_buf *out, int64_t uid, int64_t app)
{
    const char *name = find_fixed(app);

    if (name)
        orma_buf_printf(out, "AID_%s", name);
    else if (app >= SHARED_FIRST && app <= SHARED_LAST)
        orma_buf_put_str(out, "SHARED_GID");
    else if (app >= ISOLATED_FIRST)
        orma_buf_put_str(out, "ISOLATED_UID");
    else
        orma_buf_printf(out, "uid=%lld", (long long)uid);
}

static void package_lookup(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int64_t uid = sqlite3_value_int64(argv[0]), app = uid % UIDS_PER_USER;
    struct orma_str package = {0};
    struct orma_buf out = {0};

    (void)argc;
    if (orma_value_is_null(argv[0]))
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER) {
        orma_result_error(ctx, "PACKAGE_LOOKUP: uid must be an integer");
        return;
    }
    if (app >= APP_FIRST)
        package = find_package(orma_sql_of(ctx)->storage, app);
    if (package.data) {
        orma_result_str(ctx, package);
        return;
    }
    put_name(&out, uid, app);
    orma_result_buf(ctx, &out, false);
}

const struct orma_sql_func orma_functions_packages[] = {
    {.name = "_intrinsic_package_lookup",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = package_lookup,
     .usage = "(uid LONG) -> STRING",
     .doc = "The package of an app's uid, the name of a built-in Android user, or uid=..."},
    {0},
};
