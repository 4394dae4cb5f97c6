/* dlsym() may allocate: from an arena of ours, whose memory is never given back. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "sdk/heap/parts.h"

static void *boot_malloc(size_t n);
static void boot_free(void *p);
static void *boot_calloc(size_t num, size_t n);
static void *boot_realloc(void *p, size_t n);
static void *boot_memalign(size_t align, size_t n);

struct orma_hook_next orma_hook_next = {.malloc = boot_malloc,
                                        .free = boot_free,
                                        .calloc = boot_calloc,
                                        .realloc = boot_realloc,
                                        .memalign = boot_memalign};

char orma_hook_arena[ORMA_HEAP_ARENA] __attribute__((aligned(16)));
static size_t arena_used;
static bool resolving;

static void *from_arena(size_t n)
{
    size_t at;

    if (n > ORMA_HEAP_ARENA - 16)
        return NULL;
    at = __atomic_fetch_add(&arena_used, (n + 31) & ~(size_t)15, __ATOMIC_RELAXED);
    if (at > ORMA_HEAP_ARENA - n - 16)
        return NULL;
    *(size_t *)(void *)(orma_hook_arena + at) = n; /* for realloc() */
    return orma_hook_arena + at + 16;
}

size_t orma_hook_arena_size(const void *p)
{
    return *(const size_t *)(const void *)((const char *)p - 16);
}

static void find(const char *name, void *ret)
{
    void *p = dlsym(RTLD_NEXT, name);

    memcpy(ret, &p, sizeof(p));
}

/* From its first segment to the end of its last one. */
static void find_range(const void *base, uintptr_t *ret_start, uintptr_t *ret_end)
{
    const ElfW(Ehdr) *elf = base;
    const ElfW(Phdr) *head = (const void *)((const char *)base + elf->e_phoff);
    uintptr_t end = 0;

    for (unsigned i = 0; i < elf->e_phnum; i++) {
        if (head[i].p_type == PT_LOAD && head[i].p_vaddr + head[i].p_memsz > end)
            end = head[i].p_vaddr + head[i].p_memsz;
    }
    *ret_start = (uintptr_t)base;
    *ret_end = (uintptr_t)base + end;
}

static bool is_inside(const void *p)
{
    return (uintptr_t)p >= orma_hook_next.start && (uintptr_t)p < orma_hook_next.end;
}

void orma_hook_next_resolve(void)
{
    struct orma_hook_next next;

    if (resolving || orma_hook_next.malloc != boot_malloc)
        return;
    resolving = true;
    find("malloc", &next.malloc);
    find("calloc", &next.calloc);
    find("realloc", &next.realloc);
    find("memalign", &next.memalign);
    find("free", &next.free);
    orma_hook_next.calloc = next.calloc;
    orma_hook_next.realloc = next.realloc;
    orma_hook_next.memalign = next.memalign;
    orma_hook_next.free = next.free;
    orma_hook_next.malloc = next.malloc;
    resolving = false;
}

static void *boot_malloc(size_t n)
{
    orma_hook_next_resolve();
    return orma_hook_next.malloc == boot_malloc ? from_arena(n) : orma_hook_next.malloc(n);
}

static void *boot_calloc(size_t num, size_t n)
{
    size_t all;

    orma_hook_next_resolve();
    if (orma_hook_next.calloc != boot_calloc)
        return orma_hook_next.calloc(num, n);
    return __builtin_mul_overflow(num, n, &all) ? NULL : from_arena(all);
}

static void *boot_realloc(void *p, size_t n)
{
    orma_hook_next_resolve();
    return orma_hook_next.realloc == boot_realloc ? NULL : orma_hook_next.realloc(p, n);
}

static void *boot_memalign(size_t align, size_t n)
{
    orma_hook_next_resolve();
    return orma_hook_next.memalign == boot_memalign ? NULL : orma_hook_next.memalign(align, n);
}

static void boot_free(void *p)
{
    orma_hook_next_resolve();
    if (orma_hook_next.free != boot_free)
        orma_hook_next.free(p);
}

void orma_hook_next_look(void)
{
    void *malloc_at, *end = dlsym(RTLD_DEFAULT, "__libc_stack_end");
    void *find_object = dlsym(RTLD_DEFAULT, "_dl_find_object"), *new = dlsym(RTLD_NEXT, "_Znwm");
    Dl_info info;

    memcpy(&malloc_at, &orma_hook_next.malloc, sizeof(malloc_at));
    if (dladdr(malloc_at, &info) && info.dli_fbase)
        find_range(info.dli_fbase, &orma_hook_next.start, &orma_hook_next.end);
    memcpy(&orma_hook_next.find_object, &find_object, sizeof(find_object));
    if (end)
        memcpy(&orma_hook_next.stack_end, end, sizeof(orma_hook_next.stack_end));
    orma_hook_next.has_new = is_inside(new);
    (void)dlerror(); /* what we did not find is nothing to the program */
}
