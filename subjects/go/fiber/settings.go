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
	middlewares int           // MIDDLEWARES: how many that do nothing are around every route
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
	if text := getenv("IDLE_TIMEOUT"); text != "" {
		s.idle, err = time.ParseDuration(text)
		if err != nil || s.idle <= 0 {
			return s, fmt.Errorf("IDLE_TIMEOUT is %q: set it to a duration such as 500ms", text)
		}
	}
	return s, nil
}
