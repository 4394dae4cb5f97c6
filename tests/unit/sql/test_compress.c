#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/sql/engine_fixture.h"

#ifdef ORMA_HAVE_ZSTD
#include <zstd.h>

static size_t from_hex(const char *hex, unsigned char *bytes)
{
    size_t num = strlen(hex) / 2;

    for (size_t i = 0; i < num; i++) {
        const char digits[3] = {hex[2 * i], hex[2 * i + 1], 0};

        bytes[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
    return num;
}

/* SQL compresses it, and the library gives the same bytes back. */
static void expect_back(const char *blob, size_t len, unsigned char first, unsigned char last)
{
    struct engine e;
    char script[256];
    unsigned char *packed, *plain = malloc(len + 1);
    const char *hex;
    size_t num;

    engine_init(&e);
    (void)snprintf(script, sizeof(script), "SELECT hex(__intrinsic_zstd_compress(%s))", blob);
    hex = engine_run(&e, script);
    packed = malloc(strlen(hex) + 1);
    cr_assert(packed && plain);
    num = from_hex(hex, packed);
    cr_assert_eq(ZSTD_getFrameContentSize(packed, num), len, "%s: %s", blob, hex);
    cr_assert_eq(ZSTD_decompress(plain, len + 1, packed, num), len, "%s", blob);
    cr_assert(!len || (plain[0] == first && plain[len - 1] == last), "%s", blob);
    free(packed);
    free(plain);
    engine_fini(&e);
}

Test(compress, zstd_gives_the_bytes_back)
{
    expect_back("x''", 0, 0, 0);
    expect_back("x'0102ff'", 3, 1, 0xff);
    expect_back("zeroblob(1 << 20)", (size_t)1 << 20, 0, 0);
    expect_back("CAST(x'41' || zeroblob(3000000) || x'42' AS BLOB)", 3000002, 'A', 'B');
}

Test(compress, zstd_arguments)
{
    static const struct engine_check checks[] = {
        {"null", "SELECT __intrinsic_zstd_compress(NULL)", "NULL"},
        {"text", "SELECT hex(substr(__intrinsic_zstd_compress('x'), 1, 4))", "28B52FFD"},
        {"number", "SELECT __intrinsic_zstd_compress(1)",
         "error: ZSTD: argument must be a string or blob"},
        {"noise grows a little",
         "SELECT length(__intrinsic_zstd_compress(randomblob(2500000))) BETWEEN 2500000 AND "
         "2510000",
         "1"},
    };

    engine_checks(NULL, checks, sizeof(checks) / sizeof(checks[0]));
}
#else
Test(compress, zstd_is_refused_without_the_library)
{
    static const struct engine_check checks[] = {
        {"blob", "SELECT __intrinsic_zstd_compress(x'00')", "error: not built in"},
    };

    engine_checks(NULL, checks, sizeof(checks) / sizeof(checks[0]));
}
#endif
