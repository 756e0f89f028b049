package flight

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"path/filepath"
	"runtime/trace"
	"testing"
)

// head is the line before a snapshot.
type head struct {
	Bytes int
	Error string
}

// ask asks for a snapshot.
func ask(t *testing.T, conn net.Conn, in *bufio.Reader) (head, []byte) {
	t.Helper()
	if _, err := io.WriteString(conn, "snapshot\n"); err != nil {
		t.Fatal(err)
	}
	line, err := in.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var h head
	if err := json.Unmarshal(line, &h); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	snapshot := make([]byte, h.Bytes)
	if _, err := io.ReadFull(in, snapshot); err != nil {
		t.Fatal(err)
	}
	return h, snapshot
}

// What the program did just now is in a snapshot, which is a trace; a second one comes too.
func TestSnapshots(t *testing.T) {
	if start("") {
		t.Error("started without a socket")
	}
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if !start(l.Addr().String()) {
		t.Fatal("not started")
	}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	for _, name := range []string{"first-region", "second-region"} {
		trace.WithRegion(context.Background(), name, func() {})
		h, snapshot := ask(t, conn, in)
		if h.Error != "" || !bytes.HasPrefix(snapshot, []byte("go 1.")) || !bytes.Contains(snapshot, []byte(name)) {
			t.Errorf("%+v, %d bytes without %s", h, len(snapshot), name)
		}
	}
}

// A program that records itself already says so.
func TestUnable(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	go func() {
		defer far.Close()
		serve(far, nil, io.ErrUnexpectedEOF)
	}()
	in := bufio.NewReader(near)
	if h, _ := ask(t, near, in); h.Error != io.ErrUnexpectedEOF.Error() {
		t.Errorf("%+v", h)
	}
	if _, err := io.WriteString(near, "stop\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := in.ReadByte(); err != io.EOF {
		t.Errorf("%v, want the end", err)
	}
}
