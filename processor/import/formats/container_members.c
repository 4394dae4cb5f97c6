/*
 * The list of members, whatever kind of archive they are in.
 */
#include "processor/import/formats/container.h"

#include <errno.h>

#include "processor/import/formats/formats.h"
#include "sdk/base/vec.h"

/* More members than any honest archive of traces has. */
#define MEMBERS_MAX 65536

void orma_format_archive_bad(struct orma_format_archive *a, const char *what)
{
    orma_file_error(a->file, -EBADMSG, "the %s archive is corrupt: %s (ERR:decomp)",
                    orma_detect_format_names[a->file->format], what);
}

static bool is_hidden(struct orma_str path)
{
    struct orma_str part;

    while (orma_str_cut(&path, '/', &part))
        if (part.len > 1 && part.data[0] == '.' && !orma_str_eq(part, ORMA_STR("..")))
            return true;
    return false;
}

void orma_format_archive_skip(struct orma_format_archive *a, uint32_t kind, unsigned num)
{
    orma_account_begin(a->file->account, num);
    (void)orma_account_skipped(a->file->account, a->file->imp->model, ORMA_ACCOUNT_NOT_READ, kind,
                               num, -1);
}

/* A deflated stream of nothing has two bytes. */
static bool is_empty(const struct orma_format_member *m)
{
    return m->len <= (m->packed ? 2u : 0u);
}

void orma_format_archive_add(struct orma_format_archive *a, const struct orma_format_member *m)
{
    struct orma_model *model = a->file->imp->model;

    if (is_hidden(m->name)) {
        a->hidden += !is_empty(m);
        return;
    }
    if (!m->name.len || m->name.data[m->name.len - 1] == '/') {
        if (!is_empty(m))
            orma_format_archive_skip(a, orma_model_cstr(model, "members with the name of a folder"),
                                     1);
        return;
    }
    if (is_empty(m)) {
        a->empty++;
        return;
    }
    if (a->num == MEMBERS_MAX) {
        orma_format_archive_bad(a, "more than 65536 members");
        return;
    }
    if (ORMA_GROW(&a->list, &a->cap, a->num + (size_t)1)) {
        a->file->imp->model->storage->failed = true;
        return;
    }
    a->list[a->num] = *m;
    a->list[a->num].idx = a->num;
    a->num++;
}
