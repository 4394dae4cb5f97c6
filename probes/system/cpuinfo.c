/*
 * Blocks of "key\t: value" lines, one block per processor, each beginning with
 * "processor". Lines before the first block, and those of ARM's trailing block
 * ("Hardware", "Processor" on old kernels), are about all of them.
 */
#include "probes/system/cpuinfo.h"

#include <errno.h>
#include <stdlib.h>

#include "sdk/base/defs.h"

static bool has_word(struct orma_str text, const char *word)
{
    struct orma_str part;

    while (text.len && orma_str_cut(&text, ' ', &part)) {
        if (orma_str_eq_c(part, word))
            return true;
    }
    return false;
}

static int add_cpu(struct orma_system_cpuinfo *self, uint32_t number)
{
    if (number >= self->num) {
        struct orma_system_cpu *cpus = realloc(self->cpus, (number + 1) * sizeof(*cpus));

        if (!cpus)
            return -ENOMEM;
        memset(cpus + self->num, 0, (number + 1 - self->num) * sizeof(*cpus));
        self->cpus = cpus;
        self->num = number + 1;
    }
    self->cpus[number].present = true;
    return 0;
}

static void parse_cpu_line(struct orma_system_cpu *cpu, struct orma_str key, struct orma_str val)
{
    const struct {
        const char *key;
        uint32_t *to;
    } arm[] = {
        {"CPU implementer", &cpu->implementer}, {"CPU architecture", &cpu->architecture},
        {"CPU variant", &cpu->variant},         {"CPU part", &cpu->part},
        {"CPU revision", &cpu->revision},
    };
    uint64_t num;

    if (orma_str_eq_c(key, "model name"))
        cpu->name = val;
    if (orma_str_eq_c(key, "Features")) {
        cpu->features |= has_word(val, "mte") ? ORMA_SYSTEM_CPU_FEATURE_MTE : 0;
        cpu->features |= has_word(val, "mte3") ? ORMA_SYSTEM_CPU_FEATURE_MTE3 : 0;
    }
    for (size_t i = 0; i < ORMA_ARRAY_LEN(arm); i++) {
        if (orma_str_eq_c(key, arm[i].key) && orma_str_to_u64(val, &num) && num <= UINT32_MAX) {
            *arm[i].to = (uint32_t)num;
            cpu->has_arm = true;
        }
    }
}

int orma_system_cpuinfo_parse(struct orma_str text, struct orma_system_cpuinfo *ret)
{
    struct orma_system_cpuinfo self = {0};
    struct orma_str line, key, common = {NULL, 0};
    int64_t current = -1;
    uint64_t num;

    while (text.len && orma_str_cut(&text, '\n', &line)) {
        if (!line.len || !orma_str_cut(&line, ':', &key))
            continue;
        key = orma_str_trim(key);
        line = orma_str_trim(line);
        if (orma_str_eq_c(key, "processor") && orma_str_to_u64(line, &num) &&
            num < ORMA_SYSTEM_CPUINFO_MAX) {
            if (add_cpu(&self, (uint32_t)num) < 0) {
                orma_system_cpuinfo_fini(&self);
                return -ENOMEM;
            }
            current = (int64_t)num;
        } else if (orma_str_eq_c(key, "Processor")) {
            common = line;
        } else if (current >= 0) {
            parse_cpu_line(&self.cpus[current], key, line);
        }
    }
    for (uint32_t i = 0; i < self.num; i++) {
        if (self.cpus[i].present && !self.cpus[i].name.len)
            self.cpus[i].name = common;
    }
    if (!self.num)
        return -EBADMSG;
    *ret = self;
    return 0;
}

void orma_system_cpuinfo_fini(struct orma_system_cpuinfo *self)
{
    free(self->cpus);
    *self = (struct orma_system_cpuinfo){0};
}

bool orma_system_interrupt_parse(struct orma_str line, uint32_t *ret_irq, struct orma_str *ret_name)
{
    struct orma_str key, rest = line;
    const char *at;
    uint64_t irq;

    if (!line.len || !orma_str_cut(&rest, ':', &key) ||
        !orma_str_to_u64(orma_str_trim(key), &irq) || irq > UINT32_MAX || !rest.len)
        return false;
    rest = orma_str_trim(rest);
    /* The name is what follows the last run of two blanks: chip and kind stand before it. */
    at = rest.data + rest.len;
    while (at - rest.data >= 2 && !(at[-1] == ' ' && at[-2] == ' '))
        at--;
    *ret_name = (struct orma_str){at, (size_t)(rest.data + rest.len - at)};
    *ret_irq = (uint32_t)irq;
    return ret_name->len > 0 && at - rest.data >= 2;
}
