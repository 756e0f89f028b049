package service

import (
	"context"
	"strings"
	"testing"

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
		if strings.Count(text, "password ") != starts+1 || strings.Count(text, "started anew") != starts || strings.Contains(text, "opensesame") {
			t.Errorf("after %d more starts: %q", starts, text)
		}
	}
}

// Of a long log the beginning and the end are kept.
func TestLogsAreBounded(t *testing.T) {
	text := "first line\n" + strings.Repeat("x", 3*logMost) + "\nlast line"
	got := string(bounded([]byte(text)))
	if len(got) > logMost || !strings.HasPrefix(got, "first line") || !strings.HasSuffix(got, "last line") || !strings.Contains(got, "left out") {
		t.Errorf("%d bytes", len(got))
	}
	if got := (*Set)(nil).Logs(); got != nil {
		t.Errorf("of none: %v", got)
	}
}
