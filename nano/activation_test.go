package nano_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"dyno.example/nano"
)

const activationVar = "NANO_TEST_ACTIVATION"

// TestActivationProgram is the program that TestActivation starts: this test
// binary. It serves on what it was given until it is told to stop.
func TestActivationProgram(t *testing.T) {
	if os.Getenv(activationVar) == "" {
		t.Skip("this is a program for TestActivation")
	}
	listeners, err := nano.ActivationListeners()
	if err != nil || len(listeners) != 2 || listeners[0].Name != "web" || listeners[1].Name != "admin" {
		t.Fatal(listeners, err)
	}
	if again, err := nano.ActivationListeners(); len(again) != 0 || err != nil || os.Getenv("LISTEN_FDS") != "" {
		t.Fatal("the sockets were given out twice")
	}
	listeners[1].Close()
	app := nano.New(nano.Config{})
	stop := make(chan struct{})
	app.Post("/stop", func(c nano.Ctx) error { close(stop); return c.Text(200, "stopping") })
	ended := make(chan error, 1)
	go func() { ended <- app.Serve(listeners[0].Listener) }()
	select {
	case <-stop:
	case <-time.After(time.Minute): // it never outlives a test that fails
	}
	if err := app.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestActivation(t *testing.T) {
	t.Parallel() // it waits for processes, most of its time
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to set LISTEN_PID")
	}
	var files []*os.File
	var address string
	for range 2 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		f, err := ln.(*net.TCPListener).File()
		if err != nil {
			t.Fatal(err)
		}
		if files = append(files, f); address == "" {
			address = ln.Addr().String()
		}
		ln.Close()
	}
	program := exec.Command(shell, "-c", `LISTEN_PID=$$ exec "$0" -test.run='^TestActivationProgram$'`, os.Args[0])
	program.Env = append(os.Environ(), activationVar+"=1", "LISTEN_FDS=2", "LISTEN_FDNAMES=web:admin")
	program.ExtraFiles, program.Stdout, program.Stderr = files, os.Stdout, os.Stderr
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Process.Kill() })
	for _, f := range files {
		f.Close()
	}
	resp, err := http.Post("http://"+address+"/stop", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if string(body) != "stopping" {
		t.Errorf("%q", body)
	}
	if err := program.Wait(); err != nil {
		t.Error(err)
	}
}

func TestActivationOfOthers(t *testing.T) {
	t.Setenv("LISTEN_PID", "1") // not this process
	t.Setenv("LISTEN_FDS", "1")
	if got, err := nano.ActivationListeners(); len(got) != 0 || err != nil {
		t.Error(got, err)
	}
}

func TestNotify(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	if sent, err := nano.Notify("READY=1"); sent || err != nil {
		t.Error(sent, err)
	}
	path := filepath.Join(t.TempDir(), "notify")
	ln, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram", Name: path})
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	t.Setenv("NOTIFY_SOCKET", path)
	if sent, err := nano.Notify("READY=1"); !sent || err != nil {
		t.Fatal(sent, err)
	}
	b := make([]byte, 64)
	if n, err := ln.Read(b); string(b[:n]) != "READY=1" || err != nil {
		t.Errorf("%q %v", b[:n], err)
	}
}
