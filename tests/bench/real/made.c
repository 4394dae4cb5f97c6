/*
 * Each recording is one run of `orma record` with a command behind it, so it takes the way that
 * a user's takes. Chromium is recorded where it is installed: its packets come from an
 * implementation that is not ours, with hundreds of arguments in a set. The JSON files differ in
 * one respect each, since parsers have a weak side each.
 */
#include "tests/bench/real/made.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/defs.h"

#define COMMAND_MAX 4096
#define JSON_EVENTS 160000
#define NEEDS_ROOT "needs root, and tracefs"

static bool shell(const char *command)
{
    fflush(NULL);
    return system(command) == 0;
}

static const char *record(const struct real_made *made, const char *path, const char *presets,
                          const char *command)
{
    char line[COMMAND_MAX];

    snprintf(line, sizeof(line),
             "'%s' record --private -f -b 64mb -o '%s' %s -- %s >/dev/null 2>'%s/record.log'",
             made->orma, path, presets, command, made->folder);
    if (!shell(line))
        return "orma record failed: see record.log";
    snprintf(line, sizeof(line),
             "grep -q 'nothing lost' '%s/record.log' || tail -n 1 '%s/record.log'", made->folder,
             made->folder);
    (void)shell(line); /* less is in it than its line says */
    return NULL;
}

/* ---- programs with our SDK ---- */

static const char *demo(const struct real_made *made, const char *path, unsigned values)
{
    char command[REAL_PATH_MAX + 128];

    snprintf(command, sizeof(command), "'%s' --threads 4 --iterations %u --spin %u --values %u",
             made->demo, made->iterations, made->spin_ns, values);
    return record(made, path, "apps", command);
}

static const char *make_different(const struct real_made *made, const char *path)
{
    return demo(made, path, 0);
}

static const char *make_alike(const struct real_made *made, const char *path)
{
    return demo(made, path, 16);
}

/* ---- the kernel ---- */

static const char *make_syscalls(const struct real_made *made, const char *path)
{
    if (geteuid() != 0)
        return NEEDS_ROOT;
    return record(made, path, "sched syscalls",
                  "sh -c 'dd if=/dev/zero bs=1 count=50000 | dd of=/dev/null bs=1'");
}

static const char *make_processes(const struct real_made *made, const char *path)
{
    if (geteuid() != 0)
        return NEEDS_ROOT;
    return record(made, path, "sched syscalls",
                  "sh -c 'i=0; while [ $i -lt 1500 ]; do /bin/true; i=$((i+1)); done'");
}

/* ---- a foreign producer ---- */

/* What a page does all day, slowly: tracing all categories is slower. */
static const char page[] =
    "<!doctype html><body><script>let n=0;function f(){for(let i=0;i<8;i++){const d=document."
    "createElement('div');d.textContent='row '+n+' '+i;document.body.append(d)}while(document.body."
    "children.length>60)document.body.children[0].remove();n++;setTimeout(f,40)}f()</script>";
static const char page_config[] =
    "buffers { size_kb: 262144 }\nwrite_into_file: true\nfile_write_period_ms: 100\n"
    "incremental_state_config { clear_period_ms: 500 }\n"
    "data_sources { config { name: \"track_event\" track_event_config { enabled_categories: \"*\" "
    "enabled_tags: \"debug\" } } }\n";

static bool write_text(const char *folder, const char *name, const char *text)
{
    char path[REAL_PATH_MAX + 32];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "we");
    bool good = f && fputs(text, f) >= 0;
    return (!f || fclose(f) == 0) && good;
}

static const char *make_chromium(const struct real_made *made, const char *path)
{
    char line[COMMAND_MAX];

    if (!shell("command -v chromium >/dev/null"))
        return "needs Chromium";
    if (!write_text(made->folder, "page.html", page) ||
        !write_text(made->folder, "page.config", page_config))
        return "cannot write into the folder";
    snprintf(line, sizeof(line),
             "'%s' record --private -q -f --allow-unknown -o '%s' -c '%s/page.config' -- timeout 5 "
             "chromium --headless=new --no-sandbox --disable-gpu --user-data-dir='%s/profile' "
             "--enable-features=EnablePerfettoSystemTracing 'file://%s/page.html' >/dev/null "
             "2>'%s/chromium.log'",
             made->orma, path, made->folder, made->folder, made->folder, made->folder);
    (void)shell(line); /* it is ended by its time limit */
    return NULL;
}

/* ---- JSON ---- */

typedef void (*json_event_fn)(FILE *f, unsigned i);

static const char *write_json(const char *path, json_event_fn event)
{
    FILE *f = fopen(path, "we");

    if (!f)
        return "cannot write into the folder";
    fputs("{\"traceEvents\":[", f);
    for (unsigned i = 0; i < JSON_EVENTS; i++) {
        fputs(i ? ",\n" : "\n", f);
        event(f, i);
    }
    fputs("\n]}\n", f);
    return fclose(f) == 0 ? NULL : "cannot write into the folder";
}

static void slice(FILE *f, unsigned i, const char *prefix, unsigned names, double ts)
{
    fprintf(f,
            "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"cat\":\"work\",\"name\":\"%s %u\",\"ts\":%.3f,"
            "\"dur\":%.3f}",
            1 + i % 2, 10 + i % 8, prefix, i % names, ts, 5 + (i % 7) * 0.125);
}

static void json_names(FILE *f, unsigned i)
{
    slice(f, i, "Request::Handle", 40000, i * 10.25);
}

static void json_counters(FILE *f, unsigned i)
{
    fprintf(f,
            "{\"ph\":\"C\",\"pid\":%u,\"name\":\"memory %u\",\"ts\":%.3f,\"args\":{\"used\":%u,"
            "\"free\":%u}}",
            1 + i % 4, i % 16, i * 10.25, i * 37 % 100000, i * 91 % 100000);
}

static void json_flows(FILE *f, unsigned i)
{
    unsigned id = i / 4;

    if (i % 4 < 2)
        slice(f, i % 4, "send", 4, id * 100.0 + i % 4 * 20.0);
    else
        fprintf(f,
                "{\"ph\":\"%s\",\"bp\":\"e\",\"pid\":%u,\"tid\":%u,\"cat\":\"work\",\"name\":"
                "\"message\",\"id\":%u,\"ts\":%.3f}",
                i % 4 == 2 ? "s" : "f", 1 + i % 2, 10 + i % 4 - 2, id,
                id * 100.0 + (i % 4 - 2) * 20.0 + 1);
}

static void json_async(FILE *f, unsigned i)
{
    fprintf(
        f,
        "{\"ph\":\"%s\",\"pid\":1,\"tid\":%u,\"cat\":\"net\",\"name\":\"fetch\",\"id\":\"0x%x\","
        "\"ts\":%.3f}",
        i % 2 ? "e" : "b", 10 + i % 8, i / 2, i * 10.25);
}

static void json_equal_times(FILE *f, unsigned i)
{
    fprintf(f, "{\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"tid\":%u,\"name\":\"tick %u\",\"ts\":1000}",
            10 + i % 8, i % 100);
}

static void json_falling_times(FILE *f, unsigned i)
{
    slice(f, i, "work", 100, (JSON_EVENTS - i) * 10.25);
}

/* As profilers of machine learning write them: dozens of arguments, texts among them. */
static void json_args(FILE *f, unsigned i)
{
    fprintf(
        f,
        "{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"cat\":\"cpu_op\",\"name\":\"aten::op%u\",\"ts\":%.3f,"
        "\"dur\":%.3f,\"args\":{\"External id\":%u,\"Record function id\":0,\"Concrete Inputs\":"
        "[\"\",\"%u\",\"False\"],\"Input type\":[\"float\",\"long int\",\"Scalar\"],\"Input "
        "Strides\":[[%u,1],[],[]],\"Input Dims\":[[%u,%u],[],[]],\"Ev Idx\":%u}}",
        10 + i % 8, i % 300, i * 10.25, 8.5, i, i % 64, i % 512, i % 128, i % 1024, i);
}

#define JSON(name)                                                                                 \
    static const char *make_json_##name(const struct real_made *made, const char *path)            \
    {                                                                                              \
        (void)made;                                                                                \
        return write_json(path, json_##name);                                                      \
    }
JSON(names)
JSON(counters)
JSON(flows)
JSON(async)
JSON(equal_times)
JSON(falling_times)
JSON(args)

struct real_trace real_traces[] = {
    {"different", "slices with args that nearly all differ", make_different},
    {"alike", "slices with args of 16 values", make_alike},
    {"syscalls", "kernel, with system calls", make_syscalls},
    {"processes", "kernel, processes that come and go", make_processes},
    {"chromium", "recorded from Chromium, nearly all categories", make_chromium},
    {"json_names", "JSON: 40,000 names", make_json_names, .json = true},
    {"json_counters", "JSON: counters", make_json_counters, .json = true},
    {"json_flows", "JSON: flows", make_json_flows, .json = true},
    {"json_async", "JSON: async ids", make_json_async, .json = true},
    {"json_equal", "JSON: equal times", make_json_equal_times, .json = true},
    {"json_falling", "JSON: falling times", make_json_falling_times, .json = true},
    {"json_args", "JSON: many args", make_json_args, .json = true},
};
const unsigned real_traces_num = ORMA_ARRAY_LEN(real_traces);

bool real_trace_make(struct real_trace *self, const struct real_made *made)
{
    struct stat st;

    if (self->missing)
        return false;
    snprintf(self->path, sizeof(self->path), "%s/%s.%s", made->folder, self->name,
             self->json ? "json" : "pftrace");
    if (stat(self->path, &st) < 0)
        self->missing = self->make(made, self->path);
    if (!self->missing && (stat(self->path, &st) < 0 || !st.st_size))
        self->missing = "nothing was recorded";
    if (!self->missing)
        self->bytes = (uint64_t)st.st_size;
    return !self->missing;
}
