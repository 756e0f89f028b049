# frozen_string_literal: true

# The service in Sinatra, in its modular style.

require "json"
require "sinatra/base"

require_relative "users"

class App < Sinatra::Base
  set :environment, :production
  set :logging, false
  set :host_authorization, {}
  disable :show_exceptions, :raise_errors

  helpers do
    def answer(status, value)
      content_type :json
      halt status, JSON.generate(value)
    end
  end

  get "/plaintext" do
    content_type "text/plain"
    "Hello, World!"
  end

  get "/json" do
    answer 200, { message: "Hello, World!" }
  end

  get "/users/:id/profile" do
    id = params["id"]
    answer 200, { id: id, name: "User #{id}", email: "user#{id}@example.com" }
  end

  post "/api/users" do
    user = begin
      JSON.parse(request.body.read)
    rescue JSON::ParserError => e
      answer 400, { error: "body: #{e.message.lines.first.scrub.strip}" }
    end
    reason = Users.broken(user)
    answer 400, { error: reason } if reason
    headers "Location" => "/users/1/profile"
    answer 201, { id: "1", name: user["name"], email: user["email"] }
  end
end
