// Package flight lets dyno take the last seconds of a Go program's execution trace when a
// request was slow. A program under test imports it for its effect:
//
//	import _ "dynoprobe/flight"
//
// Nothing happens unless the environment variable DYNO_FLIGHT_SOCKET names a unix socket. Then
// the runtime's flight recorder runs, which costs CPU time all along, and one goroutine connects
// to the socket and responds to each line "snapshot" with a line of JSON, {"bytes":N} and N bytes
// of trace after it, or {"error":"…"}. It neither logs nor panics.
package flight

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"os"
	"runtime/trace"
	"strconv"
	"time"
)

// How much the recorder keeps.
const (
	leastAge  = 2 * time.Second
	mostBytes = 8 << 20
)

func init() { start(os.Getenv("DYNO_FLIGHT_SOCKET")) }

// start serves the socket in the background and reports whether there is one.
func start(socket string) bool {
	if socket == "" {
		return false
	}
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: leastAge, MaxBytes: mostBytes})
	unable := recorder.Start()
	go func() {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			recorder.Stop()
			return
		}
		defer conn.Close()
		serve(conn, recorder, unable)
		recorder.Stop()
	}()
	return true
}

// serve responds until conn fails or sends something that is not understood.
func serve(conn io.ReadWriter, recorder *trace.FlightRecorder, unable error) {
	lines := bufio.NewReaderSize(conn, 64)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil || string(bytes.TrimSpace(line)) != "snapshot" {
			return
		}
		var snapshot bytes.Buffer
		err = unable
		if err == nil {
			_, err = recorder.WriteTo(&snapshot)
		}
		head := `{"bytes":` + strconv.Itoa(snapshot.Len()) + "}\n"
		if err != nil {
			head = `{"error":` + strconv.QuoteToASCII(err.Error()) + "}\n"
			snapshot.Reset()
		}
		if _, err := io.WriteString(conn, head); err != nil {
			return
		}
		if _, err := snapshot.WriteTo(conn); err != nil {
			return
		}
	}
}
