%% The subject erlang/cowboy: Cowboy's handlers, a process a connection and one a request.
-module(server).
-export([main/0, init/2]).

-define(MAX_BODY, 1048576).

main() ->
    dynoprobe:start(),
    {ok, _} = application:ensure_all_started(cowboy),
    Args = init:get_plain_arguments(),
    {ok, Address} = inet:parse_address(argument("-host", Args, "127.0.0.1")),
    Port = list_to_integer(argument("-port", Args, "8080")),
    Routes = cowboy_router:compile([{'_', [
        {"/plaintext", ?MODULE, plaintext},
        {"/json", ?MODULE, greeting},
        {"/users/:id/profile", ?MODULE, profile},
        {"/api/users", ?MODULE, create_user}
    ]}]),
    Options = #{env => #{dispatch => Routes}, max_keepalive => infinity},
    Transport = #{socket_opts => [{ip, Address}, {port, Port}], max_connections => 16384, num_acceptors => 16},
    {ok, _} = cowboy:start_clear(http, Transport, Options),
    ok.

argument(Flag, [Flag, Value | _], _) -> Value;
argument(Flag, [_ | Rest], Default) -> argument(Flag, Rest, Default);
argument(_, [], Default) -> Default.

init(Request, Route) ->
    {ok, answer(Route, cowboy_req:method(Request), Request), Route}.

answer(plaintext, <<"GET">>, Request) ->
    cowboy_req:reply(200, #{<<"content-type">> => <<"text/plain">>}, <<"Hello, World!">>, Request);
answer(greeting, <<"GET">>, Request) ->
    json(200, #{message => <<"Hello, World!">>}, Request);
answer(profile, <<"GET">>, Request) ->
    Id = cowboy_req:binding(id, Request),
    json(200, #{id => Id, name => <<"User ", Id/binary>>, email => <<"user", Id/binary, "@example.com">>}, Request);
answer(create_user, <<"POST">>, Request) ->
    case cowboy_req:read_body(Request, #{length => ?MAX_BODY}) of
        {ok, Body, Read} -> create_user(Body, Read);
        {more, _, Read} -> json(413, #{error => <<"body: larger than 1 MiB">>}, Read)
    end;
answer(_, _, Request) ->
    cowboy_req:reply(404, #{<<"content-type">> => <<"text/plain">>}, <<"not found">>, Request).

create_user(Body, Request) ->
    try jiffy:decode(Body, [return_maps]) of
        User ->
            case broken(User) of
                none ->
                    #{<<"name">> := Name, <<"email">> := Email} = User,
                    Located = cowboy_req:set_resp_header(<<"location">>, <<"/users/1/profile">>, Request),
                    json(201, #{id => <<"1">>, name => Name, email => Email}, Located);
                Reason ->
                    json(400, #{error => Reason}, Request)
            end
    catch
        error:{Position, Reason} ->
            json(400, #{error => iolist_to_binary(io_lib:format("body: ~p at ~p", [Reason, Position]))}, Request);
        _:_ ->
            json(400, #{error => <<"body: no JSON">>}, Request)
    end.

%% The first rule that a user breaks.
broken(User) when not is_map(User) ->
    <<"body: must be an object">>;
broken(User) ->
    Name = maps:get(<<"name">>, User, null),
    Email = maps:get(<<"email">>, User, null),
    Age = maps:get(<<"age">>, User, null),
    Tags = maps:get(<<"tags">>, User, []),
    Length = if is_binary(Name) -> string:length(Name); true -> 0 end,
    At = is_binary(Email) andalso binary:match(Email, <<"@">>) =/= nomatch,
    if
        Length < 1; Length > 100 -> <<"name: must have 1 to 100 characters">>;
        not At -> <<"email: must contain an @">>;
        not is_integer(Age); Age < 0; Age > 150 -> <<"age: must be from 0 to 150">>;
        not is_list(Tags); length(Tags) > 10 -> <<"tags: must be at most 10">>;
        true -> none
    end.

json(Status, Value, Request) ->
    cowboy_req:reply(Status, #{<<"content-type">> => <<"application/json">>}, jiffy:encode(Value), Request).
