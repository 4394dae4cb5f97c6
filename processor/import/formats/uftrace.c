/* uftrace: what was recorded, sessions, threads. */
#include "processor/import/formats/uftrace.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/import/formats/formats.h"
#include "sdk/base/hex.h"

#define HEADER_BYTES 40
/* orma_uftrace.work: of records, which are 16 bytes long, each could look at hundreds of things. */
#define WORK_MIN UINT64_C(20000000)
#define WORK_OF_BYTE 30

static void no_memory(struct orma_file *file)
{
    file->imp->model->storage->failed = true;
}

/* ---- info ---- */

/* Of a line "KEY:VALUE" or "KEY=VALUE"; data NULL: there is none. */
static struct orma_str info_of(const struct orma_uftrace *self, const char *key)
{
    const size_t len = strlen(key);
    struct orma_str rest = self->info, line;

    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (line.len <= len || memcmp(line.data, key, len) != 0 ||
            (line.data[len] != ':' && line.data[len] != '='))
            continue;
        const struct orma_str value = {line.data + len + 1, line.len - len - 1};
        if (!orma_str_starts(value, ORMA_STR("lines="))) /* so begin groups */
            return value;
    }
    return (struct orma_str){NULL, 0};
}

static bool read_info(struct orma_file *file, const uint8_t *data, size_t len)
{
    struct orma_uftrace *self = file->state;

    if (len < HEADER_BYTES) {
        orma_file_error(file, -EBADMSG, "the file 'info' of the uftrace folder is cut");
        return false;
    }
    self->big = data[14] == 2;
    self->wide = data[15] != 1;
    const unsigned version = (unsigned)orma_uftrace_number(self, data + 8, 4);
    const size_t size = (size_t)orma_uftrace_number(self, data + 12, 2);
    if (version < 3 || version > 4 || data[14] < 1 || data[14] > 2) {
        orma_file_error(file, -EBADMSG,
                        "a uftrace folder of version %u, which cannot be read (3 and 4 can); "
                        "`uftrace dump --chrome` converts it to JSON that can be read",
                        version);
        return false;
    }
    self->features = orma_uftrace_number(self, data + 16, 8);
    const size_t from = ORMA_MIN(ORMA_MAX(size, (size_t)HEADER_BYTES), len);
    self->info = (struct orma_str){(const char *)data + from, len - from};
    self->patterns = info_of(self, "pattern_type");
    orma_uftrace_read_rules(file, info_of(self, "argspec"), &self->args);
    orma_uftrace_read_rules(file, info_of(self, "retspec"), &self->retvals);
    orma_uftrace_read_rules(file, info_of(self, "argauto"), &self->auto_args);
    orma_uftrace_read_rules(file, info_of(self, "retauto"), &self->auto_retvals);
    return true;
}

/* The clock is told by the command line only. */
static uint32_t clock_of(const struct orma_uftrace *self)
{
    struct orma_str line = info_of(self, "cmdline"), word;
    bool next = false;

    while (line.len && orma_str_cut(&line, ' ', &word)) {
        struct orma_str value = word;

        if (orma_str_starts(word, ORMA_STR("--clock="))) {
            value = (struct orma_str){word.data + 8, word.len - 8};
            next = true;
        }
        if (next)
            return orma_str_eq_c(value, "boot")       ? ORMA_CLOCK_BOOTTIME
                   : orma_str_eq_c(value, "mono_raw") ? ORMA_CLOCK_MONOTONIC_RAW
                                                      : ORMA_CLOCK_MONOTONIC;
        next = orma_str_eq_c(word, "--clock");
        if (orma_str_eq_c(word, "--"))
            break;
    }
    return ORMA_CLOCK_MONOTONIC;
}

static void note_info(struct orma_file *file)
{
    struct orma_uftrace *self = file->state;
    struct orma_model *m = file->imp->model;
    const struct orma_str kernel = info_of(self, "osinfo:kernel"),
                          tool = info_of(self, "uftrace_version");

    if (kernel.len)
        orma_metadata_str(m, "system_release", false, ORMA_METADATA_MACHINE, file->machine,
                          orma_model_str(m, kernel));
    if (tool.len)
        orma_metadata_str(m, "tracing_tool", false, ORMA_METADATA_TRACE, 0,
                          orma_strpool_addf(&m->storage->pool, "uftrace %.*s", ORMA_STR_ARG(tool)));
}

/* ---- task.txt ---- */

/* The value of "key=value" in a line; quotes are taken off. */
static struct orma_str value_of(struct orma_str line, const char *key)
{
    const char *at = orma_str_find(line, orma_str_from(key));
    struct orma_str rest, ret = {NULL, 0};

    if (!at)
        return ret;
    rest = (struct orma_str){at + strlen(key), line.len - (size_t)(at + strlen(key) - line.data)};
    if (rest.len && rest.data[0] == '"') {
        rest = (struct orma_str){rest.data + 1, rest.len - 1};
        (void)orma_str_cut(&rest, '"', &ret);
    } else {
        (void)orma_str_cut(&rest, ' ', &ret);
    }
    return ret;
}

static bool id_of(struct orma_str line, const char *key, uint32_t *ret)
{
    uint64_t val;

    if (!orma_str_to_u64(value_of(line, key), &val) || val > INT32_MAX)
        return false;
    *ret = (uint32_t)val;
    return true;
}

static uint64_t session_id(struct orma_str text)
{
    uint64_t id = 0;

    for (size_t i = 0; i < text.len && orma_hex_digit(text.data[i]) >= 0; i++)
        id = id << 4 | (uint64_t)orma_hex_digit(text.data[i]);
    return id;
}

static struct orma_uftrace_task *add_task(struct orma_file *file, uint32_t tid, uint32_t pid)
{
    struct orma_uftrace *self = file->state;
    const uint64_t known = orma_map_get(&self->by_tid, tid);

    if (known != ORMA_MAP_NONE)
        return &self->tasks.data[known];
    if (ORMA_VEC_PUSH(&self->tasks,
                      (struct orma_uftrace_task){.tid = tid, .pid = pid, .utid = ORMA_ID_NONE}) ||
        orma_map_put(&self->by_tid, tid, self->tasks.len - 1)) {
        no_memory(file);
        return NULL;
    }
    return &self->tasks.data[self->tasks.len - 1];
}

static void add_era(struct orma_file *file, const struct orma_uftrace_era *era)
{
    struct orma_uftrace *self = file->state;

    if (ORMA_VEC_PUSH(&self->eras, *era))
        no_memory(file);
    else
        self->eras.data[self->eras.len - 1].line = self->eras.len;
}

/* By what it runs: the name of the file, without its folder. */
static void name_process(struct orma_file *file, uint32_t pid, struct orma_str path)
{
    struct orma_model *m = file->imp->model;
    struct orma_processes *p = orma_model_processes(m, file->machine);
    const char *slash = path.len ? memrchr(path.data, '/', path.len) : NULL;

    if (slash)
        path = (struct orma_str){slash + 1, path.len - (size_t)(slash + 1 - path.data)};
    if (path.len)
        orma_processes_name_process(p, orma_processes_process(p, pid), orma_model_str(m, path),
                                    ORMA_PROCESS_NAME_OTHER);
}

/* Who is forked runs the same program, up to a session of its own. */
static void note_fork(struct orma_file *file, uint32_t pid, uint32_t parent)
{
    struct orma_model *m = file->imp->model;
    const struct orma_table *t = orma_model_table(m, ORMA_TABLE_PROCESS);
    struct orma_processes *p = orma_model_processes(m, file->machine);
    const uint32_t from = orma_processes_process(p, parent), upid = orma_processes_process(p, pid);

    (void)orma_processes_set_parent(p, upid, from);
    if (!orma_table_is_null(t, ORMA_PROCESS_NAME, from))
        orma_processes_name_process(p, upid, (uint32_t)orma_table_int(t, ORMA_PROCESS_NAME, from),
                                    ORMA_PROCESS_NAME_ID);
}

static void read_task_line(struct orma_file *file, struct orma_str line)
{
    struct orma_uftrace_era era = {.session = ORMA_UFTRACE_NOTHING};
    uint32_t tid;

    if (!orma_uftrace_read_time(value_of(line, "timestamp="), &era.ts)) {
        orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "lines of task.txt", line.data);
    } else if (orma_str_starts(line, ORMA_STR("SESS ")) && id_of(line, " pid=", &era.pid)) {
        era.session = orma_uftrace_session(file, session_id(value_of(line, "sid=")));
        add_era(file, &era);
        name_process(file, era.pid, value_of(line, "exename="));
    } else if (orma_str_starts(line, ORMA_STR("FORK ")) && id_of(line, " pid=", &era.pid) &&
               id_of(line, " ppid=", &era.parent)) {
        add_era(file, &era);
        (void)add_task(file, era.pid, era.pid);
        note_fork(file, era.pid, era.parent);
    } else if (orma_str_starts(line, ORMA_STR("TASK ")) && id_of(line, " tid=", &tid) &&
               id_of(line, " pid=", &era.pid)) {
        (void)add_task(file, tid, era.pid);
    } else if (!orma_str_starts(line, ORMA_STR("DLOP "))) {
        orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "lines of task.txt", line.data);
    } else {
        orma_file_part(file, ORMA_ACCOUNT_NOT_READ, "libraries that were loaded later", line.data);
    }
}

static void read_lines(struct orma_file *file, const char *part,
                       void (*fn)(struct orma_file *, struct orma_str))
{
    struct orma_str rest = orma_uftrace_part(file, part), line;

    while (rest.len && orma_str_cut(&rest, '\n', &line) && !orma_file_failed(file))
        if (orma_str_trim(line).len)
            fn(file, line);
}

/* "EVENT: ID PROVIDER:NAME" */
static void read_event_name(struct orma_file *file, struct orma_str line)
{
    struct orma_uftrace *self = file->state;
    struct orma_str rest = line, word = {NULL, 0};
    uint64_t id;

    (void)orma_str_cut(&rest, ' ', &word); /* "EVENT:" */
    word = (struct orma_str){NULL, 0};
    (void)orma_str_cut(&rest, ' ', &word);
    if (!orma_str_to_u64(word, &id))
        orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "lines of events.txt", line.data);
    else if (orma_map_put(&self->event_names, id,
                          orma_model_str(file->imp->model, orma_str_trim(rest))))
        no_memory(file);
}

static int by_place(const void *a, const void *b)
{
    const struct orma_uftrace_task *x = a, *y = b;

    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int by_pid(const void *a, const void *b)
{
    const struct orma_uftrace_era *x = a, *y = b;

    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static void read_tasks(struct orma_file *file)
{
    struct orma_uftrace *self = file->state;

    read_lines(file, "task.txt", read_task_line);
    if (self->eras.len)
        qsort(self->eras.data, self->eras.len, sizeof(*self->eras.data), by_pid);
}

/* "123.dat" */
static bool is_thread(struct orma_str name, uint32_t *ret_tid)
{
    uint64_t tid;

    if (name.len < 5 || memcmp(name.data + name.len - 4, ".dat", 4) != 0 ||
        !orma_str_to_u64((struct orma_str){name.data, name.len - 4}, &tid) || tid > INT32_MAX)
        return false;
    *ret_tid = (uint32_t)tid;
    return true;
}

/* ---- all ---- */

static void find_threads(struct orma_file *file)
{
    struct orma_uftrace *self = file->state;
    uint32_t tid;

    for (uint32_t i = 0; i < file->parts_num; i++) {
        const struct orma_file_part *p = &file->parts[i];

        if (!is_thread(p->name, &tid))
            continue;
        /* Of a recording that was killed, task.txt may lack some. */
        struct orma_uftrace_task *t = add_task(file, tid, tid);
        if (t) {
            t->begin = (const uint8_t *)p->bytes.data;
            t->end = t->begin + p->bytes.len;
        }
    }
    if (self->tasks.len)
        qsort(self->tasks.data, self->tasks.len, sizeof(*self->tasks.data), by_place);
}

static size_t uftrace_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct orma_uftrace *self = file->state;

    (void)at_end; /* it is read once, whole */
    if (!file->parts_num) {
        orma_file_error(
            file, -EBADMSG,
            "the file 'info' of a uftrace folder: give the folder, or an archive of it");
        return len;
    }
    self->work = WORK_MIN + WORK_OF_BYTE * len;
    for (uint32_t i = 0; i < file->parts_num; i++)
        self->work += WORK_OF_BYTE * file->parts[i].bytes.len;
    if (!read_info(file, data, len))
        return len;
    orma_file_set_clock(file, clock_of(self));
    note_info(file);
    read_tasks(file);
    read_lines(file, "events.txt", read_event_name);
    find_threads(file);
    orma_uftrace_add_records(file);
    return len;
}

static void uftrace_fini(struct orma_file *file)
{
    struct orma_uftrace *self = file->state;

    for (uint32_t i = 0; i < self->modules.len; i++)
        ORMA_VEC_FINI(&self->modules.data[i].symbols);
    for (uint32_t i = 0; i < self->sessions.len; i++)
        ORMA_VEC_FINI(&self->sessions.data[i].maps);
    for (uint32_t i = 0; i < self->tasks.len; i++)
        ORMA_VEC_FINI(&self->tasks.data[i].open);
    ORMA_VEC_FINI(&self->modules);
    ORMA_VEC_FINI(&self->sessions);
    ORMA_VEC_FINI(&self->eras);
    ORMA_VEC_FINI(&self->tasks);
    ORMA_VEC_FINI(&self->running);
    ORMA_VEC_FINI(&self->args);
    ORMA_VEC_FINI(&self->retvals);
    ORMA_VEC_FINI(&self->auto_args);
    ORMA_VEC_FINI(&self->auto_retvals);
    orma_map_fini(&self->by_tid);
    orma_map_fini(&self->event_names);
    orma_arena_fini(&self->arena);
}

const struct orma_format_ops orma_format_uftrace = {
    .state_bytes = sizeof(struct orma_uftrace),
    .clock = ORMA_CLOCK_MONOTONIC,
    .unit = "record",
    .whole = true,
    .read = uftrace_read,
    .parse = orma_uftrace_parse,
    .fini = uftrace_fini,
};
