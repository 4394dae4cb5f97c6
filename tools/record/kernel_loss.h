/*
 * What the kernel's own rings lost, read from a trace file: the difference
 * between the first and the last ftrace statistics of each CPU.
 */
#ifndef ORMA_TOOLS_KERNEL_LOSS_H
#define ORMA_TOOLS_KERNEL_LOSS_H
#include <stdint.h>

/* Events overrun or dropped; 0 too if the file cannot be mapped or holds no such packets. */
uint64_t orma_kernel_loss(int fd);
#endif
