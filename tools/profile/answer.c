/*
 * What was found: the hottest functions, what was waited for, files for more, and what to do where
 * there is little.
 */
#include "tools/profile/session.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "tools/convert/profile_folder.h"
#include "tools/load/load.h"
#include "tools/load/loss.h"
#include "tools/load/symbols.h"
#include "tools/load/threads.h"
#include "tools/profile/text.h"
#include "tools/record/child.h"
#include "tools/record/profile_config.h"

#define WAITS_TOP 5
#define WAITS_MIN 0.02
#define COVERAGE_LEAST 0.9
#define SAMPLES_FEW 50u
#define COVERAGE_MIN_NS 50000000u /* of less CPU time, shares say nothing */
#define FREQUENCY_HIGH 20000      /* to try where there were few samples */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* What there is to say when nothing was sampled. */
static void tell_nothing(const struct orma_profile_session *self, struct orma_processor *tp,
                         const char *path)
{
    const struct orma_record_profile_request *rq = &self->request;
    char text[ORMA_LEDGER_TEXT_MAX];
    struct orma_ledger loss;

    orma_load_loss(tp, &loss);
    orma_ledger_format(&loss, text, sizeof(text));
    if (!orma_ledger_is_none(&loss))
        fprintf(stderr, "%s: no samples with stacks: %s\n", self->program, text);
    else if (self->child.pid <= 0)
        fprintf(stderr,
                "%s: no samples with stacks%s%s: did the processes run, and is there permission to "
                "watch them? (run as root, or set kernel.perf_event_paranoid to -1)\n",
                self->program, self->dir ? " in " : "", self->dir ? path : "");
    else if (orma_record_child_changes_rights(self->command[0]))
        fprintf(stderr, "%s: '%s' is setuid: the kernel lets only root watch it\n", self->program,
                self->command[0]);
    else if (rq->events.num)
        fprintf(stderr, "%s: no samples: the events of -e did not happen in '%s'\n", self->program,
                self->command[0]);
    else
        fprintf(stderr,
                "%s: no samples: '%s' used %.1f ms of CPU time, and a sample is taken every %.1f "
                "ms; -F %d takes more\n",
                self->program, self->command[0], (double)self->cpu_ns / 1e6,
                1e3 / (double)rq->frequency_hz, FREQUENCY_HIGH);
}

static bool sees_kernel(const struct orma_stacks *stacks)
{
    const struct orma_stacks_function *f = orma_stacks_functions(stacks);

    for (size_t i = 0; i < orma_stacks_functions_num(stacks); i++) {
        if (f[i].self && !strcmp(orma_stacks_text(stacks, f[i].module), "kernel"))
            return true;
    }
    return false;
}

/* Threads that live shorter than the time between two samples are never seen. */
static void tell_coverage(const struct orma_profile_session *self, const struct orma_stacks *stacks)
{
    const struct orma_stacks_counted *counted = &stacks->counted;
    double used = (double)self->cpu_ns, seen = (double)(stacks->samples * stacks->period_ns);
    bool kernel = self->kernel_ns && sees_kernel(stacks);
    char unseen[80] = "";

    if (!stacks->period_ns || !self->cpu_ns || self->request.cpus.len)
        return;
    if (!kernel)
        used -= (double)self->kernel_ns;
    bool often = self->request.frequency_hz >= FREQUENCY_HIGH;
    if (counted->ns && counted->unseen_ns)
        snprintf(unseen, sizeof(unseen), "threads without a sample used %.1f %%, ",
                 100.0 * (double)counted->unseen_ns / (double)counted->ns);
    bool all_have_some = counted->ns && !counted->unseen_ns;
    if (self->cpu_ns > COVERAGE_MIN_NS && seen < COVERAGE_LEAST * used && all_have_some)
        fprintf(stderr,
                "%s: samples explain %.0f %% of the %sCPU time, although every thread has some: "
                "the rest may be time that a host takes from this machine\n",
                self->program, 100.0 * seen / used, kernel ? "" : "user's ");
    else if (self->cpu_ns > COVERAGE_MIN_NS && seen < COVERAGE_LEAST * used)
        fprintf(
            stderr,
            "%s: samples explain %.0f %% of the %sCPU time: %sthe rest may belong to threads that "
            "live shorter than the time between two samples or start again with each vfork(), or "
            "be time that %s\n",
            self->program, 100.0 * seen / used, kernel ? "" : "user's ", unseen,
            often ? "taking the samples costs"
                  : "a host takes from this machine; -F " TEXT(
                        FREQUENCY_HIGH) " catches most such threads, as does -a as root at any -F");
    else if (stacks->samples < SAMPLES_FEW && !often)
        fprintf(stderr,
                "%s: %" PRIu64 " sample%s: percentages are rough; -F %d takes more samples\n",
                self->program, stacks->samples, stacks->samples == 1 ? "" : "s", FREQUENCY_HIGH);
}

static int complain(const struct orma_profile_session *self, const char *what,
                    const struct orma_stacks *stacks, struct orma_processor *tp, int error)
{
    fprintf(stderr, "%s: %s: %s\n", self->program, what, orma_stacks_error(stacks, tp));
    return error;
}

/* Where the kernel shows it. */
static int put_wakers(const struct orma_profile_session *self,
                      const struct orma_profile_report_style *style, struct orma_processor *tp)
{
    const struct orma_stacks_choice choice = {.kind = ORMA_STACKS_WAKERS};
    struct orma_stacks waits;

    int r = orma_stacks_load(&waits, tp, &choice);
    if (r < 0)
        return r == -ENODATA ? 0 : complain(self, "wakers", &waits, tp, r);
    printf("who ended the waits (with stacks: orma profile report --wakers --tree)\n");
    orma_profile_report_sums(style, &waits, ORMA_STACKS_BY_WAKER);
    fputc('\n', stdout);
    orma_stacks_fini(&waits);
    return 0;
}

/* What threads waited for, and in which functions. */
static int put_waits(struct orma_profile_session *self, struct orma_processor *tp,
                     const char *losses)
{
    const struct orma_stacks_choice choice = {.kind = ORMA_STACKS_OFF_CPU};
    struct orma_profile_report_style style = orma_profile_report_style(stdout);
    struct orma_stacks waits;

    if (!self->request.off_cpu)
        return -ENODATA;
    int r = orma_stacks_load(&waits, tp, &choice);
    if (r == -ENODATA)
        printf("off cpu: no waits of 100 us or more\n\n");
    if (r < 0)
        return r == -ENODATA ? r : complain(self, "off cpu", &waits, tp, r);
    style.top = WAITS_TOP;
    style.min = WAITS_MIN;
    printf("off cpu: ");
    orma_profile_report_head(&style, &waits, 0, losses);
    orma_profile_report_sums(&style, &waits, ORMA_STACKS_BY_REASON);
    fputc('\n', stdout);
    orma_profile_report_callers(&style, &waits, ORMA_STACKS_NONE);
    fputc('\n', stdout);
    orma_stacks_fini(&waits);
    return put_wakers(self, &style, tp);
}

/* The ten hottest functions, and the files for more. */
static int answer(struct orma_profile_session *self, struct orma_processor *tp)
{
    const struct orma_stacks_choice choice = {.kind = ORMA_STACKS_SAMPLES};
    struct orma_profile_report_style style = orma_profile_report_style(stdout);
    struct orma_profile_export all = {.tp = tp, .kind = ORMA_PROFILE_PERF, .in_one = true};
    struct orma_profile_export each = {.tp = tp, .kind = ORMA_PROFILE_PERF};
    ORMA_AUTO(orma_buf_fini) struct orma_buf losses = {0};
    struct orma_ledger loss;
    struct orma_stacks stacks;
    int r = orma_stacks_load(&stacks, tp, &choice);

    orma_load_loss(tp, &loss);
    orma_load_put_losses(tp, &loss, &losses);
    if (r == -ENODATA) /* it may have done nothing but wait */
        return put_waits(self, tp, orma_buf_cstr(&losses));
    if (r < 0)
        return complain(self, "samples", &stacks, tp, r);
    orma_profile_report_head(&style, &stacks, self->cpu_ns, orma_buf_cstr(&losses));
    fputc('\n', stdout);
    orma_profile_report_top(&style, &stacks);
    fputs(self->request.events.num > 1 ? "\nthe other events: orma profile report --event NAME\n\n"
                                       : "\n",
          stdout);
    tell_coverage(self, &stacks);
    int waits = put_waits(self, tp, NULL); /* none: then it has said so */
    r = orma_convert_profile_folder_flame(&self->folder, &stacks,
                                          self->command ? self->command[0] : "orma profile");
    if (r == 0)
        r = orma_convert_profile_folder_fill(&self->folder, &all);
    if (r == 0 && self->per_process)
        r = orma_convert_profile_folder_fill(&self->folder, &each);
    if (r == 0)
        printf("%s: " ORMA_CONVERT_PROFILE_FLAME
               " (a flame graph), profile.pb (for pprof), " ORMA_LOAD_FOLDER_TRACE
               " (orma profile report, orma query)\n",
               self->folder.path);
    orma_stacks_fini(&stacks);
    return r == 0 && waits != -ENODATA ? waits : r;
}

static int export_files(struct orma_profile_session *self, struct orma_processor *tp)
{
    struct orma_profile_export ex = {.tp = tp, .kind = ORMA_PROFILE_PERF};
    int r = orma_convert_profile_folder_fill(&self->folder, &ex);

    return r == 0 && !ex.written ? -ENODATA : r;
}

int orma_profile_session_answer(struct orma_profile_session *self)
{
    char path[4200];
    struct orma_load_names names = {.ask_servers = self->ask_servers, .since_ns = self->begun_ns};
    struct orma_processor *tp = NULL;
    int r = orma_processor_new(orma_load_config(), &tp);

    if (r < 0) {
        fprintf(stderr, "%s: %s\n", self->program, strerror(-r));
        return r;
    }
    snprintf(path, sizeof(path), "%s/" ORMA_LOAD_FOLDER_TRACE, self->folder.path);
    r = orma_load_symbols_from_here(tp, self->program, &names);
    if (r == 0)
        r = orma_load_trace(tp, self->program, path, ORMA_LOAD_PROGRESS, NULL);
    orma_load_names_found(&names);
    if (r == 0)
        r = self->request.native ? answer(self, tp) : export_files(self, tp);
    if (r == -ENODATA)
        tell_nothing(self, tp, path);
    orma_processor_free(tp); /* the file may change now */
    if (r == 0)
        (void)orma_load_names_append(&names, self->program, path); /* the answer has been given */
    orma_load_names_fini(&names);
    return r;
}
