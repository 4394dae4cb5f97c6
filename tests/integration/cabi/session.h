/* Sessions of the test programs: a config from a few words, and the trace as a file. */
#ifndef TESTS_CABI_SESSION_H
#define TESTS_CABI_SESSION_H
#include "tests/integration/cabi/client.h"

struct wanted {
    const char *source, *on[8], *off[8], *on_tag[4];
    uint32_t clear_ms, unit_ns, buffer_kb, policy;
    bool absolute, builtin;
    const char *stop_trigger;
};

static inline void *config_of(const struct wanted *w, size_t *ret_len)
{
    struct cursor c;
    void *heap = PerfettoHeapBufferCreate(&c);
    struct message m = {.cursor = &c};
    struct message buffer = open_message(&m, 1);
    put_int(&buffer, 1, w->buffer_kb ? w->buffer_kb : 4096);
    close_message(&buffer);
    struct message entry = open_message(&m, 2), ds = open_message(&entry, 1);
    put_text(&ds, 1, w->source);
    if (w->policy)
        put_int(&ds, 9, w->policy);
    struct message te = open_message(&ds, 113);
    for (int i = 0; w->off[i]; i++)
        put_text(&te, 1, w->off[i]);
    for (int i = 0; w->on[i]; i++)
        put_text(&te, 2, w->on[i]);
    for (int i = 0; w->on_tag[i]; i++)
        put_text(&te, 4, w->on_tag[i]);
    if (w->absolute)
        put_int(&te, 5, 1);
    if (w->unit_ns)
        put_int(&te, 6, w->unit_ns);
    close_message(&te);
    close_message(&ds);
    close_message(&entry);
    if (w->stop_trigger) {
        struct message t = open_message(&m, 17);
        put_int(&t, 1, 2);
        struct message one = open_message(&t, 2);
        put_text(&one, 1, w->stop_trigger);
        close_message(&one);
        put_int(&t, 3, 10000);
        close_message(&t);
    }
    if (!w->builtin) {
        struct message b = open_message(&m, 20);
        for (uint32_t field = 1; field <= 4; field++)
            put_int(&b, field, 1);
        close_message(&b);
    }
    if (w->clear_ms) {
        struct message i = open_message(&m, 21);
        put_int(&i, 1, w->clear_ms);
        close_message(&i);
    }
    return take_heap(heap, &c, ret_len);
}

static inline void *new_session(bool system, const struct wanted *w)
{
    void *s =
        system ? PerfettoTracingSessionSystemCreate() : PerfettoTracingSessionInProcessCreate();
    size_t len;
    void *config = config_of(w, &len);

    PerfettoTracingSessionSetup(s, config, len);
    free(config);
    return s;
}

static inline void *start_session(bool system, const struct wanted *w)
{
    void *s = new_session(system, w);

    PerfettoTracingSessionStartBlocking(s);
    return s;
}

/* The program's own sources may start a little later. */
static inline bool wait_until_on(client_flag *const *flag)
{
    for (int i = 0; i < 2000 && !is_on(*flag); i++)
        nap(5);
    return is_on(*flag);
}

static inline void write_piece(void *session, const void *data, size_t len, bool more, void *file)
{
    (void)session, (void)more;
    if (len)
        fwrite(data, 1, len, file);
}

struct memory {
    char *data;
    size_t len;
};

static inline void keep_piece(void *session, const void *data, size_t len, bool more, void *memory)
{
    struct memory *m = memory;

    (void)session, (void)more;
    m->data = realloc(m->data, m->len + len + 1);
    if (len)
        memcpy(m->data + m->len, data, len);
    m->len += len;
}

/* Its `data` is the caller's to free. */
static inline struct memory read_all(void *session)
{
    struct memory m = {0};

    PerfettoTracingSessionReadTraceBlocking(session, keep_piece, &m);
    return m;
}

static inline int count_text(const struct memory *m, const char *text)
{
    int n = 0;

    for (const char *at = m->data;
         at && (at = memmem(at, m->len - (size_t)(at - m->data), text, strlen(text))); at++)
        n++;
    return n;
}

static inline void end_session(void *s, const char *path, bool stop)
{
    FILE *file = fopen(path, "wb");

    if (stop)
        PerfettoTracingSessionStopBlocking(s);
    if (file) {
        PerfettoTracingSessionReadTraceBlocking(s, write_piece, file);
        fclose(file);
    }
    PerfettoTracingSessionDestroy(s);
}
#endif
