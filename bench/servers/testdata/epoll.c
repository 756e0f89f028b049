/* The least a server can do: epoll, one read, one fixed answer, no parsing. */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static const char answer[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"
    "Date: Sat, 21 Nov 2026 12:00:00 GMT\r\nContent-Length: 13\r\n\r\nHello, World!";

int main(int argc, char **argv) {
    int port = argc > 1 ? atoi(argv[1]) : 8080, on = 1;
    int ln = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(ln, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(ln, (struct sockaddr *)&a, sizeof a) || listen(ln, 4096)) { perror("listen"); return 1; }
    int ep = epoll_create1(0);
    struct epoll_event ev = {.events = EPOLLIN, .data.fd = ln}, evs[512];
    epoll_ctl(ep, EPOLL_CTL_ADD, ln, &ev);
    static char buf[65536];
    for (;;) {
        int n = epoll_wait(ep, evs, 512, -1);
        for (int i = 0; i < n; i++) {
            int fd = evs[i].data.fd;
            if (fd == ln) {
                int c;
                while ((c = accept4(ln, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
                    setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                    ev.events = EPOLLIN | EPOLLET; ev.data.fd = c;
                    epoll_ctl(ep, EPOLL_CTL_ADD, c, &ev);
                }
                continue;
            }
            ssize_t r = read(fd, buf, sizeof buf);
            if (r > 0) { if (write(fd, answer, sizeof answer - 1) < 0) close(fd); }
            else if (r == 0 || errno != EAGAIN) close(fd);
        }
    }
}
