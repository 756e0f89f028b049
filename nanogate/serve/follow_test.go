//go:build linux

package serve_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/serve"
)

// A file is followed: what is right is served when it is read again, what is wrong changes
// nothing, and the end of the context ends it.
func TestFollow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.yaml")
	write := func(body string) {
		t.Helper()
		if err := os.WriteFile(path, []byte("listen: 127.0.0.1:0\nroutes: [{respond: {body: "+body+"}}]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	g := quiet()
	file := serve.NewFile(g, path)
	ctx, end := context.WithCancel(t.Context())
	started, ended := make(chan *serve.Running, 1), make(chan error, 1)
	go func() { ended <- serve.Follow(ctx, g, file, func(r *serve.Running) { started <- r }) }()
	running := <-started
	until := func(want string) {
		t.Helper()
		got := ""
		for late := time.Now().Add(30 * time.Second); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
			resp, err := http.Get("http://" + running.Addresses()[0].String() + "/")
			if err != nil {
				t.Fatal(err)
			}
			b, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if got = string(b); got == want {
				return
			}
		}
		t.Fatalf("got %q, want %q", got, want)
	}
	until("one")
	write("two")
	file.Again()
	until("two")
	write("]")
	file.Again()
	for late := time.Now().Add(30 * time.Second); file.Status().Live; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("nobody says that the file is wrong")
		}
	}
	until("two")
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := serve.Follow(t.Context(), g, serve.NewFile(g, path), nil); err == nil || !strings.Contains(err.Error(), path+":") {
		t.Errorf("a file that is wrong from the start: %v", err)
	}
}
