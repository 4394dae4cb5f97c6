/*
 * C++: slices as objects, on the stack, moved, or kept as members; texts of the
 * standard library as names; a recording that ends with its scope.
 *
 *   raii FILE
 */
#include <orma/orma.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

ORMA_CATEGORY_DEFINE(depot, "depot", "Trams and their works", NULL);

namespace example
{

/* A track of its own with a slice on it, from construction to destruction. */
class Job
{
  public:
    explicit Job(std::string name)
        : name_(std::move(name)), process_(orma_track_process()),
          track_(orma_track_named(name_.c_str(), 0, &process_))
    {
        ORMA_SLICE_BEGIN(depot, "", ORMA_DYNAMIC_NAME(name_.c_str()), ORMA_TRACK(&track_));
    }
    ~Job()
    {
        ORMA_SLICE_END_ARGS(depot, ORMA_TRACK(&track_));
    }
    /* Tracks are known by address: it stays where it is. */
    Job(const Job &) = delete;
    Job &operator=(const Job &) = delete;

    void step(int number)
    {
        ORMA_INSTANT(depot, "step", ORMA_TRACK(&track_), ORMA_ARG_INT("number", number));
    }

  private:
    std::string name_;
    orma_track process_, track_;
};

/* Records from construction to destruction. */
class Recording
{
  public:
    explicit Recording(const char *path)
    {
        orma_recording_args args = ORMA_RECORDING_ARGS;

        args.path = path;
        if (orma_recording_start(&args, &recording_) < 0)
            recording_ = nullptr;
    }
    ~Recording()
    {
        if (recording_)
            (void)orma_recording_stop(recording_, nullptr);
    }
    Recording(const Recording &) = delete;
    Recording &operator=(const Recording &) = delete;
    explicit operator bool() const
    {
        return recording_ != nullptr;
    }

  private:
    orma_recording *recording_ = nullptr;
};

static void repair(const std::string &what)
{
    ORMA_SLICE(depot, "repair", ORMA_ARG_STR("what", what.c_str())); /* RAII in C, and so here */
    if (what == "bell")
        throw what; /* the slice ends all the same */
}

} // namespace example

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: raii FILE\n");
        return 2;
    }
    example::Recording recording(argv[1]);
    if (!recording) {
        std::fprintf(stderr, "raii: cannot write %s\n", argv[1]);
        return 1;
    }
    std::vector<std::unique_ptr<example::Job>> jobs;
    for (int i = 0; i < 3; i++) {
        jobs.push_back(std::make_unique<example::Job>("tram " + std::to_string(i)));
        jobs.back()->step(i);
    }
    jobs.erase(jobs.begin() + 1); /* jobs overlap; each has its track */
    try {
        example::repair("door");
        example::repair("bell");
    } catch (const std::string &what) {
        ORMA_INSTANT(depot, "gave up", ORMA_ARG_STR("on", what.c_str()));
    }
    return 0;
}
