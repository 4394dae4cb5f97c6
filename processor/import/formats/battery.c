/*
 * History of the battery: lines of texts, and lines of what happened, with times since the line
 * before. 9 is the version of the format:
 *
 *     9,hsp,17,10038,"com.example/.Job"         text 17, of user 10038
 *     9,h,0:RESET:TIME:1700000000000            the time now, in ms
 *     9,h,973,+w=1,-S,Sb=4,Bl=98,+Ejb=17        973 ms later: states, levels, events
 *
 * A state that is a bit comes as +NAME or -NAME; one with more values as NAME=VALUE, where some
 * values have names; an event begins with E, and names a text. Each state and level is a counter,
 * each event an instant. Other words (temperature, health, details of cpu use) have no place in
 * the timeline. Nothing is known of lines in front of the first that tells the time.
 */
#include "processor/import/formats/battery.h"

#include <stdio.h>

#define NS_PER_MS 1000000
#define MS_MAX (INT64_MAX / NS_PER_MS)

/* ---- what the words mean ---- */

struct state {
    const char *word, *name;
    const char *values; /* names of values from 0 on, one blank between them; NULL: numbers */
};

static const struct state bits[] = {
    {"r", "running", NULL},
    {"w", "wake_lock", NULL},
    {"s", "sensor", NULL},
    {"g", "gps", NULL},
    {"Wl", "wifi_full_lock", NULL},
    {"Ws", "wifi_scan", NULL},
    {"Wm", "wifi_multicast", NULL},
    {"Wr", "wifi_radio", NULL},
    {"Pr", "mobile_radio", NULL},
    {"Psc", "phone_scanning", NULL},
    {"a", "audio", NULL},
    {"BP", "plugged", NULL},
    {"Sd", "screen_doze", NULL},
    {"ps", "power_save", NULL},
    {"v", "video", NULL},
    {"Ww", "wifi_running", NULL},
    {"W", "wifi", NULL},
    {"fl", "flashlight", NULL},
    {"ch", "charging", NULL},
    {"Ud", "usb_data", NULL},
    {"Pcl", "phone_in_call", NULL},
    {"b", "bluetooth", NULL},
    {"ca", "camera", NULL},
    {"bles", "ble_scan", NULL},
    {"Chtp", "cellular_high_tx_power", NULL},
};

static const struct state levels[] = {
    {"Sb", "brightness", NULL},
    {"Pss", "phone_signal_strength", NULL},
    {"Wss", "wifi_signal_strength", NULL},
    {"Pst", "phone_state", "in out em off"},
    {"Pcn", "data_conn",
     "oos gprs edge umts cdma evdo_0 evdo_A 1xrtt hsdpa hsupa hspa iden evdo_b lte ehrpd hspap gsm "
     "td_scdma iwlan lte_ca nr emngcy other"},
    {"Wsp", "wifi_suppl", "inv dsc dis inact scan auth ascing asced 4-way group compl dorm uninit"},
    {"di", "device_idle", "off light full ???"},
    {"Gss", "gps_signal_quality", "poor good none"},
    {"nrs", "nr_state", "none restricted not_restricted connected"},
};

static const struct state events[] = {
    {"Enl", "null", NULL},         {"Epr", "proc", NULL},      {"Efg", "fg", NULL},
    {"Etp", "top", NULL},          {"Esy", "sync", NULL},      {"Ewl", "wake_lock_in", NULL},
    {"Ejb", "job", NULL},          {"Eur", "user", NULL},      {"Euf", "userfg", NULL},
    {"Ecn", "conn", NULL},         {"Eac", "active", NULL},    {"Epi", "pkginst", NULL},
    {"Epu", "pkgunin", NULL},      {"Eal", "alarm", NULL},     {"Est", "stats", NULL},
    {"Eai", "pkginactive", NULL},  {"Eaa", "pkgactive", NULL}, {"Etw", "tmpwhitelist", NULL},
    {"Esw", "screenwake", NULL},   {"Ewa", "wakeupap", NULL},  {"Elw", "longwake", NULL},
    {"Eec", "est_capacity", NULL}, {"Esc", "state", NULL},
};

/* Letters of the battery's state and of what it is plugged into, as numbers of BatteryManager. */
static const struct {
    char letter;
    int value;
} charge_states[] = {{'?', 1}, {'c', 2}, {'d', 3}, {'n', 4}, {'f', 5}},
  plugs[] = {{'n', 0}, {'a', 1}, {'u', 2}, {'w', 4}};

static const struct state *find(const struct state *list, size_t num, struct orma_str word)
{
    for (size_t i = 0; i < num; i++)
        if (orma_str_eq_c(word, list[i].word))
            return &list[i];
    return NULL;
}

/* False: the value is none that has a number. */
static bool value_of(const struct state *state, struct orma_str text, int64_t *ret)
{
    struct orma_str rest, name;

    if (!state->values)
        return orma_str_to_i64(text, ret);
    rest = orma_str_from(state->values);
    for (*ret = 0; orma_str_cut(&rest, ' ', &name); ++*ret)
        if (orma_str_eq(name, text))
            return true;
    return false;
}

/* ---- rows ---- */

struct place {
    struct orma_file *file;
    struct orma_formats_battery *self;
    int64_t ts;
};

static void counter(const struct place *p, const char *type, const char *name, double value)
{
    struct orma_model *model = p->file->imp->model;

    orma_model_counter(model, p->ts,
                       orma_model_counter_track(model, p->file->machine, type,
                                                orma_model_lit(model, name), NULL, 0, NULL),
                       value);
}

static void battery(const struct place *p, const char *key, double value)
{
    struct orma_model *model = p->file->imp->model;
    const struct orma_track_dim dims[] = {
        orma_dim_str(orma_model_lit(model, "battery_name"), 0),
        orma_dim_str(orma_model_lit(model, "counter_name"), orma_model_lit(model, key))};

    orma_model_counter(
        model, p->ts,
        orma_model_counter_track(model, p->file->machine, "battery_counter",
                                 orma_strpool_addf(&model->storage->pool, "batt.%s", key), NULL,
                                 ORMA_ARRAY_LEN(dims), dims),
        value);
}

static void state(const struct place *p, const char *name, double value)
{
    char key[64];

    (void)snprintf(key, sizeof(key), "battery_stats.%s", name); /* has room for each of ours */
    orma_port_battery_stats(p->file->imp, p->file->machine, p->ts, orma_str_from(key), value);
}

static int screen_of(const struct orma_formats_battery *self)
{
    enum { OFF = 1, ON, DOZE };

    return self->screen ? ON : self->doze ? DOZE : OFF;
}

static void screen(const struct place *p, bool *which, bool on)
{
    *which = on;
    int now = screen_of(p->self);
    if (now != p->self->shown)
        orma_port_screen_state(p->file->imp, p->file->machine, p->ts, now);
    p->self->shown = now;
}

/* The text behind an event, or what stands there if it is none of the list. */
static void event(const struct place *p, const struct state *kind, const char *sign,
                  struct orma_str value)
{
    struct orma_model *model = p->file->imp->model;
    struct orma_strpool *pool = &model->storage->pool;
    uint32_t track_name = orma_strpool_addf(pool, "battery_stats.%s", kind->name);
    const struct orma_track_dim dim =
        orma_dim_str(orma_model_lit(model, "bstats_item_name"), track_name);
    uint32_t track =
        orma_model_slice_track(model, p->file->machine, "battery_stats", track_name, 1, &dim);
    uint64_t number, text = ORMA_MAP_NONE;

    if (orma_str_to_u64(value, &number))
        text = orma_map_get(&p->self->texts, number);
    if (text != ORMA_MAP_NONE)
        value = orma_strpool_get(pool, (uint32_t)text);
    orma_slices_complete(
        &model->slices, p->ts, 0, track, 0,
        orma_strpool_addf(pool, "%s%s=%.*s", sign, kind->name, ORMA_STR_ARG(value)), NULL);
}

/* ---- words ---- */

/* +NAME, -NAME, each perhaps with =VALUE. */
static void changed(const struct place *p, bool on, struct orma_str word, struct orma_str value)
{
    const struct state *what = find(bits, ORMA_ARRAY_LEN(bits), word);

    if (orma_str_eq_c(word, "S")) {
        screen(p, &p->self->screen, on);
    } else if (what) {
        state(p, what->name, on);
        if (orma_str_eq_c(word, "Sd"))
            screen(p, &p->self->doze, on);
    } else if ((what = find(events, ORMA_ARRAY_LEN(events), word))) {
        event(p, what, on ? "+" : "-", value);
    }
}

static void battery_word(const struct place *p, struct orma_str word, struct orma_str value)
{
    int64_t num;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(charge_states); i++)
        if (orma_str_eq_c(word, "Bs") && value.len == 1 && value.data[0] == charge_states[i].letter)
            counter(p, "battery_status", "BatteryStatus", charge_states[i].value);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(plugs); i++)
        if (orma_str_eq_c(word, "Bp") && value.len == 1 && value.data[0] == plugs[i].letter)
            counter(p, "battery_plugged_status", "PlugType", plugs[i].value);
    if (!orma_str_to_i64(value, &num))
        return;
    if (orma_str_eq_c(word, "Bl"))
        battery(p, "capacity_pct", (double)num);
    else if (orma_str_eq_c(word, "Bcc")) /* mAh */
        battery(p, "charge_uah", (double)num * 1000);
    else if (orma_str_eq_c(word, "Bv")) /* mV */
        battery(p, "voltage_uv", (double)num * 1000);
}

static void item_of_line(const struct place *p, struct orma_str text)
{
    struct orma_str word, value = text;
    const struct state *what;
    int64_t num;
    bool on;

    if (!orma_str_cut(&value, '=', &word) || !word.len)
        return;
    if (word.data[0] == '+' || word.data[0] == '-') {
        on = word.data[0] == '+';
        changed(p, on, (struct orma_str){word.data + 1, word.len - 1}, value);
    } else if (word.data[0] == 'B') {
        battery_word(p, word, value);
    } else if ((what = find(levels, ORMA_ARRAY_LEN(levels), word))) {
        if (value_of(what, value, &num))
            state(p, what->name, (double)num);
    } else if ((what = find(events, ORMA_ARRAY_LEN(events), word))) {
        event(p, what, "", value);
    }
}

void orma_formats_battery_parse(struct orma_file *file, struct orma_formats_battery *self,
                                const struct orma_item *item)
{
    const struct place p = {.file = file, .self = self, .ts = item->ts};
    struct orma_str rest = {(const char *)item->data, item->len}, word;

    while (orma_str_cut(&rest, ',', &word))
        item_of_line(&p, word);
}

/* ---- lines ---- */

/* NUMBER,USER,"TEXT" */
static bool read_text(struct orma_file *file, struct orma_formats_battery *self,
                      struct orma_str rest)
{
    struct orma_model *model = file->imp->model;
    struct orma_str number, user;
    uint64_t n;
    int64_t uid;

    if (!orma_str_cut(&rest, ',', &number) || !orma_str_to_u64(number, &n) ||
        !orma_str_cut(&rest, ',', &user) || !orma_str_to_i64(user, &uid) || rest.len < 2 ||
        rest.data[0] != '"' || rest.data[rest.len - 1] != '"')
        return false;
    uint32_t text =
        orma_strpool_addf(&model->storage->pool, "%lld:%.*s", (long long)uid, ORMA_STR_ARG(rest));
    if (orma_map_put(&self->texts, n, text))
        model->storage->failed = true;
    return true;
}

/* MS, or MS:COMMAND; some commands tell the time. */
static bool read_clock(struct orma_formats_battery *self, struct orma_str text)
{
    struct orma_str since, command;
    int64_t ms;

    if (!orma_str_cut(&text, ':', &since) || !orma_str_to_i64(since, &ms) || ms < 0 ||
        ms > MS_MAX - self->now_ms)
        return false;
    self->now_ms += ms;
    while (orma_str_cut(&text, ':', &command)) {
        if (!orma_str_eq_c(command, "TIME"))
            continue;
        if (!orma_str_to_i64(text, &ms) || ms < 0 || ms > MS_MAX)
            return false;
        self->now_ms = ms;
        self->has_time = true;
        return true;
    }
    return true;
}

bool orma_formats_battery_read(struct orma_file *file, struct orma_formats_battery *self,
                               struct orma_str line)
{
    struct orma_str rest = line, version, kind, when;
    uint64_t n;

    if (!orma_str_cut(&rest, ',', &version) || !orma_str_to_u64(version, &n) ||
        !orma_str_cut(&rest, ',', &kind))
        return true;
    if (orma_str_eq_c(kind, "hsp"))
        return read_text(file, self, rest);
    if (!orma_str_eq_c(kind, "h"))
        return true;
    if (!orma_str_cut(&rest, ',', &when) || !read_clock(self, when))
        return false;
    if (rest.len && self->has_time) {
        orma_file_unit(file, rest.data); /* of the line, and one more: it has a time */
        (void)orma_file_add(file, self->now_ms * NS_PER_MS, 0, (const uint8_t *)rest.data,
                            rest.len);
    }
    return true;
}

void orma_formats_battery_fini(struct orma_formats_battery *self)
{
    orma_map_fini(&self->texts);
}
