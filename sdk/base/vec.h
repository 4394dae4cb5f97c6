/*
 * Vectors: typed arrays that grow.
 *
 *     ORMA_VEC(struct row) rows = {0};             a variable, or a member of a struct
 *
 *     if (ORMA_VEC_PUSH(&rows, (struct row){.id = 7}))
 *         return -ENOMEM;
 *     for (uint32_t i = 0; i < rows.len; i++)
 *         use(&rows.data[i]);
 *     ORMA_VEC_FINI(&rows);
 *
 * All zeroes is an empty vector. `data` may be NULL while `cap` is 0. Addresses of
 * elements hold until the next call that adds one. The memory is malloc's, so a caller
 * may take `data` over and free() it. Elements are not cleared.
 *
 * The macros work on every struct with members `data`, `len` and `cap`, the latter two
 * both uint32_t or both size_t; name the struct by ORMA_VEC_STRUCT() where functions pass
 * it on. Arguments are evaluated once. Pairs of a pointer and a capacity with other names
 * grow by ORMA_GROW().
 *
 * Growth doubles the capacity in one out-of-line function and checks for overflow: a length
 * or a size that does not fit is -ENOMEM, and nothing has changed.
 *
 * Threads: none; a vector has one owner. Not for events of the SDK, which may interrupt
 * malloc (mem.h).
 */
#ifndef ORMA_SDK_BASE_VEC_H
#define ORMA_SDK_BASE_VEC_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/assert.h"
#include "sdk/base/defs.h"

#define ORMA_VEC_BODY_(type)                                                                       \
    {                                                                                              \
        type *data;                                                                                \
        uint32_t len, cap;                                                                         \
    }

#define ORMA_VEC(type) struct ORMA_VEC_BODY_(type)
#define ORMA_VEC_STRUCT(tag, type) struct tag ORMA_VEC_BODY_(type)

/*
 * Makes the array behind a pointer hold at least `need` elements: 0 or -ENOMEM.
 *
 *     if (ORMA_GROW(&self->names, &self->names_cap, self->names_num + (size_t)1))
 *         return -ENOMEM;
 *
 * ret_cap: uint32_t * or size_t *. Arrays that share a capacity grow one by one with a copy of
 * it, and the capacity is stored when all have grown: from the same capacity and need comes the
 * same capacity.
 */
#define ORMA_GROW(array, ret_cap, need)                                                            \
    __extension__({                                                                                \
        __typeof__(ret_cap) grow_cap_ = (ret_cap);                                                 \
        size_t grow_need_ = (need);                                                                \
        ORMA_LIKELY(grow_need_ <= *grow_cap_)                                                      \
        ? 0 : ORMA_GROW_SLOW_((array), grow_cap_, grow_need_);                                     \
    })
#define ORMA_GROW_SLOW_(array, ret_cap, need)                                                      \
    _Generic((ret_cap), uint32_t *                                                                 \
             : orma_grow_u32, default                                                              \
             : orma_grow_size)((array), (ret_cap), (need), sizeof(**(array)))

/* What ORMA_GROW() calls when need > *ret_cap. `array` is the address of the pointer. */
ORMA_COLD int orma_grow_size(void *array, size_t *ret_cap, size_t need, size_t elem_size);
ORMA_COLD int orma_grow_u32(void *array, uint32_t *ret_cap, size_t need, size_t elem_size);

/* Space for `n` more: 0 or -ENOMEM. */
#define ORMA_VEC_RESERVE(vec, n)                                                                   \
    __extension__({                                                                                \
        __typeof__(vec) reserve_ = (vec);                                                          \
        size_t reserve_n_ = (n);                                                                   \
        ORMA_LIKELY(reserve_n_ <= reserve_->cap - reserve_->len)                                   \
        ? 0                                                                                        \
        : ORMA_GROW_SLOW_(&reserve_->data, &reserve_->cap,                                         \
                          reserve_n_ > SIZE_MAX - reserve_->len ? SIZE_MAX                         \
                                                                : reserve_->len + reserve_n_);     \
    })

/* Adds one that is not initialized: its address, or NULL when there is no memory. */
#define ORMA_VEC_ADD(vec)                                                                          \
    __extension__({                                                                                \
        __typeof__(vec) add_ = (vec);                                                              \
        ORMA_VEC_RESERVE(add_, 1) ? NULL : &add_->data[add_->len++];                               \
    })

/* Adds a value at the end: 0 or -ENOMEM. The value may be a compound literal; it is evaluated
 * after the growth, and only if that succeeds. */
#define ORMA_VEC_PUSH(vec, ...)                                                                    \
    __extension__({                                                                                \
        __typeof__(vec) push_ = (vec);                                                             \
        int push_r_ = ORMA_VEC_RESERVE(push_, 1);                                                  \
        if (ORMA_LIKELY(!push_r_)) {                                                               \
            push_->data[push_->len] = __VA_ARGS__;                                                 \
            push_->len++;                                                                          \
        }                                                                                          \
        push_r_;                                                                                   \
    })

/* The same in front of the element `at` <= len. */
#define ORMA_VEC_INSERT(vec, at, ...)                                                              \
    __extension__({                                                                                \
        __typeof__(vec) insert_ = (vec);                                                           \
        size_t insert_at_ = (at);                                                                  \
        int insert_r_ = ORMA_VEC_RESERVE(insert_, 1);                                              \
        ORMA_ASSERT_HOT(insert_at_ <= insert_->len);                                               \
        if (ORMA_LIKELY(!insert_r_)) {                                                             \
            __typeof__(*insert_->data) insert_val_ = __VA_ARGS__;                                  \
            memmove(insert_->data + insert_at_ + 1, insert_->data + insert_at_,                    \
                    (insert_->len - insert_at_) * sizeof(*insert_->data));                         \
            insert_->data[insert_at_] = insert_val_;                                               \
            insert_->len++;                                                                        \
        }                                                                                          \
        insert_r_;                                                                                 \
    })

/* Removes the element `at` < len; the rest keep their order. */
#define ORMA_VEC_REMOVE(vec, at)                                                                   \
    do {                                                                                           \
        __typeof__(vec) remove_ = (vec);                                                           \
        size_t remove_at_ = (at);                                                                  \
        ORMA_ASSERT_HOT(remove_at_ < remove_->len);                                                \
        remove_->len--;                                                                            \
        memmove(remove_->data + remove_at_, remove_->data + remove_at_ + 1,                        \
                (remove_->len - remove_at_) * sizeof(*remove_->data));                             \
    } while (0)

/* Frees the memory; the vector is empty and can be used again. What elements own is the caller's.
 */
#define ORMA_VEC_FINI(vec)                                                                         \
    do {                                                                                           \
        __typeof__(vec) fini_ = (vec);                                                             \
        free(fini_->data);                                                                         \
        fini_->data = NULL;                                                                        \
        fini_->len = fini_->cap = 0;                                                               \
    } while (0)
#endif
