#include "tools/load/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/buf.h"
#include "tools/base/units.h"

/* In auto, loads that are faster leave nothing. */
#define SLOW_MS 200

static const char *setting; /* of the option; NULL: not given */

void orma_load_cache_set(const char *value)
{
    setting = value;
}

void orma_load_cache_avoid(void)
{
    setting = "off";
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

/* Folders are not made in those of others: root keeps nothing for the user whose HOME it has. */
static bool is_mine(const char *path)
{
    struct stat st;

    return *path == '/' && stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

/* The user's folder. False: there is none. */
static bool put_default(struct orma_buf *ret)
{
    const char *xdg = variable("XDG_CACHE_HOME"), *home = variable("HOME");

    if (xdg && *xdg == '/')
        orma_buf_printf(ret, "%s/orma", xdg);
    else if (home && is_mine(home))
        orma_buf_printf(ret, "%s/.cache/orma", home);
    return ret->len && !ret->failed;
}

static int read_limit(const char *program, uint64_t *ret)
{
    const char *text = variable("ORMA_CACHE_LIMIT");

    if (!text || orma_units_parse_size_bytes(text, ret))
        return 0;
    fprintf(stderr, "%s: ORMA_CACHE_LIMIT=%s: expected a size such as 500mb or 4gb\n", program, text);
    return -EINVAL;
}

/* What cannot be meant as a folder. */
static int refuse(const char *program, const char *value)
{
    fprintf(stderr, "%s: --cache=%s: expected auto, off, or a folder ('./%s')\n", program, value,
            value);
    return -EINVAL;
}

int orma_load_cache_use(struct orma_processor *tp, const char *program)
{
    const char *value = setting ? setting : variable("ORMA_CACHE");
    ORMA_AUTO(orma_buf_fini) struct orma_buf folder = {0};
    struct orma_processor_cache cache = {0};

    if (!value)
        value = strncmp(program, "trace", 5) ? "auto" : "off";
    if (!strcmp(value, "off"))
        return 0;
    if (!strcmp(value, "auto")) {
        if (!put_default(&folder))
            return 0;
        cache.slow_ms = SLOW_MS;
    } else if (strchr(value, '/') || access(value, F_OK) == 0) {
        orma_buf_put_str(&folder, value);
    } else {
        return refuse(program, value);
    }
    if (read_limit(program, &cache.limit_bytes) < 0)
        return -EINVAL;
    cache.folder = orma_buf_cstr(&folder);
    (void)orma_processor_set_cache(tp, &cache); /* without memory there is none */
    return 0;
}

void orma_load_cache_tell(struct orma_processor *tp, const char *program)
{
    const char *note = orma_processor_cache_note(tp);

    if (*note && variable("ORMA_CACHE_LOG"))
        fprintf(stderr, "%s: cache: %s\n", program, note);
}
