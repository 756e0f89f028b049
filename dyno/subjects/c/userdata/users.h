/* What the services in C share: the JSON they respond with, by Jansson. */
#ifndef USERS_H
#define USERS_H

#include <stddef.h>

/* The result of a handler: a body that the caller frees, and its status. */
struct response {
    int status;
    char *body;
    size_t length;
};

struct response greeting(void);
struct response profile(const char *id, size_t id_length);
struct response create_user(const char *body, size_t length);

#endif
