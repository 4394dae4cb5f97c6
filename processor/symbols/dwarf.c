/*
 * Debug information:
 *
 *   address ─► unit ─► function ─► function compiled into it ─► ... ─► innermost
 *                └─► line table ─► file and line of the innermost
 *
 * Units come from their ranges of addresses, all read with the first question; the functions of a
 * unit with the first question about the unit. (.debug_aranges would be shorter, but clang does
 * not write it.) Each entry that is looked at costs one of the file's budget, so that references
 * in circles and ranges without end stop.
 */
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "processor/symbols/binary_impl.h"
#include "sdk/base/defs.h"
#include "sdk/base/search.h"

/* A browser has some 50 million entries, of which questions touch a part. */
#define BUDGET ((uint64_t)200 << 20)
#define DEPTH_MAX 200
#define RANGES_MAX (64u << 20)
#define OVERLAPS_MAX 64

static bool spend(struct orma_binary *self)
{
    return self->budget && self->budget--;
}

/* ---- opening ---- */

/*
 * Common parts of several files may be in yet another one, which libdw opens by the name that the
 * file gives. Anything but a regular file is not to be opened.
 */
static bool other_file_is_sane(Dwarf *dwarf, const char *path)
{
    const char *name = NULL;
    const void *id;
    struct orma_buf full = {0};
    struct stat st;

    if (dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) <= 0 || !name)
        return true;
    const char *slash = strrchr(path, '/');
    if (*name != '/' && slash)
        orma_buf_printf(&full, "%.*s/", (int)(slash - path), path);
    orma_buf_put_str(&full, name);
    bool sane = stat(orma_buf_cstr(&full), &st) < 0 || S_ISREG(st.st_mode);
    orma_buf_fini(&full);
    return sane;
}

/* Texts that do not end make libdw read on behind them. */
static bool texts_end(Elf *elf)
{
    static const char *const names[] = {".debug_str", ".debug_line_str", ".zdebug_str",
                                        ".zdebug_line_str"};
    Elf_Scn *section = NULL;
    size_t strings;
    GElf_Shdr head;

    if (elf_getshdrstrndx(elf, &strings) < 0)
        return false;
    while ((section = elf_nextscn(elf, section))) {
        const char *name =
            gelf_getshdr(section, &head) ? elf_strptr(elf, strings, head.sh_name) : NULL;

        for (size_t i = 0; name && i < ORMA_ARRAY_LEN(names); i++) {
            if (strcmp(name, names[i]))
                continue;
            Elf_Data *data = elf_rawdata(section, NULL); /* unpacked by now */
            if (!data ||
                (data->d_size && (!data->d_buf || ((const char *)data->d_buf)[data->d_size - 1])))
                return false;
        }
    }
    return true;
}

void orma_dwarf_open(struct orma_binary *self, const char *path)
{
    self->dwarf = dwarf_begin_elf(self->elf, DWARF_C_READ, NULL);
    if (self->dwarf && (!texts_end(self->elf) || !other_file_is_sane(self->dwarf, path)))
        orma_dwarf_close(self);
    self->budget = BUDGET;
}

void orma_dwarf_close(struct orma_binary *self)
{
    struct orma_dwarf_unit *units = (struct orma_dwarf_unit *)(void *)self->units.data;

    for (size_t i = 0; i < self->units.len / sizeof(*units); i++)
        free(units[i].functions);
    orma_buf_fini(&self->units);
    free(self->ranges);
    self->ranges = NULL;
    self->ranges_num = 0;
    if (self->dwarf)
        (void)dwarf_end(self->dwarf);
    self->dwarf = NULL;
}

/* ---- ranges ---- */

/* The ranges of an entry, as those of `die`. Returns how many there were. */
static size_t add_ranges(struct orma_binary *self, Dwarf_Die *of, Dwarf_Off die,
                         struct orma_buf *out)
{
    Dwarf_Addr base = 0, start, end;
    ptrdiff_t at = 0;
    size_t num = 0;

    while (spend(self) && (at = dwarf_ranges(of, at, &base, &start, &end)) > 0) {
        const struct orma_dwarf_range r = {start, end, 0, die};

        num++;
        /* Linkers leave 0 or the highest addresses for functions that they dropped. */
        if (start && start < end && out->len / sizeof(r) < RANGES_MAX)
            orma_buf_put(out, &r, sizeof(r));
    }
    return num;
}

static int by_start(const void *a, const void *b)
{
    const struct orma_dwarf_range *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->end > y->end ? -1 : x->end < y->end; /* the narrowest last */
}

/* The list, sorted, out of the buffer; NULL when it is empty or memory is out. */
static struct orma_dwarf_range *take_ranges(struct orma_buf *buf, size_t *ret_num)
{
    struct orma_dwarf_range *list = (struct orma_dwarf_range *)(void *)buf->data;
    size_t num = buf->len / sizeof(*list);
    uint64_t reach = 0;

    *ret_num = 0;
    if (buf->failed || !num) {
        orma_buf_fini(buf);
        return NULL;
    }
    qsort(list, num, sizeof(*list), by_start);
    for (size_t i = 0; i < num; i++)
        list[i].reach = reach = ORMA_MAX(reach, list[i].end);
    *ret_num = num;
    return list;
}

/* The narrowest range with the address, among those that begin last before it. */
static const struct orma_dwarf_range *find_range(const struct orma_dwarf_range *list, size_t num,
                                                 uint64_t pc)
{
    size_t lo = ORMA_UPPER_BOUND(list, num, .start, pc);

    for (unsigned i = 0; lo-- && list[lo].reach > pc && i < OVERLAPS_MAX; i++) {
        if (pc < list[lo].end)
            return &list[lo];
    }
    return NULL;
}

/* ---- functions of a unit ---- */

static void add_functions(struct orma_binary *self, Dwarf_Die *parent, unsigned depth,
                          struct orma_buf *out)
{
    Dwarf_Die die;

    if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return;
    do {
        if (!spend(self))
            return;
        switch (dwarf_tag(&die)) {
        case DW_TAG_subprogram:
            (void)add_ranges(self, &die, dwarf_dieoffset(&die), out);
            add_functions(self, &die, depth + 1, out);
            break;
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
        case DW_TAG_lexical_block:
            add_functions(self, &die, depth + 1, out);
            break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

static struct orma_dwarf_unit *find_unit(struct orma_binary *self, Dwarf_Die *cu)
{
    struct orma_dwarf_unit *units = (struct orma_dwarf_unit *)(void *)self->units.data;
    struct orma_dwarf_unit unit = {.die = dwarf_dieoffset(cu)};
    size_t num = self->units.len / sizeof(unit);
    struct orma_buf functions = {0};

    for (size_t i = num; i--;) { /* questions come in runs: the last ones first */
        if (units[i].die == unit.die)
            return &units[i];
    }
    add_functions(self, cu, 0, &functions);
    unit.functions = take_ranges(&functions, &unit.num);
    orma_buf_put(&self->units, &unit, sizeof(unit));
    if (self->units.failed) {
        free(unit.functions);
        return NULL;
    }
    return &((struct orma_dwarf_unit *)(void *)self->units.data)[num];
}

/* ---- units ---- */

static void load_units(struct orma_binary *self)
{
    struct orma_buf ranges = {0};
    Dwarf_CU *cu = NULL;
    Dwarf_Half version;
    uint8_t type;
    Dwarf_Die die;

    while (spend(self) && dwarf_get_units(self->dwarf, cu, &cu, &version, &type, &die, NULL) == 0) {
        if (type != DW_UT_compile && type != DW_UT_skeleton)
            continue;
        /* One that does not say where it is has functions that do. */
        if (add_ranges(self, &die, dwarf_dieoffset(&die), &ranges))
            continue;
        struct orma_buf functions = {0};
        add_functions(self, &die, 0, &functions);
        struct orma_dwarf_range *list = (struct orma_dwarf_range *)(void *)functions.data;
        for (size_t i = 0; i < functions.len / sizeof(*list); i++)
            list[i].die = dwarf_dieoffset(&die);
        orma_buf_put(&ranges, functions.data, functions.len);
        orma_buf_fini(&functions);
    }
    self->ranges = take_ranges(&ranges, &self->ranges_num);
}

/* ---- answers ---- */

/* The name of a function: as the linker has it, which tells more, or as the source has it. */
static size_t name_of(struct orma_binary *self, Dwarf_Die *die)
{
    static const unsigned names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name};
    Dwarf_Attribute attr;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        const char *name =
            dwarf_attr_integrate(die, names[i], &attr) ? dwarf_formstring(&attr) : NULL;
        if (name && *name)
            return orma_binary_keep_name(self, name);
    }
    return 0;
}

static Dwarf_Word number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attr;
    Dwarf_Word val = 0;

    return dwarf_attr(die, name, &attr) && dwarf_formudata(&attr, &val) == 0 ? val : 0;
}

/* A file of the source, with the folder of the compilation in front if it is relative. */
static size_t keep_file(struct orma_binary *self, Dwarf_Die *cu, const char *file)
{
    Dwarf_Attribute attr;
    const char *dir = NULL;
    struct orma_buf path = {0};

    if (file && *file != '/' && dwarf_attr(cu, DW_AT_comp_dir, &attr))
        dir = dwarf_formstring(&attr);
    if (!dir || !*dir)
        return orma_binary_keep(self, file);
    orma_buf_printf(&path, "%s/%s", dir, file);
    size_t at = orma_binary_keep(self, orma_buf_cstr(&path));
    orma_buf_fini(&path);
    return at;
}

/* Where the source calls what was compiled in here. */
static void put_call(struct orma_binary *self, Dwarf_Die *cu, Dwarf_Die *inlined,
                     struct orma_frame_texts *caller)
{
    Dwarf_Files *files = NULL;
    size_t num = 0;
    Dwarf_Word file = number_of(inlined, DW_AT_call_file);
    Dwarf_Word line = number_of(inlined, DW_AT_call_line);

    if (dwarf_getsrcfiles(cu, &files, &num) == 0 && file < num)
        caller->file = keep_file(self, cu, dwarf_filesrc(files, (size_t)file, NULL, NULL));
    caller->line = line <= UINT32_MAX ? (uint32_t)line : 0;
}

static void put_line(struct orma_binary *self, Dwarf_Die *cu, uint64_t pc,
                     struct orma_frame_texts *ret)
{
    Dwarf_Line *line = dwarf_getsrc_die(cu, pc);
    int number = 0;

    if (!line)
        return;
    ret->file = keep_file(self, cu, dwarf_linesrc(line, NULL, NULL));
    ret->line = dwarf_lineno(line, &number) == 0 && number > 0 ? (uint32_t)number : 0;
}

static bool has_pc(struct orma_binary *self, Dwarf_Die *die, uint64_t pc)
{
    Dwarf_Addr base = 0, start, end;
    ptrdiff_t at = 0;

    while (spend(self) && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
        if (pc >= start && pc < end)
            return true;
    }
    return false;
}

/*
 * Goes down to the innermost function at the address. `chain` takes the functions that were
 * compiled into `die`, from the outside in.
 */
static size_t go_down(struct orma_binary *self, Dwarf_Die *parent, uint64_t pc, unsigned depth,
                      Dwarf_Die *chain, size_t num)
{
    Dwarf_Die die;

    if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return num;
    do {
        int tag = dwarf_tag(&die);
        bool inlined = tag == DW_TAG_inlined_subroutine;
        size_t had = num;

        if (!spend(self))
            return num;
        if (!inlined && tag != DW_TAG_lexical_block && tag != DW_TAG_try_block &&
            tag != DW_TAG_catch_block)
            continue;
        if (inlined ? !has_pc(self, &die, pc)
                    : dwarf_hasattr(&die, DW_AT_ranges) && !has_pc(self, &die, pc))
            continue;
        if (inlined) {
            if (num + 1 >= ORMA_SOURCE_FRAMES_MAX)
                return num;
            chain[num++] = die;
        }
        num = go_down(self, &die, pc, depth + 1, chain, num);
        if (num > had) /* only one can have the address */
            return num;
    } while (dwarf_siblingof(&die, &die) == 0);
    return num;
}

size_t orma_dwarf_frames(struct orma_binary *self, uint64_t pc,
                         struct orma_frame_texts ret[ORMA_SOURCE_FRAMES_MAX])
{
    Dwarf_Die cu, chain[ORMA_SOURCE_FRAMES_MAX];
    size_t num = 0;

    if (!self->ranges && self->budget == BUDGET)
        load_units(self);
    const struct orma_dwarf_range *range = find_range(self->ranges, self->ranges_num, pc);
    if (!range || !dwarf_offdie(self->dwarf, range->die, &cu))
        return 0;
    struct orma_dwarf_unit *unit = find_unit(self, &cu);
    const struct orma_dwarf_range *f = unit ? find_range(unit->functions, unit->num, pc) : NULL;
    if (f && dwarf_offdie(self->dwarf, f->die, &chain[0]))
        num = go_down(self, &chain[0], pc, 0, chain, 1);
    memset(ret, 0, ORMA_MAX(num, (size_t)1) * sizeof(*ret));
    put_line(self, &cu, pc, &ret[0]);
    for (size_t i = 0; i < num; i++) { /* chain[num - 1] is the innermost */
        ret[i].function = name_of(self, &chain[num - 1 - i]);
        if (i + 1 < num)
            put_call(self, &cu, &chain[num - 1 - i], &ret[i + 1]);
    }
    return num ? num : ret[0].file != 0;
}
