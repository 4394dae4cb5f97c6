/*
 * Loads a plug-in that brings the SDK with it, uses it, and unloads it while a session runs, again
 * and again: the threads and the exit handlers of the SDK must not run into code that is gone.
 *
 *     dlclose LIBRARY TIMES
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A thread of the host that used the plug-in, and ends when that is gone. */
struct user {
    void (*work)(int);
    sem_t worked, unloaded;
};

static void *use(void *arg)
{
    struct user *u = arg;

    u->work(1);
    sem_post(&u->worked);
    sem_wait(&u->unloaded);
    return NULL;
}

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
        struct user u;
        pthread_t thread;

        *(void **)&u.work = dlsym(plugin, "attack_plugin_work");
        if (!u.work || sem_init(&u.worked, 0, 0) || sem_init(&u.unloaded, 0, 0) ||
            pthread_create(&thread, NULL, use, &u))
            return 1;
        u.work(i);
        sem_wait(&u.worked);
        if (i % 3 == 0)
            usleep(1000);
        dlclose(plugin);
        sem_post(&u.unloaded);
        pthread_join(thread, NULL);
    }
    usleep(100000);
    return 0;
}
