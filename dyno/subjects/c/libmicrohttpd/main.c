/* The subject c/libmicrohttpd. */
#define _GNU_SOURCE
#include "users.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BODY (1 << 20)

/* upload is the body of a request while it comes in. */
struct upload {
    char *data;
    size_t length;
    int too_large;
};

static enum MHD_Result reply(struct MHD_Connection *connection, int status, const char *type, const char *location,
                             struct MHD_Response *response)
{
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    if (location)
        MHD_add_response_header(response, MHD_HTTP_HEADER_LOCATION, location);
    enum MHD_Result queued = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

static enum MHD_Result text(struct MHD_Connection *connection, int status, const char *body)
{
    return reply(connection, status, "text/plain", NULL,
                 MHD_create_response_from_buffer(strlen(body), (void *)body, MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result json(struct MHD_Connection *connection, struct response a)
{
    if (!a.body)
        return text(connection, 500, "out of memory");
    return reply(connection, a.status, "application/json", a.status == 201 ? "/users/1/profile" : NULL,
                 MHD_create_response_from_buffer(a.length, a.body, MHD_RESPMEM_MUST_FREE));
}

static enum MHD_Result get(struct MHD_Connection *connection, const char *url)
{
    static const char users[] = "/users/", end[] = "/profile";
    if (strcmp(url, "/plaintext") == 0)
        return text(connection, 200, "Hello, World!");
    if (strcmp(url, "/json") == 0)
        return json(connection, greeting());
    if (strncmp(url, users, sizeof users - 1) == 0) {
        const char *id = url + sizeof users - 1, *slash = strchr(id, '/');
        if (slash && slash > id && strcmp(slash, end) == 0)
            return json(connection, profile(id, slash - id));
    }
    return text(connection, 404, "not found");
}

static enum MHD_Result take(struct upload *upload, const char *data, size_t *size)
{
    if (upload->length + *size > MAX_BODY) {
        upload->too_large = 1;
    } else {
        char *larger = realloc(upload->data, upload->length + *size);
        if (!larger)
            return MHD_NO;
        memcpy(larger + upload->length, data, *size);
        upload->data = larger;
        upload->length += *size;
    }
    *size = 0;
    return MHD_YES;
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *size, void **state)
{
    (void)cls, (void)version;
    if (!*state) { /* the head is there, the body is not */
        *state = calloc(1, sizeof(struct upload));
        return *state ? MHD_YES : MHD_NO;
    }
    struct upload *upload = *state;
    if (*size)
        return take(upload, data, size);
    if (strcmp(method, "GET") == 0)
        return get(connection, url);
    if (strcmp(method, "POST") != 0 || strcmp(url, "/api/users") != 0)
        return text(connection, 404, "not found");
    if (upload->too_large)
        return text(connection, 413, "body: larger than 1 MiB");
    return json(connection, create_user(upload->data ? upload->data : "", upload->length));
}

static void completed(void *cls, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode how)
{
    (void)cls, (void)connection, (void)how;
    struct upload *upload = *state;
    if (upload)
        free(upload->data);
    free(upload);
}

/* cpus is how many CPUs this process may use. */
static int cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(8080)};
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

    int threads = cpus();
    struct MHD_OptionItem pool[] = {
        {MHD_OPTION_THREAD_POOL_SIZE, threads, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC, 0, NULL, NULL, handle, NULL, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_CONNECTION_LIMIT, 16384u,
        MHD_OPTION_CONNECTION_TIMEOUT, 120u, MHD_OPTION_ARRAY, threads > 1 ? pool : pool + 1, MHD_OPTION_END);
    if (!daemon)
        return perror("listen"), 1;
    int signal;
    sigwait(&ends, &signal);
    MHD_stop_daemon(daemon); /* finishes what is under way */
    return 0;
}
