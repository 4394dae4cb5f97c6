/* What the public headers share. Nothing here is for applications. */
#ifndef ORMA_API_H
#define ORMA_API_H

#ifdef __cplusplus
#define ORMA_BEGIN_DECLS extern "C" {
#define ORMA_END_DECLS }
#else
#define ORMA_BEGIN_DECLS
#define ORMA_END_DECLS
#endif

#define ORMA_API __attribute__((visibility("default")))
#endif
