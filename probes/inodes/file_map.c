/*
 *   seen -> device.wanted -> [delay] -> walk of each mount point of the device -> packets
 *
 * One walk at a time. It never leaves the file system it began on, and ends
 * early when nothing is wanted any more. What was looked for once is not
 * looked for again, found or not.
 */
#include "probes/inodes/file_map.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>

#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_writer.h"

#define DELAY_DEFAULT_MS 10000u
#define INTERVAL_DEFAULT_MS 10000u
#define BATCH_DEFAULT 15000u
#define DEVICES_MAX 64
#define INODES_MAX 1000000u
#define DEPTH_MAX 64
#define ROOTS_MAX 256
#define MOUNTINFO_MAX (1u << 20)
#define PACKET_SOFT_MAX (32 * 1024)
#define LAST_SCAN_NS 500000000u /* at the end of a session that ends before its first scan */

/* Values of `inodes`. */
enum { INODE_WANTED = 1, INODE_NEW = 2 /* since the walk began */, INODE_DONE = 3 };

struct device {
    uint64_t dev;
    struct orma_map inodes;
    uint32_t wanted;
};

/* A directory that is being read. */
struct level {
    DIR *dir;
    size_t path_len; /* of its path, without a slash at the end */
};

struct inode_map {
    struct orma_source source;
    Perfetto__Protos__InodeFileConfig *config; /* ours; NULL: defaults */
    uint32_t delay_ms, interval_ms, batch;
    bool do_not_scan;
    struct device devices[DEVICES_MAX + 1]; /* the last one is never used */
    unsigned devices_num;
    uint32_t inodes_num;
    struct event *timer;
    bool is_scheduled;

    /* The scan under way. */
    unsigned device_idx; /* == devices_num: none */
    char *roots[ROOTS_MAX];
    unsigned roots_num, root_idx;
    dev_t root_dev;
    struct level stack[DEPTH_MAX];
    unsigned depth;
    char path[PATH_MAX];
    struct orma_buf packet;
    size_t map; /* orma_pb_begin() of it; the packet is empty: none */
};

static struct inode_map *map_of(struct orma_source *source)
{
    return ORMA_CONTAINER_OF(source, struct inode_map, source);
}

/* ---- mount points ---- */

/* \040 and the like. */
static size_t unescape(char *text, size_t len)
{
    size_t to = 0;

    for (size_t at = 0; at < len; to++) {
        if (text[at] == '\\' && len - at >= 4 && text[at + 1] >= '0' && text[at + 1] <= '3' &&
            text[at + 2] >= '0' && text[at + 2] <= '7' && text[at + 3] >= '0' &&
            text[at + 3] <= '7') {
            text[to] = (char)((text[at + 1] - '0') << 6 | (text[at + 2] - '0') << 3 |
                              (text[at + 3] - '0'));
            at += 4;
        } else {
            text[to] = text[at++];
        }
    }
    return to;
}

/* "23 27 0:22 / /sys rw ..." */
bool orma_inode_mountinfo_parse(char *line, size_t len, uint64_t *ret_dev,
                                struct orma_str *ret_path)
{
    struct orma_str rest = {line, len}, part, major_text;
    uint64_t major_num, minor_num;

    if (!len || !orma_str_cut(&rest, ' ', &part) || !rest.len || !orma_str_cut(&rest, ' ', &part) ||
        !rest.len || !orma_str_cut(&rest, ' ', &part) || !part.len ||
        !orma_str_cut(&part, ':', &major_text) || !orma_str_to_u64(major_text, &major_num) ||
        !orma_str_to_u64(part, &minor_num) || major_num > UINT32_MAX || minor_num > UINT32_MAX)
        return false;
    if (!rest.len || !orma_str_cut(&rest, ' ', &part) || !rest.len ||
        !orma_str_cut(&rest, ' ', &part) || !part.len || part.data[0] != '/')
        return false;
    char *path = line + (part.data - line);
    *ret_path = (struct orma_str){path, unescape(path, part.len)};
    *ret_dev = makedev((unsigned)major_num, (unsigned)minor_num);
    return true;
}

static void add_root(struct inode_map *self, struct orma_str path)
{
    if (self->roots_num < ROOTS_MAX && path.len < PATH_MAX &&
        (self->roots[self->roots_num] = orma_str_dup(path)))
        self->roots_num++;
}

static bool is_scanned(const struct inode_map *self, struct orma_str mount)
{
    const Perfetto__Protos__InodeFileConfig *c = self->config;

    for (size_t i = 0; c && i < c->n_scan_mount_points; i++) {
        if (orma_str_eq_c(mount, c->scan_mount_points[i]))
            return true;
    }
    return !c || !c->n_scan_mount_points;
}

/* A mount point, or the folders that the config names for it. */
static void add_mount(struct inode_map *self, struct orma_str mount)
{
    const Perfetto__Protos__InodeFileConfig *c = self->config;

    if (!is_scanned(self, mount))
        return;
    for (size_t i = 0; c && i < c->n_mount_point_mapping; i++) {
        const Perfetto__Protos__InodeFileConfig__MountPointMappingEntry *m =
            c->mount_point_mapping[i];

        if (!m->mountpoint || !orma_str_eq_c(mount, m->mountpoint))
            continue;
        for (size_t j = 0; j < m->n_scan_roots; j++)
            add_root(self, orma_str_from(m->scan_roots[j]));
        return;
    }
    add_root(self, mount);
}

static void forget_roots(struct inode_map *self)
{
    while (self->roots_num)
        free(self->roots[--self->roots_num]);
    self->root_idx = 0;
}

static void find_roots(struct inode_map *self, uint64_t dev)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_str rest, line, mount;
    char path[512];
    uint64_t its_dev;

    forget_roots(self);
    (void)snprintf(path, sizeof(path), "%s/self/mountinfo",
                   self->source.env->proc_root); /* cut: not found */
    if (orma_fd_read_file(AT_FDCWD, path, MOUNTINFO_MAX, &text) < 0)
        return;
    rest = orma_buf_str(&text);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        char *own = (char *)text.data + (line.data - (const char *)text.data);

        if (orma_inode_mountinfo_parse(own, line.len, &its_dev, &mount) && its_dev == dev)
            add_mount(self, mount);
    }
}

/* ---- packets ---- */

static void packet_open(struct inode_map *self)
{
    struct orma_buf *out = &self->packet;

    if (out->len)
        return;
    orma_source_put_time(out, orma_clock_boottime());
    self->map = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_INODE_FILE_MAP);
    orma_pb_put_u64(out, ORMA_PB_INODE_FILE_MAP_BLOCK_DEVICE_ID,
                    self->devices[self->device_idx].dev);
    for (unsigned i = 0; i < self->roots_num; i++)
        orma_pb_put_cstr(out, ORMA_PB_INODE_FILE_MAP_MOUNT_POINTS, self->roots[i]);
}

static void packet_close(struct inode_map *self)
{
    if (!self->packet.len)
        return;
    orma_pb_end(&self->packet, self->map);
    (void)orma_source_sink_put_buf(self->source.sink,
                                   &self->packet); /* lost: the writer counts it */
}

static void put_entry(struct inode_map *self, uint64_t inode, bool is_dir)
{
    packet_open(self);
    size_t begun = orma_pb_begin(&self->packet, ORMA_PB_INODE_FILE_MAP_ENTRIES);
    orma_pb_put_u64(&self->packet, ORMA_PB_INODE_FILE_MAP_ENTRY_INODE_NUMBER, inode);
    orma_pb_put_cstr(&self->packet, ORMA_PB_INODE_FILE_MAP_ENTRY_PATHS, self->path);
    orma_pb_put_u64(&self->packet, ORMA_PB_INODE_FILE_MAP_ENTRY_TYPE,
                    is_dir ? ORMA_PB_INODE_FILE_MAP_ENTRY_DIRECTORY
                           : ORMA_PB_INODE_FILE_MAP_ENTRY_FILE);
    orma_pb_end(&self->packet, begun);
    if (self->packet.len > PACKET_SOFT_MAX)
        packet_close(self);
}

/* ---- the walk ---- */

static void pop(struct inode_map *self)
{
    (void)closedir(self->stack[--self->depth].dir); /* read only */
}

/* Reads `path` next. Another file system, or no right to: left out. */
static void push(struct inode_map *self, int at_fd, const char *name, size_t path_len)
{
    int fd = self->depth < DEPTH_MAX
                 ? openat(at_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                 : -1;
    struct stat st;

    if (fd < 0)
        return;
    bool is_root = !self->depth;
    DIR *dir =
        fstat(fd, &st) == 0 && (is_root || st.st_dev == self->root_dev) ? fdopendir(fd) : NULL;
    if (!dir) {
        orma_fd_close(&fd);
        return;
    }
    self->root_dev = st.st_dev;
    self->stack[self->depth++] = (struct level){dir, path_len};
}

static void look_at(struct inode_map *self, struct device *d, uint64_t inode, bool is_dir)
{
    uint64_t state = orma_map_get(&d->inodes, inode);

    if (state != INODE_WANTED && state != INODE_NEW)
        return;
    put_entry(self, inode, is_dir);
    (void)orma_map_put(&d->inodes, inode, INODE_DONE); /* it is there: needs no memory */
    d->wanted--;
}

/* One entry of the directory on top. */
static void step_dir(struct inode_map *self, struct device *d)
{
    struct level *top = &self->stack[self->depth - 1];
    struct dirent *entry = readdir(top->dir);

    if (!entry) {
        pop(self);
        return;
    }
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
        return;
    int len = snprintf(self->path + top->path_len, sizeof(self->path) - top->path_len, "/%s",
                       entry->d_name);
    if (len < 0 || (size_t)len >= sizeof(self->path) - top->path_len)
        return; /* deeper than a path can say */
    look_at(self, d, entry->d_ino, entry->d_type == DT_DIR);
    if (entry->d_type == DT_DIR)
        push(self, dirfd(top->dir), entry->d_name, top->path_len + (size_t)len);
}

static void begin_root(struct inode_map *self, struct device *d)
{
    const char *root = self->roots[self->root_idx++];
    size_t len = strlen(root);
    struct stat st;

    while (len && root[len - 1] == '/')
        len--;
    (void)snprintf(self->path, sizeof(self->path), "%s", root); /* fits: add_root() */
    push(self, AT_FDCWD, root, len);
    if (self->depth && fstat(dirfd(self->stack[0].dir), &st) == 0)
        look_at(self, d, st.st_ino, true);
}

/* What was not found is not looked for again. */
static void finish_device(struct inode_map *self, struct device *d)
{
    packet_close(self);
    while (self->depth)
        pop(self);
    d->wanted = 0;
    ORMA_MAP_EACH (slot, &d->inodes) {
        slot->val = slot->val == INODE_NEW ? INODE_WANTED : INODE_DONE;
        d->wanted += slot->val == INODE_WANTED;
    }
    forget_roots(self);
    self->device_idx = self->devices_num;
}

/* False: there is nothing to do. */
static bool step(struct inode_map *self)
{
    struct device *d;

    if (self->device_idx < self->devices_num) {
        d = &self->devices[self->device_idx];
        if (!d->wanted || (!self->depth && self->root_idx == self->roots_num))
            finish_device(self, d);
        else if (self->depth)
            step_dir(self, d);
        else
            begin_root(self, d);
        return true;
    }
    for (unsigned i = 0; i < self->devices_num; i++) {
        if (!self->devices[i].wanted)
            continue;
        self->device_idx = i;
        find_roots(self, self->devices[i].dev);
        return true;
    }
    return false;
}

static bool run(struct inode_map *self, uint64_t limit_ns, uint64_t batch)
{
    uint64_t begun = orma_clock_monotonic();
    bool more;

    while ((more = step(self)) && batch--) {
        if (batch % 16 == 0 && orma_clock_monotonic() - begun > limit_ns)
            break;
    }
    return more;
}

static void wait_ms(struct inode_map *self, uint32_t ms)
{
    const struct timeval tv = {.tv_sec = ms / 1000, .tv_usec = (suseconds_t)(ms % 1000) * 1000};

    self->is_scheduled = true;
    (void)evtimer_add(self->timer, &tv); /* fails for bad arguments only */
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct inode_map *self = arg;

    (void)fd;
    (void)what;
    self->is_scheduled = false;
    if (run(self, ORMA_SOURCE_SLICE_NS, self->batch))
        wait_ms(self, 1);
    else
        self->delay_ms = self->interval_ms; /* those that are seen next have to wait for it */
}

static struct device *device_of(struct inode_map *self, uint64_t dev)
{
    for (unsigned i = 0; i < self->devices_num; i++) {
        if (self->devices[i].dev == dev)
            return &self->devices[i];
    }
    if (!dev || self->devices_num == DEVICES_MAX)
        return NULL;
    if (self->device_idx == self->devices_num)
        self->device_idx++; /* still: no scan */
    self->devices[self->devices_num] = (struct device){.dev = dev};
    return &self->devices[self->devices_num++];
}

static void map_seen(struct orma_source *source, const struct orma_map *inodes)
{
    struct inode_map *self = map_of(source);
    bool any = false;

    if (self->do_not_scan)
        return;
    ORMA_MAP_EACH (slot, inodes) {
        struct device *d = device_of(self, slot->val);

        if (!d || self->inodes_num == INODES_MAX ||
            orma_map_get(&d->inodes, slot->key) != ORMA_MAP_NONE ||
            orma_map_put(&d->inodes, slot->key,
                         d == &self->devices[self->device_idx] ? INODE_NEW : INODE_WANTED) < 0)
            continue;
        d->wanted++;
        self->inodes_num++;
        any = true;
    }
    if (any && !self->is_scheduled)
        wait_ms(self, self->delay_ms);
}

static void map_free(struct orma_source *source)
{
    struct inode_map *self = map_of(source);

    while (self->depth)
        pop(self);
    forget_roots(self);
    for (unsigned i = 0; i < self->devices_num; i++)
        orma_map_fini(&self->devices[i].inodes);
    if (self->timer)
        event_free(self->timer);
    if (self->config)
        protobuf_c_message_free_unpacked(&self->config->base, NULL);
    orma_buf_fini(&self->packet);
    free(self);
}

static int copy_config(struct inode_map *self, const Perfetto__Protos__InodeFileConfig *c)
{
    uint8_t *bytes = malloc(perfetto__protos__inode_file_config__get_packed_size(c) + 1);
    size_t len;

    if (!bytes)
        return -ENOMEM;
    len = perfetto__protos__inode_file_config__pack(c, bytes);
    self->config = perfetto__protos__inode_file_config__unpack(NULL, len, bytes);
    free(bytes);
    if (c->has_scan_delay_ms)
        self->delay_ms = c->scan_delay_ms;
    if (c->has_scan_interval_ms)
        self->interval_ms = c->scan_interval_ms;
    if (c->has_scan_batch_size && c->scan_batch_size)
        self->batch = c->scan_batch_size;
    self->do_not_scan = c->has_do_not_scan && c->do_not_scan;
    return self->config ? 0 : -ENOMEM;
}

static int map_create(struct orma_source_env *env, const Perfetto__Protos__DataSourceConfig *config,
                      struct orma_source_sink *sink, struct orma_source **ret)
{
    struct inode_map *self = calloc(1, sizeof(*self));
    int r = 0;

    if (!self)
        return -ENOMEM;
    self->source =
        (struct orma_source){.type = &orma_inode_file_map_source, .env = env, .sink = sink};
    self->delay_ms = DELAY_DEFAULT_MS;
    self->interval_ms = INTERVAL_DEFAULT_MS;
    self->batch = BATCH_DEFAULT;
    if (config->inode_file_config)
        r = copy_config(self, config->inode_file_config);
    if (!r && !(self->timer = evtimer_new(env->base, on_timer, self)))
        r = -ENOMEM;
    if (r < 0) {
        map_free(&self->source);
        return r;
    }
    *ret = &self->source;
    return 0;
}

static void map_start(struct orma_source *source)
{
    (void)source; /* it waits for linux.ftrace */
}

static void map_stop(struct orma_source *source)
{
    struct inode_map *self = map_of(source);

    (void)evtimer_del(self->timer); /* fails for bad arguments only */
    if (run(self, LAST_SCAN_NS, UINT64_MAX))
        orma_log_info("linux.inode_file_map: not all files were found within the time limit");
    packet_close(self);
    orma_source_stopped(source);
}

const struct orma_source_type orma_inode_file_map_source = {
    .name = "linux.inode_file_map",
    .create = map_create,
    .start = map_start,
    .stop = map_stop,
    .free = map_free,
    .inodes_seen = map_seen,
};
