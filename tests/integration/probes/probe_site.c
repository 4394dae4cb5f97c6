/*
 * What <sys/sdt.h> would make of DTRACE_PROBE1(orma_test, passed, val), by hand,
 * since that header is not everywhere: one nop, and a note that describes it.
 */
#include "tests/integration/probes/probe_site.h"

#if PROBE_SITE_HAS_USDT
#define PROBE(val)                                                                                 \
    __asm__ volatile("990: nop\n"                                                                  \
                     ".pushsection .note.stapsdt,\"?\",\"note\"\n"                                 \
                     ".balign 4\n"                                                                 \
                     ".4byte 992f-991f, 994f-993f, 3\n"                                            \
                     "991: .asciz \"stapsdt\"\n"                                                   \
                     "992: .balign 4\n"                                                            \
                     "993: .8byte 990b\n"                                                          \
                     ".8byte _.stapsdt.base\n"                                                     \
                     ".8byte 0\n"                                                                  \
                     ".asciz \"orma_test\"\n"                                                      \
                     ".asciz \"passed\"\n"                                                         \
                     ".asciz \"-4@%0\"\n"                                                          \
                     "994: .balign 4\n"                                                            \
                     ".popsection\n"                                                               \
                     ".ifndef _.stapsdt.base\n"                                                    \
                     ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"       \
                     ".weak _.stapsdt.base\n"                                                      \
                     ".hidden _.stapsdt.base\n"                                                    \
                     "_.stapsdt.base: .space 1\n"                                                  \
                     ".size _.stapsdt.base, 1\n"                                                   \
                     ".popsection\n"                                                               \
                     ".endif\n"                                                                    \
                     :                                                                             \
                     : "nor"(val))
#else
#define PROBE(val) __asm__ volatile("" : : "r"(val))
#endif

__attribute__((noinline)) int probe_site_called(int val)
{
    PROBE(val);
    return val + 1;
}
