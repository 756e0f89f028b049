#include "users.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* encoded takes an object over and makes a response of it. */
static struct response encoded(int status, json_t *object)
{
    struct response a = {500, NULL, 0};
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    if (text) {
        a.status = status;
        a.body = text;
        a.length = strlen(text);
    }
    return a;
}

struct response greeting(void)
{
    return encoded(200, json_pack("{s:s}", "message", "Hello, World!"));
}

struct response profile(const char *id, size_t id_length)
{
    char name[80], email[80];
    if (id_length > 40)
        id_length = 40;
    snprintf(name, sizeof name, "User %.*s", (int)id_length, id);
    snprintf(email, sizeof email, "user%.*s@example.com", (int)id_length, id);
    return encoded(200, json_pack("{s:s%, s:s, s:s}", "id", id, id_length, "name", name, "email", email));
}

static struct response refused(const char *reason)
{
    return encoded(400, json_pack("{s:s}", "error", reason));
}

/* characters counts code points in UTF-8 (RFC 3629): all bytes but continuations. */
static size_t characters(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += (*text & 0xC0) != 0x80;
    return n;
}

/* broken is the first rule that a user breaks, or NULL. */
static const char *broken(json_t *user)
{
    json_t *name = json_object_get(user, "name"), *email = json_object_get(user, "email");
    json_t *age = json_object_get(user, "age"), *tags = json_object_get(user, "tags");
    size_t i;
    json_t *tag;

    if (!json_is_object(user))
        return "body: must be an object";
    if (!json_is_string(name) || !*json_string_value(name) || characters(json_string_value(name)) > 100)
        return "name: must have 1 to 100 characters";
    if (!json_is_string(email) || !strchr(json_string_value(email), '@'))
        return "email: must contain an @";
    if (!json_is_integer(age) || json_integer_value(age) < 0 || json_integer_value(age) > 150)
        return "age: must be from 0 to 150";
    if (tags && !json_is_array(tags))
        return "tags: must be a list";
    if (json_array_size(tags) > 10)
        return "tags: must be at most 10";
    json_array_foreach(tags, i, tag)
        if (!json_is_string(tag))
            return "tags: must be strings";
    return NULL;
}

struct response create_user(const char *body, size_t length)
{
    json_error_t error;
    char reason[JSON_ERROR_TEXT_LENGTH + 8];
    json_t *user = json_loadb(body, length, 0, &error);
    if (!user) {
        snprintf(reason, sizeof reason, "body: %s", error.text);
        return refused(reason);
    }
    const char *rule = broken(user);
    struct response a = rule ? refused(rule)
                           : encoded(201, json_pack("{s:s, s:O, s:O}", "id", "1", "name", json_object_get(user, "name"),
                                                    "email", json_object_get(user, "email")));
    json_decref(user);
    return a;
}
