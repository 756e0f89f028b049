package main

import (
	"fmt"
	"strconv"
	"time"
)

const (
	// maxMiddlewares is a bound on a mistake, not on Fiber.
	maxMiddlewares = 1000
	defaultIdle    = 2 * time.Minute
)

// settings are what studies vary, by environment variables.
type settings struct {
	middlewares int           // MIDDLEWARES: how many are around every route
	wait        time.Duration // MIDDLEWARE_WAIT: how long each of them waits, as for a session store; 0 does nothing
	idle        time.Duration // IDLE_TIMEOUT: after which a connection without a request is closed
}

func settingsOf(getenv func(string) string) (s settings, err error) {
	s.idle = defaultIdle
	if text := getenv("MIDDLEWARES"); text != "" {
		s.middlewares, err = strconv.Atoi(text)
		if err != nil || s.middlewares < 0 || s.middlewares > maxMiddlewares {
			return s, fmt.Errorf("MIDDLEWARES is %q: set it to a number from 0 to %d", text, maxMiddlewares)
		}
	}
	if text := getenv("MIDDLEWARE_WAIT"); text != "" {
		s.wait, err = time.ParseDuration(text)
		if err != nil || s.wait < 0 || s.wait > time.Minute {
			return s, fmt.Errorf("MIDDLEWARE_WAIT is %q: set it to a duration such as 15ms, of at most a minute", text)
		}
	}
	if text := getenv("IDLE_TIMEOUT"); text != "" {
		s.idle, err = time.ParseDuration(text)
		if err != nil || s.idle <= 0 {
			return s, fmt.Errorf("IDLE_TIMEOUT is %q: set it to a duration such as 500ms", text)
		}
	}
	return s, nil
}
