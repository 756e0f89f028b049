package main

import (
	"fmt"
	"strconv"
)

// maxMiddlewares is a bound on a mistake; Gin itself takes 62 handlers a route.
const maxMiddlewares = 50

// middlewaresOf reads MIDDLEWARES, which studies vary: how many that do nothing
// are around every route.
func middlewaresOf(getenv func(string) string) (int, error) {
	text := getenv("MIDDLEWARES")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxMiddlewares {
		return 0, fmt.Errorf("MIDDLEWARES is %q: set it to a number from 0 to %d", text, maxMiddlewares)
	}
	return n, nil
}
