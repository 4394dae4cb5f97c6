#include "tools/applets.h"

#include <string.h>

#include "probes/daemon.h"
#include "sdk/base/path.h"
#include "tools/clients/perfetto.h"
#include "tools/clients/tracebox.h"
#include "tools/clients/websocket_bridge.h"
#include "tools/convert/convert.h"
#include "traced/daemon.h"

const struct orma_applet orma_applets[] = {
    {&orma_cmd_perfetto, orma_perfetto_main},
    {&orma_cmd_trigger_perfetto, orma_trigger_perfetto_main},
    {&orma_cmd_traceconv, orma_traceconv_main},
    {&orma_cmd_tracebox, orma_tracebox_main},
    {&orma_cmd_websocket_bridge, orma_websocket_bridge_main},
    {&orma_cmd_cpu_profile, orma_cpu_profile_main},
    {0},
};

static const struct {
    const char *name;
    orma_main_fn *main;
} daemons[] = {{"traced", traced_main}, {"traced_probes", orma_probes_main}};

orma_main_fn *orma_applet_daemon(const char *argv0)
{
    const char *name = argv0 ? orma_path_base(argv0) : NULL;

    for (size_t i = 0; name && i < ORMA_ARRAY_LEN(daemons); i++) {
        if (!strcmp(daemons[i].name, name))
            return daemons[i].main;
    }
    return NULL;
}

const struct orma_applet *orma_applet_find(const char *argv0)
{
    const char *name = argv0 ? orma_path_base(argv0) : NULL;

    for (const struct orma_applet *a = orma_applets; name && a->command; a++) {
        size_t len = strlen(a->command->name);

        /* traceconv-VERSION is what some downloads are called. */
        if (!strncmp(a->command->name, name, len) &&
            (!name[len] || (name[len] == '-' && a->main == orma_traceconv_main)))
            return a;
    }
    return NULL;
}
