package nano_test

import (
	"io"
	"math"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"dyno.example/nano"
)

// TestServingDoesNotAllocate counts what the process allocates while it serves
// many requests: the odd object of the runtime, none per request.
func TestServingDoesNotAllocate(t *testing.T) {
	bodies := regexp.MustCompile("\r\n\r\n(hello|12345)")
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
		buf, size := make([]byte, 64<<10), 0
		for whole := strings.Count(wire, " HTTP/1.1\r\n"); len(bodies.FindAll(buf[:size], -1)) < whole; {
			n, err := c.Conn.Read(buf[size:])
			if err != nil {
				t.Fatal(err)
			}
			size += n
		}
		question := []byte(wire)
		ask := func() {
			c.Conn.Write(question)
			io.ReadFull(c.Conn, buf[:size])
		}
		noAllocations(t, name, ask)
	}
}

// noAllocations holds calls of ask to none at all. On a busy machine a handler may be held
// up for so long that the loop goes on in a fresh goroutine, which is allocated, and the
// runtime allocates now and then: the least of many short tries counts, so that some have
// nothing of that.
func noAllocations(t *testing.T, name string, ask func()) {
	t.Helper()
	const tries, each = 100, 100
	for range 2 * each {
		ask()
	}
	least := math.Inf(1)
	for range tries {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range each {
			ask()
		}
		runtime.ReadMemStats(&after)
		if least = min(least, float64(after.Mallocs-before.Mallocs)/each); least <= 0.1 {
			return
		}
	}
	t.Errorf("%s: %.2f allocations per request, want 0", name, least)
}
