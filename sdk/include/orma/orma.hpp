/*
 * Orma for C++17: slices, tracks, counters and states as objects, texts as std::string_view.
 *
 *     #include <orma/orma.hpp>
 *
 *     static orma::Category render("render", "Drawing of frames");
 *
 *     void draw(int frame, std::string_view path)
 *     {
 *         orma::Slice slice(render, "draw", orma::arg("frame", frame), orma::arg("path", path));
 *         orma::instant(render, path, orma::arg("bytes", 4096u));
 *     }
 *
 * No macro is needed. Names may be made at run time; each event then carries its own. ORMA_NAME("draw") in place of a
 * name makes it a constant of the program, which is written once per thread:
 *
 *     orma::Slice slice(render, ORMA_NAME("draw"));
 *
 * A disabled event costs a load and a branch; its arguments are evaluated, but nothing is copied.
 *
 * Tracks are known by their addresses: they live as long as events are emitted on them, and are neither
 * copied nor moved. Keys of arguments are literals.
 */
#ifndef ORMA_ORMA_HPP
#define ORMA_ORMA_HPP
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "orma/orma.h"

namespace orma
{

namespace detail
{
enum class Kind { slice, instant, counter, real_counter, state, count };
}

/* Defined at namespace scope; its strings are literals. `tags`: "slow,debug". */
class Category
{
  public:
    explicit Category(const char *name, const char *description = nullptr, const char *tags = nullptr) noexcept
        : category_{0, 0, name, description, tags, nullptr}
    {
        for (orma_site &site : unnamed_)
            site = orma_site{&category_, "", __FILE__, 0, 0};
#ifndef ORMA_DISABLE_TRACING
        orma_category_register(&category_);
#endif
    }
    ~Category()
    {
#ifndef ORMA_DISABLE_TRACING
        orma_category_unregister(&category_);
#endif
    }
    Category(const Category &) = delete;
    Category &operator=(const Category &) = delete;

    /* Does a session record it? Use it to skip work that only serves tracing. */
    bool enabled() const noexcept
    {
#ifdef ORMA_DISABLE_TRACING
        return false;
#else
        return __builtin_expect(__atomic_load_n(&category_.enabled, __ATOMIC_RELAXED) != 0, 0);
#endif
    }
    const orma_category *get() const noexcept
    {
        return &category_;
    }
    orma_category *get() noexcept
    {
        return &category_;
    }
    /* The place of events whose names are made at run time: one for each kind. */
    orma_site *unnamed(detail::Kind kind) noexcept
    {
        return &unnamed_[static_cast<std::size_t>(kind)];
    }

  private:
    orma_category category_;
    orma_site unnamed_[static_cast<std::size_t>(detail::Kind::count)];
};

/* What an event is called: a text, copied with the event, or a constant (ORMA_NAME). */
class Name
{
  public:
    Name(const char *text) noexcept : text_(text ? text : "")
    {
    }
    Name(std::string_view text) noexcept : text_(text)
    {
    }
    Name(const std::string &text) noexcept : text_(text)
    {
    }
    explicit Name(orma_site &site) noexcept : site_(&site)
    {
    }
    /* The place of this event in `category`, and whether the text must go along. */
    orma_site *site(Category &category, detail::Kind kind) const noexcept
    {
        if (!site_)
            return category.unnamed(kind);
        if (!__atomic_load_n(&site_->category, __ATOMIC_RELAXED)) /* the first time; the same for all */
            __atomic_store_n(&site_->category, category.get(), __ATOMIC_RELAXED);
        return site_;
    }
    bool is_text() const noexcept
    {
        return !site_;
    }
    std::string_view text() const noexcept
    {
        return text_;
    }

  private:
    orma_site *site_ = nullptr;
    std::string_view text_;
};

/* A name that is a literal, in one category: made once for this place of the source. */
#define ORMA_NAME(literal)                                                                                             \
    ([]() -> ::orma::Name {                                                                                            \
        static orma_site site = {nullptr, "" literal, __FILE__, __LINE__, 0};                                          \
        return ::orma::Name(site);                                                                                     \
    }())

/* ---- tracks ---- */

class Track
{
  public:
    explicit Track(std::string name, std::uint64_t id = 0, const Track *parent = nullptr)
        : name_(std::move(name)), track_(orma_track_named(name_.c_str(), id, parent ? parent->get() : nullptr))
    {
    }
    Track(const Track &) = delete;
    Track &operator=(const Track &) = delete;

    static const Track &process()
    {
        static const Track track(orma_track_process());
        return track;
    }
    static const Track &global()
    {
        static const Track track(orma_track_global());
        return track;
    }
    /* Of the calling thread. */
    static const Track &thread()
    {
        static thread_local const Track track(orma_track_thread());
        return track;
    }
    const orma_track *get() const noexcept
    {
        return &track_;
    }
    /* To be set before the first event on it: order of children, unit, ... */
    orma_track *get() noexcept
    {
        return &track_;
    }

  protected:
    using Maker = orma_track (*)(const char *, std::uint64_t, const orma_track *);

    Track(Maker make, std::string name, std::uint64_t id, const Track *parent)
        : name_(std::move(name)), track_(make(name_.c_str(), id, parent ? parent->get() : nullptr))
    {
    }

  private:
    explicit Track(orma_track track) : track_(track)
    {
    }
    std::string name_;
    orma_track track_;
};

/* ---- what an event may carry ---- */

using Arg = orma_arg;

template <std::size_t N, class T> Arg arg(const char (&key)[N], const T &value) noexcept
{
    if constexpr (std::is_same_v<T, bool>)
        return orma_arg_make(ORMA_ARG_KIND_BOOL, key, nullptr, 0, value);
    else if constexpr (std::is_enum_v<T>)
        return orma_arg_make(ORMA_ARG_KIND_INT, key, nullptr, 0, static_cast<std::uint64_t>(value));
    else if constexpr (std::is_floating_point_v<T>)
        return orma_arg_double(key, static_cast<double>(value));
    else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
        return orma_arg_make(ORMA_ARG_KIND_INT, key, nullptr, 0,
                             static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    else if constexpr (std::is_integral_v<T>)
        return orma_arg_make(ORMA_ARG_KIND_UINT, key, nullptr, 0, static_cast<std::uint64_t>(value));
    else if constexpr (std::is_convertible_v<const T &, std::string_view>) {
        const std::string_view text = value;
        return orma_arg_make(ORMA_ARG_KIND_STR, key, text.data(), text.size(), 0);
    } else {
        static_assert(std::is_pointer_v<T>, "a number, a text or a pointer");
        return orma_arg_make(ORMA_ARG_KIND_POINTER, key, nullptr, 0, reinterpret_cast<std::uintptr_t>(value));
    }
}

/* Events with the same id are joined by arrows; the end closes it. */
inline Arg flow(std::uint64_t id) noexcept
{
    return orma_arg_make(ORMA_ARG_KIND_FLOW, nullptr, nullptr, 0, id);
}
inline Arg flow_end(std::uint64_t id) noexcept
{
    return orma_arg_make(ORMA_ARG_KIND_FLOW_END, nullptr, nullptr, 0, id);
}
/* The event is on this track. */
inline Arg on(const Track &track) noexcept
{
    return orma_arg_make(ORMA_ARG_KIND_TRACK, nullptr, track.get(), 0, 0);
}
/* Slices with the same id belong together. */
inline Arg correlation(std::uint64_t id) noexcept
{
    return orma_arg_make(ORMA_ARG_KIND_CORRELATION, nullptr, nullptr, 0, id);
}
/* A time other than now, as orma_now() gives it. */
inline Arg at(std::uint64_t ns) noexcept
{
    return orma_arg_make(ORMA_ARG_KIND_TIME, nullptr, nullptr, 0, ns);
}

namespace detail
{

inline Arg name_arg(const Name &name) noexcept
{
    const std::string_view text = name.text();
    return orma_arg_make(ORMA_ARG_KIND_DYNAMIC_NAME, nullptr, text.data() ? text.data() : "", text.size(), 0);
}

/* Calls emit(site, args, num) with all arguments, and the name where it must go along. */
template <class Emit, class... Args>
auto with_args(Kind kind, Category &category, const Name &name, Emit emit, const Args &...args)
{
    const std::array<Arg, sizeof...(Args) + 1> all = {args..., name_arg(name)};
    return emit(name.site(category, kind), all.data(), name.is_text() ? all.size() : sizeof...(Args));
}

} // namespace detail

/* ---- events ---- */

template <class... Args> void instant(Category &category, const Name &name, const Args &...args)
{
    if (category.enabled())
        detail::with_args(
            detail::Kind::instant, category, name,
            [](orma_site *site, const Arg *all, std::size_t num) {
                if (num)
                    orma_instant_args(site, all, num);
                else
                    orma_instant(site);
            },
            args...);
}

/* From here to the end of the block, in the sessions that got its begin. */
class Slice
{
  public:
    template <class... Args>
    explicit Slice(Category &category, const Name &name, const Args &...args) : scope_{category.get(), nullptr, 0}
    {
        if (category.enabled())
            detail::with_args(
                detail::Kind::slice, category, name,
                [this](orma_site *site, const Arg *all, std::size_t num) {
                    if (num)
                        orma_scope_begin_args(&scope_, site, all, num);
                    else
                        scope_.sessions = orma_slice_begin(site);
                },
                args...);
    }
    ~Slice()
    {
        orma_scope_end(&scope_);
    }
    Slice(Slice &&other) noexcept : scope_(other.scope_)
    {
        other.scope_.sessions = 0;
    }
    Slice(const Slice &) = delete;
    Slice &operator=(const Slice &) = delete;
    Slice &operator=(Slice &&) = delete;

    /* Ends it before its block does, with arguments. */
    template <class... Args> void end(const Args &...args)
    {
        if (scope_.sessions) {
            const std::array<Arg, sizeof...(Args) + 1> all = {
                args..., orma_arg_make(ORMA_ARG_KIND_TRACK, nullptr, scope_.track, 0, 0)};
            orma_slice_end_args(scope_.category, scope_.sessions, all.data(), scope_.track ? all.size() : sizeof...(Args));
        }
        scope_.sessions = 0;
    }

  private:
    orma_scope scope_;
};

/* Both ends at given times. */
template <class... Args>
void complete(Category &category, const Track &track, std::uint64_t begin_ns, std::uint64_t end_ns, const Name &name,
              const Args &...args)
{
    if (category.enabled())
        detail::with_args(
            detail::Kind::slice, category, name,
            [&](orma_site *site, const Arg *all, std::size_t num) {
                orma_complete(site, track.get(), begin_ns, end_ns, all, num);
            },
            args...);
}

/* Numbers on a track of their own. */
class Counter : public Track
{
  public:
    explicit Counter(std::string name, std::uint64_t id = 0, const Track *parent = &Track::process())
        : Track(orma_track_counter, std::move(name), id, parent)
    {
    }
    template <class T> void set(Category &category, T value) const
    {
        static_assert(std::is_arithmetic_v<T>, "a number");
        if (!category.enabled())
            return;
        if constexpr (std::is_floating_point_v<T>)
            orma_counter_double(category.unnamed(detail::Kind::real_counter), get(), static_cast<double>(value));
        else
            orma_counter(category.unnamed(detail::Kind::counter), get(), static_cast<std::int64_t>(value));
    }
};

/* One state after the other on a track of their own. */
class State : public Track
{
  public:
    explicit State(std::string name, std::uint64_t id = 0, const Track *parent = &Track::process())
        : Track(orma_track_state, std::move(name), id, parent)
    {
    }
    template <class... Args> void set(Category &category, const Name &name, const Args &...args) const
    {
        if (category.enabled())
            detail::with_args(
                detail::Kind::state, category, name,
                [this](orma_site *site, const Arg *all, std::size_t num) { orma_state(site, get(), all, num); }, args...);
    }
    /* None of them any more. */
    void clear(Category &category) const
    {
        if (category.enabled())
            orma_state(category.unnamed(detail::Kind::state), get(), nullptr, 0);
    }
};

/* A recording of this process into a file, from construction to destruction. */
class Recording
{
  public:
    explicit Recording(const std::string &path, const char *categories = nullptr)
    {
        orma_recording_args args = ORMA_RECORDING_ARGS;

        args.path = path.c_str();
        args.categories = categories;
        error_ = orma_recording_start(&args, &recording_);
    }
    ~Recording()
    {
        (void)stop();
    }
    Recording(const Recording &) = delete;
    Recording &operator=(const Recording &) = delete;

    /* 0, or -errno of the start or the file. */
    int stop()
    {
        if (error_ == 0 && recording_)
            error_ = orma_recording_stop(recording_, nullptr);
        recording_ = nullptr;
        return error_;
    }

  private:
    orma_recording *recording_ = nullptr;
    int error_ = 0;
};

} // namespace orma
#endif
