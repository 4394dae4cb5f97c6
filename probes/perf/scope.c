#include "probes/perf/scope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/buf.h"
#include "sdk/base/fd.h"

#define CMDLINE_MAX 4096u

static bool matches(const char *pattern, const char *name, const char *end)
{
    const char *star = NULL, *retry = NULL;

    while (name < end) {
        if (*pattern == '*') {
            star = pattern++;
            retry = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

bool orma_perf_name_matches(const char *pattern, const char *name)
{
    const char *end = name + strlen(name), *slash = strrchr(name, '/'),
               *title = orma_perf_name_title(name);

    return matches(pattern, name, end) || (slash && matches(pattern, slash + 1, end)) ||
           (title && matches(pattern, name, title));
}

const char *orma_perf_name_title(const char *name)
{
    const char *colon = strchr(name, ':');

    return colon && colon[1] == ' ' && (size_t)(colon - name) == strcspn(name, " /") - 1 ? colon
                                                                                         : NULL;
}

static bool has_pid(const int32_t *pids, size_t num, uint32_t pid)
{
    for (size_t i = 0; i < num; i++) {
        if ((uint32_t)pids[i] == pid)
            return true;
    }
    return false;
}

static bool has_name(char *const *patterns, size_t num, const char *name)
{
    for (size_t i = 0; i < num; i++) {
        if (orma_perf_name_matches(patterns[i], name))
            return true;
    }
    return false;
}

/* The first word of the command line; of a kernel thread its name. */
static void read_name(int proc_fd, uint32_t pid, struct orma_buf *ret)
{
    char file[40];

    snprintf(file, sizeof(file), "%u/cmdline", pid);
    if (orma_fd_read_file(proc_fd, file, CMDLINE_MAX, ret) < 0 && !ret->len)
        orma_buf_clear(ret);
    if (ret->len)
        return;
    snprintf(file, sizeof(file), "%u/comm", pid);
    (void)orma_fd_read_file(proc_fd, file, 64, ret);
    while (ret->len && ret->data[ret->len - 1] == '\n')
        ret->len--;
}

bool orma_perf_scope_has(const struct orma_perf_scope *s, int proc_fd, uint32_t pid)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};

    if (has_pid(s->not_pids, s->not_pids_num, pid))
        return false;
    if (s->names_num || s->not_names_num)
        read_name(proc_fd, pid, &name);
    if (has_name(s->not_names, s->not_names_num, orma_buf_cstr(&name)))
        return false;
    if (!s->pids_num && !s->names_num)
        return true;
    return has_pid(s->pids, s->pids_num, pid) ||
           has_name(s->names, s->names_num, orma_buf_cstr(&name));
}

static bool copy_pids(int32_t **ret, size_t *ret_num, const int32_t *pids, size_t num)
{
    if (!num)
        return true;
    *ret = calloc(num, sizeof(**ret));
    if (!*ret)
        return false;
    memcpy(*ret, pids, num * sizeof(**ret));
    *ret_num = num;
    return true;
}

static bool copy_names(char ***ret, size_t *ret_num, char *const *names, size_t num)
{
    if (!num)
        return true;
    *ret = calloc(num, sizeof(**ret));
    if (!*ret)
        return false;
    for (size_t i = 0; i < num; i++) {
        (*ret)[i] = strdup(names[i]);
        if (!(*ret)[i])
            return false;
        *ret_num = i + 1;
    }
    return true;
}

static void free_names(char **names, size_t num)
{
    for (size_t i = 0; i < num; i++)
        free(names[i]);
    free(names);
}

/* The scope of today, or the fields it replaced. */
bool orma_perf_scope_init(struct orma_perf_scope *self, const Perfetto__Protos__PerfEventConfig *c)
{
    const Perfetto__Protos__PerfEventConfig__Scope *s =
        c->callstack_sampling ? c->callstack_sampling->scope : NULL;

    if (s)
        return copy_pids(&self->pids, &self->pids_num, s->target_pid, s->n_target_pid) &&
               copy_pids(&self->not_pids, &self->not_pids_num, s->exclude_pid, s->n_exclude_pid) &&
               copy_names(&self->names, &self->names_num, s->target_cmdline, s->n_target_cmdline) &&
               copy_names(&self->not_names, &self->not_names_num, s->exclude_cmdline,
                          s->n_exclude_cmdline);
    return copy_pids(&self->pids, &self->pids_num, c->target_pid, c->n_target_pid) &&
           copy_pids(&self->not_pids, &self->not_pids_num, c->exclude_pid, c->n_exclude_pid) &&
           copy_names(&self->names, &self->names_num, c->target_cmdline, c->n_target_cmdline) &&
           copy_names(&self->not_names, &self->not_names_num, c->exclude_cmdline,
                      c->n_exclude_cmdline);
}

void orma_perf_scope_fini(struct orma_perf_scope *self)
{
    free(self->pids);
    free(self->not_pids);
    free_names(self->names, self->names_num);
    free_names(self->not_names, self->not_names_num);
    *self = (struct orma_perf_scope){0};
}
