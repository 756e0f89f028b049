//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"

	"dyno.example/dyno/bench/rounds"
)

// What a request with JSON costs a gateway that makes a call over gRPC of it, and JSON of
// the call's response.
func transcodeCampaign() campaign {
	return campaign{
		name: "transcode", connections: 64, seconds: 3, gateways: transcodeGateways, load: (*lab).transcode, compare: compareTranscoded,
		builds:   map[string]func(*lab, context.Context) error{grpcGateway: (*lab).buildGRPCGateway},
		question: fmt.Sprintf("What CPU time does a POST of %d bytes of JSON take the gateway that goes on as a unary call over gRPC and gets JSON of the same in response, over HTTP/1.1 in a closed loop of 64 connections?", len(userSent)),
	}
}

var transcodeGateways = []gateway{
	{name: nanogate, command: func(l *lab, address string) []string {
		return []string{l.nanogate, "run", "--loops", "1", "-c", l.write("transcode.yaml", fmt.Sprintf(transcodeFile, address, l.path(usersDescribed), l.calls.Address))}
	}},
	{envoy, envoyVersion, func(l *lab, address string) []string {
		return l.envoy("envoy-transcode.yaml", address, fmt.Sprintf(envoyTranscoder, l.path(usersDescribed)))
	}, envoyInstall},
	{grpcGateway, []string{"env", "GOWORK=off", "go", "list", "-C", grpcGatewaySource, "-m", "github.com/grpc-ecosystem/grpc-gateway/v2"}, func(l *lab, address string) []string {
		return []string{l.path(grpcGatewayFile), address, l.calls.Address}
	}, "go mod download in " + grpcGatewaySource},
}

// grpc-gateway is a library: the program around it is in testdata, as a module of its own.
const (
	grpcGateway       = "grpc-gateway"
	grpcGatewaySource = "nanogate/bench/testdata/grpc-gateway"
	grpcGatewayFile   = "grpc-gateway" // in the lab's folder
)

// buildGRPCGateway builds it at the versions of its go.mod.
func (l *lab) buildGRPCGateway(ctx context.Context) error {
	return rounds.Execute(ctx, grpcGatewaySource, "go", "build", "-o", l.path(grpcGatewayFile), ".")
}

const transcodeFile = `listen: %s
routes: [{match: {path: "/*"}, grpc-json: {descriptors: %s}, to: calls}]
upstreams: {calls: ["h2c://%s"]}
`

const envoyTranscoder = `
                  - name: envoy.filters.http.grpc_json_transcoder
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.filters.http.grpc_json_transcoder.v3.GrpcJsonTranscoder
                      proto_descriptor: %s
                      services: [bench.Users]
                      convert_grpc_status: true`

// transcode puts the load on a gateway that has served one request correctly.
func (l *lab) transcode(ctx context.Context, c *campaign, s *rounds.Server, t *rounds.Trial) error {
	url := "http://" + s.Address + usersPath
	if err := transcodes(ctx, url); err != nil {
		return err
	}
	return l.cost(ctx, c, s, t, rounds.Load{Command: rounds.Wrk(c.connections, url), Parse: rounds.ParseLine, Env: []string{"BODY=" + userSent}})
}

// transcodes asks once and holds the response to what it has to be.
func transcodes(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(userSent))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var got, want any
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&got); err != nil {
		return fmt.Errorf("%s gives %s %q: %w", url, resp.Status, text, err)
	}
	if err := json.Unmarshal([]byte(userGiven), &want); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%s gives %s %s, not %s", url, resp.Status, text, userGiven)
	}
	return nil
}

func compareTranscoded(s *rounds.Summary) {
	for _, peer := range []string{envoy, grpcGateway} {
		s.Comparisons = append(s.Comparisons, rounds.Comparison{Figure: cpuFigure, Of: nanogate, Against: []string{peer}, Wanted: 0.4})
	}
}
