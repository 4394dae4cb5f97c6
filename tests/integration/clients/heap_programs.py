"""What test_heap.py watches: programs that allocate known sizes, and do what programs do around it."""
SOURCE = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *kept[200];
static void *volatile small;
__attribute__((noinline)) void lose(void) { for (int i = 0; i < 200; i++) kept[i] = malloc(65536); }
__attribute__((noinline)) void pass(void) { for (int i = 0; i < 200000; i++) { void *volatile p = malloc(100); free(p); } }
__attribute__((noinline)) void lose_little(void) { for (int i = 0; i < 200000; i++) small = calloc(1, 100); }
__attribute__((noinline)) void grow(void) { void *p = NULL; for (int i = 1; i < 40; i++) p = realloc(p, i * 65536); free(p); }
__attribute__((noinline)) void aligned(void) { void *p; if (!posix_memalign(&p, 4096, 1 << 20)) free(p); free(aligned_alloc(64, 1 << 20)); }
static void *run(void *arg) { pass(); return arg; }
int main(int argc, char **argv)
{
    pthread_t t[2];
    lose(); pass(); lose_little(); grow(); aligned();
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    if (argc > 1 && !fork()) { lose(); _exit(0); }
    wait(NULL);
    (void)argv;
    return 5;
}
"""

MAPS = r"""
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>
#define MB (1UL << 20)
#define ANON(len, prot) mmap(0, len, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
char *volatile kept;
__attribute__((noinline)) void half(void) { char *p = ANON(8 * MB, 3); munmap(p + 2 * MB, 4 * MB); kept = p; }
__attribute__((noinline)) void gone(void) { for (int i = 0; i < 10; i++) munmap(ANON(MB, 3), MB); }
__attribute__((noinline)) void moved(void) { kept = mremap(ANON(MB, 3), MB, 3 * MB, MREMAP_MAYMOVE); }
__attribute__((noinline)) void moved_shared(void) { kept = mremap(mmap(0, MB, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0), MB, 2 * MB, MREMAP_MAYMOVE); }
__attribute__((noinline)) void moved_file(void) { kept = mremap(mmap(0, MB, 3, MAP_PRIVATE, memfd_create("a", 0), 0), MB, 7 * MB, MREMAP_MAYMOVE); }
__attribute__((noinline)) void over(void) { char *p = ANON(5 * MB, 3); kept = mmap(p, MB, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0); }
__attribute__((noinline)) void room(void) { kept = ANON(1000 * MB, PROT_NONE); }
__attribute__((noinline)) void little(void) { for (int i = 0; i < 2000; i++) kept = ANON(4096, 3); }
int main(void) { half(); gone(); moved(); moved_shared(); moved_file(); over(); room(); little(); return 0; }
"""
SERVER = r"""
#include <stdlib.h>
#include <unistd.h>
char *volatile kept;
__attribute__((noinline)) void lose(void) { kept = malloc(3000); }
__attribute__((noinline)) void pass(void) { for (int i = 0; i < 20; i++) { kept = malloc(2000); free(kept); } }
int main(int argc, char **argv)
{
    if (argc > 1)
        pause();
    for (;;) { lose(); pass(); usleep(50); }
}
"""

OTHER_USER = r"""
#include <stdlib.h>
#include <unistd.h>
char *volatile kept;
__attribute__((noinline)) void lose(void) { for (int i = 0; i < 100; i++) kept = malloc(10000); }
int main(void)
{
    lose();
    if (setgid(12345) || setuid(12345))
        return 1;
    usleep(100000); /* it is noticed */
    execl("/bin/true", "true", (char *)0);
    return 1;
}
"""

FORKS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
char *volatile kept;
int main(void)
{
    struct rusage used;
    kept = malloc(65536);
    puts("ready");
    fflush(stdout);
    getchar();
    for (int i = 0; i < 20; i++) {
        if (!fork()) { kept = malloc(65536); _exit(0); }
        wait(NULL);
    }
    getrusage(RUSAGE_CHILDREN, &used);
    printf("%ld\n", used.ru_nvcsw);
    fflush(stdout);
    return 0;
}
"""
CLONE = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static void *held[100];
__attribute__((noinline)) void hold(void) { for (int i = 0; i < 100; i++) held[i] = malloc(65536); }
int main(void)
{
    hold();
    if (!syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) {
        for (int i = 0; i < 100; i++) free(held[i]);
        _exit(0);
    }
    wait(NULL);
    return 0;
}
"""
MAPPED = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
char *volatile kept;
__attribute__((noinline)) void before(void) { for (int i = 0; i < 10; i++) kept = malloc(1 << 20); }
__attribute__((noinline)) void behind(void) { for (int i = 0; i < 10; i++) kept = malloc(1 << 20); }
int main(int argc, char **argv)
{
    int fd = open(argv[1], O_RDONLY);
    before();
    usleep(300000); /* they are read */
    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    close(fd);
    close(open(argv[2], O_CREAT, 0666));
    usleep(1200000); /* what is mapped is read again */
    behind();
    return 0;
}
"""
FUSE = r"""
import ctypes, os, struct, sys
folder, content, flag = sys.argv[1:4]
data = open(content, "rb").read()
try:
    fd = os.open("/dev/fuse", os.O_RDWR)
except OSError:
    sys.exit(1)
options = b"fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other" % fd
if ctypes.CDLL(None).mount(b"test", folder.encode(), b"fuse.test", 0, options):
    sys.exit(1)
print("ready", flush=True)
def attributes(node):
    length, mode, links = (0, 0o40755, 2) if node == 1 else (len(data), 0o100755, 1)
    return struct.pack("<QQQQQQIIIIIIIIII", node, length, (length + 511) // 512, 0, 0, 0, 0, 0, 0, mode, links, 0, 0, 0, 4096, 0)
def reply(unique, body=b"", error=0):
    try:
        os.write(fd, struct.pack("<IiQ", 16 + len(body), -error, unique) + body)
    except OSError:
        pass
while True:
    try:
        request = os.read(fd, 1 << 20)
    except OSError as e:
        if e.errno == 19:
            break
        continue
    op, unique, node = struct.unpack("<IQQ", request[4:24])
    if op in (14, 15) and os.path.exists(flag):
        continue  # OPEN, READ: never
    if op == 26:
        reply(unique, struct.pack("<IIIIHHIIHHI28s", 7, 26, 65536, 0, 12, 10, 65536, 1, 1, 0, 0, b""))
    elif op == 1 and request[40:].split(b"\0")[0] == b"f":
        reply(unique, struct.pack("<QQQQII", 2, 0, 0, 0, 0, 0) + attributes(2))
    elif op == 1:
        reply(unique, error=2)
    elif op == 3:
        reply(unique, struct.pack("<QII", 0, 0, 0) + attributes(node))
    elif op in (14, 27):
        reply(unique, struct.pack("<QII", 1, 0, 0))
    elif op == 15:
        offset, size = struct.unpack("<QI", request[48:60])
        reply(unique, data[offset:offset + size])
    elif op in (18, 25, 29):
        reply(unique)
    elif op not in (2, 36):
        reply(unique, error=38)
"""

STACK_END = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
/* The C library allocates while it holds the thread's lock: on the first thread a stream, on others a set of cpus. */
static void *ask(void *arg)
{
    pthread_attr_t attr;
    if (pthread_getattr_np(pthread_self(), &attr))
        abort();
    pthread_attr_destroy(&attr);
    return arg;
}
int main(void)
{
    pthread_t t;
    ask(NULL);
    pthread_create(&t, NULL, ask, NULL);
    pthread_join(t, NULL);
    return 0;
}
"""
FAILURES = r"""
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#define MB (1UL << 20)
char *volatile kept;
__attribute__((noinline)) void stays(void) { char *p = malloc(6 * MB); kept = realloc(p, PTRDIFF_MAX) ? NULL : p; }
__attribute__((noinline)) void stays_mapped(void)
{
    kept = mmap(0, 5 * MB, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mremap(kept, 5 * MB, 1UL << 60, MREMAP_MAYMOVE) != MAP_FAILED || munmap(kept + 1, MB) == 0 ||
        mmap(kept, 5 * MB, 3, MAP_SHARED | MAP_FIXED, -1, 0) != MAP_FAILED)
        abort();
}
int main(void) { stays(); stays_mapped(); return 0; }
"""
ALLOCATOR = r"""
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
static char *at, *end;
void *memalign(size_t align, size_t n)
{
    char *p = (char *)(((unsigned long)at + 16 + align - 1) & -align);
    if (!at || p + n > end) {
        size_t len = n + align + (8 << 20);
        at = mmap(0, len, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        end = at + len;
        p = (char *)(((unsigned long)at + 16 + align - 1) & -align);
    }
    at = p + n;
    ((size_t *)p)[-1] = n;
    return p;
}
void *malloc(size_t n) { return memalign(16, n); }
void *calloc(size_t num, size_t n) { return memalign(16, num * n); }
void *realloc(void *p, size_t n)
{
    void *ret = memalign(16, n);
    if (p) memcpy(ret, p, n < ((size_t *)p)[-1] ? n : ((size_t *)p)[-1]);
    return ret;
}
void free(void *p) { (void)p; }
"""
PLUGINS = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
char *volatile kept;
__attribute__((noinline)) void load(const char *path, const char *function)
{
    void *library = dlopen(path, RTLD_NOW);
    void *(*allocate)(void) = dlsym(library, function);
    kept = allocate();
    dlclose(library);
}
int main(int argc, char **argv) { load(argv[1], "first_one"); load(argv[2], "second_one"); return 0; }
"""
DEEP = r"""
#include <pthread.h>
#include <stdlib.h>
char *volatile kept;
__attribute__((noinline)) int down(int n)
{
    volatile char room[4096];
    room[n] = n;
    if (n > 0) return down(n - 1) + room[n];
    kept = malloc(1 << 20);
    return room[n];
}
__attribute__((noinline)) void not_deep(void) { down(12); }
__attribute__((noinline)) void too_deep(void) { down(30); }
static void *run(void *arg) { not_deep(); return arg; }
int main(void)
{
    pthread_t t;
    not_deep();
    pthread_create(&t, NULL, run, NULL);
    pthread_join(t, NULL);
    too_deep();
    return 0;
}
"""
# Children that report all the time are killed, or stopped, somewhere in it.
KILLED = r"""
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
char *volatile kept;
__attribute__((noinline)) int busy(int n)
{
    volatile char room[4096];
    room[0] = n;
    if (n) return busy(n - 1) + room[0];
    for (;;) { kept = malloc(100000); free(kept); }
}
__attribute__((noinline)) void lose(void) { for (int i = 0; i < 100; i++) kept = malloc(1 << 20); }
int main(int argc, char **argv)
{
    pid_t child[60];
    int num = atoi(argv[1]), stops = argc > 2;
    for (int i = 0; i < num; i++) {
        child[i] = fork();
        if (!child[i]) busy(10);
        usleep(2000 + i * 131 % 4000);
        kill(child[i], stops ? SIGSTOP : SIGKILL);
        if (!stops) waitpid(child[i], NULL, 0);
    }
    lose();
    for (int i = 0; stops && i < num; i++) { kill(child[i], SIGKILL); waitpid(child[i], NULL, 0); }
    return 0;
}
"""
# A time limit: its handler jumps out of whatever runs.
JUMPS = r"""
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
static sigjmp_buf env;
static void jump(int s) { (void)s; siglongjmp(env, 1); }
static char *map(void) { return mmap(0, 1 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
__attribute__((noinline)) void busy(void) { for (;;) munmap(map(), 1 << 20); }
char *volatile kept;
__attribute__((noinline)) void lose(void) { for (int i = 0; i < 100; i++) kept = map(); }
int main(void)
{
    struct itimerval limit = {{0, 0}, {0, 2000}};
    signal(SIGALRM, jump);
    for (volatile int i = 0; i < 100; i++)
        if (!sigsetjmp(env, 1)) { setitimer(ITIMER_REAL, &limit, 0); busy(); }
    lose();
    return 0;
}
"""
SANDBOX = r"""
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define MAY(n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
char *volatile kept;
__attribute__((noinline)) void lose(void) { for (int i = 0; i < 100; i++) kept = malloc(65536); }
int main(int argc, char **argv)
{
    struct sock_filter rules[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        MAY(SYS_write), MAY(SYS_exit), MAY(SYS_brk), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    struct sock_fprog filter = {sizeof(rules) / sizeof(*rules), rules};
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    free(malloc(32 << 20)); /* no system calls from here on */
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (argv[1][0] == 's' ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)
        : argv[1][0] == 't' ? prctl(PR_SET_TSC, PR_TSC_SIGSEGV)
        : argv[1][0] == 'p' ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)
        : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter)) return 9;
    lose();
    write(1, "done\n", 5);
    syscall(SYS_exit, 0);
}
"""
# The stack of a coroutine, with a guard above it, right below the thread's own storage.
COROUTINE = r"""
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#define SIZE (1 << 16)
static __thread long own;
static ucontext_t first, second;
char *volatile kept;
__attribute__((noinline)) void lose(void) { for (int i = 0; i < 100; i++) kept = malloc(65536); }
static void run(void) { lose(); }
int main(void)
{
    char *top = (char *)((unsigned long)&own & ~4095ul), *stack = MAP_FAILED;
    for (int i = 0; i < 512 && stack == MAP_FAILED; i++, top -= stack == MAP_FAILED ? 4096 : 0)
        stack = mmap(top - SIZE, SIZE, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (stack == MAP_FAILED) return 77;
    mprotect(stack + SIZE - 4096, 4096, PROT_NONE);
    getcontext(&second);
    second.uc_stack.ss_sp = stack;
    second.uc_stack.ss_size = SIZE - 4096;
    second.uc_link = &first;
    makecontext(&second, run, 0);
    swapcontext(&first, &second);
    return 0;
}
"""
STRINGS = r"""
#include <string>
#include <vector>
__attribute__((noinline)) void fill(std::vector<std::string> &v) { for (int i = 0; i < 5000; i++) v.push_back(std::string(1000, 'x')); }
int main() { auto *v = new std::vector<std::string>; fill(*v); return 0; }
"""
