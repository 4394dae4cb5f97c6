/*
 * SQL as it is typed, token by token: whether it is whole, and which colour its bytes have.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "tools/shell/prompt_impl.h"

/* Words beside those that are completed. */
static const char more_keywords[] =
    "ALL ASC BY CAST COLLATE CREATE CROSS CURRENT DELEGATES DELETE DROP EXCEPT EXISTS FALSE FILTER "
    "FIRST FOLLOWING FULL FUNCTION GROUP IN INDEX INNER INSERT INTERSECT INTO IS LAST MACRO "
    "MATERIALIZED MODULE NULL NULLS OFFSET ORDER OUTER PARTITION PRECEDING RANGE RECURSIVE REPLACE "
    "RETURNS RIGHT ROW ROWS SET TEMP TRUE UNBOUNDED UNION UPDATE VALUES WINDOW";

enum kind { OTHER, SPACE, COMMENT, TEXT, NAME, WORD, NUMBER };

struct token {
    size_t len;
    enum kind kind;
    bool open; /* its end is missing */
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Up to the end of what `skip` bytes began. */
static struct token enclosed(struct orma_str sql, enum kind kind, size_t skip, const char *end)
{
    const char *at =
        sql.len > skip ? memmem(sql.data + skip, sql.len - skip, end, strlen(end)) : NULL;

    return (struct token){at ? (size_t)(at - sql.data) + strlen(end) : sql.len, kind, !at};
}

static struct token next_token(struct orma_str sql)
{
    char c = *sql.data, quote[] = {c, '\0'};
    struct token ret = {.len = 1, .kind = isspace((unsigned char)c) ? SPACE : OTHER};

    if (orma_str_starts(sql, ORMA_STR("--"))) {
        ret = enclosed(sql, COMMENT, 2, "\n");
        ret.open = false;
    } else if (orma_str_starts(sql, ORMA_STR("/*"))) {
        ret = enclosed(sql, COMMENT, 2, "*/");
    } else if (c == '\'' || c == '"' || c == '`') {
        ret = enclosed(sql, c == '\'' ? TEXT : NAME, 1, quote);
    } else if (is_word(c)) {
        ret.kind = isdigit((unsigned char)c) ? NUMBER : WORD;
        while (ret.len < sql.len &&
               (is_word(sql.data[ret.len]) || (ret.kind == NUMBER && sql.data[ret.len] == '.')))
            ret.len++;
    }
    return ret;
}

bool orma_shell_is_whole(struct orma_str sql)
{
    bool whole = false;

    while (sql.len) {
        struct token t = next_token(sql);

        if (t.open)
            return false;
        if (t.kind != SPACE && t.kind != COMMENT)
            whole = *sql.data == ';';
        sql = (struct orma_str){sql.data + t.len, sql.len - t.len};
    }
    return whole;
}

static bool has_word(const char *list, struct orma_str word)
{
    while (*list) {
        size_t len = strcspn(list, " ");

        if (len == word.len && !strncasecmp(list, word.data, len))
            return true;
        list += len + (list[len] == ' ');
    }
    return false;
}

static bool is_keyword(struct orma_str word)
{
    for (const char *const *k = orma_shell_keywords; *k; k++) {
        if (has_word(*k, word))
            return true;
    }
    return has_word(more_keywords, word);
}

static enum orma_line_editor_style style_of(const struct token *t, struct orma_str sql)
{
    static const uint8_t styles[] = {
        [COMMENT] = ORMA_LINE_EDITOR_COMMENT,
        [TEXT] = ORMA_LINE_EDITOR_TEXT,
        [NUMBER] = ORMA_LINE_EDITOR_NUMBER,
    };

    if (t->kind != WORD)
        return styles[t->kind];
    if (is_keyword((struct orma_str){sql.data, t->len}))
        return ORMA_LINE_EDITOR_KEYWORD;
    return t->len < sql.len && sql.data[t->len] == '(' ? ORMA_LINE_EDITOR_FUNCTION
                                                       : ORMA_LINE_EDITOR_PLAIN;
}

void orma_shell_colour(void *prompt, struct orma_str line, uint8_t *ret)
{
    struct orma_shell_prompt_state *p = prompt;
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    size_t before = p->sql.len;

    memset(ret, ORMA_LINE_EDITOR_PLAIN, line.len);
    if (!before && line.len && (*line.data == '.' || *line.data == '\\')) {
        for (size_t i = 0; i < line.len && line.data[i] != ' '; i++)
            ret[i] = ORMA_LINE_EDITOR_KEYWORD;
        return;
    }
    orma_buf_put(&text, p->sql.data, before); /* where something may be open */
    orma_buf_put(&text, line.data, line.len);
    struct orma_str rest = orma_buf_str(&text);
    for (size_t at = 0; rest.len && !text.failed;) {
        struct token t = next_token(rest);
        enum orma_line_editor_style style = style_of(&t, rest);

        for (size_t end = at + t.len; at < end; at++) {
            if (at >= before)
                ret[at - before] = (uint8_t)style;
        }
        rest = (struct orma_str){rest.data + t.len, rest.len - t.len};
    }
}
