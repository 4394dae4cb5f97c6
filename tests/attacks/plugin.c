/* A plug-in with the SDK, as a library or linked into it: see dlclose.c. */
#include <orma/orma.h>

ORMA_CATEGORY_DEFINE(plugin, "plugin", "events of a plug-in", NULL);

__attribute__((visibility("default"))) void attack_plugin_work(int turn);

void attack_plugin_work(int turn)
{
    struct orma_init_args args = ORMA_INIT_ARGS;

    args.connect_wait_ms = 5000;
    (void)orma_init(&args); /* where the library stays loaded, it is there already after the first */
    for (int i = 0; i < 100; i++)
        ORMA_INSTANT(plugin, "of plug-in", ORMA_ARG_INT("turn", turn));
}
