// The least that a server can do: one thread, epoll, and for every time that a
// connection has something to read, one fixed response. It parses nothing, not
// even where a request ends, so it must not be sent pipelined requests. The
// response has the fields and the length of a real one; its date stands still.
//
//   epoll ADDRESS PORT

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 1024, READ_BYTES = 16384 };

static const char response[] =
    "HTTP/1.1 200 OK\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Date: Sat, 21 Nov 2026 12:00:00 GMT\r\n"
    "Content-Length: 13\r\n"
    "\r\n"
    "Hello, World!";

static void must(int ok, const char *what) {
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

static void accept_all(int epoll, int listener) {
    for (;;) {
        int on = 1;
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
        if (fd < 0) {
            return;
        }
        struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.fd = fd};
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        must(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0, "epoll_ctl");
    }
}

static void serve(int fd) {
    static char buffer[READ_BYTES];
    ssize_t n = recv(fd, buffer, sizeof buffer, 0);
    if (n > 0) {
        n = send(fd, response, sizeof response - 1, MSG_NOSIGNAL);
    }
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        close(fd);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: epoll ADDRESS PORT\n");
        return 2;
    }
    signal(SIGTERM, finish);
    int listener = listen_on(argv[1], atoi(argv[2]));
    int epoll = epoll_create1(0);
    must(epoll >= 0, "epoll_create1");
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) == 0, "epoll_ctl");
    for (;;) {
        struct epoll_event events[EVENTS];
        int n = epoll_wait(epoll, events, EVENTS, -1);
        for (int i = 0; i < n; i++) {
            if (events[i].data.fd == listener) {
                accept_all(epoll, listener);
            } else {
                serve(events[i].data.fd);
            }
        }
    }
}
