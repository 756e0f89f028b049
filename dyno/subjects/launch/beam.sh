# Sourced by subjects on Erlang's virtual machine: where Cowboy is. Debian has it in the
# package rabbitmq-server only, of which nothing else is used.
cowboy=$(ls -d /usr/lib/rabbitmq/lib/rabbitmq_server-*/plugins 2>/dev/null | tail -n 1)
export ERL_LIBS="$cowboy"
# No shell and no distribution, SIGTERM ends it (init:stop), schedulers by affinity.
beam="-noshell -noinput -kernel logger_level error"
