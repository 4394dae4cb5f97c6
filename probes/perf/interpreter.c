#include "probes/perf/interpreter.h"

#include <stdlib.h>
#include <string.h>

#include "probes/unwind/elf_view.h"
#include "probes/unwind/file.h"
#include "sdk/base/defs.h"
#include "sdk/base/mapped.h"

#define SYMBOLS_MAX 65536u
#define NAME_LEN 32u        /* longer than all that are looked for */
#define EVAL_MAX (1u << 20) /* bytes of the loop; builds that were seen have 43 to 56 thousand */
#define COLD_MAX (256u << 10)
#define COLD_STEP 32u
#define TARGETS 8u
#define VOTES_MIN 16u /* jumps that make it believable */

static const char eval_name[] = "_PyEval_EvalFrameDefault";

struct exported {
    const char *name;
    uint64_t address, size;
};

static bool is_name(const struct orma_unwind_elf *elf, const Elf64_Shdr *names, uint32_t at,
                    const char *name)
{
    char text[NAME_LEN];
    const size_t len = strlen(name) + 1;

    return at < names->sh_size && len <= names->sh_size - at &&
           orma_unwind_elf_read(elf, names->sh_offset + at, text, len) && !memcmp(text, name, len);
}

static void find_symbols(const struct orma_unwind_elf *elf, const Elf64_Shdr *table,
                         struct exported *wanted, size_t wanted_num)
{
    const uint64_t num = ORMA_MIN(table->sh_size / sizeof(Elf64_Sym), (uint64_t)SYMBOLS_MAX);
    Elf64_Shdr names;
    Elf64_Sym sym;

    if (!orma_unwind_elf_section(elf, table->sh_link, &names))
        return;
    for (uint64_t i = 0; i < num; i++) {
        if (!orma_unwind_elf_read(elf, table->sh_offset + i * sizeof(sym), &sym, sizeof(sym)))
            return;
        for (size_t j = 0; j < wanted_num && sym.st_shndx != SHN_UNDEF; j++) {
            if (!is_name(elf, &names, sym.st_name, wanted[j].name))
                continue;
            wanted[j].address = sym.st_value;
            wanted[j].size = sym.st_size;
        }
    }
}

static void find_exported(const struct orma_unwind_elf *elf, struct exported *wanted, size_t num)
{
    Elf64_Shdr head;

    for (unsigned i = 0; i < elf->sections_num && orma_unwind_elf_section(elf, i, &head); i++) {
        if (head.sh_type != SHT_DYNSYM)
            continue;
        find_symbols(elf, &head, wanted, num);
        return; /* a file has one */
    }
}

/* ---- the part of the loop that lies apart ---- */

struct target {
    uint64_t start;
    unsigned votes;
};

static void vote(struct target *targets, uint64_t start)
{
    for (unsigned i = 0; i < TARGETS; i++) {
        if (targets[i].votes && targets[i].start != start)
            continue;
        targets[i].start = start;
        targets[i].votes++;
        return;
    }
}

static bool is_of(struct orma_unwind_file *unwind, uint64_t address, uint64_t function)
{
    uint64_t start;

    return orma_unwind_file_start(unwind, address, &start) && start == function;
}

/*
 * Compilers put what runs rarely into a function of its own, `....cold`, whose name is stripped.
 * The loop jumps there, hundreds of times, and nowhere else so often: "0f 8x" and how far.
 */
static void find_cold(struct orma_unwind_file *unwind, struct orma_perf_interpreter *self)
{
    struct target targets[TARGETS] = {0}, *best = targets;
    uint64_t end;
    uint8_t code[6];
    int32_t far;

    for (uint64_t at = self->eval; at < self->eval_end; at++) {
        uint64_t start;

        if (orma_unwind_file_bytes(unwind, at, code, sizeof(code)) != sizeof(code))
            break;
        memcpy(&far, code + 2, sizeof(far));
        const uint64_t to = at + sizeof(code) + (uint64_t)(int64_t)far;
        if (code[0] == 0x0f && (code[1] & 0xf0) == 0x80 &&
            (to < self->eval || to >= self->eval_end) && orma_unwind_file_start(unwind, to, &start))
            vote(targets, start);
    }
    for (unsigned i = 1; i < TARGETS; i++)
        best = targets[i].votes > best->votes ? &targets[i] : best;
    if (best->votes < VOTES_MIN)
        return;
    self->eval_cold = end = best->start;
    for (unsigned step = COLD_STEP; step; step = step > 1 ? 1 : 0) {
        while (end - best->start < COLD_MAX && is_of(unwind, end + step, best->start))
            end += step;
    }
    self->cold_end = end + 1;
}

static struct orma_perf_interpreter *read_file(struct orma_perf_file *file)
{
    struct exported wanted[] = {{.name = "_PyRuntime"},
                                {.name = "Py_Version"},
                                {.name = "PyCode_Type"},
                                {.name = eval_name}};
    struct orma_unwind_elf elf;

    if (!file->elf.map || !file->unwind ||
        !orma_unwind_elf_open(&elf, orma_mapped_data(file->elf.map),
                              orma_mapped_size(file->elf.map)))
        return NULL;
    find_exported(&elf, wanted, ORMA_ARRAY_LEN(wanted));
    if (!wanted[3].address || !wanted[3].size || wanted[3].size > EVAL_MAX)
        return NULL;
    struct orma_perf_interpreter *ret = calloc(1, sizeof(*ret));
    if (!ret)
        return NULL;
    *ret = (struct orma_perf_interpreter){.runtime = wanted[0].address,
                                          .version = wanted[1].address,
                                          .code_type = wanted[2].address,
                                          .eval = wanted[3].address,
                                          .eval_end = wanted[3].address + wanted[3].size};
    if (ret->version)
        find_cold(file->unwind, ret);
    return ret;
}

struct orma_perf_interpreter *orma_perf_interpreter_of(struct orma_perf_files *files,
                                                       struct orma_perf_file *file, uint32_t pid)
{
    const char *slash = strrchr(file->path, '/');

    if (file->interpreter_sought)
        return file->interpreter;
    file->interpreter_sought = true;
    /* Modules have names like "x.cpython-311.so". */
    if (!slash || (strncmp(slash, "/python", 7) != 0 && strncmp(slash, "/libpython", 10) != 0))
        return NULL;
    orma_perf_files_load(files, file, pid);
    file->interpreter = read_file(file);
    return file->interpreter;
}
