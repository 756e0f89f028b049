# The subject elixir/cowboy: Cowboy's handlers in Elixir, a process a request.
defmodule Server do
  @max_body 1_048_576

  def main do
    :dynoprobe.start()
    {:ok, _} = Application.ensure_all_started(:cowboy)
    {flags, _, _} = OptionParser.parse(System.argv() |> Enum.map(&dashes/1), strict: [host: :string, port: :integer])
    {:ok, address} = flags |> Keyword.get(:host, "127.0.0.1") |> String.to_charlist() |> :inet.parse_address()

    routes =
      :cowboy_router.compile([
        {:_,
         [
           {"/plaintext", Server, :plaintext},
           {"/json", Server, :greeting},
           {"/users/:id/profile", Server, :profile},
           {"/api/users", Server, :create_user}
         ]}
      ])

    transport = %{
      socket_opts: [ip: address, port: Keyword.get(flags, :port, 8080)],
      max_connections: 16_384,
      num_acceptors: 16
    }

    {:ok, _} = :cowboy.start_clear(:http, transport, %{env: %{dispatch: routes}, max_keepalive: :infinity})
  end

  defp dashes("-host"), do: "--host"
  defp dashes("-port"), do: "--port"
  defp dashes(other), do: other

  def init(request, route), do: {:ok, answer(route, :cowboy_req.method(request), request), route}

  defp answer(:plaintext, "GET", request),
    do: :cowboy_req.reply(200, %{"content-type" => "text/plain"}, "Hello, World!", request)

  defp answer(:greeting, "GET", request), do: json(request, 200, %{message: "Hello, World!"})

  defp answer(:profile, "GET", request) do
    id = :cowboy_req.binding(:id, request)
    json(request, 200, %{id: id, name: "User #{id}", email: "user#{id}@example.com"})
  end

  defp answer(:create_user, "POST", request) do
    case :cowboy_req.read_body(request, %{length: @max_body}) do
      {:ok, body, request} -> create_user(request, body)
      {:more, _, request} -> json(request, 413, %{error: "body: larger than 1 MiB"})
    end
  end

  defp answer(_, _, request), do: :cowboy_req.reply(404, %{"content-type" => "text/plain"}, "not found", request)

  defp create_user(request, body) do
    with {:ok, user} <- decode(body), :ok <- Users.check(user) do
      request = :cowboy_req.set_resp_header("location", "/users/1/profile", request)
      json(request, 201, %{id: "1", name: user["name"], email: user["email"]})
    else
      {:error, reason} -> json(request, 400, %{error: reason})
    end
  end

  defp decode(body) do
    {:ok, :jiffy.decode(body, [:return_maps])}
  rescue
    e in ErlangError -> {:error, "body: #{inspect(e.original)}"}
  end

  defp json(request, status, value),
    do: :cowboy_req.reply(status, %{"content-type" => "application/json"}, :jiffy.encode(value), request)
end
