/*
 * The pieces that unwinding is made of: expressions, and files with their rules.
 */
#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probes/unwind/expr.h"
#include "probes/unwind/unwind.h"
#include "sdk/base/defs.h"
#include "tests/support/leaks.h"

Test(unwind_file, expressions)
{
    static const struct {
        const char *what;
        uint8_t code[16];
        size_t len;
        bool good;
        uint64_t is;
    } cases[] = {
        {"the procedure linkage table",
         {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22},
         11,
         true,
         0x1008 + 8},
        {"memory", {0x77, 0, 0x06}, 3, true, 0xabcd},
        {"a constant", {0x0a, 0x34, 0x12}, 3, true, 0x1234},
        {"a negative one", {0x09, 0xff}, 2, true, UINT64_MAX},
        {"division by zero", {0x31, 0x30, 0x1b}, 3, false, 0},
        {"nothing to take", {0x22}, 1, false, 0},
        {"memory that is not there", {0x30, 0x06}, 2, false, 0},
        {"cut short", {0x0a, 0x34}, 2, false, 0},
        {"for ever", {0x2f, 0xfd, 0xff}, 3, false, 0},
        {"nothing", {0}, 0, false, 0},
    };
    const uint64_t stack[2] = {0xabcd, 0};
    struct orma_unwind_state state = {.known = ORMA_UNWIND_BIT(ORMA_UNWIND_REGS) - 1,
                                      .stack = (const uint8_t *)stack,
                                      .stack_len = sizeof(stack),
                                      .stack_address = 0x1000};

    state.regs[ORMA_UNWIND_SP] = 0x1000;
    state.regs[ORMA_UNWIND_PC] = 0x40b; /* 11 behind a border of 16 */
    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        uint64_t val = 0;

        cr_expect_eq(orma_unwind_expr(cases[i].code, cases[i].len, &state, NULL, &val),
                     cases[i].good, "%s", cases[i].what);
        if (cases[i].good)
            cr_expect_eq(val, cases[i].is, "%s: %llx", cases[i].what, (unsigned long long)val);
    }
}

Test(unwind_file, tells_how_a_file_was_compiled)
{
    struct orma_unwind_file *file;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    cr_assert_eq(orma_unwind_file_read(fd, &file), 0);
    cr_expect_geq(orma_unwind_file_frame_pointers(file), 0);
    cr_expect_leq(orma_unwind_file_frame_pointers(file), 100);
    orma_unwind_file_free(file);
    close(fd);
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    cr_expect_eq(orma_unwind_file_read(fd, &file), -ENOEXEC);
    close(fd);
    orma_assert_no_leaks();
}

/* As a library that is installed over while it is watched. */
Test(unwind_file, survives_a_file_that_is_truncated)
{
    char path[] = "/tmp/orma-unwind-XXXXXX", bytes[65536];
    struct orma_unwind_file *file;
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = mkstemp(path);
    ssize_t n;

    cr_assert(from >= 0 && to >= 0);
    while ((n = read(from, bytes, sizeof(bytes))) > 0)
        cr_assert_eq(write(to, bytes, (size_t)n), n);
    cr_assert_eq(orma_unwind_file_read(to, &file), 0);
    cr_expect_gt(orma_unwind_file_frame_pointers(file), -1);
    cr_assert_eq(ftruncate(to, 0), 0);
    for (uint64_t pc = 0x1000; pc < 0x9000; pc += 16)
        cr_expect_null(orma_unwind_file_rule(file, pc));
    cr_expect_eq(orma_unwind_file_frame_pointers(file), -1);
    orma_unwind_file_free(file);
    cr_assert_eq(unlink(path), 0);
    close(to);
    close(from);
    orma_assert_no_leaks();
}

/* ---- the table of functions ---- */

#define QUESTIONS 65536u

struct copy {
    int fd;
    uint64_t table, table_len; /* in the file */
    uint64_t code, code_len;   /* addresses */
};

static void copy_self(struct copy *ret)
{
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    uint8_t bytes[4096];
    Elf64_Ehdr elf;
    Elf64_Phdr head;
    ssize_t n;

    *ret = (struct copy){.fd = memfd_create("copy", MFD_CLOEXEC)};
    cr_assert(from >= 0 && ret->fd >= 0);
    while ((n = read(from, bytes, sizeof(bytes))) > 0)
        cr_assert_eq(write(ret->fd, bytes, (size_t)n), n);
    close(from);
    cr_assert_eq(pread(ret->fd, &elf, sizeof(elf), 0), (ssize_t)sizeof(elf));
    for (unsigned i = 0; i < elf.e_phnum; i++) {
        n = pread(ret->fd, &head, sizeof(head), (off_t)(elf.e_phoff + i * sizeof(head)));
        cr_assert_eq(n, (ssize_t)sizeof(head));
        if (head.p_type == PT_GNU_EH_FRAME) {
            ret->table = head.p_offset + 12; /* behind what the header says of it */
            ret->table_len = head.p_filesz - 12;
        } else if (head.p_type == PT_LOAD && head.p_flags & PF_X) {
            ret->code = head.p_vaddr;
            ret->code_len = head.p_filesz;
        }
    }
    cr_assert(ret->table && ret->code);
}

/* The answers do not depend on whether there is an index yet. */
Test(unwind_file, asked_in_any_order)
{
    struct orma_unwind_file *up = NULL, *down;
    unsigned found = 0;
    struct copy copy;

    copy_self(&copy);
    cr_assert_eq(orma_unwind_file_read(copy.fd, &down), 0);
    for (uint64_t i = QUESTIONS; i > 0; i--)
        (void)orma_unwind_file_rule(down, copy.code + i * copy.code_len / QUESTIONS);
    for (uint64_t i = 0; i < QUESTIONS; i++) {
        const uint64_t pc = copy.code + i * copy.code_len / QUESTIONS;

        if (i % 1024 == 0) { /* one without an index */
            orma_unwind_file_free(up);
            cr_assert_eq(orma_unwind_file_read(copy.fd, &up), 0);
        }
        const struct orma_unwind_rule *a = orma_unwind_file_rule(up, pc),
                                      *b = orma_unwind_file_rule(down, pc);
        cr_assert_eq(!a, !b, "0x%lx", (unsigned long)pc);
        cr_assert(!a || memcmp(a, b, sizeof(*a)) == 0, "0x%lx", (unsigned long)pc);
        found += a != NULL;
    }
    cr_expect_gt(found, QUESTIONS / 4);
    orma_unwind_file_free(up);
    orma_unwind_file_free(down);
    close(copy.fd);
    orma_assert_no_leaks();
}

/* A note stays until so many addresses were asked for that all are forgotten. Rules are made anew.
 */
Test(unwind_file, notes_of_addresses)
{
    struct orma_unwind_file *file;
    struct orma_unwind_rule kept;
    struct copy copy;
    uint64_t pc;

    copy_self(&copy);
    cr_assert_eq(orma_unwind_file_read(copy.fd, &file), 0);
    for (pc = copy.code; !orma_unwind_file_rule(file, pc); pc++)
        cr_assert_lt(pc, copy.code + copy.code_len);
    kept = *orma_unwind_file_rule(file, pc);
    cr_assert_eq(orma_unwind_file_note(file, pc)->owner, 0);
    *orma_unwind_file_note(file, pc) = (struct orma_unwind_note){7, 8};
    for (uint64_t i = 1; i <= 1000; i++)
        cr_assert_eq(orma_unwind_file_note(file, pc + i)->owner, 0);
    cr_assert_eq(orma_unwind_file_note(file, pc)->owner, 7);
    cr_assert_eq(orma_unwind_file_note(file, pc)->value, 8);
    for (uint64_t i = 1; i <= QUESTIONS; i++)
        (void)orma_unwind_file_note(file, pc + i);
    cr_assert_null(orma_unwind_file_note(file, pc));
    cr_assert(memcmp(orma_unwind_file_rule(file, pc), &kept, sizeof(kept)) == 0);
    orma_unwind_file_free(file);
    close(copy.fd);
    orma_assert_no_leaks();
}

/* Whatever the table says, a rule is that of the function that the address lies in. */
Test(unwind_file, asks_a_table_that_lies)
{
    struct orma_unwind_file *file;
    struct copy copy;
    uint64_t start;

    copy_self(&copy);
    srandom(1);
    for (unsigned round = 0; round < 20; round++) {
        for (unsigned i = 0; i < 200; i++) {
            const int32_t any = (int32_t)random() - (round & 1 ? 1 << 30 : 0);
            const uint64_t at = (uint64_t)random() % (copy.table_len / 4) * 4;

            cr_assert_eq(pwrite(copy.fd, &any, 4, (off_t)(copy.table + (i ? at : 0))), 4);
        }
        if (orma_unwind_file_read(copy.fd, &file) < 0)
            continue;
        for (uint64_t i = 0; i < QUESTIONS; i += 16) {
            const uint64_t pc = copy.code + i * copy.code_len / QUESTIONS;

            if (orma_unwind_file_rule(file, pc))
                cr_assert(orma_unwind_file_start(file, pc, &start) && start <= pc);
        }
        (void)orma_unwind_file_rule(file, UINT64_MAX);
        orma_unwind_file_free(file);
    }
    close(copy.fd);
    orma_assert_no_leaks();
}
