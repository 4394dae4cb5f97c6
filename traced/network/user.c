#include "traced/network/user.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sdk/base/assert.h"

/* A connection has a socket and, on its way, a descriptor. */
#define FDS_PER_CONN 2
/* Files of sessions, sockets, the loop. */
#define FDS_RESERVED 64
/* Each producer's memory is a mapping, of which a process has some 65,000. */
#define CONNS_MAX 32768
/* Descriptors of a user that wait to be closed: an honest one sends few, which don't. */
#define CLOSING_MAX 64

int traced_users_init(struct traced_users *self)
{
    struct rlimit fds;

    *self = (struct traced_users){
        .conns_max = CONNS_MAX, .own = geteuid(), .closer = traced_closer_new()};
    if (getrlimit(RLIMIT_NOFILE, &fds) == 0 && fds.rlim_cur / FDS_PER_CONN < CONNS_MAX)
        self->conns_max =
            fds.rlim_cur > FDS_RESERVED ? (size_t)(fds.rlim_cur - FDS_RESERVED) / FDS_PER_CONN : 0;
    return self->closer ? 0 : -ENOMEM;
}

void traced_users_fini(struct traced_users *self)
{
    ORMA_ASSERT(!self->conns);
    orma_map_fini(&self->map);
    traced_closer_free(self->closer);
    self->closer = NULL;
}

static struct traced_user *find_or_add(struct traced_users *self, uint64_t id)
{
    struct traced_user *user = orma_map_get_ptr(&self->map, id);

    if (user)
        return user;
    user = calloc(1, sizeof(*user));
    if (!user)
        return NULL;
    user->id = id;
    user->trusted = id == 0 || id == self->own;
    if (orma_map_put_ptr(&self->map, id, user) == 0)
        return user;
    free(user);
    return NULL;
}

static void remove_if_unused(struct traced_users *self, struct traced_user *user)
{
    if (user->conns)
        return;
    (void)orma_map_take(&self->map, user->id);
    free(user);
}

/* One more may come, and still leaves as many to the others as it has. */
static bool may_enter(const struct traced_users *self, const struct traced_user *user)
{
    size_t closing, closing_own = traced_closer_waiting(self->closer, user->id, &closing);
    size_t own = user->conns + closing_own, others = self->conns + closing - own;

    return user->trusted || (closing_own < CLOSING_MAX && others < self->conns_max &&
                             own + 1 <= (self->conns_max - others) / 2);
}

struct traced_user *traced_users_enter(struct traced_users *self, uint64_t id)
{
    struct traced_user *user = find_or_add(self, id);

    if (!user)
        return NULL;
    if (!may_enter(self, user)) {
        remove_if_unused(self, user);
        return NULL;
    }
    user->conns++;
    self->conns++;
    return user;
}

void traced_users_leave(struct traced_users *self, struct traced_user *user)
{
    ORMA_ASSERT(user->conns && self->conns);
    user->conns--;
    self->conns--;
    remove_if_unused(self, user);
}

bool traced_user_hold(struct traced_user *self, size_t before, size_t now)
{
    ORMA_ASSERT(self->bytes >= before);
    self->bytes = self->bytes - before + now;
    return self->trusted || now <= before || self->bytes <= TRACED_USER_BYTES_MAX;
}

void traced_users_close(struct traced_users *self, uint64_t id, int fd)
{
    traced_closer_put(self->closer, id, fd);
}

bool traced_users_is_stuck(struct traced_users *self, const struct traced_user *user)
{
    size_t all;

    return !user->trusted && traced_closer_waiting(self->closer, user->id, &all) >= CLOSING_MAX;
}
