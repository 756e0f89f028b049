/* The subject c/h2o: libh2o with an event loop on each CPU. */
#define _GNU_SOURCE
#include "users.h"

#include <arpa/inet.h>
#include <h2o.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_bool ending;
static h2o_globalconf_t config;
static struct sockaddr_in address = {.sin_family = AF_INET};

static int send_text(h2o_req_t *req, int status, const char *reason, const char *type, const char *body, size_t length)
{
    req->res.status = status;
    req->res.reason = reason;
    h2o_add_header(&req->pool, &req->res.headers, H2O_TOKEN_CONTENT_TYPE, NULL, type, strlen(type));
    req->res.content_length = length;
    h2o_send_inline(req, body, length);
    return 0;
}

static int send_json(h2o_req_t *req, struct response a)
{
    static const char location[] = "/users/1/profile";
    if (!a.body)
        return send_text(req, 500, "Internal Server Error", "text/plain", H2O_STRLIT("out of memory"));
    if (a.status == 201)
        h2o_add_header(&req->pool, &req->res.headers, H2O_TOKEN_LOCATION, NULL, location, sizeof location - 1);
    const char *reason = a.status == 200 ? "OK" : a.status == 201 ? "Created" : "Bad Request";
    send_text(req, a.status, reason, "application/json", a.body, a.length); /* which copies it */
    free(a.body);
    return 0;
}

static int is_method(h2o_req_t *req, const char *method)
{
    return h2o_memis(req->method.base, req->method.len, method, strlen(method));
}

static int is_path(h2o_req_t *req, const char *path)
{
    return h2o_memis(req->path_normalized.base, req->path_normalized.len, path, strlen(path));
}

static int plaintext(h2o_handler_t *self, h2o_req_t *req)
{
    (void)self;
    if (!is_method(req, "GET") || !is_path(req, "/plaintext"))
        return -1; /* h2o asks the next handler, and says 404 if there is none */
    return send_text(req, 200, "OK", "text/plain", H2O_STRLIT("Hello, World!"));
}

static int greet(h2o_handler_t *self, h2o_req_t *req)
{
    (void)self;
    if (!is_method(req, "GET") || !is_path(req, "/json"))
        return -1;
    return send_json(req, greeting());
}

static int user_profile(h2o_handler_t *self, h2o_req_t *req)
{
    static const char users[] = "/users/", end[] = "/profile";
    (void)self;
    const char *id = req->path_normalized.base + sizeof users - 1;
    const char *limit = req->path_normalized.base + req->path_normalized.len;
    const char *slash = memchr(id, '/', limit - id);
    if (!is_method(req, "GET") || !slash || slash == id || !h2o_memis(slash, limit - slash, end, sizeof end - 1))
        return -1;
    return send_json(req, profile(id, slash - id));
}

static int new_user(h2o_handler_t *self, h2o_req_t *req)
{
    (void)self;
    if (!is_method(req, "POST") || !is_path(req, "/api/users"))
        return -1;
    return send_json(req, create_user(req->entity.base ? req->entity.base : "", req->entity.len));
}

static void route(h2o_hostconf_t *host, const char *path, int (*handle)(h2o_handler_t *, h2o_req_t *))
{
    h2o_pathconf_t *at = h2o_config_register_path(host, path, 0);
    h2o_create_handler(at, sizeof(h2o_handler_t))->on_req = handle;
}

static void on_accept(h2o_socket_t *listener, const char *err)
{
    h2o_socket_t *connection;
    if (!err && (connection = h2o_evloop_socket_accept(listener)))
        h2o_accept(listener->data, connection);
}

static int listening(void)
{
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) ||
        bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, SOMAXCONN)) {
        perror("listen");
        exit(1);
    }
    return fd;
}

/* serve runs one loop with a socket of its own, among which the kernel spreads
 * connections, until the program ends. */
static void *serve(void *none)
{
    h2o_context_t context;
    h2o_accept_ctx_t accepting = {.ctx = &context, .hosts = config.hosts};
    h2o_context_init(&context, h2o_evloop_create(), &config);
    h2o_socket_t *listener = h2o_evloop_socket_create(context.loop, listening(), H2O_SOCKET_FLAG_DONT_READ);
    listener->data = &accepting;
    h2o_socket_read_start(listener, on_accept);
    while (!atomic_load(&ending))
        h2o_evloop_run(context.loop, 100);
    h2o_socket_read_stop(listener);
    h2o_evloop_run(context.loop, 50); /* what has come in by now gets its response */
    return none;
}

/* cpus is how many CPUs this process may use. */
static int cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

int main(int argc, char **argv)
{
    address.sin_port = htons(8080);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "-port") == 0)
            address.sin_port = htons(atoi(argv[i + 1]));
        else if (strcmp(argv[i], "-host") == 0 && inet_pton(AF_INET, argv[i + 1], &address.sin_addr) != 1)
            return fprintf(stderr, "-host %s is no address\n", argv[i + 1]), 2;
    }
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* threads inherit it: only main waits for them */
    signal(SIGPIPE, SIG_IGN);

    h2o_config_init(&config);
    config.max_request_entity_size = 1 << 20;
    h2o_hostconf_t *host = h2o_config_register_host(&config, h2o_iovec_init(H2O_STRLIT("default")), 65535);
    route(host, "/plaintext", plaintext);
    route(host, "/json", greet);
    route(host, "/users/", user_profile);
    route(host, "/api/users", new_user);

    int threads = cpus();
    pthread_t loops[threads];
    for (int i = 0; i < threads; i++)
        if (pthread_create(&loops[i], NULL, serve, NULL))
            return perror("start a thread"), 1;
    int signal;
    sigwait(&ends, &signal);
    atomic_store(&ending, true);
    for (int i = 0; i < threads; i++)
        pthread_join(loops[i], NULL);
    return 0;
}
