#include "traced/daemon.h"

int main(int argc, char **argv)
{
    return traced_main(argc, argv);
}
