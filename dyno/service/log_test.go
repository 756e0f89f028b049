package service

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno.example/dyno/study"
)

// What a service has printed is kept over its starts, without the password in its address.
func TestLogsAreKept(t *testing.T) {
	if testing.Short() {
		t.Skip("starts programs")
	}
	python(t)
	set, err := StartAll(t.Context(), newTestHost(t), []study.Service{{
		Name: "mock", Run: `echo "password opensesame"; exec python3 -c "$MOCK"`, As: "MOCK_URL", Address: "http://me:opensesame@127.0.0.1:$PORT/", Env: map[string]string{"MOCK": mock},
		Ready: "/up", Reset: study.ResetRestart,
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := set.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for starts := range 3 {
		if err := set.Prepare(t.Context()); err != nil { // the first finds it fresh
			t.Fatal(err)
		}
		logs := set.Logs()
		if len(logs) != 1 || logs[0].Name != "mock" {
			t.Fatalf("%+v", logs)
		}
		text := string(logs[0].Text)
		if strings.Count(text, "password ") != starts+1 || strings.Count(text, "--- restarted ---") != starts || strings.Contains(text, "opensesame") {
			t.Errorf("after %d more starts: %q", starts, text)
		}
	}
}

// Of a long log the beginning and the end are kept.
func TestLogsAreBounded(t *testing.T) {
	var list []Log
	for range 20 {
		list = joined(list, []Log{{"db", []byte("first line\n" + strings.Repeat("x", logMost/3) + "\nlast line")}, {"cache", []byte("ready")}})
	}
	if len(list) != 2 || strings.Count(string(list[1].Text), "ready") != 20 {
		t.Fatalf("%d logs, %q", len(list), list[1].Text)
	}
	const note = 100 // bytes that say what is left out
	if got := string(list[0].Text); len(got) > logMost+note || !strings.HasPrefix(got, "first line") || !strings.HasSuffix(got, "last line") || !strings.Contains(got, "left out") {
		t.Errorf("%d bytes", len(got))
	}
	if got := (*Set)(nil).Logs(); got != nil {
		t.Errorf("of none: %v", got)
	}
}

// TestNoSecretInErrors: what a server has printed last comes into errors, but no password of its.
func TestNoSecretInErrors(t *testing.T) {
	needs(t, study.Postgres)
	h := newTestHost(t)
	h.LogFile = func(part string) string { return "logs of " + part }
	in := start(t, h, study.Service{Name: "db", Use: study.Postgres, As: "URL"})
	password := in.parts[0].kit.url[strings.Index(in.parts[0].kit.url, "dyno:")+5:]
	password, _, _ = strings.Cut(password, "@")
	k := own(t, h, study.Postgres, in.env["URL"])
	// A statement with an error is logged in full.
	_ = k.do(t.Context(), order{Do: "run", Text: "SELECT '" + password + "' FROM nowhere", Limit: time.Minute})
	if err := syscall.Kill(in.parts[0].in.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-in.Failed():
	case <-time.After(time.Minute):
		t.Fatal("nobody has seen its end")
	}
	err := in.Err()
	checkError(t, err, []string{"service db died", "SELECT '***' FROM nowhere", "what it printed is in logs of db"})
	if strings.Contains(err.Error(), password) {
		t.Error("the error holds the password")
	}
	for _, one := range in.logs() {
		if strings.Contains(string(one.Text), password) {
			t.Errorf("the log of %s holds the password", one.Name)
		}
	}
}
