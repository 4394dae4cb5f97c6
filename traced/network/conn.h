/*
 * One client's connection: frames in, calls to the methods of a port, frames
 * out. Nothing here blocks. What the socket does not take at once is queued;
 * a client that does not read the oldest queued frame in time, or for whom too
 * much is queued, is disconnected (rules 3 and 4 of docs/service.md). So is one that does
 * not bind in time, or whose user has enough (rule 5).
 *
 * Frames are handled in slices (turn.h), each connection in its turn and its
 * frames in order; a call that is long may take several.
 *
 * Life: made by the listener; ends when the client closes, breaks the framing,
 * is disconnected, or by traced_conn_close(). Whatever the reason, what a producer
 * has sent until then is handled first, and its memory is read:
 *
 *   open ──► ending ──► over ──► freed      ending: nothing is sent, nothing new comes,
 *     └── (the client closed) ──┘                   what is in the socket is handled
 *                                           over:   everything was; memory is scraped
 *
 * The end comes from the loop, never inside a call of another module: the
 * endpoint's `gone` is called, then the connection is freed.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_NETWORK_CONN_H
#define ORMA_TRACED_NETWORK_CONN_H
#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/list.h"
#include "sdk/base/str.h"
#include "sdk/ipc/stream.h"
#include "traced/loop/turn.h"
#include "traced/network/network.h"

struct orma_ipc_frame;
struct traced_conn;

/* A request. `args` is valid during the call only. */
struct traced_call {
    uint64_t request_id;
    struct orma_str args;
    bool drop_reply;
};

/*
 * 0: answered, or will be. 1: not done yet, the port's go_on() is called until
 * it returns something else; the call and its arguments stay valid until then.
 * -EBADMSG: the arguments are malformed; other negative values: rejected. Both
 * become success = false; the second not if drop_reply.
 */
typedef int (*traced_method_fn)(struct traced_conn *conn, const struct traced_call *call);

/* A port: what a client binds to. Arrays by method id. */
struct traced_port {
    const char *name;
    const char *const *method_names;
    const traced_method_fn *methods;
    uint32_t methods_end;
    uint32_t self_checked;  /* id of a method that checks its arguments itself; 0: none */
    traced_method_fn go_on; /* the rest of a call that returned 1; NULL: there are none */
};

/* How clients of one kind are served. The functions may be NULL; `client` is set when they run. */
struct traced_endpoint {
    const char *client_name;                /* for the log: "producer" */
    const struct traced_port *const *ports; /* by service id - 1; NULL behind the last */
    bool relays; /* relays come here: a trusted one by AF_UNIX may speak for another machine */
    uint32_t cutoff_ms; /* how long the oldest queued frame may wait */
    uint32_t bind_ms;   /* how long until it has bound */
    size_t queue_max;   /* bytes that may be queued */
    bool urgent;        /* its requests come before other work */
    /* One slice of what is to be done after a client was heard out. False: there is nothing more.
     * NULL: what it has sent and is not handled yet may be thrown away at its end. */
    bool (*wind_up)(struct traced_conn *conn);
    void (*gone)(struct traced_conn *conn);
    /* Bytes that are kept for the client, beside what is on its way. */
    size_t (*held)(const struct traced_conn *conn);
    /* Everything queued was taken by the socket, or traced_conn_call_later() was called. */
    void (*drained)(struct traced_conn *conn);
};

struct traced_conn {
    struct orma_list link; /* traced_network.conns */
    struct traced_network *network;
    const struct traced_endpoint *endpoint;
    bool is_unix;
    bool identity_fixed; /* SetPeerIdentity came, or comes too late */
    bool ending;         /* nothing is sent any more, and only what is there is read */
    bool over;           /* nothing more can be read */
    bool has_frames;     /* `in` may hold whole frames */
    bool pump_due;       /* the endpoint's drained() is to be called */
    bool call_open;      /* `call` is not done yet */
    struct traced_call call;
    const struct traced_port *call_port;
    struct traced_work work;
    uint64_t received;   /* bytes, all in all */
    uint64_t hear_until; /* of an ending one: bytes that it had sent until then */
    int fd;
    int32_t uid, pid; /* of the peer; pid 0: unknown */
    uint32_t machine_id;
    char *machine_name; /* NULL: this machine */
    struct event *read_event, *write_event, *cutoff_event;
    struct event *bind_event; /* NULL: it has bound */
    struct traced_user *user;
    size_t held; /* of it, by this connection */
    struct orma_ipc_stream in;
    struct orma_list out; /* out_frame.link */
    size_t out_bytes;
    void *client; /* the endpoint's: made by the first call of its port; NULL: not yet */
};

/* Takes the socket, also on failure. -EUSERS: its user has enough connections. -ENOMEM. */
int traced_conn_new(struct traced_network *network, int fd, const struct traced_endpoint *endpoint);
/* At the end of the network only: everybody else closes. */
void traced_conn_free(struct traced_conn *self);

/* Nothing more is sent. It is freed by the loop, a producer's after all that it has handed over. */
void traced_conn_close(struct traced_conn *self);

/* What the client has sent until now ... */
uint64_t traced_conn_mark(const struct traced_conn *self);
/* ... has been handled, but for a frame that is not complete. */
bool traced_conn_passed(const struct traced_conn *self, uint64_t mark);
/* Handles it without returning to the loop. For the end of the service. */
void traced_conn_hear_now(struct traced_conn *self, uint64_t end_ns);

/* Sets uid and pid of a new connection, where the kernel has them. */
void traced_conn_find_peer(struct traced_conn *self);
/* A SetPeerIdentity frame: used once, before the client is made; on AF_UNIX, where the kernel says
 * who it is, only by root or the service's own user, and where relays are expected. */
void traced_conn_identify(struct traced_conn *self, const struct orma_ipc_frame *frame);

/* An InvokeMethodReply. pass_fd (-1: none) stays the caller's. */
void traced_conn_reply(struct traced_conn *self, uint64_t request_id, bool success, bool has_more,
                       struct orma_str payload, int pass_fd);

/* Plain success or failure of a call. */
void traced_conn_ack(struct traced_conn *self, const struct traced_call *call, bool success);

/* A descriptor that came from the client and that nobody wants (-1: none): its close() may wait. */
void traced_conn_discard(struct traced_conn *self, int fd);

/*
 * Calls fn, which takes the descriptor that came with the call (-1: none). While it runs there is a
 * second one, discarded afterwards: whatever fn does with the first, no close() of it is the last.
 */
int traced_conn_with_fd(struct traced_conn *self, const struct traced_call *call,
                        int (*fn)(struct traced_conn *self, const struct traced_call *call,
                                  int fd));

/* The endpoint's drained() at the next turn of the loop, after others have been served. */
void traced_conn_call_later(struct traced_conn *self);

/* Is something queued, so that producing more should wait for drained()? */
static inline bool traced_conn_is_slow(const struct traced_conn *self)
{
    return self->out_bytes > 0;
}
#endif
