#include "tools/convert/symbolize.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "tools/load/symbols.h"

/* ---- symbolize ---- */

static int put(void *data, struct orma_buf *packets)
{
    return orma_convert_write(data, packets);
}

static void told(void *data, struct orma_str module, struct orma_str build_id, const char *file)
{
    const struct orma_convert *self = data;

    if (self->verbose)
        orma_convert_say(self, "%.*s %.*s: %s", ORMA_STR_ARG(build_id), ORMA_STR_ARG(module),
                         file ? file : "not found");
}

int orma_convert_symbols_new(const struct orma_convert *self, const char *paths,
                             struct orma_symbolizer **ret)
{
    enum orma_symbolizer_mode mode;
    const char *servers;

    if (!orma_symbolizer_mode_of(orma_load_symbols_mode(), &mode)) {
        orma_convert_say(
            self, ORMA_LOAD_SYMBOLS_MODE ": unknown way to find binaries '%s': find or index",
            orma_load_symbols_mode());
        return -EINVAL;
    }
    int r = orma_load_symbols_servers(self->program, false, &servers);
    if (r < 0)
        return r;
    r = orma_symbolizer_new(paths, mode, ret);
    if (r == 0 && servers && orma_symbolizer_set_servers(*ret, servers) < 0)
        orma_convert_say(self, "cannot ask debuginfod servers: install libdebuginfod1");
    if (r == -ENOTSUP)
        orma_convert_say(
            self, "built without libdw, so binaries cannot be read: install libdw-dev and rebuild");
    else if (r < 0)
        orma_convert_say(self, "%s", strerror(-r));
    return r;
}

void orma_convert_symbols_report(const struct orma_convert *self,
                                 const struct orma_symbolize_result *s)
{
    if (!s->modules)
        orma_convert_say(self, "no frames without symbols in modules that have a build id");
    else
        orma_convert_say(self,
                         "%" PRIu64 " of %" PRIu64 " frames named; binaries found for %" PRIu64
                         " of %" PRIu64 " modules%s",
                         s->frames_named, s->frames, s->modules_found, s->modules,
                         s->modules_found < s->modules && !orma_load_symbols_paths()
                             ? "; " ORMA_LOAD_SYMBOLS_PATHS " adds folders to search"
                             : "");
    if (s->modules_broken)
        orma_convert_say(self, "%" PRIu64 " modules have no names: their binaries are damaged",
                         s->modules_broken);
}

int orma_convert_symbolize(struct orma_convert *self)
{
    struct orma_symbolize s = {.put = put, .told = told, .data = self};
    struct orma_processor *tp = NULL;
    int r = orma_convert_symbols_new(self, orma_load_symbols_paths(), &s.symbolizer);

    self->raw = true; /* what the environment asks for is what is to be written */
    if (r == 0)
        r = orma_convert_load(self, &tp);
    if (r == 0) {
        r = orma_symbolize_processor(&s, tp);
        if (r == 0)
            orma_convert_symbols_report(self, &s.result);
        else if (!self->write_failed)
            orma_convert_say(self, "%s", strerror(-r));
    }
    orma_symbolizer_free(s.symbolizer);
    orma_processor_free(tp);
    return r;
}

/* ---- deobfuscate ---- */

int orma_convert_deobfuscate(struct orma_convert *self)
{
    struct orma_buf packets = {0}, error = {0};
    int r;

    if (!orma_load_symbols_maps()) {
        orma_convert_say(self, "no mapping: " ORMA_LOAD_SYMBOLS_MAPS
                               "=[PACKAGE=]PATH[:...] names the files that "
                               "ProGuard or R8 wrote");
        return -EINVAL;
    }
    r = orma_deobfuscate_packets(orma_load_symbols_maps(), &packets, &error);
    if (r < 0)
        orma_convert_say(self, "%s", error.len ? orma_buf_cstr(&error) : strerror(-r));
    else
        r = orma_convert_write(self, &packets);
    orma_buf_fini(&packets);
    orma_buf_fini(&error);
    return r;
}
