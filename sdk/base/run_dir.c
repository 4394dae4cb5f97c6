#include "sdk/base/run_dir.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

const char *orma_path_run_dir(void)
{
    const char *dir = getenv("XDG_RUNTIME_DIR");
    struct stat st;

    if (!dir || dir[0] != '/' || stat(dir, &st) < 0 || !S_ISDIR(st.st_mode) ||
        (st.st_uid != geteuid() && st.st_uid != 0))
        return NULL;
    return !(st.st_mode & (S_IWGRP | S_IWOTH)) || st.st_mode & S_ISVTX ? dir : NULL;
}
