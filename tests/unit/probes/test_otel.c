#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/otel/thread.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"

#define BASE UINT64_C(0x7f0000000000)
#define SIZE 65536u

/* A process of so many bytes from BASE on; the rest cannot be read. */
static uint8_t bytes[SIZE];
static int reads, change_at; /* the read before which the time of publishing changes */

struct header {
    char signature[8];
    uint32_t version, size;
    uint64_t published_ns, payload;
};

static bool read_bytes(void *ctx, uint64_t address, void *to, size_t len)
{
    (void)ctx;
    if (++reads == change_at)
        bytes[16]++;
    if (address < BASE || address - BASE > SIZE || len > SIZE - (address - BASE))
        return false;
    memcpy(to, bytes + (address - BASE), len);
    return true;
}

static const struct orma_otel_memory memory = {read_bytes, NULL};

static void put_attribute(struct orma_buf *b, uint32_t field, const char *key, uint32_t kind,
                          uint64_t value, const char *text)
{
    size_t at = orma_pb_begin(b, field);

    orma_pb_put_cstr(b, 1, key);
    size_t in = orma_pb_begin(b, 2);
    if (text)
        orma_pb_put_cstr(b, kind, text);
    else if (kind == 4)
        orma_pb_put_fixed64(b, kind, value);
    else
        orma_pb_put_u64(b, kind, value);
    orma_pb_end(b, in);
    orma_pb_end(b, at);
}

static void publish(const struct orma_buf *payload)
{
    struct header h = {.version = 2, .published_ns = 7, .payload = BASE + 4096};

    memset(bytes, 0, sizeof(bytes));
    reads = change_at = 0;
    memcpy(h.signature, "OTEL_CTX", 8);
    h.size = (uint32_t)payload->len;
    memcpy(bytes, &h, sizeof(h));
    memcpy(bytes + 4096, payload->data, payload->len);
}

static void append(void *ctx, struct orma_str key, struct orma_str value)
{
    orma_buf_printf(ctx, "%.*s=%.*s ", (int)key.len, key.data, (int)value.len, value.data);
}

Test(otel_process, is_found_by_the_name_of_its_mapping)
{
    const struct orma_str maps =
        ORMA_STR("55d0-55d1 r-xp 0 00:00 1 /bin/OTEL_CTX\n"
                 "7f10aa000-7f10ab000 rw-p 00000000 00:01 236888     /memfd:OTEL_CTX (deleted)\n");

    cr_assert_eq(orma_otel_process_find(maps), 0x7f10aa000);
    cr_assert_eq(orma_otel_process_find(ORMA_STR("7f20-7f21 rw-p 0 00:00 0 [anon:OTEL_CTX]")),
                 0x7f20);
    cr_assert_eq(orma_otel_process_find(ORMA_STR("7f20-7f21 rw-p 0 00:00 0 [anon:MY_OTEL_CTX]")),
                 0);
    cr_assert_eq(orma_otel_process_find(ORMA_STR("")), 0);
}

Test(otel_process, shows_texts_and_numbers_of_the_resource)
{
    struct orma_buf payload = {0}, got = {0}, text = {0};
    uint64_t time;
    size_t at = orma_pb_begin(&payload, 1);

    put_attribute(&payload, 1, "service.name", 1, 0, "shop");
    put_attribute(&payload, 1, "yes", 2, 1, NULL);
    put_attribute(&payload, 1, "n", 3, (uint64_t)-5, NULL);
    put_attribute(&payload, 1, "half", 4, 0x3fe0000000000000, NULL);
    put_attribute(&payload, 1, "list", 5, 0, "left out");
    put_attribute(&payload, 1, "", 1, 0, "no key");
    orma_pb_end(&payload, at);
    put_attribute(&payload, 2, "threadlocal.schema_version", 1, 0, "tlsdesc_v1_dev");
    publish(&payload);
    cr_assert(orma_otel_process_read(&memory, BASE, &time, &got));
    cr_assert_eq(time, 7);
    orma_otel_process_attributes(orma_buf_str(&got), append, &text);
    orma_buf_put_byte(&text, 0);
    cr_assert_str_eq((char *)text.data, "service.name=shop yes=true n=-5 half=0.5 ");
    orma_buf_fini(&payload);
    orma_buf_fini(&got);
    orma_buf_fini(&text);
    orma_assert_no_leaks();
}

Test(otel_process, is_not_read_while_it_changes_or_makes_no_sense)
{
    static const struct {
        const char *what;
        size_t at;
        uint8_t val;
    } cases[] = {{"signature", 0, 'X'},
                 {"version", 8, 1},
                 {"larger than allowed", 14, 1},
                 {"time 0", 16, 0},
                 {"payload elsewhere", 31, 0x10}};
    struct orma_buf payload = {0}, got = {0};
    uint64_t time;

    put_attribute(&payload, 1, "a", 1, 0, "b");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        publish(&payload);
        bytes[cases[i].at] = cases[i].val;
        cr_assert(!orma_otel_process_read(&memory, BASE, &time, &got), "%s", cases[i].what);
    }
    publish(&payload);
    change_at = 3; /* the second look at the header */
    cr_assert(!orma_otel_process_read(&memory, BASE, &time, &got));
    publish(&payload);
    cr_assert(!orma_otel_process_read(&memory, BASE + SIZE - 8, &time, &got), "ends before");
    orma_buf_fini(&payload);
    orma_buf_fini(&got);
}

Test(otel_process, takes_any_payload)
{
    struct orma_buf text = {0};
    uint8_t junk[256];
    unsigned seed = 1;

    for (int round = 0; round < 20000; round++) {
        size_t len = (size_t)rand_r(&seed) % sizeof(junk);

        for (size_t i = 0; i < len; i++)
            junk[i] = (uint8_t)(rand_r(&seed) % 4 ? rand_r(&seed) % 24 : rand_r(&seed));
        orma_buf_clear(&text);
        orma_otel_process_attributes((struct orma_str){(char *)junk, len}, append, &text);
    }
    orma_buf_fini(&text);
}

#ifdef __x86_64__
#define POINTER (BASE + 8192)
#define LIST (POINTER + 0x2e0)

static void put_word(uint64_t address, uint64_t val)
{
    memcpy(bytes + (address - BASE), &val, sizeof(val));
}

static const uint8_t ids[] = "\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef"
                             "\xfe\xdc\xba\x98\x76\x54\x32\x10\x01";

static void set_up_thread(uint64_t variable)
{
    memset(bytes, 0, sizeof(bytes));
    reads = change_at = 0;
    put_word(POINTER, POINTER);
    put_word(POINTER + 8, BASE + 16384); /* its table of blocks */
    put_word(LIST, LIST);                /* an empty list begins with its own address, too */
    put_word(variable, BASE + 1024);
    memcpy(bytes + 1024, ids, sizeof(ids));
}

Test(otel_thread, pointer_is_found_from_the_list_of_locks)
{
    set_up_thread(BASE);
    cr_assert_eq(orma_otel_thread_pointer(&memory, LIST), POINTER);
    put_word(POINTER, 0);
    cr_assert_eq(orma_otel_thread_pointer(&memory, LIST), 0,
                 "nothing that begins with its address");
    cr_assert_eq(orma_otel_thread_pointer(&memory, LIST + 1), 0);
    cr_assert_eq(orma_otel_thread_pointer(&memory, 0), 0);
    cr_assert_eq(orma_otel_thread_pointer(&memory, UINT64_MAX - 7), 0);
    /* Nothing can be read before the page. */
    put_word(BASE, BASE);
    cr_assert_eq(orma_otel_thread_pointer(&memory, BASE + 0x2e0), BASE);
}

Test(otel_thread, ids_are_read_wherever_the_variable_is)
{
    const struct orma_otel_place fixed = {ORMA_OTEL_FIXED, (uint64_t)-64, 0};
    const struct orma_otel_place word = {ORMA_OTEL_DISTANCE, 512, 0};
    const struct orma_otel_place descriptor = {ORMA_OTEL_DESCRIPTOR, 512, 0};
    const struct orma_otel_place module = {ORMA_OTEL_MODULE, 512, 16};
    struct orma_otel_place settled = descriptor;
    struct orma_otel_ids got;

    set_up_thread(POINTER - 64);
    cr_assert(orma_otel_thread_read(&memory, &fixed, 0, POINTER, &got));
    cr_assert_eq(memcmp(&got, ids, 24), 0);
    put_word(BASE + 512, (uint64_t)-64);
    cr_assert(orma_otel_thread_read(&memory, &word, BASE, POINTER, &got));
    put_word(BASE + 512, 0x1234);
    put_word(BASE + 520, (uint64_t)-64);
    cr_assert(orma_otel_thread_read(&memory, &descriptor, BASE, POINTER, &got));
    orma_otel_thread_settle(&memory, BASE, &settled);
    cr_assert(settled.kind == ORMA_OTEL_FIXED && settled.value == (uint64_t)-64);

    /* In a block of module 3, which lies anywhere. */
    set_up_thread(BASE + 2048 + 16);
    put_word(BASE + 512, 3);
    put_word(BASE + 16384 + 48, BASE + 2048);
    cr_assert(orma_otel_thread_read(&memory, &module, BASE, POINTER, &got));
    put_word(BASE + 520, BASE + 600);
    put_word(BASE + 600, 3);
    put_word(BASE + 608, 16);
    settled = descriptor;
    orma_otel_thread_settle(&memory, BASE, &settled);
    cr_assert_eq(settled.kind, ORMA_OTEL_DESCRIPTOR);
    cr_assert(orma_otel_thread_read(&memory, &settled, BASE, POINTER, &got));
    put_word(BASE + 16384 + 48, UINT64_MAX); /* this thread has none yet */
    cr_assert(!orma_otel_thread_read(&memory, &settled, BASE, POINTER, &got));
    put_word(BASE + 600, 1u << 20);
    cr_assert(!orma_otel_thread_read(&memory, &settled, BASE, POINTER, &got));
}

Test(otel_thread, says_nothing_while_it_works_on_nothing)
{
    const struct orma_otel_place fixed = {ORMA_OTEL_FIXED, (uint64_t)-64, 0};
    struct orma_otel_ids got;

    set_up_thread(POINTER - 64);
    bytes[1024 + 24] = 0;
    cr_assert(!orma_otel_thread_read(&memory, &fixed, 0, POINTER, &got), "not valid");
    bytes[1024 + 24] = 1;
    memset(bytes + 1024, 0, 16);
    cr_assert(!orma_otel_thread_read(&memory, &fixed, 0, POINTER, &got), "no trace");
    put_word(POINTER - 64, 0);
    cr_assert(!orma_otel_thread_read(&memory, &fixed, 0, POINTER, &got), "nothing set");
    put_word(POINTER - 64, UINT64_MAX);
    cr_assert(!orma_otel_thread_read(&memory, &fixed, 0, POINTER, &got), "an address that is none");
}

Test(otel_thread, takes_any_file)
{
    struct orma_otel_place place;
    FILE *f = fopen("/proc/self/exe", "rb");
    static uint8_t file[1u << 20], changed[1u << 20];
    unsigned seed = 1;

    cr_assert(f);
    size_t len = fread(file, 1, sizeof(file), f);
    fclose(f);
    (void)orma_otel_thread_place(file, len, &place);
    for (int round = 0; round < 300; round++) {
        memcpy(changed, file, len);
        for (int i = 0; i < 200; i++) /* the head, then anywhere */
            changed[i < 8 ? 16 + (size_t)rand_r(&seed) % 48 : (size_t)rand_r(&seed) % len] =
                (uint8_t)rand_r(&seed);
        (void)orma_otel_thread_place(changed, round % 2 ? len : (size_t)rand_r(&seed) % len,
                                     &place);
    }
}
#endif
