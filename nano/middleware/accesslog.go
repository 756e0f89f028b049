package middleware

import (
	"log/slog"
	"math/rand/v2"

	"dyno.example/nano"
)

// AccessLogConfig is how [AccessLog] works.
type AccessLogConfig struct {
	// Logger gets the lines; default slog.Default() when AccessLog is called.
	Logger *slog.Logger
	// Sample is the fraction of requests that are logged, of those with a status below
	// 400 and no error; all others are always logged. 0 means 1: all. Negative: none.
	Sample float64
	// Query logs the query too. It is left out by default: queries hold tokens,
	// names and searches.
	Query bool
	// Level chooses the level of a line. The default is Error from 500 on and for
	// responses that were cut, but Warn if the client had gone; Warn from 400 on, Info for
	// all else.
	Level func(nano.Outcome) slog.Level
	// Attrs adds to a line, for instance the user's id.
	Attrs func(c nano.Ctx, line []slog.Attr) []slog.Attr
}

// AccessLog writes a line for every request when its response has been given to the
// wire: method, route, path, status, bytes of content, duration in seconds, address of
// the client, its request id if [RequestID] is there, and the error. No header field
// and no query is logged unless the config says so. The duration begins where the first
// middleware with a hook begins.
func AccessLog(config AccessLogConfig) nano.Middleware {
	l := &accessLog{AccessLogConfig: config}
	if l.Logger == nil {
		l.Logger = slog.Default()
	}
	if l.Sample == 0 {
		l.Sample = 1
	}
	if l.Level == nil {
		l.Level = levelOf
	}
	after := l.write
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			c.AfterResponse(after)
			return next(c)
		}
	}
}

type accessLog struct{ AccessLogConfig }

func levelOf(o nano.Outcome) slog.Level {
	switch {
	case o.Gone && (o.Status >= 400 || o.Cut):
		return slog.LevelWarn
	case o.Status >= 500 || o.Cut:
		return slog.LevelError
	case o.Status >= 400:
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

func (l *accessLog) write(c nano.Ctx, o nano.Outcome) {
	fine := o.Status < 400 && o.Err == nil && !o.Cut
	if fine && l.Sample < 1 && rand.Float64() >= l.Sample {
		return
	}
	level := l.Level(o)
	if !l.Logger.Enabled(c.Context(), level) {
		return
	}
	var space [12]slog.Attr
	line := l.attrs(c, o, space[:0])
	if l.Attrs != nil {
		line = l.Attrs(c, line)
	}
	l.Logger.LogAttrs(c.Context(), level, "request", line...)
}

func (l *accessLog) attrs(c nano.Ctx, o nano.Outcome, line []slog.Attr) []slog.Attr {
	route := ""
	if r := c.Route(); r != nil {
		route = r.Pattern()
	}
	line = append(line,
		slog.String("method", c.Method().String()),
		slog.String("route", route),
		slog.String("path", c.Path().String()),
		slog.Int("status", o.Status),
		slog.Int64("bytes", o.Size),
		slog.Float64("seconds", o.Took.Seconds()),
		slog.String("remote", c.RemoteAddr().Addr().String()))
	if id, ok := ID.Get(c); ok {
		line = append(line, slog.String("request_id", id))
	}
	if l.Query {
		line = append(line, slog.String("query", c.RawQuery().String()))
	}
	if o.Cut {
		line = append(line, slog.Bool("cut", true))
	}
	if o.Err != nil {
		line = append(line, slog.String("error", o.Err.Error()))
	}
	return line
}
