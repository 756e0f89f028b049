package main

import (
	"fmt"
	"strconv"

	"dyno.example/nano"
)

// maxMiddlewares is a bound on a mistake, not on nano.
const maxMiddlewares = 1000

// settings are what studies vary, by environment variables. Without any the
// subject is nano with its defaults.
type settings struct {
	middlewares int  // NANO_MIDDLEWARES: how many that do nothing surround every route
	timing      bool // NANO_TIMING=on: nano times each of them
	garbage     int  // NANO_GARBAGE: how many small objects each request leaves to the collector
}

func settingsOf(getenv func(string) string) (s settings, err error) {
	if s.middlewares, err = count("NANO_MIDDLEWARES", getenv); err != nil {
		return s, err
	}
	if s.garbage, err = count("NANO_GARBAGE", getenv); err != nil {
		return s, err
	}
	switch v := getenv("NANO_TIMING"); v {
	case "", "off":
	case "on":
		s.timing = true
	default:
		return s, fmt.Errorf("NANO_TIMING is %q: set it to on or off", v)
	}
	return s, nil
}

func count(name string, getenv func(string) string) (int, error) {
	text := getenv(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxMiddlewares {
		return 0, fmt.Errorf("%s is %q: set it to a number from 0 to %d", name, text, maxMiddlewares)
	}
	return n, nil
}

// idle is a middleware that does nothing, so that what it costs is being one.
func idle(next nano.Handler) nano.Handler {
	return func(c nano.Ctx) error { return next(c) }
}

// part is an object of 146 bytes: seven make 1 KB a request.
type part struct {
	next  *part
	bytes [138]byte
}

// litter is a middleware that makes n objects on the heap for each request, as
// handlers do that build their responses from parts.
func litter(n int) nano.Middleware {
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			var all *part
			for range n {
				all = &part{next: all}
			}
			err := next(c)
			touch(all)
			return err
		}
	}
}

// touch keeps the compiler from leaving the objects out.
//
//go:noinline
func touch(all *part) {
	for ; all != nil; all = all.next {
		all.bytes[0]++
	}
}
