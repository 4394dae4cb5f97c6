/*
 * Binary search in what is sorted, without a call per comparison.
 *
 * Each macro gives an index; `num` when there is no such element.
 *
 *     i = ORMA_LOWER_BOUND(rows, num, .ts, ts);            first with rows[i].ts >= ts
 *     i = ORMA_UPPER_BOUND(rows, num, .ts, ts);            first with rows[i].ts > ts
 *     i = ORMA_LOWER_BOUND(ids, num, , id);                an array of plain numbers
 *     i = ORMA_OFFSET_FIND(pieces, num, .start, at);       the piece that `at` lies in
 *     i = ORMA_PARTITION_POINT(k, 0, num, compare(&rows[k], key) < 0);
 *
 * The last is the general one (std::partition_point of C++): the condition holds for all
 * indices in [from, to) before the result, and for none after it. The type of the result is
 * that of `num` or `to`: uint32_t or size_t.
 *
 * Arguments are evaluated once, but for the condition and the array.
 */
#ifndef ORMA_SDK_BASE_SEARCH_H
#define ORMA_SDK_BASE_SEARCH_H
#include <stddef.h>

/* `i` is a name for the index that `is_before` is asked about. */
#define ORMA_PARTITION_POINT(i, from, to, is_before)                                               \
    __extension__({                                                                                \
        __typeof__((to) + 0u) search_lo_ = (from), search_hi_ = (to);                              \
        while (search_lo_ < search_hi_) {                                                          \
            __typeof__(search_lo_) i = search_lo_ + (search_hi_ - search_lo_) / 2;                 \
            if (is_before)                                                                         \
                search_lo_ = i + 1;                                                                \
            else                                                                                   \
                search_hi_ = i;                                                                    \
        }                                                                                          \
        search_lo_;                                                                                \
    })

/* `field`: what follows array[i] to name the key; may be empty. */
#define ORMA_LOWER_BOUND(array, num, field, key)                                                   \
    __extension__({                                                                                \
        __typeof__((key) + 0) search_key_ = (key);                                                 \
        ORMA_PARTITION_POINT(search_i_, 0, num, (array)[search_i_] field < search_key_);           \
    })

#define ORMA_UPPER_BOUND(array, num, field, key)                                                   \
    __extension__({                                                                                \
        __typeof__((key) + 0) search_key_ = (key);                                                 \
        ORMA_PARTITION_POINT(search_i_, 0, num, (array)[search_i_] field <= search_key_);          \
    })

/* For adjacent pieces sorted by where they start: the last that
 * starts at or before `at`. `num` if `at` is before the first. */
#define ORMA_OFFSET_FIND(array, num, field, at)                                                    \
    __extension__({                                                                                \
        __typeof__((num) + 0u) search_num_ = (num);                                                \
        __typeof__(search_num_) search_end_ = ORMA_UPPER_BOUND(array, search_num_, field, at);     \
        search_end_ ? search_end_ - 1 : search_num_;                                               \
    })
#endif
