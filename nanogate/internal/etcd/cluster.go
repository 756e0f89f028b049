package etcd

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/shared"
)

// cluster is an etcd cluster that is in use: one client, made when it is needed and
// replaced when it may be the cause of failures.
type cluster struct {
	config  *config.EtcdCluster
	timing  timing
	follows shared.Map[*follow] // by prefix

	ctx    context.Context // of its clients
	cancel context.CancelFunc

	mu     sync.Mutex
	client *clientv3.Client
}

func newCluster(c *config.EtcdCluster, t timing) *cluster {
	ctx, cancel := context.WithCancel(context.Background())
	return &cluster{config: c, timing: t, ctx: ctx, cancel: cancel}
}

// connected returns the client, logged in. ctx is of the login only: the client is for
// others too.
func (c *cluster) connected(ctx context.Context) (*clientv3.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil {
		return c.client, nil
	}
	living, cancel := context.WithCancel(c.ctx)
	stop := context.AfterFunc(ctx, cancel)
	client, err := dial(living, c.config, c.timing)
	if !stop() && err == nil {
		err = ctx.Err()
		_ = client.Close()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	c.client = client
	return client, nil
}

// discard ends a client, if it is still the one in use: the next one reads the
// credentials and certificates again and logs in with them.
func (c *cluster) discard(client *clientv3.Client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if client != nil && c.client == client {
		c.client = nil
		_ = client.Close()
	}
}

func (c *cluster) close() {
	c.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil {
		_ = c.client.Close()
		c.client = nil
	}
}

// most bounds a message of etcd, in bytes: ten thousand instances take a few MB.
const most = 64 << 20

// dial makes a client. It doesn't wait for the connection, except, with a user, for the
// login.
func dial(ctx context.Context, c *config.EtcdCluster, t timing) (*clientv3.Client, error) {
	login, err := credentialsOf(c)
	if err != nil {
		return nil, err
	}
	client, err := clientv3.New(clientv3.Config{
		Context: ctx, Endpoints: c.Endpoints, DialTimeout: c.Timeout,
		Username: login.user, Password: login.password, TLS: login.tls,
		DialKeepAliveTime: t.keepAlive, DialKeepAliveTimeout: t.keepAlive / 2, PermitWithoutStream: true,
		MaxUnaryRetries: 5, MaxCallRecvMsgSize: most,
		Logger: zap.NewNop(), // this package logs what has to be known
		DialOptions: []grpc.DialOption{
			grpc.WithChainUnaryInterceptor(atOnce),
			grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: t.first, Multiplier: 1.6, Jitter: 0.2, MaxDelay: t.longest / 4},
				MinConnectTimeout: c.Timeout,
			}),
		},
	})
	return client, plain(err)
}

// atOnce has a call fail when no member can be reached, and say why, in place of waiting
// for one until its time is up.
func atOnce(ctx context.Context, method string, request, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	return invoke(ctx, method, request, reply, cc, append(opts, grpc.WaitForReady(false))...)
}

// bounded calls with the timeout of a request to the cluster.
func (c *cluster) bounded(ctx context.Context, call func(ctx context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	err := call(bounded)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return errors.New("no response in " + c.config.Timeout.String())
	}
	return plain(err)
}

// plain is an error without the frame that gRPC puts around it.
func plain(err error) error {
	if err == nil {
		return nil
	}
	if s, ok := status.FromError(err); ok && s.Code() != codes.Unknown {
		return &callError{s.Code(), s.Message()}
	}
	// A watch that was cancelled has the frame in its text only.
	if text, ok := strings.CutPrefix(err.Error(), "rpc error: code = "); ok {
		if _, text, ok = strings.Cut(text, " desc = "); ok {
			return errors.New(text)
		}
	}
	return err
}

type callError struct {
	code codes.Code
	text string
}

func (e *callError) Error() string { return e.text }

// loginLost reports whether an error speaks of the login: a new one may help.
func loginLost(err error) bool {
	var call *callError
	if errors.As(err, &call) && (call.code == codes.Unauthenticated || call.code == codes.PermissionDenied) {
		return true
	}
	for _, known := range []error{rpctypes.ErrUserEmpty, rpctypes.ErrAuthFailed, rpctypes.ErrInvalidAuthToken, rpctypes.ErrAuthOldRevision, rpctypes.ErrPermissionDenied} {
		if err != nil && (errors.Is(err, known) || err.Error() == known.Error()) {
			return true
		}
	}
	return false
}

// pause is how long to wait before another try: twice as long each time, and a random
// part of that, so that gateways beside each other don't come back together. random is
// from 0 to 1.
func (t timing) pause(failures int, random float64) time.Duration {
	d := t.longest
	if failures < 30 {
		d = min(t.first<<max(0, failures-1), t.longest)
	}
	return d/2 + time.Duration(random*float64(d/2))
}
