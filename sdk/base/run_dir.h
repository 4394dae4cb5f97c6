/*
 * The user's folder for sockets and the like, XDG_RUNTIME_DIR. It may be another user's: su and
 * `sudo -E` keep the variable. Whoever owns a folder can rename what others made in it, and put
 * links in its place.
 */
#ifndef ORMA_SDK_BASE_RUN_DIR_H
#define ORMA_SDK_BASE_RUN_DIR_H

/* NULL: there is none, or others than we and root can rename what lies in it. */
const char *orma_path_run_dir(void);
#endif
