/*
 * The C++ header: categories, slices, tracks, counters and states as objects.
 *
 *   first FILE
 */
#include <orma/orma.hpp>

#include <string>

static orma::Category tram("tram", "Trams and their works");
static orma::Category quiet("quiet");

static void ride(orma::State &doors, orma::Counter &riders, int stop)
{
    orma::Slice slice(tram, ORMA_NAME("ride"), orma::arg("stop", stop), orma::arg("late", stop > 1));

    doors.set(tram, "open");
    riders.set(tram, 10 + stop);
    doors.set(tram, std::string("closed at ") + std::to_string(stop));
    slice.end(orma::arg("riders", 10u + static_cast<unsigned>(stop)));
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    orma::Recording recording(argv[1], "tram");
    {
        orma::Track line("line 4", 0, &orma::Track::process());
        orma::State doors("doors", 0, &line);
        orma::Counter riders("riders", 0, &line);
        orma::Slice day(tram, "day", orma::on(line), orma::arg("driver", std::string_view("Ada")));

        for (int stop = 0; stop < 3; stop++)
            ride(doors, riders, stop);
        doors.clear(tram);
        orma::instant(tram, ORMA_NAME("bell"), orma::flow(7), orma::arg("pitch", 440.5));
        orma::instant(tram, "echo", orma::flow_end(7), orma::arg("from", static_cast<const void *>(argv)));
        orma::instant(quiet, "never");
        orma::complete(tram, line, orma_now() - 1000, orma_now(), "wash");
    }
    return recording.stop() == 0 ? 0 : 1;
}
