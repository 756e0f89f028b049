package subject

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
)

// behind is a server that is given the address of another one, which is started before it.
func behind(t *testing.T, mode string) StartSpec {
	t.Helper()
	up, s := serverSpec(t, mode), serverSpec(t, "good")
	up.Log = ""
	up.Timeout = time.Minute
	s.Upstream = &up
	return s
}

func TestStartBehindUpstream(t *testing.T) {
	in := startServer(t, behind(t, "good"))
	up := in.Upstream()
	if up == nil || up.PID() == in.PID() || up.Port() == in.Port() {
		t.Fatalf("upstream %+v of %+v", up, in)
	}
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(in.PID()) + "/environ")
	want := fmt.Sprintf("UPSTREAM=127.0.0.1:%d", up.Port())
	if err != nil || !bytes.Contains(environ, []byte(want)) {
		t.Errorf("the subject's environment lacks %s (%v)", want, err)
	}
	both := []identity{in.identity(t), up.identity(t)}
	stopServer(t, in)
	for _, id := range both {
		if alive(id) {
			t.Errorf("%d still runs", id.PID)
		}
	}
	if in.Err() != nil || up.Err() != nil {
		t.Errorf("%v, %v", in.Err(), up.Err())
	}
}

func TestUpstreamDies(t *testing.T) {
	in := startServer(t, behind(t, "good"))
	if err := syscall.Kill(in.Upstream().PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-in.Done():
	case <-time.After(time.Minute):
		t.Fatal("nobody noticed")
	}
	if err := in.Err(); err == nil || !strings.Contains(err.Error(), "the upstream of subject go/good is gone") {
		t.Errorf("%v", err)
	}
}

// That the upstream does not start is not the subject's fault.
func TestUpstreamDoesNotStart(t *testing.T) {
	_, err := Start(t.Context(), behind(t, "exit"))
	var own *StartError
	if err == nil || errors.As(err, &own) || !strings.Contains(err.Error(), "the upstream of subject go/good") || !strings.Contains(err.Error(), "no licence found") {
		t.Errorf("%v", err)
	}
	two := behind(t, "good")
	two.Upstream.Upstream = &StartSpec{Name: "another"}
	if _, err := Start(t.Context(), two); err == nil || !strings.Contains(err.Error(), "has an upstream of its own") {
		t.Errorf("%v", err)
	}
}

// A subject that does not start leaves no upstream behind.
func TestSubjectDoesNotStart(t *testing.T) {
	s := behind(t, "good")
	s.Command = append(s.Command, "-mode", "exit") // the last one counts
	var own *StartError
	if _, err := Start(t.Context(), s); !errors.As(err, &own) {
		t.Fatalf("%v", err)
	}
	if left := journalFiles(t, s.Upstream.StateDir); len(left) > 0 {
		t.Errorf("the upstream %v is still there", left)
	}
}

func TestCatalogChecksUpstreams(t *testing.T) {
	manifest := func(name, upstream string) *fstest.MapFile {
		text := strings.Replace(goodManifest, "name: go/gin", "name: "+name, 1)
		if upstream != "" {
			text += "upstream: " + upstream + "\n"
		}
		return &fstest.MapFile{Data: []byte(text)}
	}
	for _, c := range []struct{ upstream, its, wrong string }{
		{"go/up", "", ""},
		{"go/upp", "", `the upstream of go/gate: no subject "go/upp"; did you mean "go/up"?`},
		{"go/up", "go/gate", "has an upstream of its own; it must have none"},
	} {
		catalog, err := NewCatalog(fstest.MapFS{"go/gate/subject.yaml": manifest("go/gate", c.upstream), "go/up/subject.yaml": manifest("go/up", c.its)})
		if c.wrong == "" {
			if m, getErr := catalog.Get("go/gate"); err != nil || getErr != nil || m.Upstream != c.upstream {
				t.Errorf("%+v, %v, %v", m, err, getErr)
			}
		} else if err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%v, want %s", err, c.wrong)
		}
	}
}
