/*
 * Two programs that send each other messages, each with events around what it does:
 *
 *   pingpong answer ADDRESS PORT                  answers what comes to this address
 *   pingpong ask ADDRESS PORT NUMBER WINDOW MS    asks there, with up to WINDOW questions on their
 * way
 *
 * Of message I there are four instants, in this order in time: ask, got, answer, back. `ask` ends
 * when all have been answered, or nothing has come for two seconds, and prints how many were; after
 * MS it goes on even without a recording.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "orma/orma.h"

ORMA_CATEGORY_DEFINE(talk, "talk", NULL, NULL);

static struct sockaddr_in address(char **argv)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[3]))};

    if (inet_pton(AF_INET, argv[2], &at.sin_addr) != 1)
        exit(2);
    return at;
}

static int answer(int fd, const struct sockaddr_in *at)
{
    struct sockaddr_in from;
    uint32_t i;

    if (bind(fd, (const struct sockaddr *)at, sizeof(*at)) < 0)
        return 1;
    for (;;) {
        socklen_t len = sizeof(from);

        if (recvfrom(fd, &i, sizeof(i), 0, (struct sockaddr *)&from, &len) != sizeof(i))
            continue;
        ORMA_INSTANT(talk, "got", ORMA_ARG_UINT("i", i));
        ORMA_INSTANT(talk, "answer", ORMA_ARG_UINT("i", i));
        if (sendto(fd, &i, sizeof(i), 0, (struct sockaddr *)&from, len) < 0)
            return 1;
    }
}

static int ask(int fd, const struct sockaddr_in *at, uint32_t num, uint32_t window, int ms)
{
    struct pollfd in = {.fd = fd, .events = POLLIN};
    uint32_t asked = 0, back = 0, i;

    for (; ms > 0 && !ORMA_ENABLED(talk); ms -= 10)
        usleep(10000);
    while (back < num) {
        while (asked < num && asked - back < window) {
            ORMA_INSTANT(talk, "ask", ORMA_ARG_UINT("i", asked));
            if (sendto(fd, &asked, sizeof(asked), 0, (const struct sockaddr *)at, sizeof(*at)) < 0)
                return 1;
            asked++;
        }
        if (poll(&in, 1, 2000) != 1)
            break; /* lost on their way */
        if (recv(fd, &i, sizeof(i), 0) == sizeof(i)) {
            ORMA_INSTANT(talk, "back", ORMA_ARG_UINT("i", i));
            back++;
        }
    }
    printf("%u\n", back);
    return 0;
}

int main(int argc, char **argv)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (argc < 4 || fd < 0)
        return 2;
    struct sockaddr_in at = address(argv);
    if (orma_init(NULL) < 0)
        return 2;
    if (argc == 7)
        return ask(fd, &at, (uint32_t)atoi(argv[4]), (uint32_t)atoi(argv[5]), atoi(argv[6]));
    return answer(fd, &at);
}
