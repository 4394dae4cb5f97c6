/*
 * to_ftrace(id): a kernel event as a line of the kernel's `trace` file.
 *
 *            comm-pid   (tgid) [cpu] .... seconds: name: key=value ...
 *
 * Most events are their args in order; `layouts` has those that the kernel prints
 * in another way.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/functions/functions.h"
#include "sdk/base/buf.h"

#define COMM_WIDTH 16
#define NS_PER_S 1000000000
#define NS_PER_US 1000
#define KERNEL(major, minor) ((uint32_t)(major) << 16 | (uint32_t)(minor))

struct line {
    struct orma_storage *st;
    struct orma_buf *out;
    struct orma_args_list args;
    uint32_t kernel; /* version; 0: unknown */
};

/* ---- args ---- */

static const struct orma_args_item *find_arg(const struct line *l, const char *key)
{
    for (uint32_t i = 0; i < l->args.len; i++) {
        if (!strcmp(orma_strpool_cstr(&l->st->pool, l->args.args[i].key), key))
            return &l->args.args[i];
    }
    return NULL;
}

/* 0 when it is missing: fields with that value are not recorded. */
static int64_t int_arg(const struct line *l, const char *key)
{
    const struct orma_args_item *a = find_arg(l, key);

    return a && a->type != ORMA_ARG_REAL && a->type != ORMA_ARG_STRING ? a->i : 0;
}

static const char *text_arg(const struct line *l, const char *key)
{
    const struct orma_args_item *a = find_arg(l, key);

    return a && a->type == ORMA_ARG_STRING ? orma_strpool_cstr(&l->st->pool, a->str) : "";
}

static void put_value(struct line *l, const struct orma_args_item *a)
{
    switch ((enum orma_arg_type)a->type) {
    case ORMA_ARG_INT:
        orma_buf_printf(l->out, "%" PRId64, a->i);
        break;
    case ORMA_ARG_UINT:
    case ORMA_ARG_POINTER:
        orma_buf_printf(l->out, "%" PRIu64, (uint64_t)a->i);
        break;
    case ORMA_ARG_BOOL:
        orma_buf_put_str(l->out, a->i ? "true" : "false");
        break;
    case ORMA_ARG_REAL:
        orma_buf_printf(l->out, "%f", a->d);
        break;
    case ORMA_ARG_STRING:
    case ORMA_ARG_JSON: {
        struct orma_str s = orma_strpool_get(&l->st->pool, a->str);

        orma_buf_put(l->out, s.data, s.len);
        break;
    }
    case ORMA_ARG_NULL:
        orma_buf_put_str(l->out, "[NULL]");
        break;
    }
}

static void put_arg(struct line *l, const struct orma_args_item *a)
{
    orma_buf_printf(l->out, " %s=", orma_strpool_cstr(&l->st->pool, a->key));
    put_value(l, a);
}

/* ---- flags of allocations ---- */

struct flag {
    uint32_t mask;
    const char *name;
};

/* Combinations come before what they are made of. Kernels from 4.14 on. */
static const struct flag gfp_flags[] = {
    {0x1c20ca, "GFP_TRANSHUGE"},
    {0x1c20c2, "GFP_HIGHUSER_MOVABLE"},
    {0x1420c2, "GFP_HIGHUSER"},
    {0x1400c0, "GFP_USER"},
    {0x4000c0, "GFP_KERNEL_ACCOUNT"},
    {0x400040, "GFP_NOFS_ACCOUNT"},
    {0xcc0, "GFP_KERNEL"},
    {0xc40, "GFP_NOFS"},
    {0xc00, "GFP_NOIO"},
    {0xa20, "GFP_ATOMIC"},
    {0x800, "GFP_NOWAIT"},
    {0x1, "GFP_DMA"},
    {0x4, "GFP_DMA32"},
    {0x20, "__GFP_HIGH"},
    {0x40, "__GFP_IO"},
    {0x80, "__GFP_FS"},
    {0x100, "__GFP_ZERO"},
    {0x200, "__GFP_ATOMIC"},
    {0x400, "__GFP_DIRECT_RECLAIM"},
    {0x800, "__GFP_KSWAPD_RECLAIM"},
    {0x1000, "__GFP_WRITE"},
    {0x2000, "__GFP_NOWARN"},
    {0x4000, "__GFP_RETRY_MAYFAIL"},
    {0x8000, "__GFP_NOFAIL"},
    {0x10000, "__GFP_NORETRY"},
    {0x20000, "__GFP_MEMALLOC"},
    {0x40000, "__GFP_COMP"},
    {0x80000, "__GFP_NOMEMALLOC"},
    {0x100000, "__GFP_HARDWALL"},
    {0x200000, "__GFP_THISNODE"},
    {0x400000, "__GFP_ACCOUNT"},
    {0x2, "__GFP_HIGHMEM"},
    {0x8, "__GFP_MOVABLE"},
    {0x10, "__GFP_RECLAIMABLE"},
};

static void put_gfp_flags(struct line *l, uint64_t val)
{
    const char *glue = "";

    if (!val) {
        orma_buf_put_str(l->out, "GFP_NOWAIT");
        return;
    }
    for (size_t i = 0; i < ORMA_ARRAY_LEN(gfp_flags) && val; i++) {
        if ((val & gfp_flags[i].mask) != gfp_flags[i].mask)
            continue;
        orma_buf_printf(l->out, "%s%s", glue, gfp_flags[i].name);
        val &= ~(uint64_t)gfp_flags[i].mask;
        glue = "|";
    }
    if (val)
        orma_buf_printf(l->out, "%s0x%" PRIx64, glue, val);
}

/* ---- layouts ---- */

static void put_args(struct line *l)
{
    for (uint32_t i = 0; i < l->args.len; i++) {
        const struct orma_args_item *a = &l->args.args[i];

        if (!strcmp(orma_strpool_cstr(&l->st->pool, a->key), "gfp_flags")) {
            orma_buf_put_str(l->out, " gfp_flags=");
            put_gfp_flags(l, (uint64_t)a->i);
        } else {
            put_arg(l, a);
        }
    }
}

/* Bits of a state that are set, as letters with '|' between them. */
static void put_state(struct line *l, uint32_t raw)
{
    static const char modern[] = "SDTtXZPI", old[] = "SDTtZXxKWPN";
    bool new_kernel = l->kernel >= KERNEL(4, 14);
    const char *letters = new_kernel ? modern : old;
    uint32_t preempt = new_kernel ? 0x100 : !l->kernel || l->kernel < KERNEL(4, 8) ? 0x800 : 0x1000;
    const char *glue = "";

    for (unsigned i = 0; letters[i]; i++) {
        if (!(raw >> i & 1))
            continue;
        orma_buf_printf(l->out, "%s%c", glue, letters[i]);
        glue = "|";
    }
    if (!*glue)
        orma_buf_put_byte(l->out, 'R');
    if (raw & preempt)
        orma_buf_put_byte(l->out, '+');
}

static void sched_switch(struct line *l)
{
    orma_buf_printf(l->out, " prev_comm=%s prev_pid=%" PRId64 " prev_prio=%" PRId64 " prev_state=",
                    text_arg(l, "prev_comm"), int_arg(l, "prev_pid"), int_arg(l, "prev_prio"));
    put_state(l, (uint32_t)int_arg(l, "prev_state"));
    orma_buf_printf(l->out, " ==> next_comm=%s next_pid=%" PRId64 " next_prio=%" PRId64,
                    text_arg(l, "next_comm"), int_arg(l, "next_pid"), int_arg(l, "next_prio"));
}

static void sched_wakeup(struct line *l)
{
    orma_buf_printf(l->out, " comm=%s pid=%" PRId64 " prio=%" PRId64 " target_cpu=%03" PRId64,
                    text_arg(l, "comm"), int_arg(l, "pid"), int_arg(l, "prio"),
                    int_arg(l, "target_cpu"));
}

static void blocked_reason(struct line *l)
{
    const struct orma_args_item *caller = find_arg(l, "caller");

    orma_buf_printf(l->out, " pid=%" PRId64 " iowait=%" PRId64 " caller=", int_arg(l, "pid"),
                    int_arg(l, "io_wait"));
    if (caller)
        put_value(l, caller);
}

static void clock_rate(struct line *l)
{
    orma_buf_printf(l->out, " %s state=%" PRIu64 " cpu_id=%" PRIu64, text_arg(l, "name"),
                    (uint64_t)int_arg(l, "state"), (uint64_t)int_arg(l, "cpu_id"));
}

static void clk_rate(struct line *l)
{
    orma_buf_printf(l->out, " %s %" PRIu64, text_arg(l, "name"), (uint64_t)int_arg(l, "rate"));
}

static void print_marker(struct line *l)
{
    const struct orma_args_item *a = find_arg(l, "buf");
    struct orma_str s = {0};

    if (a && a->type == ORMA_ARG_STRING)
        s = orma_strpool_get(&l->st->pool, a->str);
    while (s.len && s.data[s.len - 1] == '\n')
        s.len--;
    orma_buf_put_byte(l->out, ' ');
    orma_buf_put(l->out, s.data, s.len);
}

static void irq_exit(struct line *l)
{
    orma_buf_printf(l->out, " irq=%" PRId64 " ret=%s", int_arg(l, "irq"),
                    int_arg(l, "ret") ? "handled" : "unhandled");
}

static void softirq(struct line *l)
{
    static const char *const names[] = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                        "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};
    int64_t vec = int_arg(l, "vec");

    orma_buf_printf(l->out, " vec=%" PRId64 " [action=%s]", vec,
                    vec >= 0 && vec < (int64_t)ORMA_ARRAY_LEN(names) ? names[vec] : "?");
}

static void binder_transaction(struct line *l)
{
    orma_buf_printf(l->out,
                    " transaction=%" PRId64 " dest_node=%" PRId64 " dest_proc=%" PRId64
                    " dest_thread=%" PRId64 " reply=%" PRId64 " flags=0x%" PRIx64
                    " code=0x%" PRIx64,
                    int_arg(l, "debug_id"), int_arg(l, "target_node"), int_arg(l, "to_proc"),
                    int_arg(l, "to_thread"), int_arg(l, "reply"), (uint64_t)int_arg(l, "flags"),
                    (uint64_t)int_arg(l, "code"));
}

static void binder_buffer(struct line *l)
{
    orma_buf_printf(l->out, " transaction=%" PRId64 " data_size=%" PRIu64 " offsets_size=%" PRIu64,
                    int_arg(l, "debug_id"), (uint64_t)int_arg(l, "data_size"),
                    (uint64_t)int_arg(l, "offsets_size"));
}

static void binder_received(struct line *l)
{
    orma_buf_printf(l->out, " transaction=%" PRId64, int_arg(l, "debug_id"));
}

static void filemap(struct line *l)
{
    uint64_t dev = (uint64_t)int_arg(l, "s_dev");

    orma_buf_printf(l->out,
                    " dev %" PRIu64 ":%" PRIu64 " ino %" PRIx64
                    " page=0000000000000000 pfn=%" PRIu64 " ofs=%" PRIu64,
                    dev >> 20, dev & 0xfffff, (uint64_t)int_arg(l, "i_ino"),
                    (uint64_t)int_arg(l, "pfn"), (uint64_t)int_arg(l, "index") << 12);
}

static void work_struct(struct line *l)
{
    const struct orma_args_item *function = find_arg(l, "function");

    orma_buf_printf(l->out, " work struct %" PRIX64, (uint64_t)int_arg(l, "work"));
    if (!function)
        return;
    orma_buf_put_str(l->out, ": function ");
    if (function->type == ORMA_ARG_STRING)
        put_value(l, function);
    else
        orma_buf_printf(l->out, "%" PRIX64, (uint64_t)function->i);
}

static void i2c(struct line *l)
{
    orma_buf_printf(l->out,
                    " i2c-%" PRId64 " #%" PRId64 " a=%03" PRIx64 " f=%04" PRIx64 " l=%" PRId64,
                    int_arg(l, "adapter_nr"), int_arg(l, "msg_nr"), (uint64_t)int_arg(l, "addr"),
                    (uint64_t)int_arg(l, "flags"), int_arg(l, "len"));
}

/* Fields in the order of the kernel's text; older kernels have fewer. */
static void cgroup_attach(struct line *l)
{
    static const struct {
        const char *shown, *arg;
    } fields[] = {{"dst_root", "dst_root"}, {"dst_id", "dst_id"},
                  {"cgroup", "cname"},      {"dst_level", "dst_level"},
                  {"dst_path", "dst_path"}, {"pid", "pid"},
                  {"comm", "comm"}};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(fields); i++) {
        const struct orma_args_item *a = find_arg(l, fields[i].arg);

        if (!a)
            continue;
        orma_buf_printf(l->out, " %s=", fields[i].shown);
        put_value(l, a);
    }
}

static const struct layout {
    const char *name, *shown; /* NULL: the same */
    void (*put)(struct line *l);
} layouts[] = {
    {"binder_transaction", NULL, binder_transaction},
    {"binder_transaction_alloc_buf", NULL, binder_buffer},
    {"binder_transaction_received", NULL, binder_received},
    {"cgroup_attach_task", NULL, cgroup_attach},
    {"clk_disable", NULL, clk_rate},
    {"clk_enable", NULL, clk_rate},
    {"clk_set_rate", NULL, clk_rate},
    {"clock_disable", NULL, clock_rate},
    {"clock_enable", NULL, clock_rate},
    {"clock_set_rate", NULL, clock_rate},
    {"i2c_read", NULL, i2c},
    {"i2c_reply", NULL, i2c},
    {"i2c_write", NULL, i2c},
    {"irq_handler_exit", NULL, irq_exit},
    {"mm_filemap_add_to_page_cache", NULL, filemap},
    {"mm_filemap_delete_from_page_cache", NULL, filemap},
    {"print", "tracing_mark_write", print_marker},
    {"sched_blocked_reason", NULL, blocked_reason},
    {"sched_switch", NULL, sched_switch},
    {"sched_wakeup", NULL, sched_wakeup},
    {"softirq_entry", NULL, softirq},
    {"softirq_exit", NULL, softirq},
    {"softirq_raise", NULL, softirq},
    {"workqueue_activate_work", NULL, work_struct},
    {"workqueue_execute_end", NULL, work_struct},
    {"workqueue_execute_start", NULL, work_struct},
    {"workqueue_queue_work", NULL, work_struct},
};

static int by_name(const void *key, const void *row)
{
    return strcmp(key, ((const struct layout *)row)->name);
}

/* ---- the line ---- */

static uint32_t kernel_of(const struct orma_storage *st, uint64_t machine)
{
    const struct orma_table *t = &st->tables[ORMA_TABLE_MACHINE];
    unsigned major = 0, minor = 0;

    if (machine >= t->rows ||
        sscanf(orma_strpool_cstr(
                   &st->pool, (uint32_t)orma_table_int(t, ORMA_MACHINE_RELEASE, (uint32_t)machine)),
               "%u.%u", &major, &minor) != 2)
        return 0;
    return KERNEL(major & 0xffff, minor & 0xffff);
}

/* "   comm-tid   ( tgid)" */
static void put_thread(struct line *l, int64_t utid)
{
    const struct orma_table *t = &l->st->tables[ORMA_TABLE_THREAD];
    const struct orma_table *p = &l->st->tables[ORMA_TABLE_PROCESS];
    bool known = utid >= 0 && utid < t->rows;
    uint32_t row = known ? (uint32_t)utid : 0;
    int64_t tid = known ? orma_table_int(t, ORMA_THREAD_TID, row) : 0, tgid = 0;
    struct orma_str comm = orma_str_from("<unknown>");
    char text[64];
    size_t n = 0;

    if (known && !orma_table_is_null(t, ORMA_THREAD_NAME, row))
        comm = orma_strpool_get(&l->st->pool, (uint32_t)orma_table_int(t, ORMA_THREAD_NAME, row));
    if (!tid)
        comm = orma_str_from("<idle>");
    if (known && tid && !orma_table_is_null(t, ORMA_THREAD_UPID, row))
        tgid =
            orma_table_int(p, ORMA_PROCESS_PID, (uint32_t)orma_table_int(t, ORMA_THREAD_UPID, row));
    for (; n < comm.len && n < sizeof(text) - 1; n++)
        text[n] = comm.data[n] == '-' ? '_' : comm.data[n];
    text[n] = 0;
    orma_buf_printf(l->out, "%*s-%-5" PRId64 " (", COMM_WIDTH, text, tid);
    if (tgid)
        orma_buf_printf(l->out, "%5" PRId64 ")", tgid);
    else
        orma_buf_put_str(l->out, "-----)");
}

static void put_event(struct line *l, uint32_t row)
{
    const struct orma_table *t = &l->st->tables[ORMA_TABLE_FTRACE_EVENT];
    const char *name =
        orma_strpool_cstr(&l->st->pool, (uint32_t)orma_table_int(t, ORMA_FTRACE_EVENT_NAME, row));
    int64_t ts = orma_table_int(t, ORMA_FTRACE_EVENT_TS, row);
    uint64_t ucpu = (uint64_t)orma_table_int(t, ORMA_FTRACE_EVENT_UCPU, row);
    const struct layout *layout =
        bsearch(name, layouts, ORMA_ARRAY_LEN(layouts), sizeof(layouts[0]), by_name);

    l->kernel = kernel_of(l->st, ucpu / ORMA_UCPUS_PER_MACHINE);
    put_thread(l, orma_table_int(t, ORMA_FTRACE_EVENT_UTID, row));
    orma_buf_printf(l->out, " [%03" PRIu64 "] .... %" PRId64 ".%06" PRId64 ": %s:",
                    ucpu % ORMA_UCPUS_PER_MACHINE, ts / NS_PER_S, ts % NS_PER_S / NS_PER_US,
                    layout && layout->shown ? layout->shown : name);
    if (!orma_table_is_null(t, ORMA_FTRACE_EVENT_ARG_SET_ID, row))
        orma_args_load(&l->st->args, (uint32_t)orma_table_int(t, ORMA_FTRACE_EVENT_ARG_SET_ID, row),
                       &l->args);
    if (layout)
        layout->put(l);
    else
        put_args(l);
}

static bool starts_with(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

static void to_ftrace(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_storage *st = orma_sql_of(ctx)->storage;
    const struct orma_table *t = &st->tables[ORMA_TABLE_FTRACE_EVENT];
    struct orma_buf out = {0};
    struct line l = {.st = st, .out = &out};
    int64_t id = sqlite3_value_int64(argv[0]);
    const char *name;

    (void)argc;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER) {
        sqlite3_result_error(ctx, "Usage: to_ftrace(id)", -1);
        return;
    }
    if (id < 0 || id >= t->rows) {
        sqlite3_result_error(ctx, "to_ftrace: no such event", -1);
        return;
    }
    name = orma_strpool_cstr(&st->pool,
                             (uint32_t)orma_table_int(t, ORMA_FTRACE_EVENT_NAME, (uint32_t)id));
    if (starts_with(name, "chrome_event.") || starts_with(name, "track_event."))
        return; /* not the kernel's */
    put_event(&l, (uint32_t)id);
    orma_args_list_fini(&l.args);
    orma_result_buf(ctx, &out, false);
}

const struct orma_sql_func orma_functions_ftrace[] = {
    {.name = "to_ftrace",
     .args = 1,
     .scalar = to_ftrace,
     .usage = "(id JOINID(ftrace_event.id)) -> STRING",
     .doc = "The event as a line of the kernel's trace file; NULL for events of other sources. An "
            "id that does not exist is an error."},
    {0},
};
