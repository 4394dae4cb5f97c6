#include "probes/daemon.h"

int main(int argc, char **argv)
{
    return orma_probes_main(argc, argv);
}
