/* /proc/net/tcp has a line for each end: "SL: LOCAL REMOTE STATE QUEUES TIMER RETRANSMITS UID ...",
 * where addresses are words in the order of memory. */
#include "processor/serve/peer.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/str.h"

#define TABLE_MAX ((size_t)64 << 20)

/* Of an address of IPv4, also inside one of IPv6: its last word is the same. False: of no kind that
 * is known. */
static bool write_end(const struct sockaddr_storage *at, char *ret, size_t size)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)at;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)at;
    uint32_t words[4];

    if (at->ss_family == AF_INET) {
        (void)snprintf(ret, size, "%08X:%04X", (unsigned)v4->sin_addr.s_addr,
                       (unsigned)ntohs(v4->sin_port)); /* large enough, as below */
        return true;
    }
    if (at->ss_family != AF_INET6)
        return false;
    memcpy(words, &v6->sin6_addr, sizeof(words));
    (void)snprintf(ret, size, "%08X%08X%08X%08X:%04X", (unsigned)words[0], (unsigned)words[1],
                   (unsigned)words[2], (unsigned)words[3], (unsigned)ntohs(v6->sin6_port));
    return true;
}

static bool ends_with(struct orma_str text, const char *end)
{
    const size_t len = strlen(end);

    return text.len >= len && !memcmp(text.data + text.len - len, end, len);
}

static bool next_word(struct orma_str *line, struct orma_str *ret)
{
    do {
        if (!line->len || !orma_str_cut(line, ' ', ret))
            return false;
    } while (!ret->len);
    return true;
}

static bool find(const char *path, const char *local, const char *remote, uint32_t *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_str rest, line, words[8];
    uint64_t uid;

    if (orma_fd_read_file(AT_FDCWD, path, TABLE_MAX, &text) < 0)
        return false;
    for (rest = orma_buf_str(&text); rest.len && orma_str_cut(&rest, '\n', &line);) {
        unsigned num = 0;

        while (num < 8 && next_word(&line, &words[num]))
            num++;
        if (num < 8 || !ends_with(words[1], local) || !ends_with(words[2], remote) ||
            !orma_str_to_u64(words[7], &uid) || uid > UINT32_MAX)
            continue;
        *ret = (uint32_t)uid;
        return true;
    }
    return false;
}

bool orma_peer_user(int fd, uint32_t *ret_uid)
{
    struct sockaddr_storage own = {0}, peer = {0};
    socklen_t own_len = sizeof(own), peer_len = sizeof(peer);
    char here[64], there[64];

    if (getsockname(fd, (struct sockaddr *)&own, &own_len) < 0 ||
        getpeername(fd, (struct sockaddr *)&peer, &peer_len) < 0 ||
        !write_end(&own, here, sizeof(here)) || !write_end(&peer, there, sizeof(there)))
        return false;
    return find("/proc/net/tcp", there, here, ret_uid) ||
           find("/proc/net/tcp6", there, here, ret_uid);
}

bool orma_peer_is_ours(uint32_t uid)
{
    const char *sudo = geteuid() == 0 ? getenv("SUDO_UID") : NULL;
    uint64_t asked;

    return uid == 0 || uid == geteuid() ||
           (sudo && orma_str_to_u64(orma_str_from(sudo), &asked) && uid == asked);
}
