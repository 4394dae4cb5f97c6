#include "probes/journal/entry.h"

#include <string.h>

#include "protos/fields/common.h"
#include "protos/fields/trace.h"
#include "sdk/base/defs.h"
#include "sdk/wire/pb_writer.h"

#define KERNEL_FACILITY 0
#define TAG_MAX 64

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* \xHH becomes the byte; never longer than before. */
static size_t unescape(char *text, size_t len)
{
    size_t to = 0;

    for (size_t at = 0; at < len; to++) {
        if (len - at >= 4 && text[at] == '\\' && text[at + 1] == 'x' && hex(text[at + 2]) >= 0 &&
            hex(text[at + 3]) >= 0) {
            text[to] = (char)(hex(text[at + 2]) << 4 | hex(text[at + 3]));
            at += 4;
        } else {
            text[to] = text[at++];
        }
    }
    return to;
}

/* "6,339,5140900,-,caller=T17" */
static bool parse_head(struct orma_str head, struct orma_journal_entry *ret, uint64_t *ret_facility)
{
    static const struct orma_str caller = {"caller=T", 8};
    struct orma_str part;
    uint64_t num, us;

    if (!orma_str_cut(&head, ',', &part) || !orma_str_to_u64(part, &num) || num > 0xffff ||
        !orma_str_cut(&head, ',', &part) || !orma_str_cut(&head, ',', &part) ||
        !orma_str_to_u64(part, &us) || us > UINT64_MAX / 1000)
        return false;
    ret->prio = num & 7;
    *ret_facility = num >> 3;
    ret->monotonic_ns = us * 1000;
    while (head.len && orma_str_cut(&head, ',', &part)) {
        if (orma_str_starts(part, caller) &&
            orma_str_to_u64((struct orma_str){part.data + caller.len, part.len - caller.len},
                            &num) &&
            num <= INT32_MAX) {
            ret->tid = (uint32_t)num;
            ret->present |= ORMA_JOURNAL_TID;
        }
    }
    return true;
}

/* Programs write "tag: message" or "tag[pid]: message" there, as they would to a syslog. */
static void take_tag(struct orma_journal_entry *entry)
{
    struct orma_str rest = entry->message, tag, pid;
    uint64_t num;

    if (!rest.len || !orma_str_cut(&rest, ':', &tag) || !tag.len || tag.len > TAG_MAX ||
        memchr(tag.data, ' ', tag.len) || !rest.len || rest.data[0] != ' ')
        return;
    if (tag.data[tag.len - 1] == ']') {
        pid = (struct orma_str){tag.data, tag.len - 1};
        if (!orma_str_cut(&pid, '[', &tag) || !tag.len || !orma_str_to_u64(pid, &num) ||
            num > INT32_MAX)
            return;
        entry->pid = (uint32_t)num;
        entry->present |= ORMA_JOURNAL_PID;
    }
    entry->tag = tag;
    entry->message = (struct orma_str){rest.data + 1, rest.len - 1};
}

bool orma_journal_kmsg_next(char **rest, size_t *rest_len, struct orma_journal_entry *ret)
{
    char *line = *rest, *end;
    size_t len = *rest_len, line_len;
    uint64_t facility = KERNEL_FACILITY;

    *ret = (struct orma_journal_entry){.transport = ORMA_STR("kernel")};
    do { /* lines that begin with a blank belong to the record before */
        if (!len)
            return false;
        line = *rest;
        end = memchr(line, '\n', len);
        line_len = end ? (size_t)(end - line) : len;
        *rest = line + line_len + (end != NULL);
        len = *rest_len -= line_len + (end != NULL);
    } while (!line_len || line[0] == ' ');

    char *text = memchr(line, ';', line_len);
    if (!text || !parse_head((struct orma_str){line, (size_t)(text - line)}, ret, &facility))
        return true;
    text++;
    ret->message = (struct orma_str){text, unescape(text, (size_t)(line + line_len - text))};
    if (facility == KERNEL_FACILITY)
        ret->tag = ORMA_STR("kernel");
    else
        take_tag(ret);
    return true;
}

static void put_text(struct orma_buf *out, uint32_t field, struct orma_str text)
{
    if (text.len)
        orma_pb_put_str(out, field, text);
}

void orma_journal_put(struct orma_buf *out, const struct orma_journal_entry *e)
{
    const struct {
        uint32_t bit, field, num;
    } ids[] = {
        {ORMA_JOURNAL_PID, ORMA_PB_SYSTEMD_JOURNALD_EVENT_PID, e->pid},
        {ORMA_JOURNAL_TID, ORMA_PB_SYSTEMD_JOURNALD_EVENT_TID, e->tid},
        {ORMA_JOURNAL_UID, ORMA_PB_SYSTEMD_JOURNALD_EVENT_UID, e->uid},
        {ORMA_JOURNAL_GID, ORMA_PB_SYSTEMD_JOURNALD_EVENT_GID, e->gid},
    };

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, e->monotonic_ns);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, ORMA_PB_BUILTIN_CLOCK_MONOTONIC);
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_JOURNALD_EVENT);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(ids); i++) {
        if (e->present & ids[i].bit)
            orma_pb_put_u64(out, ids[i].field, ids[i].num);
    }
    orma_pb_put_u64(out, ORMA_PB_SYSTEMD_JOURNALD_EVENT_PRIO, e->prio);
    put_text(out, ORMA_PB_SYSTEMD_JOURNALD_EVENT_TAG, e->tag);
    put_text(out, ORMA_PB_SYSTEMD_JOURNALD_EVENT_MESSAGE, e->message);
    put_text(out, ORMA_PB_SYSTEMD_JOURNALD_EVENT_COMM, e->comm);
    put_text(out, ORMA_PB_SYSTEMD_JOURNALD_EVENT_EXE, e->exe);
    put_text(out, ORMA_PB_SYSTEMD_JOURNALD_EVENT_SYSTEMD_UNIT, e->unit);
    put_text(out, ORMA_PB_SYSTEMD_JOURNALD_EVENT_HOSTNAME, e->hostname);
    put_text(out, ORMA_PB_SYSTEMD_JOURNALD_EVENT_TRANSPORT, e->transport);
    orma_pb_end(out, begun);
}
