/*
 * Args of Chrome's JSON that stay in the text until somebody asks for args (store/args.h).
 *
 * To make args of such an object takes as long as all else that is done for its event. What that
 * does besides must be done at once, so only what is sound is left: all of it can be read, and at
 * least one value is an arg. The walk takes a quarter of the time, as it makes no numbers, keys or
 * texts. It knows less than the reader: commas that trail, say, are left to that.
 */
#include "processor/import/formats/chrome_json.h"

#include "protos/reflect/json_inline.h"
#include "sdk/base/mapped.h"

/* Deeper objects are read at once; a bit of a word for each. */
#define DEPTH_MAX 60

/* Behind a text whose opening quote is before `pos`; NULL: it has no end. */
static inline const char *behind_text(const char *pos, const char *end)
{
    const char *to = orma_json_plain_text(pos, end);
    bool escaped;

    return ORMA_LIKELY(to != NULL) ? to + 1 : orma_json_skip_text(pos, end, &escaped);
}

/* Behind the name at `pos` and its colon. */
static inline const char *behind_name(const char *pos, const char *end)
{
    if (pos == end || *pos != '"' || !(pos = behind_text(pos + 1, end)))
        return NULL;
    pos = orma_json_skip_blanks(pos, end);
    return pos < end && *pos == ':' ? orma_json_skip_blanks(pos + 1, end) : NULL;
}

static inline bool ends_value(char c)
{
    return c == ',' || c == '}' || c == ']' || orma_json_is_blank(c);
}

/* Behind the number or word at `pos`. *ret_null: it is no arg. */
static inline const char *behind_word(const char *pos, const char *end, bool *ret_null)
{
    const char *at = pos + (*pos == '-'), *digits = at;
    struct orma_json j = orma_json((struct orma_str){pos, (size_t)(end - pos)});
    struct orma_json_value v;

    *ret_null = false;
    while (at < end && (uint8_t)(*at - '0') < 10)
        at++;
    if (ORMA_LIKELY(at > digits && at < end && at - digits <= ORMA_JSON_DIGITS_MAX &&
                    ends_value(*at)))
        return at;
    if (!orma_json_read(&j, &v))
        return NULL;
    *ret_null = v.type == ORMA_JSON_NULL;
    return j.pos;
}

const char *orma_json_event_args_end(const char *pos, const char *end)
{
    uint64_t objects = 1; /* by depth, the innermost one is the lowest bit: it is no list */
    unsigned depth = 1;
    bool any = false, null;

    for (pos = orma_json_skip_blanks(pos + 1, end); depth;) {
        /* At the first entry, or behind a comma. */
        if (objects & 1 && !(pos = behind_name(pos, end)))
            return NULL;
        if (pos == end)
            return NULL;
        if (*pos == '{' || *pos == '[') {
            if (depth == DEPTH_MAX)
                return NULL;
            depth++;
            objects = objects << 1 | (*pos == '{');
            pos = orma_json_skip_blanks(pos + 1, end);
            if (pos == end)
                return NULL;
            if (*pos != (objects & 1 ? '}' : ']'))
                continue;
        } else if (*pos == '"') {
            any = true;
            pos = behind_text(pos + 1, end);
        } else {
            pos = behind_word(pos, end, &null);
            any |= !null;
        }
        if (!pos)
            return NULL;
        for (;;) { /* behind an entry */
            pos = orma_json_skip_blanks(pos, end);
            if (pos == end)
                return NULL;
            if (*pos == ',')
                break;
            if (*pos != (objects & 1 ? '}' : ']'))
                return NULL;
            pos++;
            objects >>= 1;
            if (!--depth)
                return any ? pos : NULL;
        }
        pos = orma_json_skip_blanks(pos + 1, end);
    }
    return NULL;
}

bool orma_json_event_args_are_sound(const char *pos, const char *end)
{
    return orma_json_event_args_end(pos, end) == end;
}

/* ---- when somebody asks ---- */

/* The bytes may be others than those that were left, if they are in a file. */
static void decode(void *data, struct orma_args_place place, struct orma_args_list *ret)
{
    struct orma_json_left *self = data;
    const struct orma_json_value args = {.type = ORMA_JSON_OBJECT,
                                         .raw = {(const char *)place.bytes, place.len}};

    orma_json_args(self->imp, &self->paths, ORMA_STR("args"), &args, ret);
    orma_import_let_go(self->imp, &self->behind, place.bytes);
}

static bool still_there(void *data)
{
    return orma_import_still_there(((struct orma_json_left *)data)->imp);
}

static void done(void *data)
{
    const struct orma_json_left *self = data;

    if (self->imp->reader)
        orma_mapped_let_go_all(self->imp->reader->source.mapped);
}

/* One file decodes what all of them leave. */
static struct orma_args_places *owner_of(struct orma_import_ctx *imp)
{
    return &imp->model->storage->args.places[ORMA_ARGS_OF_FILES];
}

bool orma_json_event_leave_args(struct orma_import_ctx *imp, struct orma_json_left *self,
                                const struct orma_json_value *args, struct orma_args_list *ret)
{
    struct orma_args_places *owner = owner_of(imp);

    if (ORMA_UNLIKELY(!owner->decode)) {
        self->imp = imp;
        *owner = (struct orma_args_places){
            .data = self, .decode = decode, .still_there = still_there, .done = done};
    }
    if (imp->options->no_plain_events ||
        !orma_args_take_places(&imp->model->storage->args, ORMA_ARGS_OF_FILES) ||
        !orma_import_leaves_args(&self->shorts, args->raw) ||
        !(args->boolean ||
          orma_json_event_args_are_sound(args->raw.data, args->raw.data + args->raw.len)))
        return false;
    orma_args_put_place(
        ret, (struct orma_args_place){.bytes = (const uint8_t *)args->raw.data,
                                      .len = (uint32_t)args->raw.len,
                                      .context = orma_args_context(ORMA_ARGS_OF_FILES, 0)});
    return true;
}

void orma_json_event_left_fini(struct orma_json_left *self)
{
    if (self->imp && owner_of(self->imp)->data == self)
        *owner_of(self->imp) = (struct orma_args_places){0};
    orma_json_event_paths_fini(&self->paths);
}
