%% Tells dyno of the collections of Erlang's virtual machine, where DYNO_PROBE_SOCKET names a
%% socket. A program that is measured calls dynoprobe:start(). Each process has its own heap
%% and is collected by itself, so nothing stops the world and there are no pauses to tell;
%% what collecting takes is microstate accounting's. dyno/docs/add-a-language.md describes what is
%% said.
-module(dynoprobe).
-export([start/0]).

start() ->
    case os:getenv("DYNO_PROBE_SOCKET", "") of
        "" -> ok;
        Path -> spawn(fun() -> tell(Path) end), ok
    end.

tell(Path) ->
    case gen_tcp:connect({local, Path}, 0, [local, binary, {packet, line}, {active, false}]) of
        {ok, Socket} ->
            process_flag(priority, high), % it responds in time also when all schedulers are busy
            erlang:system_flag(microstate_accounting, true),
            Hello = io_lib:format(
                "{\"dynoprobe\":1,\"pid\":~s,\"tells\":[\"gc_cycles\",\"gc_cpu\",\"heap\",\"goroutines\",\"helper_us\"]}~n",
                [os:getpid()]),
            _ = gen_tcp:send(Socket, Hello),
            serve(Socket, 0),
            erlang:system_flag(microstate_accounting, false),
            gen_tcp:close(Socket);
        {error, _} ->
            ok
    end.

%% Responds until dyno has gone, or says something else than "sample".
serve(Socket, Took) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, <<"sample\n">>} ->
            Began = erlang:monotonic_time(),
            case gen_tcp:send(Socket, answer(Began, Took)) of
                ok -> serve(Socket, erlang:monotonic_time() - Began);
                {error, _} -> ok
            end;
        _ ->
            ok
    end.

answer(Now, Took) ->
    {Cycles, _, _} = erlang:statistics(garbage_collection),
    Heap = lists:sum([Bytes || {_, Bytes} <- erlang:memory([processes_used, binary, ets])]),
    io_lib:format(
        "{\"mono\":~b,\"gc_cycles\":~b,\"gc_cpu_s\":~.6f,\"heap\":~b,\"goroutines\":~b,\"self_us\":~.3f}~n",
        %% The clock counts from before the machine has begun, so that its readings are negative.
        [erlang:convert_time_unit(Now - erlang:system_info(start_time), native, nanosecond), Cycles, collecting(), Heap,
         erlang:system_info(process_count), erlang:convert_time_unit(Took, native, nanosecond) / 1.0e3]).

%% The seconds that all of its threads have spent on collections.
collecting() ->
    Spent = [maps:get(gc, Counters, 0) || #{counters := Counters} <- erlang:statistics(microstate_accounting)],
    erlang:convert_time_unit(lists:sum(Spent), perf_counter, nanosecond) / 1.0e9.
