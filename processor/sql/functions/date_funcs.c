/*
 * date(), time(), datetime(), julianday(), unixepoch(), strftime() and timediff() as SQLite 3.50
 * has them. 3.40 knows no "subsec", "floor", "ceiling" and "+YYYY-MM-DD", no timediff(), and
 * fewer conversions of strftime(); one that is not known makes the result NULL.
 */
#include <math.h>
#include <string.h>

#include "processor/sql/functions/dates.h"
#include "processor/sql/functions/functions.h"

/* The time value and its modifiers. False: the result is NULL. */
static bool read_value(struct orma_date *self, sqlite3_value *val)
{
    int type = sqlite3_value_type(val);

    *self = (struct orma_date){0};
    if (type == SQLITE_NULL)
        return false;
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
        return orma_date_parse(self, orma_value_str(val));
    orma_date_set_number(self, sqlite3_value_double(val));
    return true;
}

static bool read_args(struct orma_date *self, int argc, sqlite3_value **argv)
{
    *self = (struct orma_date){0};
    if (!argc)
        orma_date_set_now(self);
    else if (!read_value(self, argv[0]))
        return false;
    for (int i = 1; i < argc; i++) {
        struct orma_str modifier = orma_value_str(argv[i]);

        if (!modifier.data || !orma_date_modify(self, modifier, i == 1))
            return false;
    }
    orma_date_compute_jd(self);
    if (self->wrong || !orma_date_is_valid(self))
        return false;
    if (argc == 1 && self->has_ymd && self->day > 28)
        self->has_ymd = false; /* perhaps a day that the month does not have */
    orma_date_compute_fields(self);
    return !self->wrong;
}

static void put_date(struct orma_buf *out, const struct orma_date *d)
{
    orma_buf_printf(out, "%s%04d-%02d-%02d", d->year < 0 ? "-" : "",
                    d->year < 0 ? -d->year : d->year, d->month, d->day);
}

static void put_time(struct orma_buf *out, const struct orma_date *d)
{
    if (d->subsec)
        orma_buf_printf(out, "%02d:%02d:%06.3f", d->hour, d->minute, d->second);
    else
        orma_buf_printf(out, "%02d:%02d:%02d", d->hour, d->minute, (int)d->second);
}

static void date(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_buf out = {0};
    struct orma_date d;

    if (!read_args(&d, argc, argv))
        return;
    put_date(&out, &d);
    orma_result_buf(ctx, &out, false);
}

static void time_of_day(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_buf out = {0};
    struct orma_date d;

    if (!read_args(&d, argc, argv))
        return;
    put_time(&out, &d);
    orma_result_buf(ctx, &out, false);
}

static void datetime(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_buf out = {0};
    struct orma_date d;

    if (!read_args(&d, argc, argv))
        return;
    put_date(&out, &d);
    orma_buf_put_byte(&out, ' ');
    put_time(&out, &d);
    orma_result_buf(ctx, &out, false);
}

static void julianday(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_date d;

    if (read_args(&d, argc, argv))
        sqlite3_result_double(ctx, (double)d.jd_ms / (double)ORMA_DATE_DAY_MS);
}

/* Seconds since 1970, rounded down. */
static int64_t epoch_seconds(const struct orma_date *d)
{
    return d->jd_ms / 1000 - ORMA_DATE_EPOCH_MS / 1000;
}

static void unixepoch(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_date d;

    if (!read_args(&d, argc, argv))
        return;
    if (d.subsec)
        sqlite3_result_double(ctx, (double)(d.jd_ms - ORMA_DATE_EPOCH_MS) / 1000.0);
    else
        sqlite3_result_int64(ctx, epoch_seconds(&d));
}

/* ---- strftime ---- */

static int day_of_year(const struct orma_date *d)
{
    struct orma_date first = *d; /* at the same time of the day */

    first.month = first.day = 1;
    first.has_jd = false;
    orma_date_compute_jd(&first);
    return (int)((d->jd_ms - first.jd_ms + ORMA_DATE_DAY_MS / 2) / ORMA_DATE_DAY_MS);
}

static int days_after_monday(const struct orma_date *d)
{
    return (int)((d->jd_ms + ORMA_DATE_DAY_MS / 2) / ORMA_DATE_DAY_MS % 7);
}

static int days_after_sunday(const struct orma_date *d)
{
    return (days_after_monday(d) + 1) % 7;
}

/* The Thursday of its week: the week belongs to the year of that. */
static struct orma_date thursday_of(const struct orma_date *d)
{
    struct orma_date t = {.has_jd = true,
                          .jd_ms = d->jd_ms + (3 - days_after_monday(d)) * ORMA_DATE_DAY_MS};

    orma_date_compute_fields(&t);
    return t;
}

static int hour_of_12(const struct orma_date *d)
{
    int h = d->hour % 12;

    return h ? h : 12;
}

static void put_seconds(struct orma_buf *out, const struct orma_date *d)
{
    if (d->subsec)
        orma_buf_printf(out, "%.3f", (double)(d->jd_ms - ORMA_DATE_EPOCH_MS) / 1000.0);
    else
        orma_buf_printf(out, "%lld", (long long)epoch_seconds(d));
}

/* Conversions that are a number; -1: it is none of these. */
static int number_of(const struct orma_date *d, char c, const char **ret_form)
{
    struct orma_date thursday = thursday_of(d);

    *ret_form = strchr("ekl", c) ? "%2d" : strchr("uw", c) ? "%d" : "%02d";
    switch (c) {
    case 'd':
    case 'e':
        return d->day;
    case 'g':
        return thursday.year % 100;
    case 'H':
    case 'k':
        return d->hour;
    case 'I':
    case 'l':
        return hour_of_12(d);
    case 'm':
        return d->month;
    case 'M':
        return d->minute;
    case 'S':
        return (int)d->second;
    case 'u':
        return days_after_monday(d) + 1;
    case 'w':
        return days_after_sunday(d);
    case 'U':
        return (day_of_year(d) - days_after_sunday(d) + 7) / 7;
    case 'W':
        return (day_of_year(d) - days_after_monday(d) + 7) / 7;
    case 'V':
        return day_of_year(&thursday) / 7 + 1;
    }
    return -1;
}

/* False: there is no such conversion. */
static bool put_conversion(struct orma_buf *out, const struct orma_date *d, char c)
{
    const char *form;
    int number = number_of(d, c, &form);

    if (number >= 0) {
        char text[16];

        (void)sqlite3_snprintf(sizeof(text), text, form, number);
        orma_buf_put_str(out, text);
    } else if (c == 'f') {
        orma_buf_printf(out, "%06.3f", d->second > 59.999 ? 59.999 : d->second);
    } else if (c == 'F') {
        put_date(out, d);
    } else if (c == 'Y' || c == 'G') {
        orma_buf_printf(out, "%04d", c == 'Y' ? d->year : thursday_of(d).year);
    } else if (c == 'j') {
        orma_buf_printf(out, "%03d", day_of_year(d) + 1);
    } else if (c == 'J') {
        orma_buf_printf(out, "%.16g", (double)d->jd_ms / (double)ORMA_DATE_DAY_MS);
    } else if (c == 'p' || c == 'P') {
        orma_buf_put_str(out, c == 'p'        ? (d->hour >= 12 ? "PM" : "AM")
                              : d->hour >= 12 ? "pm"
                                              : "am");
    } else if (c == 'R' || c == 'T') {
        orma_buf_printf(out, "%02d:%02d", d->hour, d->minute);
        if (c == 'T')
            orma_buf_printf(out, ":%02d", (int)d->second);
    } else if (c == 's') {
        put_seconds(out, d);
    } else if (c == '%') {
        orma_buf_put_byte(out, '%');
    } else {
        return false;
    }
    return true;
}

static void put_formatted(sqlite3_context *ctx, const struct orma_date *d, struct orma_str format)
{
    struct orma_buf out = {0};
    bool ok = true;

    for (size_t i = 0; i < format.len && ok; i++) {
        if (format.data[i] != '%')
            orma_buf_put_byte(&out, (uint8_t)format.data[i]);
        else if (++i < format.len)
            ok = put_conversion(&out, d, format.data[i]);
        else
            ok = false;
    }
    if (ok)
        orma_result_buf(ctx, &out, false);
    else
        orma_buf_fini(&out);
}

static void format_time(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_str format = argc ? orma_value_str(argv[0]) : (struct orma_str){0};
    struct orma_date d;

    if (format.data && read_args(&d, argc - 1, argv + 1))
        put_formatted(ctx, &d, format);
}

/* ---- timediff ---- */

/* Brings the later one back by whole years and months; what is left is less than a month. */
static void count_months(struct orma_date *a, struct orma_date *b, int sign, int *ret_years,
                         int *ret_months)
{
    int years = sign * (a->year - b->year), months = sign * (a->month - b->month);

    b->year = a->year;
    b->month = a->month;
    b->has_jd = false;
    orma_date_compute_jd(b);
    if (months < 0) {
        years--;
        months += 12;
    }
    while (sign * (a->jd_ms - b->jd_ms) < 0) {
        if (--months < 0) {
            months = 11;
            years--;
        }
        b->month -= sign;
        if (b->month < 1 || b->month > 12) {
            b->month += b->month < 1 ? 12 : -12;
            b->year -= sign;
        }
        b->has_jd = false;
        orma_date_compute_jd(b);
    }
    *ret_years = years;
    *ret_months = months;
}

static void timediff(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_date a, b;
    struct orma_buf out = {0};
    int years, months;

    (void)argc;
    if (!read_args(&a, 1, argv) || !read_args(&b, 1, argv + 1))
        return;
    int sign = a.jd_ms >= b.jd_ms ? 1 : -1;
    count_months(&a, &b, sign, &years, &months);
    struct orma_date rest = {.has_jd = true,
                             .jd_ms = sign * (a.jd_ms - b.jd_ms) + ORMA_DATE_DAY_MS / 2};
    int64_t days = sign * (a.jd_ms - b.jd_ms) / ORMA_DATE_DAY_MS;
    rest.jd_ms %= ORMA_DATE_DAY_MS;
    orma_date_compute_fields(&rest);
    orma_buf_printf(&out, "%c%04d-%02d-%02d %02d:%02d:%06.3f", sign > 0 ? '+' : '-', years, months,
                    (int)days, rest.hour, rest.minute, rest.second);
    orma_result_buf(ctx, &out, false);
}

#define TIME_VALUE "(time, modifier, ...) -> "

const struct orma_sql_func orma_functions_dates[] = {
    {.name = "date",
     .args = -1,
     .scalar = date,
     .usage = TIME_VALUE "STRING",
     .doc = "The date, as YYYY-MM-DD. Times and modifiers are those of SQLite 3.50."},
    {.name = "time",
     .args = -1,
     .scalar = time_of_day,
     .usage = TIME_VALUE "STRING",
     .doc = "The time of day, as HH:MM:SS; with the modifier 'subsec' HH:MM:SS.SSS."},
    {.name = "datetime",
     .args = -1,
     .scalar = datetime,
     .usage = TIME_VALUE "STRING",
     .doc = "Date and time, separated by a space."},
    {.name = "julianday",
     .args = -1,
     .scalar = julianday,
     .usage = TIME_VALUE "DOUBLE",
     .doc = "Days since noon of November 24, 4714 BC."},
    {.name = "unixepoch",
     .args = -1,
     .scalar = unixepoch,
     .usage = TIME_VALUE "LONG",
     .doc = "Seconds since 1970; with the modifier 'subsec' a DOUBLE."},
    {.name = "strftime",
     .args = -1,
     .scalar = format_time,
     .usage = "(format, time, modifier, ...) -> STRING",
     .doc = "The time in the given format, with the conversions of SQLite 3.50."},
    {.name = "timediff",
     .args = 2,
     .scalar = timediff,
     .usage = "(a, b) -> STRING",
     .doc = "The difference to add to b to get a, as +YYYY-MM-DD HH:MM:SS.SSS or with a minus."},
    {0},
};
