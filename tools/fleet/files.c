/*
 * A trace as files below a folder: TABLE/date=DAY/build=BUILD/HASH.parquet.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/export/files.h"
#include "processor/sql/dialect/quote.h"
#include "tools/base/inputs.h"
#include "tools/fleet/packed.h"

/* A part of a path: what has a meaning in one is written as %XX, as Hive does. */
static void put_escaped(struct orma_buf *to, const struct orma_buf *text)
{
    if (!text->len)
        orma_buf_put_str(to, "__HIVE_DEFAULT_PARTITION__");
    for (size_t i = 0; i < text->len; i++) {
        const uint8_t c = text->data[i];

        if (c <= ' ' || c == 127 || strchr("\"#%'*/:=?\\{[]^", c))
            orma_buf_printf(to, "%%%02X", c);
        else
            orma_buf_put_byte(to, c);
    }
}

/* Makes the folders of a path. */
static int make_folders(char *path)
{
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        const int r = mkdir(path, 0777) && errno != EEXIST ? -errno : 0;
        *at = '/';
        if (r)
            return r;
    }
    return 0;
}

static int put_path(struct orma_fleet_pack *self, unsigned table, struct orma_buf *path)
{
    char day[16], hash[ORMA_FLEET_HASH_TEXT];

    orma_fleet_day_text(self->trace.day, day);
    orma_fleet_hash_text(self->trace.hash, hash);
    orma_buf_printf(path, "%s/%s/date=%s/build=", self->folder, orma_fleet_tables[table].name, day);
    put_escaped(path, &self->trace.build);
    orma_buf_printf(path, "/%s.parquet", hash);
    orma_buf_put_byte(path, 0);
    return path->failed ? -ENOMEM : make_folders((char *)path->data);
}

/* Which trace, and of which machine: what is not in the path. */
static const char *with_columns(struct orma_fleet_pack *self)
{
    char hash[ORMA_FLEET_HASH_TEXT];

    if (!self->columns.len) {
        orma_fleet_hash_text(self->trace.hash, hash);
        orma_buf_printf(&self->columns, "'%s' AS trace,", hash);
        orma_sql_put_literal(&self->columns, orma_str_from(orma_buf_cstr(&self->trace.machine)));
        orma_buf_put_str(&self->columns, " AS machine,");
    }
    return orma_buf_cstr(&self->columns);
}

static int take_file(struct orma_fleet_pack *self, unsigned table, struct orma_columns *columns)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};
    struct orma_whole *whole = &self->files[self->files_num];
    int r = orma_columns_settle(columns);

    /* Columns without a value have no type, which others would not fit to. */
    if (r || orma_columns_is_empty(columns))
        return r;
    r = put_path(self, table, &path);
    if (!r && orma_inputs_hit((char *)path.data)) {
        orma_buf_printf(self->why, "the output file %s is also an input", (char *)path.data);
        return -EEXIST;
    }
    if (!r)
        r = orma_whole_open(whole, (char *)path.data, false, 0666);
    if (r)
        return orma_fleet_pack_fail(self, NULL, r);
    self->files_num++;
    const int fd = dup(whole->fd);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "wb");
    r = out ? orma_export_parquet(columns, out) : -errno;
    if (r == -EIO)
        orma_fleet_pack_fail(self, NULL, errno ? -errno : r);
    if (out && fclose(out) && !r)
        r = orma_fleet_pack_fail(self, NULL, -errno);
    else if (!out && fd >= 0)
        (void)close(fd); /* nothing was written */
    return r;
}

int orma_fleet_write_files(const char *path, const uint8_t *hash,
                           const struct orma_fleet_labels *labels, const char *folder,
                           struct orma_buf *why)
{
    struct orma_fleet_pack self = {
        .why = why, .take = take_file, .with = with_columns, .folder = folder};
    int r = orma_fleet_pack_run(&self, path, hash, labels);

    for (unsigned i = 0; i < self.files_num; i++) {
        const int closed = orma_whole_close(&self.files[i], !r);

        if (!r && closed)
            r = orma_fleet_pack_fail(&self, NULL, closed);
    }
    orma_buf_fini(&self.columns);
    orma_fleet_pack_fini(&self);
    return r;
}
