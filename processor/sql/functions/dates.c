/*
 * The calendar is the proleptic Gregorian one, by Meeus. Texts are read digit by digit, as
 * strict as SQLite is: two digits where there are two, nothing behind the end.
 *
 * Steps by months may end on a day that the month does not have; the date goes on into the next
 * month then, and `overflow` says how far, for the modifier "floor".
 */
#include "processor/sql/functions/dates.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "sdk/base/clock.h"
#include "sdk/base/defs.h"

#define JD_MS_MAX INT64_C(464269060799999) /* the end of 9999 */
#define TEXT_MAX 100                       /* longer ones are no dates */

/* ---- fields and milliseconds ---- */

bool orma_date_is_valid(const struct orma_date *self)
{
    return self->jd_ms >= 0 && self->jd_ms <= JD_MS_MAX;
}

void orma_date_drop_fields(struct orma_date *self)
{
    self->has_ymd = self->has_hms = false;
    self->zone = 0;
}

static void fail(struct orma_date *self)
{
    *self = (struct orma_date){.wrong = true};
}

void orma_date_compute_jd(struct orma_date *self)
{
    int y = self->has_ymd ? self->year : 2000, m = self->has_ymd ? self->month : 1;
    int d = self->has_ymd ? self->day : 1;

    if (self->has_jd)
        return;
    if (y < -4713 || y > 9999 || self->raw) {
        fail(self);
        return;
    }
    if (m <= 2) {
        y--;
        m += 12;
    }
    int a = (y + 4800) / 100, b = 38 - a + a / 4;
    int64_t days2 =
        2 * (int64_t)(36525 * (y + 4716) / 100 + 306001 * (m + 1) / 10000 + d + b) - 3049;

    self->jd_ms = days2 * (ORMA_DATE_DAY_MS / 2);
    self->has_jd = true;
    if (!self->has_hms)
        return;
    self->jd_ms += self->hour * INT64_C(3600000) + self->minute * INT64_C(60000) +
                   (int64_t)(self->second * 1000 + 0.5);
    if (self->zone) {
        self->jd_ms -= self->zone * INT64_C(60000);
        self->is_utc = true;
        orma_date_drop_fields(self);
    }
}

static void compute_ymd(struct orma_date *self)
{
    if (self->has_ymd)
        return;
    self->year = 2000;
    self->month = self->day = 1;
    self->has_ymd = true;
    if (!self->has_jd)
        return;
    if (!orma_date_is_valid(self)) {
        fail(self);
        return;
    }
    int z = (int)((self->jd_ms + ORMA_DATE_DAY_MS / 2) / ORMA_DATE_DAY_MS);
    int alpha = (int)((z + 32044.75) / 36524.25) - 52;
    int b = z + 1 + alpha - (alpha + 100) / 4 + 25 + 1524;
    int c = (int)((b - 122.1) / 365.25);
    int d = 36525 * (c & 32767) / 100;
    int e = (int)((b - d) / 30.6001);

    self->day = b - d - (int)(30.6001 * e);
    self->month = e < 14 ? e - 1 : e - 13;
    self->year = self->month > 2 ? c - 4716 : c - 4715;
}

static void compute_hms(struct orma_date *self)
{
    if (self->has_hms)
        return;
    orma_date_compute_jd(self);
    int ms = (int)((self->jd_ms + ORMA_DATE_DAY_MS / 2) % ORMA_DATE_DAY_MS);

    self->second = ms % 60000 / 1000.0;
    self->minute = ms / 60000 % 60;
    self->hour = ms / 3600000;
    self->raw = false;
    self->has_hms = true;
}

void orma_date_compute_fields(struct orma_date *self)
{
    compute_ymd(self);
    compute_hms(self);
}

/* ---- time values ---- */

static bool take(struct orma_str *s, char c)
{
    if (!s->len || s->data[0] != c)
        return false;
    *s = (struct orma_str){s->data + 1, s->len - 1};
    return true;
}

static void skip_blanks(struct orma_str *s)
{
    while (s->len && isspace((unsigned char)s->data[0]))
        *s = (struct orma_str){s->data + 1, s->len - 1};
}

static bool take_digits(struct orma_str *s, size_t num, int min, int max, int *ret)
{
    int val = 0;

    if (s->len < num)
        return false;
    for (size_t i = 0; i < num; i++) {
        if (!isdigit((unsigned char)s->data[i]))
            return false;
        val = val * 10 + (s->data[i] - '0');
    }
    *s = (struct orma_str){s->data + num, s->len - num};
    *ret = val;
    return val >= min && val <= max;
}

/* Z, +HH:MM, -HH:MM or nothing; then the end. */
static bool read_zone(struct orma_date *self, struct orma_str s)
{
    int sign, hours, minutes;

    skip_blanks(&s);
    self->zone = 0;
    sign = take(&s, '+') ? 1 : take(&s, '-') ? -1 : 0;
    if (sign) {
        if (!take_digits(&s, 2, 0, 14, &hours) || !take(&s, ':') ||
            !take_digits(&s, 2, 0, 59, &minutes))
            return false;
        self->zone = sign * (60 * hours + minutes);
    } else {
        self->is_utc = take(&s, 'Z') || take(&s, 'z');
    }
    skip_blanks(&s);
    return !s.len;
}

/* HH:MM[:SS[.FFF]] and a zone. */
static bool read_time(struct orma_date *self, struct orma_str s)
{
    int second = 0;
    double part = 0, scale = 1;

    if (!take_digits(&s, 2, 0, 24, &self->hour) || !take(&s, ':') ||
        !take_digits(&s, 2, 0, 59, &self->minute))
        return false;
    if (take(&s, ':')) {
        if (!take_digits(&s, 2, 0, 59, &second))
            return false;
        if (s.len > 1 && s.data[0] == '.' && isdigit((unsigned char)s.data[1])) {
            for ((void)take(&s, '.'); s.len && isdigit((unsigned char)s.data[0]);
                 s.data++, s.len--) {
                part = part * 10 + (s.data[0] - '0');
                scale *= 10;
            }
            part /= scale;
        }
    }
    self->has_jd = self->raw = false;
    self->has_hms = true;
    self->second = second + ORMA_MIN(part, 0.999);
    return read_zone(self, s);
}

/* YYYY-MM-DD, and perhaps a time behind blanks or T. */
static bool read_date(struct orma_date *self, struct orma_str s)
{
    bool before = take(&s, '-');
    int y, m, d;

    if (!take_digits(&s, 4, 0, 9999, &y) || !take(&s, '-') || !take_digits(&s, 2, 1, 12, &m) ||
        !take(&s, '-') || !take_digits(&s, 2, 1, 31, &d))
        return false;
    while (s.len && (isspace((unsigned char)s.data[0]) || s.data[0] == 'T'))
        s = (struct orma_str){s.data + 1, s.len - 1};
    if (s.len && !read_time(self, s))
        return false;
    if (!self->has_hms)
        self->second = 0;
    self->has_jd = false;
    self->has_ymd = true;
    self->year = before ? -y : y;
    self->month = m;
    self->day = d;
    if (self->zone)
        orma_date_compute_jd(self);
    return true;
}

void orma_date_set_now(struct orma_date *self)
{
    self->jd_ms = ORMA_DATE_EPOCH_MS + (int64_t)(orma_clock_now(ORMA_CLOCK_REALTIME) / 1000000);
    self->has_jd = self->is_utc = true;
    orma_date_drop_fields(self);
}

void orma_date_set_number(struct orma_date *self, double number)
{
    self->second = number;
    self->raw = true;
    if (number >= 0 && number < 5373484.5) {
        self->jd_ms = (int64_t)(number * (double)ORMA_DATE_DAY_MS + 0.5);
        self->has_jd = true;
    }
}

/* A copy that ends with a zero byte; the whole of it must be a number. */
static bool read_number(struct orma_str text, double *ret)
{
    char copy[TEXT_MAX + 1], *end;

    if (!text.len || text.len > TEXT_MAX)
        return false;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    /* Decimal only: strtod() takes "0x1", "inf" and "nan(1)", too. */
    if (copy[strspn(copy, "0123456789+-.eE \t\n\v\f\r")] || !strpbrk(copy, "0123456789"))
        return false;
    *ret = strtod(copy, &end);
    while (isspace((unsigned char)*end))
        end++;
    return !*end;
}

static bool is(struct orma_str text, const char *word)
{
    return text.len == strlen(word) && !strncasecmp(text.data, word, text.len);
}

bool orma_date_parse(struct orma_date *self, struct orma_str text)
{
    double number;

    *self = (struct orma_date){0};
    if (read_date(self, text))
        return !self->wrong;
    *self = (struct orma_date){0};
    if (read_time(self, text))
        return true;
    *self = (struct orma_date){.subsec = is(text, "subsec") || is(text, "subsecond")};
    if (self->subsec || is(text, "now")) {
        orma_date_set_now(self);
        return true;
    }
    if (!read_number(text, &number))
        return false;
    orma_date_set_number(self, number);
    return true;
}

/* ---- modifiers ---- */

/* How many days the month does not have. */
static void compute_overflow(struct orma_date *self)
{
    bool leap = self->year % 4 == 0 && (self->year % 100 || self->year % 400 == 0);
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int have = days[self->month - 1] + (leap && self->month == 2);

    self->overflow = ORMA_MAX(self->day - have, 0);
}

static void add_months(struct orma_date *self, int years, int months)
{
    orma_date_compute_fields(self);
    if (self->wrong)
        return;
    self->year += years;
    self->month += months;
    int x = self->month > 0 ? (self->month - 1) / 12 : (self->month - 12) / 12;
    self->year += x;
    self->month -= 12 * x;
    compute_overflow(self);
    self->has_jd = false;
}

static bool add_ms(struct orma_date *self, int64_t ms)
{
    orma_date_compute_jd(self);
    orma_date_drop_fields(self);
    if (__builtin_add_overflow(self->jd_ms, ms, &self->jd_ms))
        fail(self);
    return !self->wrong;
}

/* A bare number counts seconds since 1970 from here on. */
static bool from_seconds(struct orma_date *self, double min, double max)
{
    double s = self->second;

    if (!self->raw || s < min || s > max)
        return false;
    orma_date_drop_fields(self);
    self->jd_ms = (int64_t)(s * 1000.0 + (double)ORMA_DATE_EPOCH_MS + 0.5);
    self->has_jd = true;
    self->raw = false;
    return true;
}

static bool modify_auto(struct orma_date *self, bool first)
{
    if (first && (!self->raw || self->has_jd)) {
        self->raw = false;
        return true;
    }
    return first && from_seconds(self, -210866760000.0, 253402300799.0);
}

/* To (1) or from (-1) the time of the machine's zone. */
static bool shift_zone(struct orma_date *self, int sign)
{
    bool done = sign < 0 ? self->is_utc : self->is_local;

    self->is_utc = sign < 0;
    self->is_local = sign > 0;
    if (done)
        return true;
    orma_date_compute_jd(self);
    time_t t = (time_t)((self->jd_ms - ORMA_DATE_EPOCH_MS) / 1000);
    struct tm tm;

    for (int i = 0; i < (sign < 0 ? 2 : 1); i++) { /* the second time: where the first led */
        time_t at = t - (i ? tm.tm_gmtoff : 0);

        if (self->wrong || !localtime_r(&at, &tm))
            return false;
    }
    return add_ms(self, sign * (int64_t)tm.tm_gmtoff * 1000);
}

static bool modify_weekday(struct orma_date *self, struct orma_str day)
{
    double number;

    skip_blanks(&day);
    if (!read_number(day, &number) || number < 0 || number >= 7 || number != (int)number)
        return false;
    orma_date_compute_fields(self);
    self->zone = 0;
    self->has_jd = false;
    orma_date_compute_jd(self);
    int64_t is_now = (self->jd_ms + 3 * ORMA_DATE_DAY_MS / 2) / ORMA_DATE_DAY_MS % 7;
    return add_ms(self, ((int64_t)number - is_now + (is_now > number ? 7 : 0)) * ORMA_DATE_DAY_MS);
}

static bool modify_start(struct orma_date *self, struct orma_str of)
{
    if (!self->has_jd && !self->has_ymd && !self->has_hms)
        return false;
    if (!is(of, "day") && !is(of, "month") && !is(of, "year"))
        return false;
    compute_ymd(self);
    self->has_hms = true;
    self->hour = self->minute = self->zone = 0;
    self->second = 0;
    self->raw = self->has_jd = false;
    if (!is(of, "day"))
        self->day = 1;
    if (is(of, "year"))
        self->month = 1;
    return !self->wrong;
}

/* HH:MM[:SS[.FFF]], to be added. */
static bool add_clock(struct orma_date *self, int sign, struct orma_str text)
{
    struct orma_date step = {0};

    if (!read_time(&step, text))
        return false;
    orma_date_compute_jd(&step);
    int64_t ms = (step.jd_ms - ORMA_DATE_DAY_MS / 2) % ORMA_DATE_DAY_MS;
    return add_ms(self, sign * ms);
}

/* YYYY-MM-DD[ HH:MM...] behind its sign, to be added. */
static bool add_calendar(struct orma_date *self, int sign, struct orma_str s)
{
    size_t digits = s.len > 4 && s.data[4] == '-' ? 4 : 5;
    int y, m, d;

    if (!take_digits(&s, digits, 0, 14712, &y) || !take(&s, '-') ||
        !take_digits(&s, 2, 0, 11, &m) || !take(&s, '-') || !take_digits(&s, 2, 0, 30, &d))
        return false;
    if (s.len && !isspace((unsigned char)s.data[0]))
        return false;
    add_months(self, sign * y, sign * m);
    if (!add_ms(self, sign * d * ORMA_DATE_DAY_MS))
        return false;
    skip_blanks(&s);
    return !s.len || add_clock(self, sign, s);
}

/* "+1.5 hours" and the like: the number, then the unit. */
static bool add_units(struct orma_date *self, double number, struct orma_str unit)
{
    static const struct {
        const char *name;
        double max, seconds;
    } units[] = {
        {"second", 4.6427e+14, 1}, {"minute", 7.7379e+12, 60},     {"hour", 1.2897e+11, 3600},
        {"day", 5373485.0, 86400}, {"month", 176546.0, 2592000.0}, {"year", 14713.0, 31536000.0},
    };

    if (unit.len && (unit.data[unit.len - 1] | 0x20) == 's')
        unit.len--;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(units); i++) {
        if (!is(unit, units[i].name) || number <= -units[i].max || number >= units[i].max)
            continue;
        orma_date_compute_jd(self);
        self->overflow = 0;
        if (is(unit, "month") || is(unit, "year")) {
            add_months(self, is(unit, "year") ? (int)number : 0,
                       is(unit, "month") ? (int)number : 0);
            number -= (int)number;
        }
        return add_ms(self,
                      (int64_t)(number * 1000.0 * units[i].seconds + (number < 0 ? -0.5 : 0.5)));
    }
    return false;
}

static bool modify_by(struct orma_date *self, struct orma_str text)
{
    bool has_sign = text.data[0] == '+' || text.data[0] == '-';
    struct orma_str rest = {text.data + has_sign, text.len - has_sign};
    int sign = text.data[0] == '-' ? -1 : 1;
    size_t n = 1;
    double number;

    while (n < text.len && text.data[n] != ':' && !isspace((unsigned char)text.data[n]) &&
           !(text.data[n] == '-' && (n == 5 || n == 6)))
        n++;
    if (!read_number((struct orma_str){text.data, n}, &number))
        return false;
    if (n < text.len && text.data[n] == '-')
        return has_sign && add_calendar(self, sign, rest);
    if (n < text.len && text.data[n] == ':')
        return add_clock(self, sign, rest);
    rest = (struct orma_str){text.data + n, text.len - n};
    skip_blanks(&rest);
    return add_units(self, number, rest);
}

static bool modify_by_word(struct orma_date *self, struct orma_str word, bool first)
{
    static const struct orma_str weekday = {"weekday ", 8}, start = {"start of ", 9};

    if (is(word, "auto"))
        return modify_auto(self, first);
    if (is(word, "unixepoch"))
        return first && from_seconds(self, -210866760000.0, 253402300799.999);
    if (is(word, "julianday")) {
        bool ok = first && self->has_jd && self->raw;

        self->raw = false;
        return ok;
    }
    if (is(word, "floor") || is(word, "ceiling"))
        return add_ms(self, is(word, "floor") ? -self->overflow * ORMA_DATE_DAY_MS : 0) &&
               ((self->overflow = 0), true);
    if (is(word, "localtime") || is(word, "utc"))
        return shift_zone(self, is(word, "utc") ? -1 : 1);
    if (is(word, "subsec") || is(word, "subsecond"))
        return self->subsec = true;
    if (word.len > weekday.len && !strncasecmp(word.data, weekday.data, weekday.len))
        return modify_weekday(self,
                              (struct orma_str){word.data + weekday.len, word.len - weekday.len});
    return word.len > start.len && !strncasecmp(word.data, start.data, start.len) &&
           modify_start(self, (struct orma_str){word.data + start.len, word.len - start.len});
}

bool orma_date_modify(struct orma_date *self, struct orma_str modifier, bool first)
{
    if (!modifier.len)
        return false;
    if (strchr("+-0123456789", modifier.data[0]) && modifier.data[0])
        return modify_by(self, modifier);
    return modify_by_word(self, modifier, first);
}
