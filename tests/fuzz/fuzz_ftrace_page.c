/*
 * Any bytes as a page of the kernel's ring: what is translated must be packets
 * that a reader understands. The first byte chooses the layout and how many
 * pages the rest is.
 */
#include "tests/fuzz/ftrace_plans.h"

#define COMMON                                                                                     \
    "format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                 \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const struct {
    const char *group, *text;
} formats[] = {
    {"sched", "name: sched_switch\nID: 1\n" COMMON
              "\tfield:long prev_state;\toffset:8;\tsize:8;\tsigned:1;\n"
              "\tfield:char next_comm[16];\toffset:16;\tsize:16;\tsigned:0;\n"
              "\tfield:pid_t next_pid;\toffset:32;\tsize:4;\tsigned:1;\n"
              "\tfield:int next_prio;\toffset:36;\tsize:4;\tsigned:1;\n"},
    {"sched",
     "name: sched_waking\nID: 2\n" COMMON "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
     "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
     "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
     "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"},
    {"ftrace",
     "name: print\nID: 3\n" COMMON "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
     "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n"},
    {"irq",
     "name: irq_handler_entry\nID: 4\n" COMMON "\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n"
     "\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n"},
    {"task",
     "name: task_rename\nID: 5\n" COMMON "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
     "\tfield:char newcomm[16];\toffset:12;\tsize:16;\tsigned:0;\n"},
    {"raw_syscalls",
     "name: sys_enter\nID: 6\n" COMMON "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
     "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n"},
    {"other", "name: all\nID: 7\n" COMMON "\tfield:u8 a;\toffset:8;\tsize:1;\tsigned:0;\n"
              "\tfield:s16 b;\toffset:10;\tsize:2;\tsigned:1;\n"
              "\tfield:dev_t c;\toffset:12;\tsize:4;\tsigned:0;\n"
              "\tfield:void * d;\toffset:16;\tsize:8;\tsigned:0;\n"
              "\tfield:__rel_loc u32[] e;\toffset:24;\tsize:4;\tsigned:0;\n"
              "\tfield:u16 f[4];\toffset:28;\tsize:8;\tsigned:0;\n"
              "\tfield:ino_t g;\toffset:40;\tsize:8;\tsigned:0;\n"
              "\tfield:__data_loc u8[] h;\toffset:48;\tsize:4;\tsigned:0;\n"},
    {"raw_syscalls",
     "name: sys_exit\nID: 8\n" COMMON "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
     "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_translate *t;
    struct orma_ftrace_translate_cpu cpu = {0};
    struct orma_map inodes = {0}, fds = {0};

    if (!t) {
        t = calloc(1, sizeof(*t));
        if (!t)
            abort();
        fuzz_translate_init(t);
        for (size_t i = 0; i < ORMA_ARRAY_LEN(formats); i++) {
            if (!fuzz_translate_add(t, formats[i].group, orma_str_from(formats[i].text), 8, false))
                abort();
        }
        orma_ftrace_syscall_set_add(&t->translate.fd_syscalls, 2);
    }
    if (!size)
        return 0;
    t->translate.page_layout = data[0] & 1 ? (struct orma_tracefs_page_layout){4, 12}
                                           : (struct orma_tracefs_page_layout){8, 16};
    t->translate.inodes = &inodes;
    t->translate.fd_pairs = &fds;
    size_t page = (data[0] >> 1 & 7) ? (size / (1 + (data[0] >> 1 & 7))) : size;
    orma_ftrace_translate_begin(&t->translate, 0, &cpu);
    for (size_t at = 1; page && at < size; at += page)
        orma_ftrace_translate_page(&t->translate, data + at, ORMA_MIN(page, size - at));
    orma_ftrace_translate_end(&t->translate);
    t->translate.pids.fresh_num = t->translate.renamed.fresh_num = 0; /* as after each tick */
    orma_map_fini(&inodes);
    orma_map_fini(&fds);
    return 0;
}
