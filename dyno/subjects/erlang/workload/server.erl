%% The subject erlang/workload: pieces of work that claims are about, on Cowboy.
-module(server).
-export([main/0, init/2]).

main() ->
    dynoprobe:start(),
    {ok, _} = application:ensure_all_started(cowboy),
    Args = init:get_plain_arguments(),
    {ok, Address} = inet:parse_address(argument("-host", Args, "127.0.0.1")),
    Port = list_to_integer(argument("-port", Args, "8080")),
    Wait = list_to_integer(os:getenv("WORK_WAIT_MS", "20")),
    Routes = cowboy_router:compile([{'_', [
        {"/plaintext", ?MODULE, {0, <<"Hello, World!">>}},
        {"/none", ?MODULE, {0, <<"0">>}},
        {"/wait", ?MODULE, {Wait, <<"0">>}}
    ]}]),
    Options = #{env => #{dispatch => Routes}, max_keepalive => infinity},
    Transport = #{socket_opts => [{ip, Address}, {port, Port}], max_connections => 65536, num_acceptors => 16},
    {ok, _} = cowboy:start_clear(http, Transport, Options),
    ok.

argument(Flag, [Flag, Value | _], _) -> Value;
argument(Flag, [_ | Rest], Default) -> argument(Flag, Rest, Default);
argument(_, [], Default) -> Default.

%% Cowboy has a process for each request, which may wait.
init(Request, {Wait, Text} = State) ->
    timer:sleep(Wait),
    {ok, cowboy_req:reply(200, #{<<"content-type">> => <<"text/plain">>}, Text, Request), State}.
