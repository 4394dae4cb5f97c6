/* For tests: a function to be probed, with a static probe point in it where the machine has them.
 */
#ifndef ORMA_TESTS_INTEGRATION_PROBES_PROBE_SITE_H
#define ORMA_TESTS_INTEGRATION_PROBES_PROBE_SITE_H

#if defined(__x86_64__) || defined(__aarch64__)
#define PROBE_SITE_HAS_USDT 1
#else
#define PROBE_SITE_HAS_USDT 0
#endif

/* Passes the probe point orma_test:passed with `val` as its argument. */
int probe_site_called(int val);
#endif
