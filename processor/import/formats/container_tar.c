/*
 * tar: a header of 512 bytes before each member, as ustar, GNU and pax write it.
 */
#include "processor/import/formats/container.h"

#include "processor/import/formats/formats.h"

#define BLOCK 512

static bool octal(const uint8_t *at, size_t len, uint64_t *ret)
{
    size_t i = 0;

    *ret = 0;
    if (at[0] & 0x80) { /* large ones are binary */
        for (i = len - 8; i < len; i++)
            *ret = *ret << 8 | at[i];
        return true;
    }
    while (i < len && at[i] == ' ')
        i++;
    for (; i < len && at[i] >= '0' && at[i] <= '7'; i++)
        *ret = *ret << 3 | (uint64_t)(at[i] - '0');
    return i == len || !at[i] || at[i] == ' ';
}

static struct orma_str text_of(const uint8_t *at, size_t len)
{
    return (struct orma_str){(const char *)at, strnlen((const char *)at, len)};
}

/* "27 path=some/where\n" records: the value of the last one with this name, e.g. " path=". */
static struct orma_str pax_value(struct orma_str text, struct orma_str name)
{
    struct orma_str line, ret = {0};
    const char *at;

    while (orma_str_cut(&text, '\n', &line))
        if ((at = orma_str_find(line, name)))
            ret = (struct orma_str){at + name.len, (size_t)(line.data + line.len - at) - name.len};
    return ret;
}

static struct orma_str tar_name(struct orma_format_archive *a, const uint8_t *header)
{
    struct orma_str name = text_of(header, 100), prefix = text_of(header + 345, 155);
    struct orma_buf path = {0};

    if (!prefix.len || memcmp(header + 257, "ustar\0", 6) != 0)
        return name;
    orma_buf_printf(&path, "%.*s/%.*s", ORMA_STR_ARG(prefix), ORMA_STR_ARG(name));
    struct orma_str ret = orma_buf_str(&path);
    ret.data = orma_arena_strdup(&a->names, ret);
    a->file->imp->model->storage->failed |= !ret.data || path.failed;
    orma_buf_fini(&path);
    return ret.data ? ret : name;
}

/* The sum of its bytes, with blanks in the place of the sum itself. Old ones took bytes as signed.
 */
static bool is_tar_header(const uint8_t *header)
{
    uint64_t said;
    int64_t sum = 0, sum_signed = 0;

    for (unsigned i = 0; i < BLOCK; i++) {
        uint8_t c = i >= 148 && i < 156 ? ' ' : header[i];

        sum += c;
        sum_signed += (int8_t)c;
    }
    return octal(header + 148, 8, &said) && ((int64_t)said == sum || (int64_t)said == sum_signed);
}

static bool is_zero(const uint8_t *data, size_t len)
{
    return !len || (!data[0] && !memcmp(data, data + 1, len - 1));
}

/* A member whose bytes are not those of a file. */
static void skip_tar_member(struct orma_format_archive *a, char type)
{
    orma_format_archive_skip(
        a, orma_strpool_addf(&a->file->imp->model->storage->pool, "members of tar's type %c", type),
        1);
}

/* The next header behind what is none; 0: there is nothing in this archive. */
static size_t skip_damaged_tar(struct orma_format_archive *a, const uint8_t *data, size_t len,
                               size_t pos)
{
    size_t to = pos + BLOCK;

    while (len - to >= BLOCK && memcmp(data + to + 257, "ustar", 5) != 0)
        to += BLOCK;
    if (len - to < BLOCK)
        to = len;
    if (to == len && !a->num) {
        orma_format_archive_bad(a, "the header of a member is invalid");
        return 0;
    }
    orma_file_damage(a->file, data + pos, to - pos, "the header of a member is missing");
    return to;
}

void orma_format_archive_read_tar(struct orma_format_archive *a, const uint8_t *data, size_t len)
{
    struct orma_str long_name = {0}, long_size = {0};
    size_t pos = 0;

    while (len - pos >= BLOCK && !orma_file_failed(a->file)) {
        const uint8_t *header = data + pos;
        uint64_t size;

        if (is_zero(header, BLOCK)) { /* the end, behind which another archive may lie */
            pos += BLOCK;
            continue;
        }

        pos += BLOCK;
        bool good = octal(header + 124, 12, &size) &&
                    (!long_size.len || orma_str_to_u64(long_size, &size)) && header[0] &&
                    (!memcmp(header + 257, "ustar", 5) || is_tar_header(header));
        if (!good || (size > len - pos && memcmp(header + 257, "ustar", 5) != 0)) {
            if (!(pos = skip_damaged_tar(a, data, len, pos - BLOCK)))
                return;
            continue;
        }
        if (size > len - pos && (!a->num && pos == len)) {
            orma_format_archive_bad(a, "a member extends past the end of the archive");
            return;
        }
        if (size > len - pos) { /* what is there of it is read */
            orma_file_truncated(a->file, 1);
            size = len - pos;
        }
        struct orma_str body = {(const char *)data + pos, (size_t)size};
        long_size = (struct orma_str){0};
        switch (header[156]) {
        case 'x':
            long_name = pax_value(body, ORMA_STR(" path="));
            long_size = pax_value(body, ORMA_STR(" size="));
            break;
        case 'L':
            long_name = text_of(data + pos, (size_t)size);
            break;
        case '0':
        case '\0':
        case '7': {
            struct orma_format_member m = {.data = data + pos, .len = (size_t)size};

            m.name = long_name.len ? long_name : tar_name(a, header);
            orma_format_archive_add(a, &m);
            long_name = (struct orma_str){0};
            break;
        }
        default: /* folders, links, devices: nothing but names, if they are what they say */
            if ((header[156] >= 'A' && header[156] <= 'Z' && !strchr("DKNV", header[156])) ||
                (header[156] >= '1' && header[156] <= '6' && size))
                skip_tar_member(a, (char)header[156]);
            long_name = (struct orma_str){0};
        }
        size = (size + BLOCK - 1) / BLOCK * BLOCK;
        pos += ORMA_MIN((size_t)size, len - pos);
    }
    if (!is_zero(data + pos, len - pos) && !orma_file_failed(a->file))
        orma_file_truncated(a->file, len - pos); /* in a header */
}
