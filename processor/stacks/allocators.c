/* Names as they are demangled; those of C are whole, those of other languages are beginnings. */
#include <string.h>

#include "processor/stacks/stacks.h"
#include "sdk/base/defs.h"

static const char *const whole[] = {
    "malloc",   "calloc",    "realloc",   "reallocarray", "memalign",  "aligned_alloc",
    "valloc",   "pvalloc",   "strdup",    "__strdup",     "strndup",   "posix_memalign",
    "xmalloc",  "xcalloc",   "xrealloc",  "xstrdup",      "__strndup", "g_malloc",
    "g_strdup", "g_malloc0", "g_realloc", "g_malloc_n",
};

static const char *const beginnings[] = {
    /* C++: operators, allocators, containers */
    "operator new(", "operator new[]", "__gnu_cxx::new_allocator<", "std::_", "std::allocator",
    "std::basic_string<", "std::vector<", "std::deque<", "std::list<", "std::map<", "std::set<",
    "std::multimap<", "std::multiset<", "std::unordered_", "std::make_shared<", "std::make_unique<",
    "std::allocate_shared<", "std::shared_ptr<",
    /* Rust: its library of that name */
    "__rust_", "__rdl_", "__rg_", "alloc::", "<alloc::"};

bool orma_stacks_is_allocator(const char *function)
{
    if (!strncmp(function, "void ", 5)) /* what templates return stands before them */
        function += 5;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(whole); i++) {
        if (!strcmp(function, whole[i]))
            return true;
    }
    for (size_t i = 0; i < ORMA_ARRAY_LEN(beginnings); i++) {
        if (!strncmp(function, beginnings[i], strlen(beginnings[i])))
            return true;
    }
    return false;
}
