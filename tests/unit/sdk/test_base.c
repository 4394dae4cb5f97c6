#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/arena.h"
#include "sdk/base/buf.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/base/list.h"
#include "sdk/base/map.h"
#include "sdk/base/nearest.h"
#include "sdk/base/path.h"
#include "sdk/base/replace.h"
#include "sdk/base/str.h"
#include "tests/support/leaks.h"

Test(str, finds_text_in_text_and_nothing_nowhere)
{
    struct orma_str s = ORMA_STR("abcabc");

    cr_assert_eq(orma_str_find(s, ORMA_STR("ca")), s.data + 2);
    cr_assert_eq(orma_str_find(s, ORMA_STR("abcabc")), s.data);
    cr_assert_null(orma_str_find(s, ORMA_STR("abcabcd")));
    cr_assert_null(orma_str_find(s, ORMA_STR("")));
    s = ORMA_STR(" a  ==> b ==> c");
    cr_assert_eq(orma_str_find(s, ORMA_STR(" ==> ")), s.data + 3);
    cr_assert_eq(orma_str_find(s, ORMA_STR(" ")), s.data);
    cr_assert_eq(orma_str_find(s, ORMA_STR("c")), s.data + s.len - 1);
    cr_assert_eq(orma_str_find((struct orma_str){s.data + 1, s.len - 1}, ORMA_STR(" a")), NULL);
    cr_assert_null(orma_str_find((struct orma_str){s.data, s.len - 1}, ORMA_STR(" c")));
    cr_assert_null(orma_str_find((struct orma_str){NULL, 0}, ORMA_STR("a")));
    orma_assert_no_leaks();
}

Test(nearest, is_what_few_slips_make_of_it)
{
    static const char *const known[] = {"slices", "slice", "sched", "thread_slice", "ts", "duration_ms"};
    static const struct {
        const char *wanted, *near;
    } cases[] = {
        {"slcie", "slice"},  {"SLICE", "slice"},
        {"schedd", "sched"}, {"thraed_slic", "thread_slice"},
        {"tss", "ts"},       {"duration", "duration_ms"},
        {"t", NULL},         {"", NULL},
        {"spice_x", NULL},   {"splat", NULL},
        {"st", "ts"},        {"slic", "slice"},
    };
    char longest[4096];

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_nearest n = {.wanted = orma_str_from(cases[i].wanted)};
        for (size_t k = 0; k < ORMA_ARRAY_LEN(known); k++)
            orma_nearest_consider(&n, known[k]);
        const char *got = orma_nearest_get(&n);
        cr_assert_eq(!got, !cases[i].near, "%s: %s", cases[i].wanted, got);
        cr_assert(!got || !strcmp(got, cases[i].near), "%s: %s", cases[i].wanted, got);
    }
    memset(longest, 's', sizeof(longest));
    struct orma_nearest n = {.wanted = {longest, sizeof(longest)}};
    cr_assert(orma_nearest_consider(&n, "slice"));
    cr_assert_not(orma_nearest_consider(&n, "x"));
}

Test(str, cuts_every_part_even_empty_ones)
{
    struct orma_str rest = ORMA_STR("a,,bc"), part;

    cr_assert(orma_str_cut(&rest, ',', &part) && orma_str_eq_c(part, "a"));
    cr_assert(orma_str_cut(&rest, ',', &part) && orma_str_eq_c(part, ""));
    cr_assert(orma_str_cut(&rest, ',', &part) && orma_str_eq_c(part, "bc"));
    cr_assert(!orma_str_cut(&rest, ',', &part));
}

Test(str, parses_numbers_strictly)
{
    static const struct {
        const char *text;
        bool ok;
        uint64_t val;
    } cases[] = {
        {"0", true, 0},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"0x10", true, 16},
        {"0xg", false, 0},
        {"", false, 0},
        {" 1", false, 0},
        {"-1", false, 0},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        uint64_t val = 0;

        cr_assert_eq(orma_str_to_u64(orma_str_from(cases[i].text), &val), cases[i].ok, "%s",
                     cases[i].text);
        cr_assert_eq(val, cases[i].val, "%s", cases[i].text);
    }
    int64_t val;
    cr_assert(orma_str_to_i64(ORMA_STR("-9223372036854775808"), &val) && val == INT64_MIN);
    cr_assert(!orma_str_to_i64(ORMA_STR("9223372036854775808"), &val));
}

Test(buf, failure_is_sticky)
{
    struct orma_buf b = {0};

    orma_buf_put_str(&b, "abc");
    cr_assert(!orma_buf_reserve(&b, ORMA_BUF_MAX));
    orma_buf_put_str(&b, "def");
    cr_assert(b.failed && b.len == 3);
    orma_buf_clear(&b);
    orma_buf_printf(&b, "%d-%s", 7, "x");
    cr_assert_str_eq(orma_buf_cstr(&b), "7-x");
    orma_buf_consume(&b, 2);
    cr_assert_str_eq(orma_buf_cstr(&b), "x");
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}

struct item {
    int n;
    struct orma_list link;
};

Test(list, elements_may_leave_inside_the_loop)
{
    struct orma_list head;
    struct item items[3] = {{.n = 0}, {.n = 1}, {.n = 2}};
    int sum = 0;

    orma_list_init(&head);
    for (int i = 0; i < 3; i++)
        orma_list_insert(&head, &items[i].link);
    ORMA_LIST_EACH (struct item, it, &head, link) {
        sum += it->n;
        orma_list_remove(&it->link);
    }
    cr_assert_eq(sum, 3);
    cr_assert(orma_list_empty(&head));
}

/* Against an array that does the obvious. */
Test(map, agrees_with_a_plain_array)
{
    struct orma_map m = {0};
    uint64_t model[256];
    size_t len = 0;

    memset(model, 0xff, sizeof(model));
    srand(1);
    for (int step = 0; step < 20000; step++) {
        uint64_t key = (uint64_t)rand() % 256, val = (uint64_t)rand();

        if (rand() % 2) {
            cr_assert_eq(orma_map_put(&m, key, val), 0);
            len += model[key] == ORMA_MAP_NONE;
            model[key] = val;
        } else {
            cr_assert_eq(orma_map_take(&m, key), model[key]);
            len -= model[key] != ORMA_MAP_NONE;
            model[key] = ORMA_MAP_NONE;
        }
        cr_assert_eq(m.len, len);
    }
    for (uint64_t key = 0; key < 256; key++)
        cr_assert_eq(orma_map_get(&m, key), model[key]);
    size_t seen = 0;
    ORMA_MAP_EACH (slot, &m)
        seen++;
    cr_assert_eq(seen, len);
    orma_map_fini(&m);
    orma_assert_no_leaks();
}

Test(arena, keeps_small_and_large_things_apart)
{
    struct orma_arena a = {0};
    char *large = orma_arena_alloc(&a, 3 << 20);
    const char *s = orma_arena_strdup(&a, ORMA_STR("text"));

    memset(large, 1, 3 << 20);
    cr_assert_str_eq(s, "text");
    cr_assert_null(orma_arena_alloc(&a, SIZE_MAX));
    orma_arena_fini(&a);
    orma_assert_no_leaks();
}

Test(clock, advances_and_knows_its_names)
{
    uint64_t a = orma_clock_boottime(), b = orma_clock_boottime();

    cr_assert(a && b >= a);
    cr_assert_eq(orma_clock_now((enum orma_clock)99), 0);
}

Test(fd, shared_memory_cannot_shrink)
{
    int fd = orma_fd_shared_memory("test", 8192);

    cr_assert_geq(fd, 0);
    cr_assert_eq(ftruncate(fd, 4096), -1);
    cr_assert_eq(errno, EPERM);
    orma_fd_close(&fd);
    cr_assert_eq(fd, -1);
}

/* From here on memfd_create() fails, as on a kernel that does not have it. */
static void forbid_memfd(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_memfd_create, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog prog = {ORMA_ARRAY_LEN(code), code};

    cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0)
        cr_skip_test("no seccomp here: %s", strerror(errno));
}

/* A file in its place could be cut by the other side, which kills who has it mapped. */
Test(fd, shared_memory_is_sealed_or_not_there)
{
    forbid_memfd();
    cr_assert_eq(orma_fd_shared_memory("test", 8192), -ENOSYS);
}

Test(fd, a_file_over_the_limit_is_refused)
{
    struct orma_buf b = {0};

    cr_assert_eq(orma_fd_read_file(AT_FDCWD, "/proc/self/maps", 10, &b), -EFBIG);
    cr_assert_eq(orma_fd_read_file(AT_FDCWD, "/nonexistent/file", 10, &b), -ENOENT);
    orma_buf_fini(&b);
}

/* The keys that the mixer brings to one place of a map of any size. */
static uint64_t chosen_key(uint64_t i)
{
    uint64_t x = i << 40;

    x ^= x >> 33;
    x *= 0x9cb4b2f8129337dbu; /* the inverse of 0xc4ceb9fe1a85ec53 */
    x ^= x >> 33;
    x *= 0x4f74430c22a54005u; /* and of 0xff51afd7ed558ccd */
    return x ^ x >> 33;
}

/* Without a defence each would look at all before it: 2 * 10^10 steps. */
Test(map, keys_that_were_chosen_to_meet_do_not)
{
    const uint64_t num = 200000;
    struct orma_map map = {0};
    clock_t begun = clock();

    cr_assert_eq(orma_mix64(chosen_key(5)) & 0xffffffffff, 0);
    for (uint64_t i = 1; i <= num; i++)
        cr_assert_eq(orma_map_put(&map, chosen_key(i), i), 0);
    cr_assert_neq(map.seed, 0);
    for (uint64_t i = 1; i <= num; i++)
        cr_assert_eq(orma_map_get(&map, chosen_key(i)), i);
    for (uint64_t i = 1; i <= num; i += 2)
        cr_assert_eq(orma_map_take(&map, chosen_key(i)), i);
    for (uint64_t i = 1; i <= num; i++)
        cr_assert_eq(orma_map_get(&map, chosen_key(i)), i % 2 ? ORMA_MAP_NONE : i);
    cr_assert_lt((clock() - begun) / CLOCKS_PER_SEC, 10);
    orma_map_fini(&map);
    orma_assert_no_leaks();
}

Test(map, honest_keys_lie_where_they_always_do)
{
    struct orma_map map = {0};

    for (uint64_t i = 1; i <= 1000000; i++)
        cr_assert_eq(orma_map_put(&map, i, i), 0);
    cr_assert_eq(map.seed, 0);
    orma_map_fini(&map);
    orma_assert_no_leaks();
}

/* ---- results in the place of files ---- */

static void expect_file(const char *path, const char *text)
{
    struct orma_buf got = {0};

    cr_assert_eq(orma_fd_read_file(AT_FDCWD, path, 1000, &got), 0);
    cr_assert_str_eq(orma_buf_cstr(&got), text);
    orma_buf_fini(&got);
}

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);

    cr_assert_eq(orma_fd_write_all(fd, text, strlen(text)), 0);
    close(fd);
}

static unsigned files_in(const char *path)
{
    DIR *dir = opendir(path);
    unsigned num = 0;

    for (struct dirent *e; (e = readdir(dir));)
        num += e->d_name[0] != '.';
    closedir(dir);
    return num;
}

Test(replace, who_reads_the_old_file_keeps_it)
{
    char dir[] = "/tmp/orma-replace-XXXXXX", path[64], link[64];
    struct stat st;

    cr_assert(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/t", dir);
    snprintf(link, sizeof(link), "%s/link", dir);
    write_file(path, "old");
    cr_assert_eq(symlink("t", link), 0);
    int reader = open(path, O_RDONLY | O_CLOEXEC), fd = open(link, O_RDWR | O_CLOEXEC);
    cr_assert_eq(orma_replace_begin(&fd, link), 0);
    expect_file(path, "");
    cr_assert_eq(orma_fd_write_all(fd, "new", 3), 0);
    expect_file(path, "new"); /* readable at any time */
    cr_assert_eq(fstat(fd, &st), 0);
    cr_assert_eq(st.st_mode & 0777, 0640);
    cr_assert_eq(lstat(link, &st), 0);
    cr_assert(S_ISLNK(st.st_mode));
    char old[4] = "";
    cr_assert_eq(read(reader, old, 3), 3);
    cr_assert_str_eq(old, "old");
    cr_assert_eq(files_in(dir), 2);
    close(reader);
    close(fd);
    unlink(link);
    unlink(path);
    rmdir(dir);
    orma_assert_no_leaks();
}

Test(replace, a_whole_result_or_the_old_file)
{
    char dir[] = "/tmp/orma-replace-XXXXXX", path[64];
    struct orma_whole w;

    cr_assert(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/t", dir);
    write_file(path, "old");
    cr_assert_eq(orma_whole_open(&w, path, true, 0644), -EEXIST);
    for (unsigned good = 0; good < 2; good++) {
        cr_assert_eq(orma_whole_open(&w, path, false, 0644), 0);
        cr_assert_eq(orma_fd_write_all(w.fd, "new", 3), 0);
        expect_file(path, "old");
        cr_assert_eq(orma_whole_close(&w, good), 0);
        expect_file(path, good ? "new" : "old");
        cr_assert_eq(files_in(dir), 1);
    }
    unlink(path);
    for (unsigned good = 0; good < 2; good++) {
        cr_assert_eq(orma_whole_open(&w, path, true, 0644), 0);
        cr_assert_eq(orma_whole_close(&w, good), 0);
        cr_assert_eq(files_in(dir), good);
    }
    unlink(path);
    rmdir(dir);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), before = null;
    cr_assert_eq(orma_replace_begin(&null, "/dev/null"), 0);
    cr_assert_eq(null, before);
    cr_assert_eq(orma_whole_open(&w, "/dev/null", false, 0644), 0);
    cr_assert_eq(orma_whole_close(&w, false), 0);
    cr_assert_eq(access("/dev/null", W_OK), 0);
    close(null);
    orma_assert_no_leaks();
}

Test(path, base_is_what_stands_behind_the_last_slash)
{
    static const struct {
        const char *path, *base, *trimmed;
    } cases[] = {{"a/b/c", "c", "c"}, {"c", "c", "c"}, {"/c", "c", "c"}, {"a/b/", "", "b"},
                 {"a//", "", "a"},    {"/", "", ""},   {"", "", ""}};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_str path = orma_str_from(cases[i].path);

        cr_assert_str_eq(orma_path_base(cases[i].path), cases[i].base);
        cr_assert(orma_str_eq_c(orma_path_base_of(path), cases[i].base), "%s", cases[i].path);
        cr_assert(orma_str_eq_c(orma_path_base_of(orma_path_trim(path)), cases[i].trimmed), "%s", cases[i].path);
    }
    cr_assert(orma_str_eq_c(orma_path_trim(orma_str_from("//")), "/"));
}

/* In somebody else's program: no handler runs, no default action ends it, and what was pending stays. */
Test(fd, writes_without_a_signal)
{
    struct rlimit small = {.rlim_cur = 4, .rlim_max = RLIM_INFINITY};
    char path[] = "/tmp/orma-test-XXXXXX";
    sigset_t waiting;
    int ends[2];

    cr_assert_eq(pipe(ends), 0);
    (void)close(ends[0]);
    cr_assert_eq(orma_fd_write_unsignalled(ends[1], "x", 1), -EPIPE);
    (void)close(ends[1]);
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    (void)unlink(path);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    cr_assert_eq(orma_fd_write_unsignalled(fd, "12345678", 8), -EFBIG);
    (void)close(fd);
    cr_assert_eq(sigpending(&waiting), 0);
    cr_assert_not(sigismember(&waiting, SIGPIPE));
    cr_assert_not(sigismember(&waiting, SIGXFSZ));
}

Test(fd, opens_files_only)
{
    char folder[] = "/tmp/orma-test-XXXXXX", path[64], link[64];

    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/fifo", folder);
    snprintf(link, sizeof(link), "%s/link", folder);
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_assert_eq(orma_fd_open_regular(AT_FDCWD, path, 0), -EINVAL);
    cr_assert_eq(open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC), -1, "nobody had it open for reading");
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(orma_fd_open_regular(AT_FDCWD, path, 0), -ENOENT);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    cr_assert_geq(fd, 0);
    (void)close(fd);
    cr_assert_eq(symlink(path, link), 0);
    cr_assert_eq(orma_fd_open_regular(AT_FDCWD, link, O_NOFOLLOW), -EINVAL);
    fd = orma_fd_open_regular(AT_FDCWD, link, 0);
    cr_assert_geq(fd, 0);
    (void)close(fd);
    (void)unlink(link);
    (void)unlink(path);
    (void)rmdir(folder);
}
