package nano_test

import (
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"dyno/nano"
)

// TestServingDoesNotAllocate counts what the process allocates while it serves
// many requests: the odd object of the runtime, none per request.
func TestServingDoesNotAllocate(t *testing.T) {
	at, _ := serve(t, nano.Config{Loops: 1}, func(app *nano.App) {
		app.Get("/users/{id}", func(c nano.Ctx) error {
			c.SetHeader("X-User", "yes")
			return c.Bytes(200, "text/plain", c.Param("id"))
		})
		app.Post("/echo", func(c nano.Ctx) error {
			b, err := c.Body()
			if err != nil {
				return err
			}
			return c.Bytes(200, "text/plain", b)
		})
	})
	for name, wire := range map[string]string{
		"get":       get,
		"parameter": request("/users/12345"),
		"body":      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
		"pipelined": strings.Repeat(get, 16),
	} {
		c := dial(t, at)
		c.send(wire)
		buf := make([]byte, 64<<10)
		size, err := c.Conn.Read(buf) // one write answers all of it
		if err != nil {
			t.Fatal(err)
		}
		question := []byte(wire)
		ask := func() {
			c.Conn.Write(question)
			io.ReadFull(c.Conn, buf[:size])
		}
		ask()
		// On a busy machine a handler may be held up for so long that the loop goes on
		// in a fresh goroutine, which is allocated: the least of a few tries counts.
		least := math.Inf(1)
		for range 5 {
			if least = min(least, allocationsOf(ask)); least <= 0.1 {
				break
			}
		}
		if least > 0.1 {
			t.Errorf("%s: %.2f allocations per request, want 0", name, least)
		}
	}
}

// allocationsOf is how many allocations one of many calls makes in the mean.
func allocationsOf(ask func()) float64 {
	const n = 2000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		ask()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / n
}
