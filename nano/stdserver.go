package nano

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// stdServer serves an app by net/http: listeners that aren't sockets, and systems
// that have no event loop of ours.
type stdServer struct {
	once   sync.Once
	server *http.Server
	done   chan struct{} // closed when Shutdown has ended
}

func (s *stdServer) get(a *App) *http.Server {
	s.once.Do(func() {
		l := a.config.Limits
		s.done = make(chan struct{})
		s.server = &http.Server{
			Handler:           a,
			ReadHeaderTimeout: positive(l.ReadHead),
			IdleTimeout:       positive(l.Idle),
			MaxHeaderBytes:    l.Head,
			ErrorLog:          slog.NewLogLogger(a.config.Logger.Handler(), slog.LevelWarn),
		}
	})
	return s.server
}

func positive(d time.Duration) time.Duration { return max(d, 0) }

// serve returns nil when the app has been shut down.
func (s *stdServer) serve(a *App, ln net.Listener) error {
	err := s.get(a).Serve(ln)
	if errors.Is(err, http.ErrServerClosed) {
		<-s.done
		return nil
	}
	return err
}

// shutdown drains; what is left at the end of Limits.Drain or ctx is cut.
func (s *stdServer) shutdown(a *App, ctx context.Context) error {
	server := s.get(a)
	if d := a.config.Limits.Drain; d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	err := server.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, server.Close())
	}
	s.once.Do(func() {})
	close(s.done)
	return err
}
