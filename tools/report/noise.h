/*
 * How far two traces of the same work differ for no reason.
 *
 * Each trace is cut into blocks of equal length. A series is one number for each block, NAN where a
 * block has none. The error of its mean comes from how much blocks differ; blocks that resemble the
 * one before them tell less.
 *
 * What all names of a trace share (a machine that is slower for a while, a program that gets less
 * of the CPU) is no change of any of them. It is estimated block by block and divided out, unless
 * it is larger than noise can be; then it is a change itself.
 */
#ifndef ORMA_TOOLS_REPORT_NOISE_H
#define ORMA_TOOLS_REPORT_NOISE_H
#include <stdbool.h>
#include <stddef.h>

#define ORMA_REPORT_NOISE_BLOCKS 10

struct orma_report_noise_series {
    double block[ORMA_REPORT_NOISE_BLOCKS];
};

/* The same number in two traces. */
struct orma_report_noise_pair {
    struct orma_report_noise_series side[2];
};

struct orma_report_noise_test {
    double mean[2]; /* of the blocks that have a number */
    double within;  /* what the spread of the blocks could make of the difference */
};

/* The value that a variable of Student's t exceeds with probability p. */
double orma_report_noise_t_quantile(double p, double freedom);

/* With a false alarm in one of 1 / p tests of equal series. */
struct orma_report_noise_test orma_report_noise_compare(const struct orma_report_noise_pair *pair,
                                                        double p);

/* A series that may say what all share. */
struct orma_report_noise_member {
    const struct orma_report_noise_pair *pair;
    double own; /* by what part it differs between recordings by itself */
};

/* Can this be a member: is there a number above 0 in every block? */
bool orma_report_noise_is_steady(const struct orma_report_noise_pair *pair);

/*
 * What the members share, as a factor for each block; returned is the part by which it changed. 0,
 * and factors of 1: less than three are there, or they changed together by more than noise can be.
 * `between`: by what part recordings differ anyhow.
 */
double orma_report_noise_common(const struct orma_report_noise_member *members, size_t num,
                                double p, double between, struct orma_report_noise_pair *ret);

/* Divides each number by the factor of its block. */
void orma_report_noise_divide(struct orma_report_noise_pair *pair,
                              const struct orma_report_noise_pair *factors);
#endif
