-- The subject lua/nginx: handlers in Lua inside nginx, one for each location.
local cjson = require "cjson.safe"

local app = {}

local function send(status, type, body)
    ngx.status = status
    ngx.header["Content-Type"] = type
    ngx.header["Content-Length"] = #body
    ngx.print(body)
end

local function json(status, value)
    send(status, "application/json", cjson.encode(value))
end

function app.plaintext()
    send(200, "text/plain", "Hello, World!")
end

function app.json()
    json(200, { message = "Hello, World!" })
end

function app.profile()
    local id = ngx.var.id
    json(200, { id = id, name = "User " .. id, email = "user" .. id .. "@example.com" })
end

-- characters counts code points in UTF-8: all bytes but continuations.
local function characters(text)
    local _, n = text:gsub("[^\128-\191]", "")
    return n
end

-- broken is the first rule that a user breaks, or nil.
local function broken(user)
    if type(user) ~= "table" or #user > 0 then
        return "body: must be an object"
    end
    if type(user.name) ~= "string" or user.name == "" or characters(user.name) > 100 then
        return "name: must have 1 to 100 characters"
    end
    if type(user.email) ~= "string" or not user.email:find("@", 1, true) then
        return "email: must contain an @"
    end
    if type(user.age) ~= "number" or user.age % 1 ~= 0 or user.age < 0 or user.age > 150 then
        return "age: must be from 0 to 150"
    end
    if user.tags ~= nil and (type(user.tags) ~= "table" or #user.tags > 10) then
        return "tags: must be at most 10"
    end
end

function app.create_user()
    if ngx.req.get_method() ~= "POST" then
        return send(404, "text/plain", "not found")
    end
    ngx.req.read_body()
    local user, err = cjson.decode(ngx.req.get_body_data() or "")
    if user == nil then
        return json(400, { error = "body: " .. err })
    end
    local reason = broken(user)
    if reason then
        return json(400, { error = reason })
    end
    ngx.header["Location"] = "/users/1/profile"
    json(201, { id = "1", name = user.name, email = user.email })
end

return app
