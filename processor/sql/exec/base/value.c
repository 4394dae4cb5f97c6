#include "processor/sql/exec/base/value.h"

#include "processor/sql/base/sort.h"

/* Exactly, without bringing the integer into a double that does not hold it. */
static int compare_int_real(int64_t i, double d)
{
    if (d < -9223372036854775808.0)
        return 1;
    if (d >= 9223372036854775808.0)
        return -1;
    int64_t whole = (int64_t)d;
    if (i != whole)
        return i < whole ? -1 : 1;
    double back = (double)i;
    return back < d ? -1 : back > d;
}

static int compare_numbers(uint8_t ta, int64_t a, uint8_t tb, int64_t b)
{
    if (ta == EXEC_INT && tb == EXEC_INT)
        return a < b ? -1 : a > b;
    if (ta == EXEC_INT)
        return compare_int_real(a, orma_exec_double(b));
    if (tb == EXEC_INT)
        return -compare_int_real(b, orma_exec_double(a));
    double x = orma_exec_double(a), y = orma_exec_double(b);
    return x < y ? -1 : x > y;
}

int orma_exec_compare(const struct orma_strpool *pool, struct orma_exec_value a,
                      struct orma_exec_value b)
{
    if (a.tag == EXEC_NULL || b.tag == EXEC_NULL)
        return (a.tag != EXEC_NULL) - (b.tag != EXEC_NULL);
    if (a.tag == EXEC_TEXT && b.tag == EXEC_TEXT)
        return orma_sort_compare_text(pool, (uint32_t)a.bits, (uint32_t)b.bits);
    if (a.tag == EXEC_TEXT || b.tag == EXEC_TEXT)
        return a.tag == EXEC_TEXT ? 1 : -1;
    return compare_numbers(a.tag, a.bits, b.tag, b.bits);
}
