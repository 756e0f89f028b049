package grpc

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"math/big"
	"net"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"dyno.example/nano"
)

// service is a TestService made of functions.
type service struct {
	testgrpc.UnimplementedTestServiceServer
	unary  func(context.Context, *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error)
	out    func(*testgrpc.StreamingOutputCallRequest, testgrpc.TestService_StreamingOutputCallServer) error
	in     func(testgrpc.TestService_StreamingInputCallServer) error
	duplex func(testgrpc.TestService_FullDuplexCallServer) error
}

func (s *service) UnaryCall(ctx context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
	return s.unary(ctx, r)
}

func (s *service) StreamingOutputCall(r *testgrpc.StreamingOutputCallRequest, stream testgrpc.TestService_StreamingOutputCallServer) error {
	return s.out(r, stream)
}

func (s *service) StreamingInputCall(stream testgrpc.TestService_StreamingInputCallServer) error {
	return s.in(stream)
}

func (s *service) FullDuplexCall(stream testgrpc.TestService_FullDuplexCallServer) error {
	return s.duplex(stream)
}

// fixture is a server and a client of it.
type fixture struct {
	app    *nano.App
	server *Server
	conn   *grpc.ClientConn
	testgrpc.TestServiceClient
}

// serve serves what register registers, until the test ends.
func serve(t *testing.T, o Options, register func(*Server), dial ...grpc.DialOption) *fixture {
	t.Helper()
	dial = append([]grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}, dial...)
	return serveBy((*nano.App).Serve, t, o, register, dial...)
}

// serveTLS does so over TLS.
func serveTLS(t *testing.T, o Options, register func(*Server), dial ...grpc.DialOption) *fixture {
	t.Helper()
	cert, trust := certificate(t)
	dial = append([]grpc.DialOption{grpc.WithTransportCredentials(trust)}, dial...)
	return serveBy(func(a *nano.App, ln net.Listener) error {
		return a.ServeTLS(ln, &tls.Config{Certificates: []tls.Certificate{cert}})
	}, t, o, register, dial...)
}

// serveBy does so in a way of the app's.
func serveBy(listen func(*nano.App, net.Listener) error, t *testing.T, o Options, register func(*Server), dial ...grpc.DialOption) *fixture {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	o.Logger = quiet
	var f fixture
	config := nano.Config{H2C: true, Logger: quiet, NotFound: func(c nano.Ctx) error {
		return f.server.NotFound(func(nano.Ctx) error { return nano.NewProblem(404, "") })(c)
	}}
	f.app = nano.New(config)
	f.server = NewServer(f.app, o)
	register(f.server)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- listen(f.app, ln) }()
	if f.conn, err = grpc.NewClient("passthrough:///"+ln.Addr().String(), dial...); err != nil {
		t.Fatal(err)
	}
	f.TestServiceClient = testgrpc.NewTestServiceClient(f.conn)
	t.Cleanup(func() {
		f.conn.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := f.app.Shutdown(ctx); err != nil {
			t.Errorf("shutting down: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serving: %v", err)
		}
	})
	return &f
}

// with registers a service.
func with(s *service) func(*Server) {
	return func(server *Server) { testgrpc.RegisterTestServiceServer(server, s) }
}

// wantStatus checks the status of a call.
func wantStatus(t *testing.T, err error, code codes.Code) *status.Status {
	t.Helper()
	st := status.Convert(err)
	if st.Code() != code {
		t.Errorf("status %v (%s), want %v", st.Code(), st.Message(), code)
	}
	return st
}

func ctxOf(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// payload is one of n bytes.
func payload(n int) *testgrpc.Payload { return &testgrpc.Payload{Body: make([]byte, n)} }

// echo responds with a message's payload.
func echo(_ context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
	return &testgrpc.SimpleResponse{Payload: r.Payload}, nil
}

// certificate returns one for 127.0.0.1, and credentials of clients that trust it.
func certificate(t *testing.T) (tls.Certificate, credentials.TransportCredentials) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, credentials.NewTLS(&tls.Config{RootCAs: pool, ServerName: "127.0.0.1"})
}
