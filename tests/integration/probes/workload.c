#include "tests/integration/probes/workload.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

/* What fails here fails: only the attempts matter. */
#pragma GCC diagnostic ignored "-Wunused-result"

static void files(const char *dir)
{
    char path[512], other[520], buf[8192] = "orma";
    struct stat st;

    snprintf(path, sizeof(path), "%s/file", dir);
    snprintf(other, sizeof(other), "%s.moved", path);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < 64; i++)
        write(fd, buf, sizeof(buf));
    fsync(fd);
    pread(fd, buf, sizeof(buf), 4096);
    ftruncate(fd, 4096);
    fallocate(fd, 0, 0, 65536);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    fstat(fd, &st);
    fsetxattr(fd, "user.orma", "x", 1, 0);
    int out = open("/dev/null", O_WRONLY);
    off_t at = 0;
    sendfile(out, fd, &at, 4096);
    close(out);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    fcntl(fd, F_SETLK, &lock);
    void *map = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map != MAP_FAILED) {
        memset(map, 1, 65536);
        msync(map, 65536, MS_SYNC);
        munmap(map, 65536);
    }
    close(fd);
    rename(path, other);
    unlink(other);
    mkdir(path, 0700);
    rmdir(path);
}

static void memory(void)
{
    size_t size = 4 << 20;
    char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (map == MAP_FAILED)
        return;
    memset(map, 1, size);
    madvise(map, size / 2, MADV_DONTNEED);
    mprotect(map, 4096, PROT_READ);
    map = mremap(map, size, 2 * size, MREMAP_MAYMOVE);
    munmap(map, 2 * size);
}

static void sockets(void)
{
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(addr);
    char buf[2000] = {0};
    int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);

    bind(server, (struct sockaddr *)&addr, sizeof(addr));
    listen(server, 4);
    getsockname(server, (struct sockaddr *)&addr, &len);
    if (connect(client, (struct sockaddr *)&addr, sizeof(addr)) == 0) {
        int peer = accept(server, NULL, NULL);
        for (int i = 0; i < 20; i++) {
            send(client, buf, sizeof(buf), 0);
            recv(peer, buf, sizeof(buf), 0);
        }
        close(peer);
    }
    close(client);
    close(server);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0) {
        send(pair[0], "x", 1, 0);
        recv(pair[1], buf, 1, 0);
        close(pair[0]);
        close(pair[1]);
    }
    int udp = socket(AF_INET, SOCK_DGRAM, 0);
    addr.sin_port = htons(9);
    sendto(udp, buf, 64, 0, (struct sockaddr *)&addr, sizeof(addr));
    close(udp);
}

static void on_signal(int number)
{
    (void)number;
}

static void waiting(void)
{
    struct itimerspec spec = {.it_value = {.tv_nsec = 1000000}};
    struct itimerval real = {.it_value = {.tv_usec = 1000}};
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), epoll = epoll_create1(0);
    struct epoll_event ev = {.events = EPOLLIN};
    int event = eventfd(1, EFD_NONBLOCK);
    uint64_t num;

    signal(SIGALRM, on_signal);
    timerfd_settime(timer, 0, &spec, NULL);
    epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &ev);
    epoll_wait(epoll, &ev, 1, 10);
    read(event, &num, sizeof(num));
    setitimer(ITIMER_REAL, &real, NULL);
    usleep(2000);
    raise(SIGALRM);
    sched_yield();
    struct pollfd p = {event, POLLIN, 0};
    poll(&p, 1, 1);
    setpriority(PRIO_PROCESS, 0, 1);
    close(event);
    close(epoll);
    close(timer);
}

static void *thread(void *arg)
{
    int *fds = arg;
    char c;

    for (int i = 0; i < 100 && read(fds[0], &c, 1) == 1; i++)
        ;
    return NULL;
}

static void threads(void)
{
    int fds[2];
    pthread_t id;

    if (pipe(fds) < 0)
        return;
    if (pthread_create(&id, NULL, thread, fds) == 0) {
        for (int i = 0; i < 100; i++)
            write(fds[1], "x", 1);
        pthread_join(id, NULL);
    }
    close(fds[0]);
    close(fds[1]);
}

static void processes(void)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", "ls -lR /etc >/dev/null 2>&1; true", (char *)NULL);
        _exit(1);
    }
    if (pid > 0)
        waitpid(pid, &status, 0);
    pid = fork();
    if (pid == 0) {
        pause();
        _exit(0);
    }
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
}

void workload_round(const char *scratch_dir)
{
    /* In a child: what it changes of itself is gone with it. */
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        files(scratch_dir);
        memory();
        sockets();
        waiting();
        threads();
        processes();
        _exit(0);
    }
    if (pid > 0)
        waitpid(pid, &status, 0);
}
