/* Connections that can be given up. Threads: any. */
#ifndef ORMA_TOOLS_RELAY_CONNECT_H
#define ORMA_TOOLS_RELAY_CONNECT_H

/*
 * As orma_sock_connect(), for ten seconds by the network; and -ECANCELED when `stop_fd` can be
 * read. A connection whose other end goes away without a word ends after half a minute.
 */
int orma_relay_connect(const char *address, int stop_fd);

/* The same for one that somebody else has made. */
void orma_relay_watch_link(int fd);
#endif
