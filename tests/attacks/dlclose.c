/*
 * Loads a plug-in that brings the SDK with it, uses it, and unloads it while a session runs, again
 * and again: the threads and the exit handlers of the SDK must not run into code that is gone.
 *
 *     dlclose LIBRARY TIMES
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    for (int i = 0; i < atoi(argv[2]); i++) {
        void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!plugin) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        void (*work)(int);
        *(void **)&work = dlsym(plugin, "attack_plugin_work");
        if (!work)
            return 1;
        work(i);
        if (i % 3 == 0)
            usleep(1000);
        dlclose(plugin);
    }
    usleep(100000);
    return 0;
}
