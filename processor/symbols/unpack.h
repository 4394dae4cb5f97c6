/*
 * Sections that are packed in a way that libelf may not know (Zstandard): a copy of the file in
 * memory, with these sections unpacked behind its end. Bytes are hostile: what a section claims to
 * be is checked by the caller, and no more than that is unpacked. Threads: none.
 */
#ifndef ORMA_PROCESSOR_SYMBOLS_UNPACK_H
#define ORMA_PROCESSOR_SYMBOLS_UNPACK_H
#include <stddef.h>
#include <stdint.h>

/*
 * 1: *ret_fd is such a copy, of *ret_size bytes; 0: nothing is packed so. -ENOTSUP: this build
 * cannot unpack it; -EFBIG: more than `max` bytes; -EBADMSG: not what it claims to be; -errno.
 */
int orma_binary_unpack(int fd, uint64_t size, uint64_t max, int *ret_fd, uint64_t *ret_size);

/*
 * A small file of symbols that is inside a stripped one (.gnu_debugdata), packed by xz: unpacked,
 * as a file in memory. -ENOTSUP: liblzma is not installed; -EFBIG: more
 * than `max` bytes, or than is likely; -EBADMSG, -ENOMEM, -errno.
 */
int orma_binary_unpack_xz(const void *packed, size_t len, uint64_t max, int *ret_fd);
#endif
