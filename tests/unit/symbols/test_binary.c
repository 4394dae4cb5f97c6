/* Binaries: addresses of a sample program, its stripped forms, and broken ones. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef ORMA_HAVE_ZSTD
#include <elf.h>
#include <zstd.h>
#endif

#include "processor/symbols/demangle.h"
#include "processor/symbols/lookup.h"
#include "processor/symbols/symbolizer.h"
#include "sdk/base/buf.h"
#include "sdk/base/fd.h"
#include "tests/support/leaks.h"

#define NEEDS_LIBDW()                                                                              \
    do {                                                                                           \
        if (!orma_binary_supported())                                                              \
            cr_skip_test("built without libdw");                                                   \
    } while (0)

/* A scratch folder, and the places that the sample tells of itself. */
struct sample {
    char dir[64];
    uint64_t inlined, plain, shop;
};

static struct sample sample_new(void)
{
    struct sample s = {.dir = "/tmp/orma-symbols-XXXXXX"};
    unsigned long pcs[3] = {0};
    char name[32];

    cr_assert(mkdtemp(s.dir));
    FILE *out = popen(SAMPLE, "re");
    cr_assert(out);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(fscanf(out, "%31s %lx", name, &pcs[i]), 2);
    cr_assert_eq(pclose(out), 0);
    s.inlined = pcs[0];
    s.plain = pcs[1];
    s.shop = pcs[2];
    return s;
}

static void sample_fini(const struct sample *s)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf %s", s->dir);
    cr_assert_eq(system(command), 0);
}

/* In the scratch folder; false if the tools are not there. */
static bool shell(const struct sample *s, const char *script)
{
    char command[4096];

    snprintf(command, sizeof(command), "cd %s && { %s; } 2>/dev/null", s->dir, script);
    return system(command) == 0;
}

static const char *in(const struct sample *s, const char *name)
{
    static char path[4][256];
    static unsigned turn;
    char *to = path[turn++ % 4];

    snprintf(to, sizeof(path[0]), "%s/%s", s->dir, name);
    return to;
}

#define NEEDS_TOOLS(s, script)                                                                     \
    do {                                                                                           \
        if (!shell((s), "command -v objcopy && command -v strip && cp " SAMPLE " sample")) {       \
            sample_fini(s);                                                                        \
            cr_skip_test("needs objcopy and strip");                                               \
        }                                                                                          \
        cr_assert(shell((s), (script)), "%s", (script));                                           \
    } while (0)

static void expect(const struct orma_source_frame *f, const char *function, const char *file,
                   uint32_t line)
{
    size_t len = strlen(f->file), want = strlen(file);

    cr_expect_str_eq(f->function, function);
    cr_expect(len >= want && !strcmp(f->file + len - want, file), "%s, not %s", f->file, file);
    cr_expect(!*file == !*f->file);
    cr_expect_eq(f->line, line, "%s: line %u, not %u", function, f->line, line);
}

static void expect_all(struct orma_symbolizer *symbolizer,
                       const struct orma_symbolizer_module *module, const struct sample *s)
{
    struct orma_source_frame f[ORMA_SOURCE_FRAMES_MAX];

    cr_assert_eq(orma_symbolizer_frames(symbolizer, module, s->inlined, f), 3);
    expect(&f[0], "sample_innermost", "/sample_inner.h", 1002);
    expect(&f[1], "sample_middle", "/sample_middle.h", 2002);
    expect(&f[2], "sample_outer", "/sample_outer.c", 3003);
    cr_assert_eq(orma_symbolizer_frames(symbolizer, module, s->plain, f), 1);
    expect(&f[0], "sample_plain", "/sample_plain.c", 4003);
}

static void expect_symbols_only(struct orma_symbolizer *symbolizer,
                                const struct orma_symbolizer_module *module, const struct sample *s)
{
    struct orma_source_frame f[ORMA_SOURCE_FRAMES_MAX];

    cr_assert_eq(orma_symbolizer_frames(symbolizer, module, s->inlined, f), 1);
    expect(&f[0], "sample_outer", "", 0);
}

/* The build id of a file, in hexadecimal. */
static struct orma_str id_of(const char *path)
{
    static char hex[2 * ORMA_BUILD_ID_MAX + 1];
    struct orma_binary_info info;

    cr_assert_eq(orma_binary_peek(path, &info), 0);
    hex[0] = 0;
    for (size_t i = 0; i < info.build_id_len; i++)
        snprintf(hex + 2 * i, 3, "%02x", info.build_id[i]);
    return orma_str_from(hex);
}

static struct orma_symbolizer *symbolizer(const char *paths, enum orma_symbolizer_mode mode)
{
    struct orma_symbolizer *ret = NULL;

    cr_assert_eq(orma_symbolizer_new(paths, mode, &ret), 0);
    return ret;
}

Test(symbols, functions_that_were_compiled_into_others)
{
    NEEDS_LIBDW();
    struct sample s = sample_new();
    struct orma_symbolizer *z = symbolizer(NULL, ORMA_SYMBOLIZER_FIND);
    const struct orma_symbolizer_module m = {.path = ORMA_STR(SAMPLE), .load_bias = UINT64_MAX};
    struct orma_source_frame f[ORMA_SOURCE_FRAMES_MAX];

    cr_assert_str_eq(orma_symbolizer_file(z, &m), SAMPLE);
    expect_all(z, &m, &s);
    cr_assert_eq(orma_symbolizer_frames(z, &m, s.shop, f), 1);
    expect(&f[0], orma_demangle_available() ? "demo::shop(int)" : "_ZN4demo4shopEi",
           "/sample_plain.c", 4011);
    cr_assert_eq(orma_symbolizer_frames(z, &m, 0, f), 0);
    cr_assert_eq(orma_symbolizer_frames(z, &m, UINT64_MAX, f), 0);
    orma_symbolizer_free(z);
    sample_fini(&s);
    orma_assert_no_leaks();
}

Test(symbols, a_stripped_binary_has_names_only)
{
    NEEDS_LIBDW();
    struct sample s = sample_new();
    NEEDS_TOOLS(&s, "strip -g -o stripped sample");
    struct orma_symbolizer *z = symbolizer(NULL, ORMA_SYMBOLIZER_FIND);
    const struct orma_symbolizer_module m = {.path = orma_str_from(in(&s, "stripped")),
                                             .load_bias = UINT64_MAX};

    expect_symbols_only(z, &m, &s);
    orma_symbolizer_free(z);
    sample_fini(&s);
    orma_assert_no_leaks();
}

Test(symbols, debug_information_beside_the_binary)
{
    NEEDS_LIBDW();
    struct sample s = sample_new();
    NEEDS_TOOLS(&s, "mkdir .debug && objcopy --only-keep-debug sample .debug/x.debug && "
                    "strip -g --remove-section=.note.gnu.build-id -o x sample && "
                    "objcopy --remove-section=.note.gnu.build-id .debug/x.debug && "
                    "objcopy --add-gnu-debuglink=.debug/x.debug x && "
                    "cp x y && mkdir other && cp x other/");
    struct orma_symbolizer *z = symbolizer(NULL, ORMA_SYMBOLIZER_FIND);
    struct orma_symbolizer_module m = {.path = orma_str_from(in(&s, "x")), .load_bias = UINT64_MAX};

    expect_all(z, &m, &s); /* by its name and sum */
    m.path = orma_str_from(in(&s, "other/x"));
    expect_symbols_only(z, &m, &s); /* it is not there */
    cr_assert(shell(&s, "printf x >> .debug/x.debug"));
    m.path = orma_str_from(in(&s, "y"));
    expect_symbols_only(z, &m, &s); /* another file of this name */
    orma_symbolizer_free(z);
    sample_fini(&s);
    orma_assert_no_leaks();
}

Test(symbols, debug_information_by_build_id)
{
    NEEDS_LIBDW();
    struct sample s = sample_new();
    struct orma_str id = id_of(SAMPLE);
    char script[1024];

    if (!id.len)
        cr_skip_test("this linker gives no build ids");
    snprintf(script, sizeof(script),
             "mkdir -p root/.build-id/%.2s && objcopy --only-keep-debug sample "
             "root/.build-id/%.2s/%s.debug && strip -g sample && mkdir -p root/opt && "
             "cp sample root/opt/lib.so",
             id.data, id.data, id.data + 2);
    NEEDS_TOOLS(&s, script);
    struct orma_symbolizer *z = symbolizer(in(&s, "root"), ORMA_SYMBOLIZER_FIND);
    struct orma_symbolizer_module m = {ORMA_STR("/opt/lib.so"), id, UINT64_MAX};

    expect_all(z, &m, &s);
    m.path = ORMA_STR("/nowhere/base.apk!lib.so"); /* no such file: the id is enough */
    expect_all(z, &m, &s);
    m.build_id = ORMA_STR("0123456789abcdef");
    m.path = ORMA_STR("/opt/lib.so"); /* another build than the one that is there */
    cr_assert_null(orma_symbolizer_file(z, &m));
    m.build_id = ORMA_STR("not hexadecimal");
    cr_assert_null(orma_symbolizer_file(z, &m));
    m.build_id = ORMA_STR("");
    m.path = ORMA_STR("");
    cr_assert_null(orma_symbolizer_file(z, &m));
    orma_symbolizer_free(z);
    sample_fini(&s);
    orma_assert_no_leaks();
}

Test(symbols, an_index_of_folders)
{
    NEEDS_LIBDW();
    struct sample s = sample_new();
    struct orma_str id = id_of(SAMPLE);
    char paths[512];

    if (!id.len)
        cr_skip_test("this linker gives no build ids");
    NEEDS_TOOLS(&s, "mkdir -p a/b/c d && cp sample a/b/c/what && strip -g sample && "
                    "mv sample a/first && echo text > a/text && mkfifo a/pipe && ln -s . a/circle");
    snprintf(paths, sizeof(paths), "%s:%s", in(&s, "nothing"), in(&s, "a"));
    struct orma_symbolizer *z = symbolizer(paths, ORMA_SYMBOLIZER_INDEX);
    struct orma_symbolizer_module m = {ORMA_STR("any name"), id, UINT64_MAX};

    expect_all(z, &m, &s); /* the one that knows lines */
    m.build_id = ORMA_STR("00");
    cr_assert_null(orma_symbolizer_file(z, &m));
    orma_symbolizer_free(z);
    sample_fini(&s);
    orma_assert_no_leaks();
}

/* The first 16 bytes of the build id as a GUID, as in traces of Chrome. */
Test(symbols, an_id_as_breakpad_writes_it)
{
    NEEDS_LIBDW();
    struct sample s = sample_new();
    struct orma_str id = id_of(SAMPLE);
    const char *h = id.data;
    char guid[64];

    if (id.len < 32)
        cr_skip_test("this linker gives no build ids of 16 bytes");
    snprintf(guid, sizeof(guid), "%.2s%.2s%.2s%.2s%.2s%.2s%.2s%.2s%.16s", h + 6, h + 4, h + 2, h,
             h + 10, h + 8, h + 14, h + 12, h + 16);
    NEEDS_TOOLS(&s, "mkdir a && mv sample a/program");
    struct orma_symbolizer *z = symbolizer(in(&s, "a"), ORMA_SYMBOLIZER_INDEX);
    struct orma_symbolizer_module m = {ORMA_STR("/opt/program"), orma_str_from(guid), UINT64_MAX};

    expect_all(z, &m, &s);
    orma_symbolizer_free(z);
    z = symbolizer(in(&s, "a"), ORMA_SYMBOLIZER_FIND);
    expect_all(z, &m, &s);
    guid[31] ^= 1;
    cr_assert_null(orma_symbolizer_file(z, &m));
    orma_symbolizer_free(z);
    sample_fini(&s);
    orma_assert_no_leaks();
}

Test(symbols, a_load_bias_that_was_taken_for_zero)
{
    NEEDS_LIBDW();
    struct sample s = sample_new();
    struct orma_symbolizer *z = symbolizer(NULL, ORMA_SYMBOLIZER_FIND);
    struct orma_symbolizer_module m = {.path = ORMA_STR(SAMPLE)};
    struct orma_binary_info info;
    struct orma_source_frame f[ORMA_SOURCE_FRAMES_MAX];

    cr_assert_eq(orma_binary_peek(SAMPLE, &info), 0);
    cr_assert(info.has_code && info.has_dwarf && info.has_symbols);
    cr_assert_eq(orma_symbolizer_frames(z, &m, s.inlined - info.load_bias, f), 3);
    orma_symbolizer_free(z);
    sample_fini(&s);
    orma_assert_no_leaks();
}

/* Their load bias makes the hash of two modules the same. */
Test(symbols, modules_whose_hashes_meet_stay_apart)
{
    NEEDS_LIBDW();
    struct sample s = sample_new();
    struct orma_symbolizer *z = symbolizer(NULL, ORMA_SYMBOLIZER_FIND);
    struct orma_symbolizer_module known = {.path = ORMA_STR(SAMPLE), .load_bias = UINT64_MAX};
    struct orma_symbolizer_module other = {.path = ORMA_STR("/nowhere/at/all")};
    struct orma_source_frame f[ORMA_SOURCE_FRAMES_MAX];

    other.load_bias = orma_lookup_module_key(&known) ^ orma_lookup_module_key(&other);
    cr_assert_eq(orma_lookup_module_key(&known), orma_lookup_module_key(&other));
    for (unsigned i = 0; i < 2; i++) {
        cr_assert_str_eq(orma_symbolizer_file(z, &known), SAMPLE);
        cr_assert_null(orma_symbolizer_file(z, &other));
        cr_assert_eq(orma_symbolizer_frames(z, &other, s.shop, f), 0);
        expect_all(z, &known, &s);
    }
    orma_symbolizer_free(z);
    sample_fini(&s);
    orma_assert_no_leaks();
}

Test(symbols, packed_debug_information)
{
    NEEDS_LIBDW();
    struct sample s = sample_new();
    NEEDS_TOOLS(&s, "objcopy --compress-debug-sections=zlib sample packed");
    struct orma_symbolizer *z = symbolizer(NULL, ORMA_SYMBOLIZER_FIND);
    const struct orma_symbolizer_module m = {.path = orma_str_from(in(&s, "packed")),
                                             .load_bias = UINT64_MAX};

    expect_all(z, &m, &s);
    orma_symbolizer_free(z);
    sample_fini(&s);
    orma_assert_no_leaks();
}

#ifdef ORMA_HAVE_ZSTD
/* Debug sections as `objcopy --compress-debug-sections=zstd` leaves them; `lie`: their size is one
 * that they do not have. */
static void pack_by_zstd(const char *from, const char *to, uint64_t lie)
{
    struct orma_buf file = {0};
    Elf64_Shdr *heads, *names;
    Elf64_Ehdr elf;

    cr_assert_eq(orma_fd_read_file(AT_FDCWD, from, SIZE_MAX / 2, &file), 0);
    memcpy(&elf, file.data, sizeof(elf));
    heads = malloc(elf.e_shnum * sizeof(*heads));
    memcpy(heads, file.data + elf.e_shoff, elf.e_shnum * sizeof(*heads));
    names = &heads[elf.e_shstrndx];
    for (unsigned i = 1; i < elf.e_shnum; i++) {
        const char *name = (const char *)file.data + names->sh_offset + heads[i].sh_name;
        const Elf64_Chdr packed = {
            .ch_type = 2, .ch_size = heads[i].sh_size + lie, .ch_addralign = 1};
        size_t room = ZSTD_compressBound(heads[i].sh_size), begin;

        if (strncmp(name, ".debug", 6))
            continue;
        uint8_t *to_bytes = malloc(room);
        size_t len =
            ZSTD_compress(to_bytes, room, file.data + heads[i].sh_offset, heads[i].sh_size, 3);
        cr_assert_not(ZSTD_isError(len));
        while (file.len % 16)
            orma_buf_put_byte(&file, 0);
        begin = file.len;
        orma_buf_put(&file, &packed, sizeof(packed));
        orma_buf_put(&file, to_bytes, len);
        free(to_bytes);
        heads[i].sh_flags |= SHF_COMPRESSED;
        heads[i].sh_offset = begin;
        heads[i].sh_size = sizeof(packed) + len;
        heads[i].sh_addralign = 8;
    }
    memcpy(file.data + elf.e_shoff, heads, elf.e_shnum * sizeof(*heads));
    free(heads);
    int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    cr_assert(fd >= 0 && orma_fd_write_all(fd, file.data, file.len) == 0);
    close(fd);
    orma_buf_fini(&file);
}

Test(symbols, debug_information_packed_by_zstd)
{
    NEEDS_LIBDW();
    struct sample s = sample_new();
    struct orma_symbolizer_module m = {.path = orma_str_from(in(&s, "packed")),
                                       .load_bias = UINT64_MAX};
    static const uint64_t lies[] = {1, 1000000, (uint64_t)1 << 40, UINT64_MAX / 2};

    pack_by_zstd(SAMPLE, in(&s, "packed"), 0);
    struct orma_symbolizer *z = symbolizer(NULL, ORMA_SYMBOLIZER_FIND);
    expect_all(z, &m, &s);
    orma_symbolizer_free(z);
    for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
        struct orma_source_frame f[ORMA_SOURCE_FRAMES_MAX];

        pack_by_zstd(SAMPLE, in(&s, "packed"), lies[i]);
        z = symbolizer(NULL, ORMA_SYMBOLIZER_FIND);
        cr_expect_leq(orma_symbolizer_frames(z, &m, s.inlined, f), 1, "what it claims is not so");
        orma_symbolizer_free(z);
    }
    sample_fini(&s);
    orma_assert_no_leaks();
}
#endif

/* As Fedora strips its programs: a small file of symbols, packed, stays inside. */
Test(symbols, symbols_inside_a_stripped_binary)
{
    NEEDS_LIBDW();
    struct sample s = sample_new();
    struct orma_source_frame f[ORMA_SOURCE_FRAMES_MAX];

    if (!shell(&s, "command -v xz") || !dlopen("liblzma.so.5", RTLD_LAZY))
        cr_skip_test("needs xz and liblzma");
    NEEDS_TOOLS(&s, "strip -g -o mini sample && xz -k mini && "
                    "strip -o x sample && objcopy --add-section .gnu_debugdata=mini.xz x && "
                    "head -c 100 mini.xz > cut && cp x y && "
                    "objcopy --update-section .gnu_debugdata=cut y");
    struct orma_symbolizer *z = symbolizer(NULL, ORMA_SYMBOLIZER_FIND);
    struct orma_symbolizer_module m = {.path = orma_str_from(in(&s, "x")), .load_bias = UINT64_MAX};

    expect_symbols_only(z, &m, &s);
    m.path = orma_str_from(in(&s, "y"));
    cr_expect_eq(orma_symbolizer_frames(z, &m, s.inlined, f), 0, "it is cut off");
    orma_symbolizer_free(z);
    sample_fini(&s);
    orma_assert_no_leaks();
}

Test(symbols, modes_have_names)
{
    enum orma_symbolizer_mode mode;

    cr_assert(orma_symbolizer_mode_of(NULL, &mode) && mode == ORMA_SYMBOLIZER_FIND);
    cr_assert(orma_symbolizer_mode_of("index", &mode) && mode == ORMA_SYMBOLIZER_INDEX);
    cr_assert(orma_symbolizer_mode_of("find", &mode) && mode == ORMA_SYMBOLIZER_FIND);
    cr_assert_not(orma_symbolizer_mode_of("guess", &mode));
}

Test(symbols, what_is_no_binary_is_refused)
{
    NEEDS_LIBDW();
    struct sample s = sample_new();
    struct orma_binary_info info;
    struct orma_binary *b;

    cr_assert(
        shell(&s, "mkfifo pipe && echo text > text && : > empty && printf '\\177ELF' > four"));
    cr_assert_eq(orma_binary_peek(in(&s, "none"), &info), -ENOENT);
    cr_assert_eq(orma_binary_peek(s.dir, &info), -ENOEXEC);
    cr_assert_eq(orma_binary_peek(in(&s, "pipe"), &info), -ENOEXEC); /* and nobody waits */
    cr_assert_eq(orma_binary_peek("/dev/zero", &info), -ENOEXEC);
    cr_assert_eq(orma_binary_open(in(&s, "text"), &b), -ENOEXEC);
    cr_assert_eq(orma_binary_open(in(&s, "empty"), &b), -ENOEXEC);
    cr_assert_eq(orma_binary_open(in(&s, "four"), &b), -ENOEXEC);
    sample_fini(&s);
    orma_assert_no_leaks();
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

/* Bytes of a binary changed at random, and its end cut off: questions get some answer. */
Test(symbols, broken_binaries_do_no_harm, .timeout = 250)
{
    NEEDS_LIBDW();
    struct sample s = sample_new();
    struct orma_buf good = {0};
    uint32_t random = 88172645;
    unsigned found = 0;

    cr_assert_eq(orma_fd_read_file(AT_FDCWD, SAMPLE, SIZE_MAX / 2, &good), 0);
    for (unsigned turn = 0; turn < 200; turn++) {
        const struct orma_symbolizer_module m = {.path = orma_str_from(in(&s, "broken")),
                                                 .load_bias = UINT64_MAX};
        struct orma_source_frame f[ORMA_SOURCE_FRAMES_MAX];
        size_t len = turn % 8 ? good.len : next_random(&random) % good.len;
        uint8_t *bytes = malloc(len + 1);

        cr_assert(bytes);
        memcpy(bytes, good.data, len);
        for (unsigned i = 0; len && i <= turn % 64; i++)
            bytes[next_random(&random) % len] = (uint8_t)next_random(&random);
        int fd = open(in(&s, "broken"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        cr_assert(fd >= 0 && orma_fd_write_all(fd, bytes, len) == 0);
        close(fd);
        free(bytes);
        struct orma_symbolizer *z = symbolizer(NULL, ORMA_SYMBOLIZER_FIND);
        found += orma_symbolizer_frames(z, &m, s.inlined, f) > 0;
        found += orma_symbolizer_frames(z, &m, s.plain, f) > 0;
        orma_symbolizer_free(z);
    }
    cr_expect(found > 50, "only %u of 400 questions had an answer", found);
    orma_buf_fini(&good);
    sample_fini(&s);
    orma_assert_no_leaks();
}

/* Where nothing lies, no process is needed to find nothing. */
Test(symbols, files_that_are_not_there_are_no_reason_to_start_a_worker)
{
    NEEDS_LIBDW();
    struct sample s = sample_new();
    struct orma_symbolizer *z = symbolizer(NULL, ORMA_SYMBOLIZER_FIND);
    const struct {
        struct orma_symbolizer_module module;
        bool may;
    } cases[] = {
        {{.path = ORMA_STR(SAMPLE)}, true},
        {{.path = ORMA_STR(SAMPLE), .build_id = ORMA_STR("00112233445566778899")}, true},
        {{.path = ORMA_STR(SAMPLE ".none")}, false},
        {{.path = ORMA_STR("[vdso]"), .build_id = ORMA_STR("00112233445566778899")}, false},
        {{.path = ORMA_STR("[kernel.kallsyms]"), .build_id = ORMA_STR("00112233445566778899")},
         false},
        {{.path = ORMA_STR("[kernel.kallsyms]")}, false},
        {{.path = ORMA_STR(SAMPLE), .build_id = ORMA_STR("no id")}, false},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++)
        cr_assert_eq(orma_symbolizer_may_find(z, &cases[i].module), cases[i].may, "case %u", i);
    cr_assert_eq(orma_symbolizer_worker(z), 0);
    orma_symbolizer_free(z);
    z = symbolizer(s.dir, ORMA_SYMBOLIZER_INDEX); /* it must be read to know */
    cr_assert(orma_symbolizer_may_find(z, &cases[1].module));
    cr_assert_not(orma_symbolizer_may_find(z, &cases[0].module));
    orma_symbolizer_free(z);
    sample_fini(&s);
    orma_assert_no_leaks();
}

/* Whatever ends the process that reads binaries: another one takes over. */
Test(symbols, a_lost_worker_is_replaced)
{
    NEEDS_LIBDW();
    struct sample s = sample_new();
    struct orma_symbolizer *z = symbolizer(NULL, ORMA_SYMBOLIZER_FIND);
    const struct orma_symbolizer_module m = {.path = ORMA_STR(SAMPLE), .load_bias = UINT64_MAX};
    struct orma_source_frame f[ORMA_SOURCE_FRAMES_MAX];

    cr_assert_eq(orma_symbolizer_worker(z), 0);
    expect_all(z, &m, &s);
    pid_t first = orma_symbolizer_worker(z);
    cr_assert_gt(first, 0);
    cr_assert_eq(kill(first, SIGKILL), 0);
    expect_all(z, &m, &s);
    cr_assert_neq(orma_symbolizer_worker(z), first);
    for (unsigned i = 0; i < 40; i++) { /* no end of workers is a sign of something else */
        (void)kill(orma_symbolizer_worker(z), SIGKILL);
        (void)orma_symbolizer_frames(z, &m, s.plain, f);
        if (!orma_symbolizer_worker(z))
            break;
    }
    cr_assert_eq(orma_symbolizer_worker(z), 0);
    cr_assert_eq(orma_symbolizer_frames(z, &m, s.plain, f), 0);
    cr_assert_eq(orma_symbolizer_broken(z), 0);
    orma_symbolizer_free(z);
    sample_fini(&s);
    orma_assert_no_leaks();
}
