/*
 * Each parser cuts its text into lines, and a line into a key and words; unknown keys are
 * skipped. Numbers come through checked conversions, so a value that does not fit leaves
 * the field as it was.
 */
#include "probes/core/proc_parse.h"

#include <errno.h>
#include <stdio.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

bool orma_proc_read(int proc_fd, int32_t pid, const char *name, size_t max, struct orma_buf *ret)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "%d/%s", pid, name); /* fits */
    orma_buf_clear(ret);
    int r = orma_fd_read_file(proc_fd, path, max, ret);
    return (r == 0 || r == -EFBIG) && !ret->failed;
}

bool orma_proc_word(struct orma_str *rest, struct orma_str *ret)
{
    struct orma_str s = *rest;

    while (s.len && (s.data[0] == ' ' || s.data[0] == '\t')) {
        s.data++;
        s.len--;
    }
    size_t len = 0;
    while (len < s.len && s.data[len] != ' ' && s.data[len] != '\t' && s.data[len] != '\n')
        len++;
    *ret = (struct orma_str){s.data, len};
    *rest = len ? (struct orma_str){s.data + len, s.len - len} : s;
    return len > 0;
}

bool orma_proc_number(struct orma_str *rest, uint64_t *ret)
{
    struct orma_str word;

    return orma_proc_word(rest, &word) && orma_str_to_u64(word, ret);
}

bool orma_proc_key_number(struct orma_str line, const char *key, uint64_t *ret)
{
    struct orma_str head, rest = line;

    return line.len && orma_str_cut(&rest, ':', &head) && orma_str_eq_c(head, key) && rest.len &&
           orma_proc_number(&rest, ret);
}

static bool parse_i32(struct orma_str *rest, int32_t *ret)
{
    uint64_t num;

    if (!orma_proc_number(rest, &num) || num > INT32_MAX)
        return false;
    *ret = (int32_t)num;
    return true;
}

static void parse_nspid(struct orma_str rest, struct orma_proc_status *ret)
{
    ret->nspid_num = 0;
    while (ret->nspid_num < ORMA_PROC_NS_MAX && parse_i32(&rest, &ret->nspid[ret->nspid_num]))
        ret->nspid_num++;
}

static void parse_status_line(struct orma_str key, struct orma_str rest,
                              struct orma_proc_status *ret)
{
    static const char *const mem_keys[ORMA_PROC_MEM_NUM] = {
        "VmSize", "VmRSS", "RssAnon", "RssFile", "RssShmem", "VmSwap", "VmLck", "VmHWM"};
    uint64_t num;

    if (orma_str_eq_c(key, "Name")) {
        ret->name = orma_str_trim(rest);
    } else if (orma_str_eq_c(key, "Tgid")) {
        (void)parse_i32(&rest, &ret->tgid);
    } else if (orma_str_eq_c(key, "Pid")) {
        (void)parse_i32(&rest, &ret->pid);
    } else if (orma_str_eq_c(key, "PPid")) {
        (void)parse_i32(&rest, &ret->ppid);
    } else if (orma_str_eq_c(key, "Uid")) {
        if (orma_proc_number(&rest, &num))
            ret->uid = (uint32_t)num;
    } else if (orma_str_eq_c(key, "NSpid")) {
        parse_nspid(rest, ret);
    } else if (orma_str_eq_c(key, "Kthread")) {
        ret->has_kthread = orma_proc_number(&rest, &num);
        ret->is_kthread = ret->has_kthread && num;
    }
    for (unsigned i = 0; i < ORMA_PROC_MEM_NUM; i++) {
        if (orma_str_eq_c(key, mem_keys[i]) && orma_proc_number(&rest, &ret->mem[i]))
            ret->mem_present |= 1u << i;
    }
}

bool orma_proc_parse_status(struct orma_str text, struct orma_proc_status *ret)
{
    struct orma_str line, key;

    *ret = (struct orma_proc_status){0};
    while (text.len && orma_str_cut(&text, '\n', &line)) {
        if (line.len && orma_str_cut(&line, ':', &key) && line.len)
            parse_status_line(key, line, ret);
    }
    return ret->pid > 0 && ret->tgid > 0;
}

bool orma_proc_parse_stat(struct orma_str text, struct orma_proc_stat *ret)
{
    enum { FIELD_UTIME = 14, FIELD_STIME = 15, FIELD_START = 22 };
    const char *at = text.len ? memrchr(text.data, ')', text.len) : NULL;
    struct orma_str rest, word;

    if (!at)
        return false;
    rest = (struct orma_str){at + 1, (size_t)(text.data + text.len - at - 1)};
    for (unsigned field = 3; field <= FIELD_START; field++) {
        uint64_t num = 0;

        if (!orma_proc_word(&rest, &word))
            return false;
        if (field != FIELD_UTIME && field != FIELD_STIME && field != FIELD_START)
            continue;
        if (!orma_str_to_u64(word, &num))
            return false;
        if (field == FIELD_UTIME)
            ret->utime = num;
        else if (field == FIELD_STIME)
            ret->stime = num;
        else
            ret->start_time = num;
    }
    return true;
}

bool orma_proc_parse_smaps(struct orma_str text, struct orma_proc_smaps *ret)
{
    struct orma_str line;
    bool any = false;

    *ret = (struct orma_proc_smaps){0};
    while (text.len && orma_str_cut(&text, '\n', &line)) {
        any |= orma_proc_key_number(line, "Rss", &ret->rss) ||
               orma_proc_key_number(line, "Pss", &ret->pss) ||
               orma_proc_key_number(line, "Pss_Anon", &ret->pss_anon) ||
               orma_proc_key_number(line, "Pss_File", &ret->pss_file) ||
               orma_proc_key_number(line, "Pss_Shmem", &ret->pss_shmem) ||
               orma_proc_key_number(line, "SwapPss", &ret->swap_pss);
    }
    return any;
}

struct orma_str orma_proc_parse_cgroup(struct orma_str text)
{
    struct orma_str line, num, names, ret = {NULL, 0};
    unsigned best = 0;

    while (text.len && orma_str_cut(&text, '\n', &line)) {
        if (!orma_str_cut(&line, ':', &num) || !line.len || !orma_str_cut(&line, ':', &names))
            continue;
        unsigned rank = orma_str_eq_c(num, "0") && !names.len  ? 3
                        : orma_str_eq_c(names, "name=systemd") ? 2
                                                               : 1;
        if (rank > best && line.len > 1) {
            ret = line;
            best = rank;
        }
    }
    return ret;
}
