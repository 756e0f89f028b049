package contract

import (
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"
)

// calledOver starts a gRPC server that has its health to tell.
func calledOver(t *testing.T, state grpc_health_v1.HealthCheckResponse_ServingStatus, reflects bool) (url string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, h := grpc.NewServer(), health.NewServer()
	h.SetServingStatus("", state)
	grpc_health_v1.RegisterHealthServer(s, h)
	if reflects {
		reflection.Register(s)
	}
	go func() { _ = s.Serve(ln) }() // until Stop
	t.Cleanup(s.Stop)
	return "http://" + ln.Addr().String()
}

func TestVerifyCalls(t *testing.T) {
	const (
		check   = "grpc.health.v1.Health/Check"
		both    = "grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
		serving = grpc_health_v1.HealthCheckResponse_SERVING
	)
	ok := CallExpect{Messages: []any{map[string]any{"status": "SERVING"}}}
	unknown := []any{map[string]any{"service": "nobody"}}
	for _, tt := range []struct {
		name     string
		state    grpc_health_v1.HealthCheckResponse_ServingStatus
		silent   bool // without reflection
		call     Call
		want     []string // in the refusal; none: all is well
		problems int
	}{
		{"right", serving, false, Call{Method: check, Send: []any{map[string]any{}}, Expect: ok}, nil, 0},
		{"status", serving, false, Call{Method: check, Send: unknown, Expect: CallExpect{Status: codes.NotFound, Says: "unknown "}}, nil, 0},
		{"other status", serving, false, Call{Method: check, Send: unknown, Expect: ok}, []string{"- OK", "+ NotFound: unknown service"}, 1},
		{"other text", serving, false, Call{Method: check, Send: unknown, Expect: CallExpect{Status: codes.NotFound, Says: "service"}}, []string{"- NotFound: service…", "+ NotFound: unknown service"}, 1},
		{"other message", grpc_health_v1.HealthCheckResponse_NOT_SERVING, false, Call{Method: check, Send: []any{map[string]any{}}, Expect: ok},
			[]string{"Health/Check\n  health\n    - SERVING\n    + the health of the server is NOT_SERVING", `-     "status": "SERVING"`, `+     "status": "NOT_SERVING"`}, 2},
		{"both ways", serving, false, Call{Method: both, Send: []any{map[string]any{"host": "a"}, map[string]any{"host": "b"}}, Expect: CallExpect{Status: codes.InvalidArgument, Says: "invalid MessageRequest"}}, nil, 0},
		{"no reflection", serving, true, Call{Method: check, Send: []any{map[string]any{}}, Expect: ok}, []string{"reflection\n    - grpc.health.v1.Health/Check", "reflection is off"}, 1},
		{"no such service", serving, false, Call{Method: "a.B/C", Send: []any{map[string]any{}}, Expect: ok}, []string{"reflection\n    - a.B/C"}, 1},
		{"has no method", serving, false, Call{Method: "grpc.health.v1.Health/Chekc", Send: []any{map[string]any{}}, Expect: ok}, []string{"has no method"}, 1},
		{"message that doesn't fit", serving, false, Call{Method: check, Send: []any{map[string]any{"srevice": ""}}, Expect: ok}, []string{"- one for grpc.health.v1.HealthCheckRequest", "srevice"}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.call.Name = "a"
			err := (&Verifier{}).VerifyCalls(t.Context(), calledOver(t, tt.state, !tt.silent), []Call{tt.call})
			if (err == nil) != (tt.want == nil) {
				t.Fatalf("got %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("refusal lacks %q:\n%v", want, err)
				}
			}
			if refusal, _ := err.(*Refusal); refusal != nil && len(refusal.Problems) != tt.problems {
				t.Errorf("%d problems, want %d:\n%v", len(refusal.Problems), tt.problems, err)
			}
		})
	}
}
