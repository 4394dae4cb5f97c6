/*
 * The file stays mapped (unwind/elf_view.h reads its tables). A function is looked up in .symtab,
 * then .dynsym, and its address becomes a file offset by the program headers. USDT probes are notes
 * of type 3 in .note.stapsdt: three addresses, then provider, name and arguments; the arguments are
 * rewritten from assembler operands to the kernel's fetch arguments.
 */
#include "probes/ftrace/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "probes/unwind/elf_view.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/mapped.h"

#define NOTE_STAPSDT 3
#define NOTES_MAX (UINT64_C(64) << 20) /* bytes of the section */

struct orma_ftrace_elf {
    struct orma_mapped *map;
    struct orma_unwind_elf view;
    uint8_t *notes; /* of .note.stapsdt, once read: what is checked there must not change */
    uint64_t notes_len;
};

int orma_ftrace_elf_open(const char *path, struct orma_ftrace_elf **ret)
{
    ORMA_AUTO(orma_ftrace_elf_free_p) struct orma_ftrace_elf *self = calloc(1, sizeof(*self));
    ORMA_AUTO(orma_fd_close) int fd = orma_fd_open_regular(AT_FDCWD, path, 0);

    if (!self)
        return -ENOMEM;
    if (fd < 0)
        return fd == -EINVAL ? -ENOEXEC : fd;
    int r = orma_mapped_open(fd, &self->map);
    if (r < 0)
        return r == -EINVAL ? -ENOEXEC : r; /* an empty file */
    if (!orma_unwind_elf_open(&self->view, orma_mapped_data(self->map),
                              orma_mapped_size(self->map)))
        return -ENOEXEC;
    *ret = ORMA_STEAL(self);
    return 0;
}

void orma_ftrace_elf_free(struct orma_ftrace_elf *self)
{
    if (!self)
        return;
    orma_mapped_close(self->map);
    free(self->notes);
    free(self);
}

/* Where in the file the bytes of an address are. False: nowhere. */
static bool to_offset(const struct orma_ftrace_elf *self, uint64_t address, uint64_t *ret)
{
    Elf64_Phdr s;

    for (uint64_t i = 0; orma_unwind_elf_segment(&self->view, i, &s); i++) {
        if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz) {
            *ret = address - s.p_vaddr + s.p_offset;
            return true;
        }
    }
    return false;
}

static bool find_in_table(const struct orma_ftrace_elf *self, const Elf64_Shdr *table,
                          const char *name, uint64_t *ret_offset)
{
    const uint8_t *symbols = orma_unwind_elf_bytes(&self->view, table), *texts;
    const size_t len = strlen(name) + 1;
    Elf64_Shdr strings;
    Elf64_Sym s;

    if (!symbols || !orma_unwind_elf_section(&self->view, table->sh_link, &strings) ||
        !(texts = orma_unwind_elf_bytes(&self->view, &strings)))
        return false;
    for (uint64_t i = 0; i < table->sh_size / sizeof(s); i++) {
        memcpy(&s, symbols + i * sizeof(s), sizeof(s));
        unsigned type = ELF64_ST_TYPE(s.st_info);

        if ((type == STT_FUNC || type == STT_GNU_IFUNC) && s.st_shndx != SHN_UNDEF &&
            s.st_name < strings.sh_size && strings.sh_size - s.st_name >= len &&
            !memcmp(texts + s.st_name, name, len) && to_offset(self, s.st_value, ret_offset))
            return true;
    }
    return false;
}

int orma_ftrace_elf_find_function(struct orma_ftrace_elf *self, const char *name,
                                  uint64_t *ret_offset)
{
    Elf64_Shdr s;

    for (uint64_t i = 0; orma_unwind_elf_section(&self->view, i, &s); i++) {
        if ((s.sh_type == SHT_SYMTAB || s.sh_type == SHT_DYNSYM) &&
            find_in_table(self, &s, name, ret_offset))
            return 0;
    }
    return -ENOENT;
}

/* The text up to the next NUL, removed from *rest. False: there is no NUL. */
static bool cut_text(struct orma_str *rest, struct orma_str *ret)
{
    const char *end = rest->len ? memchr(rest->data, 0, rest->len) : NULL;

    if (!end)
        return false;
    *ret = (struct orma_str){rest->data, (size_t)(end - rest->data)};
    *rest = (struct orma_str){end + 1, rest->len - ret->len - 1};
    return true;
}

/* pc, base, semaphore; provider, name, arguments. */
static bool read_site(const struct orma_ftrace_elf *self, const uint8_t *desc, size_t len,
                      const char *provider, const char *name, struct orma_ftrace_usdt_site *ret)
{
    struct orma_str rest, text;
    uint64_t words[3];
    Elf64_Shdr base;

    if (len < sizeof(words))
        return false;
    memcpy(words, desc, sizeof(words));
    rest = (struct orma_str){(const char *)desc + sizeof(words), len - sizeof(words)};
    if (!cut_text(&rest, &text) || !orma_str_eq_c(text, provider) || !cut_text(&rest, &text) ||
        !orma_str_eq_c(text, name) || !cut_text(&rest, &ret->args))
        return false;
    bool has_base = orma_unwind_elf_find(&self->view, ".stapsdt.base", &base);
    uint64_t moved = has_base ? base.sh_addr - words[1] : 0; /* by prelink(8), long ago */
    ret->counter_offset = 0;
    if (words[2] && !to_offset(self, words[2] + moved, &ret->counter_offset))
        return false;
    return to_offset(self, words[0] + moved, &ret->offset);
}

/* 0: they are there, or the file has none. -ENOMEM, or -ENOEXEC: too many. */
static int read_notes(struct orma_ftrace_elf *self)
{
    Elf64_Shdr section;

    if (self->notes || !orma_unwind_elf_find(&self->view, ".note.stapsdt", &section))
        return 0;
    const uint8_t *bytes = orma_unwind_elf_bytes(&self->view, &section);
    if (!bytes || !section.sh_size)
        return 0;
    if (section.sh_size > NOTES_MAX)
        return -ENOEXEC;
    self->notes = malloc(section.sh_size);
    if (!self->notes)
        return -ENOMEM;
    memcpy(self->notes, bytes, section.sh_size);
    self->notes_len = section.sh_size;
    return 0;
}

int orma_ftrace_elf_find_usdt(struct orma_ftrace_elf *self, const char *provider, const char *name,
                              struct orma_ftrace_usdt_site *ret, unsigned max)
{
    int r = read_notes(self);
    const uint8_t *notes = self->notes;
    const uint64_t len = self->notes_len;
    unsigned num = 0;

    if (r < 0)
        return r;
    for (uint64_t at = 0; num < max && len - at >= sizeof(Elf64_Nhdr);) {
        Elf64_Nhdr note;

        memcpy(&note, notes + at, sizeof(note));
        at += sizeof(note);
        uint64_t name_size = ((uint64_t)note.n_namesz + 3) & ~UINT64_C(3);
        uint64_t desc_size = ((uint64_t)note.n_descsz + 3) & ~UINT64_C(3);
        if (name_size > len - at || desc_size > len - at - name_size)
            break;
        if (note.n_type == NOTE_STAPSDT && note.n_namesz == sizeof("stapsdt") &&
            !memcmp(notes + at, "stapsdt", sizeof("stapsdt")) &&
            read_site(self, notes + at + name_size, note.n_descsz, provider, name, &ret[num]))
            num++;
        at += name_size + desc_size;
    }
    return (int)num;
}

/* ---- arguments ---- */

/* "edi" -> "di", "r8d" -> "r8". Empty: not a register that a probe can read. */
static struct orma_str x86_register(struct orma_str name)
{
    static const struct {
        const char *kernel, *names[4];
    } table[] = {
        {"ax", {"rax", "eax", "ax", "al"}},  {"bx", {"rbx", "ebx", "bx", "bl"}},
        {"cx", {"rcx", "ecx", "cx", "cl"}},  {"dx", {"rdx", "edx", "dx", "dl"}},
        {"si", {"rsi", "esi", "si", "sil"}}, {"di", {"rdi", "edi", "di", "dil"}},
        {"bp", {"rbp", "ebp", "bp", "bpl"}}, {"sp", {"rsp", "esp", "sp", "spl"}},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(table); i++) {
        for (size_t j = 0; j < ORMA_ARRAY_LEN(table[i].names); j++) {
            if (orma_str_eq_c(name, table[i].names[j]))
                return orma_str_from(table[i].kernel);
        }
    }
    if (name.len < 2 || name.data[0] != 'r' || name.data[1] < '0' || name.data[1] > '9')
        return (struct orma_str){NULL, 0};
    size_t len = name.len > 2 && name.data[2] >= '0' && name.data[2] <= '9' ? 3 : 2;
    uint64_t num;
    if (!orma_str_to_u64((struct orma_str){name.data + 1, len - 1}, &num) || num < 8 || num > 15 ||
        name.len > len + 1 || (name.len == len + 1 && !strchr("dwb", name.data[len])))
        return (struct orma_str){NULL, 0};
    return (struct orma_str){name.data, len};
}

/* "x0", "w3" -> "x3", "sp". */
static struct orma_str arm64_register(struct orma_str name, char *scratch, size_t size)
{
    uint64_t num;

    if (orma_str_eq_c(name, "sp"))
        return name;
    if (name.len < 2 || name.len >= size || (name.data[0] != 'x' && name.data[0] != 'w') ||
        !orma_str_to_u64((struct orma_str){name.data + 1, name.len - 1}, &num) || num > 30)
        return (struct orma_str){NULL, 0};
    memcpy(scratch, name.data, name.len);
    scratch[0] = 'x';
    return (struct orma_str){scratch, name.len};
}

static struct orma_str without(struct orma_str s, size_t front, size_t back)
{
    return s.len < front + back ? (struct orma_str){NULL, 0}
                                : (struct orma_str){s.data + front, s.len - front - back};
}

/* Where the value is, in the kernel's words. False: cannot be said. */
static bool put_x86(struct orma_buf *out, struct orma_str op)
{
    struct orma_str rest = op, disp, reg;
    int64_t num = 0;

    if (op.data[0] == '$') {
        if (!orma_str_to_i64(without(op, 1, 0), &num))
            return false;
        orma_buf_printf(out, "\\%lld", (long long)num);
        return true;
    }
    if (op.data[0] == '%') {
        reg = x86_register(without(op, 1, 0));
        if (reg.len)
            orma_buf_printf(out, "%%%.*s", ORMA_STR_ARG(reg));
        return reg.len;
    }
    /* -20(%rbp) */
    if (op.data[op.len - 1] != ')' || !orma_str_cut(&rest, '(', &disp))
        return false;
    reg = without(rest, 1, 1);
    if (!rest.len || rest.data[0] != '%' || (disp.len && !orma_str_to_i64(disp, &num)))
        return false;
    reg = x86_register(reg);
    if (reg.len)
        orma_buf_printf(out, "%+lld(%%%.*s)", (long long)num, ORMA_STR_ARG(reg));
    return reg.len;
}

static bool put_arm64(struct orma_buf *out, struct orma_str op)
{
    struct orma_str rest, part, reg;
    char scratch[8];
    int64_t num = 0;

    if (op.data[0] == '[') { /* [sp, 12] */
        rest = without(op, 1, 1);
        if (op.data[op.len - 1] != ']' || !rest.len || !orma_str_cut(&rest, ',', &part) ||
            (rest.len && !orma_str_to_i64(orma_str_trim(rest), &num)))
            return false;
        reg = arm64_register(orma_str_trim(part), scratch, sizeof(scratch));
        if (reg.len)
            orma_buf_printf(out, "%+lld(%%%.*s)", (long long)num, ORMA_STR_ARG(reg));
        return reg.len;
    }
    if (orma_str_to_i64(op, &num)) {
        orma_buf_printf(out, "\\%lld", (long long)num);
        return true;
    }
    reg = arm64_register(op, scratch, sizeof(scratch));
    if (reg.len)
        orma_buf_printf(out, "%%%.*s", ORMA_STR_ARG(reg));
    return reg.len;
}

/* The next argument: blanks separate, but not within brackets. */
static bool next_arg(struct orma_str *rest, struct orma_str *ret)
{
    size_t at = 0, depth = 0;

    *rest = orma_str_trim(*rest);
    for (; at < rest->len && (depth || rest->data[at] != ' '); at++) {
        depth += rest->data[at] == '[';
        depth -= rest->data[at] == ']' && depth;
    }
    *ret = (struct orma_str){rest->data, at};
    *rest = (struct orma_str){rest->data + at, rest->len - at};
    return at > 0;
}

unsigned orma_ftrace_usdt_put_args(struct orma_buf *out, struct orma_str args, const char *machine)
{
    bool is_arm = !strcmp(machine, "aarch64");
    struct orma_str arg, size;
    unsigned left_out = 0;

    if (strcmp(machine, "x86_64") && !is_arm)
        return 0; /* no language of ours: the events come without arguments */
    for (unsigned i = 1; next_arg(&args, &arg); i++) {
        size_t before = out->len;
        int64_t bytes = 0;

        orma_buf_printf(out, " arg%u=", i);
        bool ok = orma_str_cut(&arg, '@', &size) && arg.len && orma_str_to_i64(size, &bytes) &&
                  (is_arm ? put_arm64(out, arg) : put_x86(out, arg));
        uint64_t width = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes;
        if (!ok || (width != 1 && width != 2 && width != 4 && width != 8) || out->failed) {
            out->len = ORMA_MIN(out->len, before);
            left_out++;
            continue;
        }
        orma_buf_printf(out, ":%c%u", bytes < 0 ? 's' : 'u', (unsigned)width * 8);
    }
    return left_out;
}
