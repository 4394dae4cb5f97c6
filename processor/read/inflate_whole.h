/*
 * Deflate, where all of a stream is in memory: by libdeflate, which takes a third of the time that
 * zlib does.
 *
 * Only what zlib would have read to its end comes out of here. Whatever else a stream is (damaged,
 * cut off, more than may come out, followed by bytes that are none of its own), the answer is no,
 * and the caller reads it piece by piece (inflate.h), which says what is wrong and where.
 */
#ifndef ORMA_PROCESSOR_READ_INFLATE_WHOLE_H
#define ORMA_PROCESSOR_READ_INFLATE_WHOLE_H
#include "processor/read/inflate.h"

/* What comes out at once is all in memory. More is read piece by piece. */
#define ORMA_INFLATE_WHOLE_MAX ((uint64_t)1 << 30)

/*
 * Appends what is packed in `in`: deflate of a form of inflate.h, gzip of any number of members.
 * `size`: that of what comes out, as far as the container tells it; 0: not known. False, with `ret`
 * as it was: read it piece by piece. Deflate without a header has no sum: whoever unpacks that must
 * have one, since libdeflate takes a few streams that zlib refuses.
 */
bool orma_inflate_whole(enum orma_inflate_form form, struct orma_str in, uint64_t size,
                        uint64_t max, struct orma_buf *ret);
#endif
