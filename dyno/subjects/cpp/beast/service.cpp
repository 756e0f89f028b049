#include "service.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

using nlohmann::json;

namespace service {

static response reply(const request& req, http::status status, const char* type, std::string body)
{
    response res(status, req.version());
    res.set(http::field::content_type, type);
    res.keep_alive(req.keep_alive());
    res.body() = std::move(body);
    res.prepare_payload();
    return res;
}

static response reply(const request& req, http::status status, const json& value)
{
    return reply(req, status, "application/json", value.dump());
}

static response refused(const request& req, const std::string& reason)
{
    return reply(req, http::status::bad_request, json{{"error", reason}});
}

// characters counts code points in UTF-8: all bytes but continuations.
static std::ptrdiff_t characters(const std::string& text)
{
    return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

// broken is the first rule that a user breaks, or null.
static const char* broken(const json& user)
{
    if (!user.is_object())
        return "body: must be an object";
    static const json none;
    const auto field = [&user](const char* name) -> const json& {
        const auto found = user.find(name);
        return found == user.end() ? none : *found;
    };
    const auto *name = field("name").get_ptr<const std::string*>(), *email = field("email").get_ptr<const std::string*>();
    if (!name || name->empty() || characters(*name) > 100)
        return "name: must have 1 to 100 characters";
    if (!email || email->find('@') == std::string::npos)
        return "email: must contain an @";
    const auto& age = field("age");
    if (!age.is_number_integer() || age < 0 || age > 150)
        return "age: must be from 0 to 150";
    const auto& tags = field("tags");
    if (!tags.is_null() && (!tags.is_array() || tags.size() > 10))
        return "tags: must be at most 10";
    return nullptr;
}

static response create_user(const request& req)
try {
    const auto user = json::parse(req.body());
    if (const char* reason = broken(user))
        return refused(req, reason);
    auto res = reply(req, http::status::created, json{{"id", "1"}, {"name", user["name"]}, {"email", user["email"]}});
    res.set(http::field::location, "/users/1/profile");
    return res;
} catch (const json::parse_error& e) {
    return refused(req, std::string("body: ") + e.what());
}

static response profile(const request& req, const std::string& id)
{
    return reply(req, http::status::ok, json{{"id", id}, {"name", "User " + id}, {"email", "user" + id + "@example.com"}});
}

response answer(const request& req)
{
    static const std::string users = "/users/", end = "/profile";
    const std::string path(req.target().substr(0, req.target().find('?')));
    if (req.method() == http::verb::post && path == "/api/users")
        return create_user(req);
    if (req.method() == http::verb::get) {
        if (path == "/plaintext")
            return reply(req, http::status::ok, "text/plain", "Hello, World!");
        if (path == "/json")
            return reply(req, http::status::ok, json{{"message", "Hello, World!"}});
        if (path.size() > users.size() + end.size() && path.compare(0, users.size(), users) == 0 &&
            path.compare(path.size() - end.size(), end.size(), end) == 0) {
            const auto id = path.substr(users.size(), path.size() - users.size() - end.size());
            if (id.find('/') == std::string::npos)
                return profile(req, id);
        }
    }
    return reply(req, http::status::not_found, "text/plain", "not found");
}

} // namespace service
