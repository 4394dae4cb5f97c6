/*
 * Texts and what comes of them: each NAME.pbtxt and NAME.json in a folder is
 * parsed, and the message printed again as text, or the error as a person sees it.
 * NAME.EXT.out holds what is expected.
 *
 *     golden_reflect [--update] FOLDER
 *
 * The name says how: MESSAGE[-FLAG...]-ANYTHING, with flags lossy, last, partial.
 * A text is also printed as JSON below a line "---" when "json" is among the flags.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "protos/reflect/json.h"
#include "protos/reflect/text.h"
#include "sdk/base/fd.h"

#define FILE_MAX ((size_t)1 << 20)

struct golden_case {
    char name[256];
    uint32_t msg;
    uint32_t text_flags, json_flags;
    bool is_json, as_json;
};

static bool has_flag(const char *name, const char *flag)
{
    size_t len = strlen(flag);

    for (const char *at = strchr(name, '-'); at; at = strchr(at + 1, '-'))
        if (!strncmp(at + 1, flag, len) && (at[1 + len] == '-' || at[1 + len] == '.'))
            return true;
    return false;
}

static bool ends_with(const char *name, const char *tail)
{
    size_t n = strlen(name), m = strlen(tail);

    return n >= m && !strcmp(name + n - m, tail);
}

static bool case_init(struct golden_case *c, const char *name)
{
    char full[300];
    int n = snprintf(full, sizeof(full), "perfetto.protos.%.*s", (int)strcspn(name, "-"), name);

    *c = (struct golden_case){.is_json = ends_with(name, ".json")};
    snprintf(c->name, sizeof(c->name), "%s", name);
    c->msg = orma_schema_find_msg(orma_schema_default(), (struct orma_str){full, (size_t)n});
    c->text_flags = (has_flag(name, "lossy") ? ORMA_TEXT_LOSSY : 0) |
                    (has_flag(name, "last") ? ORMA_TEXT_LAST_WINS : 0) |
                    (has_flag(name, "partial") ? ORMA_TEXT_PARTIAL : 0);
    c->json_flags = (has_flag(name, "lossy") ? ORMA_JSON_LOSSY : 0) |
                    (has_flag(name, "partial") ? ORMA_JSON_PARTIAL : 0);
    c->as_json = has_flag(name, "json");
    return c->msg != ORMA_SCHEMA_NONE;
}

/* What a person gets to see. */
static void run(const struct golden_case *c, const struct orma_buf *in, struct orma_buf *out)
{
    const struct orma_schema *s = orma_schema_default();
    struct orma_text_parse text = {.flags = c->text_flags, .file = c->name, .error = out};
    struct orma_json_parse json = {.flags = c->json_flags, .file = c->name, .error = out};
    struct orma_buf bytes = {0};
    int err = c->is_json ? orma_json_parse(s, c->msg, orma_buf_str(in), &json, &bytes)
                         : orma_text_parse(s, c->msg, orma_buf_str(in), &text, &bytes);

    if (!err)
        err = orma_text_print(s, c->msg, bytes.data, bytes.len, NULL, out);
    if (!err && c->as_json) {
        struct orma_json_print pretty = {.flags = ORMA_JSON_PRETTY};

        orma_buf_put_str(out, "---\n");
        err = orma_json_print(s, c->msg, bytes.data, bytes.len, &pretty, out);
        orma_buf_put_byte(out, '\n');
    }
    if (text.dropped + json.dropped)
        orma_buf_printf(out, "dropped: %llu\n", (unsigned long long)(text.dropped + json.dropped));
    if (err < 0)
        orma_buf_printf(out, "(%s)\n", strerror(-err));
    orma_buf_fini(&bytes);
}

static bool same(const struct orma_buf *a, const struct orma_buf *b)
{
    return a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len));
}

static bool write_file(const char *path, const struct orma_buf *buf)
{
    FILE *f = fopen(path, "w");
    bool ok = f && fwrite(buf->data, 1, buf->len, f) == buf->len;

    return f && !fclose(f) && ok;
}

/* 0 as expected, 1 not. */
static int check(const char *folder, const char *name, bool update)
{
    struct golden_case c;
    struct orma_buf in = {0}, out = {0}, want = {0};
    char path[4096], expected[4200];
    int bad = 1;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    snprintf(expected, sizeof(expected), "%s.out", path);
    if (!case_init(&c, name)) {
        printf("%s: no such message\n", name);
    } else if (orma_fd_read_file(AT_FDCWD, path, FILE_MAX, &in) >= 0) {
        run(&c, &in, &out);
        if (update) {
            bad = !write_file(expected, &out);
        } else if (orma_fd_read_file(AT_FDCWD, expected, FILE_MAX, &want) < 0 ||
                   !same(&out, &want)) {
            printf("%s: expected\n%s\ngot\n%s\n", name, orma_buf_cstr(&want), orma_buf_cstr(&out));
        } else {
            bad = 0;
        }
    }
    orma_buf_fini(&in);
    orma_buf_fini(&out);
    orma_buf_fini(&want);
    return bad;
}

int main(int argc, char **argv)
{
    bool update = argc == 3 && !strcmp(argv[1], "--update");
    const char *folder = argc == 2 + update ? argv[1 + update] : NULL;
    DIR *dir = folder ? opendir(folder) : NULL;
    int cases = 0, bad = 0;

    if (!dir) {
        fprintf(stderr, "usage: golden_reflect [--update] FOLDER\n");
        return 2;
    }
    for (struct dirent *e; (e = readdir(dir));) {
        if (!ends_with(e->d_name, ".pbtxt") && !ends_with(e->d_name, ".json"))
            continue;
        cases++;
        bad += check(folder, e->d_name, update);
    }
    closedir(dir);
    printf("%d cases, %d not as expected\n", cases, bad);
    return bad || !cases;
}
