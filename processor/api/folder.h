/*
 * Folders that are a trace, as those of uftrace, or have some in them, as those of CTF: their files
 * are packed as a tar archive into a file without a name, which is read in place of the folder.
 * Threads: none.
 */
#ifndef ORMA_PROCESSOR_API_FOLDER_H
#define ORMA_PROCESSOR_API_FOLDER_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"

#define ORMA_TAR_BLOCK 512
/* Names and sizes that the head of a member holds. */
#define ORMA_TAR_NAME_MAX 99
#define ORMA_TAR_PREFIX_MAX 154 /* folders in front of it */
#define ORMA_TAR_PATH_MAX (ORMA_TAR_PREFIX_MAX + 1 + ORMA_TAR_NAME_MAX)
#define ORMA_TAR_SIZE_MAX ((UINT64_C(1) << 33) - 1)

/* The head of a member: 512 bytes, behind which its bytes follow, padded to as many. Two blocks of
 * zeros are the end of an archive. */
struct orma_tar_head {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100];
    char magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};
_Static_assert(sizeof(struct orma_tar_head) == ORMA_TAR_BLOCK, "a head is a block");

bool orma_tar_head_fits(const char *name);

/* Longer names are cut. The same name and size give the same bytes. */
void orma_tar_head_fill(struct orma_tar_head *self, const char *name, uint64_t size);

/* The archive, from its begin on. -ENOENT: the folder is no trace; else -errno, and `why` says of
 * which file. */
int orma_folder_pack(int dir, struct orma_buf *why);
#endif
