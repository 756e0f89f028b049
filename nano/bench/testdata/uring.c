// What other ways to talk to the kernel could save a server at most: epoll.c,
// whose fixed response it gives, without its costs of user code.
//
//   uring WAY ADDRESS PORT
//
//   read       epoll, edge-triggered; a system call for each receive and send
//   sends      the same, but the responses of a batch of events are sent by one
//              io_uring_enter
//   both       and one io_uring_enter receives from all that are ready
//   wait       one io_uring_enter sends the responses and waits for epoll's next
//              events (IORING_OP_EPOLL_WAIT, Linux 6.15)
//   multishot  no epoll: receives that stay ordered, and one io_uring_enter for
//              all; work is deferred to it, so only one thread may call it
//              (DEFER_TASKRUN, SINGLE_ISSUER)
//   anythread  the same for any thread: the kernel interrupts who ordered
//   coop       as anythread, but the kernel waits until who ordered calls it
//   oneshot    as coop, but each receive is ordered again with the response, so
//              that it is the present thread's

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    EVENTS = 256,
    ENTRIES = 1024,
    READ_BYTES = 16384,
    BUFFERS = 256,
    BUFFER = 4096,
    STRIDE = BUFFER + 192, // so that not all begin in the same sets of the caches
    OP_EPOLL_WAIT = 59,    // newer than the headers of Debian 12
};

static const char response[] =
    "HTTP/1.1 200 OK\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Date: Sat, 21 Nov 2026 12:00:00 GMT\r\n"
    "Content-Length: 13\r\n"
    "\r\n"
    "Hello, World!";

static char memory[BUFFERS * STRIDE];
static int listener, epoll;

static void must(bool ok, const char *what) {
    if (!ok) {
        perror(what);
        exit(1);
    }
}

static void finish(int signal) {
    (void)signal;
    _exit(0);
}

static int listen_on(const char *address, int port) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    must(fd >= 0, "socket");
    must(inet_pton(AF_INET, address, &at.sin_addr) == 1, "address");
    must(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0, "SO_REUSEADDR");
    must(bind(fd, (struct sockaddr *)&at, sizeof at) == 0, "bind");
    must(listen(fd, 4096) == 0, "listen");
    return fd;
}

// The ring.

static struct {
    int fd;
    unsigned *sq_tail, *cq_head, *cq_tail;
    unsigned sq_mask, cq_mask, tail, submitted;
    struct io_uring_sqe *sqes;
    struct io_uring_cqe *cqes;
} ring;

static void open_ring(unsigned flags) {
    struct io_uring_params p = {.flags = flags | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE, .cq_entries = 4 * ENTRIES};
    ring.fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &p);
    must(ring.fd >= 0, "io_uring_setup");
    size_t sq = p.sq_off.array + p.sq_entries * 4, cq = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
    char *m = mmap(NULL, sq > cq ? sq : cq, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd, IORING_OFF_SQ_RING);
    must(m != MAP_FAILED, "mmap");
    ring.sqes = mmap(NULL, p.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd, IORING_OFF_SQES);
    must(ring.sqes != MAP_FAILED, "mmap");
    ring.sq_tail = (unsigned *)(m + p.sq_off.tail);
    ring.cq_head = (unsigned *)(m + p.cq_off.head);
    ring.cq_tail = (unsigned *)(m + p.cq_off.tail);
    ring.sq_mask = p.sq_entries - 1;
    ring.cq_mask = p.cq_entries - 1;
    ring.cqes = (struct io_uring_cqe *)(m + p.cq_off.cqes);
    for (unsigned i = 0; i < p.sq_entries; i++) {
        ((unsigned *)(m + p.sq_off.array))[i] = i;
    }
}

static void enter(unsigned wait) {
    __atomic_store_n(ring.sq_tail, ring.tail, __ATOMIC_RELEASE);
    long n = syscall(SYS_io_uring_enter, ring.fd, ring.tail - ring.submitted, wait, wait ? IORING_ENTER_GETEVENTS : 0, NULL, 0);
    must(n >= 0 || errno == EINTR, "io_uring_enter");
    if (n > 0) {
        ring.submitted += (unsigned)n;
    }
}

static struct io_uring_sqe *entry(int op, int fd, unsigned long data) {
    if (ring.tail - ring.submitted > ring.sq_mask) {
        enter(0);
    }
    struct io_uring_sqe *e = &ring.sqes[ring.tail++ & ring.sq_mask];
    memset(e, 0, sizeof *e);
    e->opcode = (__u8)op;
    e->fd = fd;
    e->user_data = data;
    return e;
}

enum kind { ACCEPT, RECEIVE, SEND, WAIT };

static unsigned long tag(enum kind k, int of) { return (unsigned long)k << 32 | (unsigned)of; }

static bool take(struct io_uring_cqe *c) {
    unsigned head = *ring.cq_head;
    if (head == __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE)) {
        return false;
    }
    *c = ring.cqes[head & ring.cq_mask];
    __atomic_store_n(ring.cq_head, head + 1, __ATOMIC_RELEASE);
    return true;
}

static void queue_send(int fd, int flags) {
    struct io_uring_sqe *e = entry(IORING_OP_SEND, fd, tag(SEND, fd));
    e->addr = (unsigned long)response;
    e->len = sizeof response - 1;
    e->msg_flags = (unsigned)(MSG_NOSIGNAL | MSG_WAITALL | flags);
    e->flags = IOSQE_CQE_SKIP_SUCCESS;
}

// With epoll.

static void accept_all(void) {
    for (;;) {
        int on = 1;
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
        if (fd < 0) {
            return;
        }
        struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.fd = fd};
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        must(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0, "epoll_ctl");
    }
}

// received deals with what a receive returned, and responds by way of the ring if
// asked to.
static void received(int fd, long n, bool by_ring) {
    if (n > 0 && by_ring) {
        queue_send(fd, MSG_DONTWAIT);
    } else if (n > 0) {
        n = send(fd, response, sizeof response - 1, MSG_NOSIGNAL);
    }
    if (n == 0 || (n < 0 && n != -EAGAIN && n != -EINTR)) {
        close(fd);
    }
}

static long receive(int fd) {
    ssize_t n = recv(fd, memory, READ_BYTES, 0);
    return n < 0 ? -errno : n;
}

// receive_all receives from all that are ready with one system call.
static void receive_all(struct epoll_event *events, int n) {
    for (int i = 0; i < n; i++) {
        struct io_uring_sqe *e = entry(IORING_OP_RECV, events[i].data.fd, tag(RECEIVE, events[i].data.fd));
        e->addr = (unsigned long)(memory + i * STRIDE);
        e->len = BUFFER;
        e->msg_flags = MSG_DONTWAIT;
    }
    enter(0);
    struct io_uring_cqe c;
    while (take(&c)) {
        if (c.user_data >> 32 == RECEIVE) {
            received((int)(unsigned)c.user_data, c.res, true);
        }
    }
}

static void serve_epoll(bool ring_receives, bool ring_sends) {
    for (;;) {
        struct epoll_event events[EVENTS], ready[EVENTS];
        int n = epoll_wait(epoll, events, EVENTS, -1), r = 0;
        for (int i = 0; i < n; i++) {
            if (events[i].data.fd == listener) {
                accept_all();
            } else if (events[i].events & EPOLLIN) {
                ready[r++] = events[i];
            }
        }
        if (ring_receives && r > 1) {
            receive_all(ready, r);
        } else {
            for (int i = 0; i < r; i++) {
                received(ready[i].data.fd, receive(ready[i].data.fd), ring_sends && r > 1);
            }
        }
        if (ring.tail != ring.submitted) {
            enter(0);
        }
        struct io_uring_cqe c;
        while (ring_sends && take(&c)) {
            close((int)(unsigned)c.user_data); // the send failed
        }
    }
}

// serve_wait has events of epoll delivered by the ring.
static void serve_wait(void) {
    static struct epoll_event events[EVENTS];
    for (;;) {
        struct io_uring_sqe *e = entry(OP_EPOLL_WAIT, epoll, tag(WAIT, 0));
        e->addr = (unsigned long)events;
        e->len = EVENTS;
        int n = -1;
        struct io_uring_cqe c;
        while (n < 0) {
            enter(1);
            while (take(&c)) {
                if (c.user_data >> 32 == WAIT) {
                    n = c.res;
                    errno = -c.res;
                    must(n >= 0, "waiting for epoll");
                }
            }
        }
        for (int i = 0; i < n; i++) {
            if (events[i].data.fd == listener) {
                accept_all();
            } else if (events[i].events & EPOLLIN) {
                received(events[i].data.fd, receive(events[i].data.fd), true);
            }
        }
    }
}

// Without epoll.

static struct io_uring_buf_ring *buffers;
static unsigned short buffers_tail;

static void give_buffer(unsigned short id) {
    struct io_uring_buf *b = &buffers->bufs[buffers_tail & (BUFFERS - 1)];
    b->addr = (unsigned long)(memory + id * STRIDE);
    b->len = BUFFER;
    b->bid = id;
    __atomic_store_n(&buffers->tail, ++buffers_tail, __ATOMIC_RELEASE);
}

static void open_buffers(void) {
    buffers = mmap(NULL, BUFFERS * sizeof(struct io_uring_buf), PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
    must(buffers != MAP_FAILED, "mmap");
    struct io_uring_buf_reg reg = {.ring_addr = (unsigned long)buffers, .ring_entries = BUFFERS};
    must(syscall(SYS_io_uring_register, ring.fd, IORING_REGISTER_PBUF_RING, &reg, 1) == 0, "IORING_REGISTER_PBUF_RING");
    for (unsigned short i = 0; i < BUFFERS; i++) {
        give_buffer(i);
    }
}

static void order(int fd, bool multishot) {
    struct io_uring_sqe *e = entry(IORING_OP_RECV, fd, tag(RECEIVE, fd));
    e->flags = IOSQE_BUFFER_SELECT;
    e->ioprio = multishot ? IORING_RECV_MULTISHOT : IORING_RECVSEND_POLL_FIRST;
}

static void order_accept(void) {
    struct io_uring_sqe *e = entry(IORING_OP_ACCEPT, listener, tag(ACCEPT, listener));
    e->ioprio = IORING_ACCEPT_MULTISHOT;
    e->accept_flags = SOCK_NONBLOCK;
}

static void completed(struct io_uring_cqe *c, bool multishot) {
    int fd = (int)(unsigned)c->user_data;
    bool more = c->flags & IORING_CQE_F_MORE;
    switch (c->user_data >> 32) {
    case ACCEPT:
        if (c->res >= 0) {
            int on = 1;
            setsockopt(c->res, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            order(c->res, multishot);
        }
        if (!more) {
            order_accept();
        }
        return;
    case RECEIVE:
        if (c->flags & IORING_CQE_F_BUFFER) {
            give_buffer((unsigned short)(c->flags >> IORING_CQE_BUFFER_SHIFT));
        }
        if (c->res > 0) {
            queue_send(fd, 0);
        }
        if (c->res == 0 || (c->res < 0 && c->res != -ENOBUFS)) {
            close(fd);
        } else if (!more) {
            order(fd, multishot);
        }
        return;
    }
}

static void serve_ring(bool multishot) {
    open_buffers();
    order_accept();
    for (;;) {
        enter(1);
        struct io_uring_cqe c;
        while (take(&c)) {
            completed(&c, multishot);
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: uring WAY ADDRESS PORT\n");
        return 2;
    }
    signal(SIGTERM, finish);
    const char *way = argv[1];
    listener = listen_on(argv[2], atoi(argv[3]));
    epoll = epoll_create1(0);
    must(epoll >= 0, "epoll_create1");
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) == 0, "epoll_ctl");
    bool deferred = strcmp(way, "multishot") == 0;
    bool oneshot = strcmp(way, "oneshot") == 0, coop = oneshot || strcmp(way, "coop") == 0;
    open_ring(deferred ? IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN : coop ? IORING_SETUP_COOP_TASKRUN : 0);
    if (strcmp(way, "read") == 0) {
        serve_epoll(false, false);
    } else if (strcmp(way, "sends") == 0) {
        serve_epoll(false, true);
    } else if (strcmp(way, "both") == 0) {
        serve_epoll(true, true);
    } else if (strcmp(way, "wait") == 0) {
        serve_wait();
    } else if (deferred || coop || strcmp(way, "anythread") == 0) {
        serve_ring(!oneshot);
    }
    fprintf(stderr, "uring: there is no way %s\n", way);
    return 2;
}
