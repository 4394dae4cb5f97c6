#include "tools/load/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "processor/symbols/binary.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

const char *orma_load_symbols_paths(void)
{
    return variable(ORMA_LOAD_SYMBOLS_PATHS);
}

const char *orma_load_symbols_mode(void)
{
    return variable(ORMA_LOAD_SYMBOLS_MODE);
}

const char *orma_load_symbols_maps(void)
{
    return variable(ORMA_LOAD_SYMBOLS_MAPS);
}

static int set(struct orma_processor *tp, const char *program,
               const struct orma_processor_symbols *symbols)
{
    int r = orma_processor_set_symbols(tp, symbols);

    if (r == 0)
        return 0;
    fprintf(stderr, "%s: %s%s\n", program,
            r == -EINVAL    ? ORMA_LOAD_SYMBOLS_MODE ": "
            : r == -ENOTSUP ? ""
                            : ORMA_LOAD_SYMBOLS_PATHS ": ",
            orma_processor_error(tp));
    return r == -ENOTSUP ? 0 : r; /* the trace can be read without names */
}

int orma_load_symbols_servers(const char *program, bool wanted, const char **ret)
{
    const char *value = variable(ORMA_LOAD_SYMBOLS_SERVERS), *urls = variable("DEBUGINFOD_URLS");

    *ret = NULL;
    if (!wanted && (!value || !strcmp(value, "off")))
        return 0;
    if (value && strchr(value, '/'))
        *ret = value;
    else if (wanted || !strcmp(value, "on") || !strcmp(value, "1"))
        *ret = urls;
    else {
        fprintf(stderr, "%s: " ORMA_LOAD_SYMBOLS_SERVERS "=%s: expected on, off, or URLs\n",
                program, value);
        return -EINVAL;
    }
    if (*ret)
        return 0;
    fprintf(stderr, "%s: no servers to ask: DEBUGINFOD_URLS is not set\n", program);
    return -EINVAL;
}

int orma_load_symbols_from_environment(struct orma_processor *tp, const char *program)
{
    struct orma_processor_symbols symbols = {.binary_paths = orma_load_symbols_paths(),
                                             .mode = orma_load_symbols_mode(),
                                             .proguard_maps = orma_load_symbols_maps()};
    int r = orma_load_symbols_servers(program, false, &symbols.servers);

    if (r < 0)
        return r;
    return symbols.binary_paths || symbols.proguard_maps ? set(tp, program, &symbols) : 0;
}

/* ---- of traces that were made here ---- */

static void on_packets(void *data, const void *packets, size_t len)
{
    struct orma_load_names *self = data;

    orma_buf_put(&self->packets, packets, len);
}

static void on_module(void *data, const char *module)
{
    struct orma_load_names *self = data;

    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\rNames: %.60s\033[K", module);
    self->drawn = true;
}

int orma_load_symbols_from_here(struct orma_processor *tp, const char *program,
                                struct orma_load_names *names)
{
    struct orma_processor_symbols symbols = {.binary_paths = orma_load_symbols_paths(),
                                             .mode = orma_load_symbols_mode(),
                                             .this_machine = true,
                                             .proguard_maps = orma_load_symbols_maps()};

    if (!symbols.binary_paths && !orma_binary_supported())
        return 0; /* nobody asked for it */
    if (names)
        symbols.unchanged_since_ns = names->since_ns;
    if (names)
        symbols.names = (struct orma_processor_names){on_packets, on_module, names};
    int r = orma_load_symbols_servers(program, names && names->ask_servers, &symbols.servers);
    return r < 0 ? r : set(tp, program, &symbols);
}

int orma_load_symbols_for(struct orma_processor *tp, const char *program, const char *path)
{
    static const char magic[] = {'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'};
    char head[sizeof(magic)];
    ORMA_AUTO(orma_fd_close) int fd = orma_fd_open_regular(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    bool perf = fd >= 0 && orma_fd_read_at(fd, head, sizeof(head), 0) == 0 &&
                !memcmp(head, magic, sizeof(magic));

    return perf ? orma_load_symbols_from_here(tp, program, NULL)
                : orma_load_symbols_from_environment(tp, program);
}

void orma_load_names_found(struct orma_load_names *self)
{
    if (self->drawn)
        fprintf(stderr, "\r\033[K");
    self->drawn = false;
}

int orma_load_names_append(struct orma_load_names *self, const char *program, const char *path)
{
    ORMA_AUTO(orma_fd_close) int fd = -1;
    int r = 0;

    if (!self->packets.len && !self->packets.failed)
        return 0;
    fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    r = self->packets.failed ? -ENOMEM : fd < 0 ? -errno : 0;
    if (r == 0)
        r = orma_fd_write_all(fd, self->packets.data, self->packets.len);
    if (r < 0)
        fprintf(stderr, "%s: %s: cannot add function names: %s\n", program, path, strerror(-r));
    return r;
}

void orma_load_names_fini(struct orma_load_names *self)
{
    orma_buf_fini(&self->packets);
}
