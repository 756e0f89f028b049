# The subject crystal/http: the standard library's HTTP::Server, which Kemal and Lucky
# are built on, one process for each CPU.
require "http/server"
require "json"
require "./users"
require "../dynoprobe/dynoprobe"

def json(context, status, value)
  context.response.status = status
  context.response.content_type = "application/json"
  context.response.print value.to_json
end

def create_user(context)
  user = NewUser.from_json(context.request.body || "")
  if reason = user.broken
    return json context, HTTP::Status::BAD_REQUEST, {error: reason}
  end
  context.response.headers["Location"] = "/users/1/profile"
  json context, HTTP::Status::CREATED, {id: "1", name: user.name, email: user.email}
rescue e : JSON::ParseException
  json context, HTTP::Status::BAD_REQUEST, {error: "body: #{e.message.try &.lines.first}"}
end

def answer(context)
  path = context.request.path
  case {context.request.method, path}
  when {"GET", "/plaintext"}
    context.response.content_type = "text/plain"
    context.response.print "Hello, World!"
  when {"GET", "/json"}
    json context, HTTP::Status::OK, {message: "Hello, World!"}
  when {"POST", "/api/users"}
    create_user context
  else
    if context.request.method == "GET" && (match = path.match(%r{\A/users/([^/]+)/profile\z}))
      id = match[1]
      json context, HTTP::Status::OK, {id: id, name: "User #{id}", email: "user#{id}@example.com"}
    else
      context.response.respond_with_status(HTTP::Status::NOT_FOUND)
    end
  end
end

host, port = "127.0.0.1", 8080
ARGV.each_slice(2) do |(flag, value)|
  case flag
  when "-host" then host = value
  when "-port" then port = value.to_i
  else              abort "unknown: #{flag}"
  end
end

server = HTTP::Server.new { |context| answer(context) }
server.bind_tcp(host, port, reuse_port: true)
# Handlers don't wait, so what has come in has its response before a signal is seen.
Signal::TERM.trap { server.close }
Signal::INT.trap { server.close }
Dynoprobe.start
server.listen
