/*
 * The page of functions: printed from the tables of native functions, and compared
 * with what is in docs/.
 *
 *     functions_page PAGE            compares; differences are an error
 *     functions_page --update PAGE   writes it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor/sql/engine.h"
#include "sdk/base/buf.h"

struct entry {
    const char *name, *usage, *doc;
};

static struct entry entries[1024];
static size_t entries_num;

static void add(const char *name, const char *usage, const char *doc)
{
    if (!doc || entries_num == ORMA_ARRAY_LEN(entries))
        return; /* not for people */
    entries[entries_num++] = (struct entry){name, usage ? usage : "", doc};
}

static int by_name(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int cmp = strcmp(x->name, y->name);

    return cmp ? cmp : strcmp(x->usage, y->usage);
}

static void put_section(struct orma_buf *out, const char *title, const char *about)
{
    qsort(entries, entries_num, sizeof(entries[0]), by_name);
    orma_buf_printf(out, "\n## %s\n\n%s\n", title, about);
    for (size_t i = 0; i < entries_num; i++)
        orma_buf_printf(out, "\n**`%s%s`**: %s\n", entries[i].name, entries[i].usage,
                        entries[i].doc);
    entries_num = 0;
}

static void put_page(struct orma_buf *out)
{
    orma_buf_put_str(
        out,
        "# SQL functions and operators\n\n"
        "Made from the tables of native functions by `tests/golden/sql/functions_page.c`: run it "
        "with `--update` after\na change. `docs/sql.md` says what they are good for; functions "
        "and macros of the SQL modules are described in\nthe modules.\n");
    for (unsigned i = 0; orma_sql_builtins.funcs[i]; i++)
        for (const struct orma_sql_func *f = orma_sql_builtins.funcs[i]; f->name; f++)
            if (f->scalar)
                add(f->name, f->usage, f->doc);
    put_section(out, "Functions", "They are called for one row, and give one value.");
    for (unsigned i = 0; orma_sql_builtins.funcs[i]; i++)
        for (const struct orma_sql_func *f = orma_sql_builtins.funcs[i]; f->name; f++)
            if (!f->scalar)
                add(f->name, f->usage, f->doc);
    put_section(out, "Aggregates and window functions",
                "Those that give a pointer are read by the functions and tables that say so; "
                "pointers print as NULL.");
    for (unsigned i = 0; orma_sql_builtins.tvfs[i]; i++)
        add(orma_sql_builtins.tvfs[i]->name, orma_sql_builtins.tvfs[i]->usage, orma_sql_builtins.tvfs[i]->doc);
    for (unsigned i = 0; orma_sql_builtins.modules[i]; i++)
        for (const struct orma_sql_module *m = orma_sql_builtins.modules[i]; m->name; m++)
            add(m->name, m->usage, m->doc);
    put_section(out, "Tables with arguments, and operators",
                "Used in FROM; operators are made with `CREATE VIRTUAL TABLE name USING "
                "operator(...)`.");
}

static bool read_file(const char *path, struct orma_buf *out)
{
    FILE *f = fopen(path, "r");
    char block[4096];
    size_t n;

    if (!f)
        return false;
    while ((n = fread(block, 1, sizeof(block), f)) > 0)
        orma_buf_put(out, block, n);
    (void)fclose(f); /* only read */
    return true;
}

int main(int argc, char **argv)
{
    bool update = argc == 3 && !strcmp(argv[1], "--update");
    const char *path = argv[argc - 1];
    struct orma_buf page = {0}, have = {0};
    int code = 0;

    if (argc != 2 && !update) {
        fprintf(stderr, "usage: functions_page [--update] PAGE\n");
        return 2;
    }
    put_page(&page);
    if (update) {
        FILE *f = fopen(path, "w");

        code = !f || fwrite(page.data, 1, page.len, f) != page.len || fclose(f);
    } else if (!read_file(path, &have) || !orma_str_eq(orma_buf_str(&page), orma_buf_str(&have))) {
        fprintf(stderr,
                "%s does not say what the tables of functions say; run:\n  %s --update %s\n", path,
                argv[0], path);
        code = 1;
    }
    orma_buf_fini(&page);
    orma_buf_fini(&have);
    return code;
}
