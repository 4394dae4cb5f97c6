/* What a test point does when no stress test says otherwise: nothing. See ORMA_TESTPOINT in defs.h. */
#include "sdk/base/defs.h"

#ifdef ORMA_TESTPOINTS
__attribute__((weak)) void orma_testpoint(const char *what)
{
    (void)what;
}
#endif
