/* What the services in C share: the JSON they answer with, by Jansson. */
#ifndef USERS_H
#define USERS_H

#include <stddef.h>

/* The result of a handler: a body that the caller frees, and its status. */
struct answer {
    int status;
    char *body;
    size_t length;
};

struct answer greeting(void);
struct answer profile(const char *id, size_t id_length);
struct answer create_user(const char *body, size_t length);

#endif
