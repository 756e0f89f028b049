package service

import (
	"context"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// TestRedis: seeded by commands and a file, reset, read, and only with its password.
func TestRedis(t *testing.T) {
	needs(t, study.Redis)
	h := newTestHost(t)
	set, err := StartAll(t.Context(), h, []study.Service{{
		Name: "cache", Use: study.Redis, As: "REDIS_URL", Reset: study.ResetTrial, Settings: map[string]string{"maxmemory": "10mb"},
		Seed: []study.Seed{{Commands: "SET greeting \"hello world\"\n# nothing\nSADD many a b c"}, {File: "seed.redis"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := set.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	k := own(t, h, study.Redis, set.Env()["REDIS_URL"])
	do := func(text string) error {
		return k.do(t.Context(), order{Do: "run", Text: text, Limit: time.Minute})
	}
	// RENAMENX fails if its first key isn't there.
	for _, key := range []string{"greeting", "many", "from-file"} {
		if err := do("RENAMENX " + key + " x-" + key); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	before := read(t, set, 0)
	if err := do("GET x-greeting\nGET nothing"); err != nil {
		t.Error(err)
	}
	after := read(t, set, 0)
	if after["hits"] != before["hits"]+1 || after["misses"] != before["misses"]+1 {
		t.Errorf("hits %v then %v, misses %v then %v", before["hits"], after["hits"], before["misses"], after["misses"])
	}
	for range 2 { // the first trial, and the second
		if err := set.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := do("RENAMENX greeting y"); err != nil {
		t.Error("not seeded again:", err)
	}
	if err := do("RENAMENX x-greeting z"); err == nil {
		t.Error("what the first trial wrote is there still")
	}
	if _, err := Start(t.Context(), h, study.Service{Name: "other", Use: study.Redis, As: "X", URL: local("redis://:wrong@", set.Instances()[0].parts[0].in.Port()) + "/0"}); err == nil {
		t.Error("it lets everybody in")
	}
	_, err = Start(t.Context(), h, study.Service{Name: "bad", Use: study.Redis, As: "X", Settings: map[string]string{"maxmemory-policy": "no-such"}})
	checkError(t, err, []string{"service bad", "exited before it was ready", "argument"})
	_, err = Start(t.Context(), h, study.Service{Name: "bad", Use: study.Redis, As: "X", Seed: []study.Seed{{File: "seed.redis"}, {File: "bad.redis"}}})
	checkError(t, err, []string{"service bad: seed 2: bad.redis: line 3: sett: ERR unknown command"})
	_, err = Start(t.Context(), h, study.Service{Name: "bad", Use: study.Redis, As: "X", URL: "redis://127.0.0.1/zero"})
	checkError(t, err, []string{"service bad: url: ", "its helper has ended", `invalid database number: "zero"`})
}

// TestHelperThatEnded: a helper that was killed, as by a system out of memory, costs its
// service nothing but readings. What can't be set back all the same is restarted.
func TestHelperThatEnded(t *testing.T) {
	needs(t, study.Redis)
	h := newTestHost(t)
	var told []string
	h.Tell = func(m i18n.Message) { told = append(told, m.String()) }
	set, err := StartAll(t.Context(), h, []study.Service{{Name: "cache", Use: study.Redis, As: "REDIS_URL", Reset: study.ResetTrial}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := set.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	prepare := func() {
		t.Helper()
		if err := set.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		if read(t, set, 0)["commands"] == 0 {
			t.Error("no statistics")
		}
	}
	prepare()
	first := set.Instances()[0]
	if err := first.parts[0].kit.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-first.parts[0].kit.ended
	prepare()
	if set.Instances()[0] != first {
		t.Error("the server was restarted, though only its helper had ended")
	}
	// A password that the helper doesn't know: no order of its is carried out any more.
	k := own(t, h, study.Redis, set.Env()["REDIS_URL"])
	if err := k.do(t.Context(), order{Do: "run", Text: "CONFIG SET requirepass other\nCLIENT KILL TYPE normal", Limit: time.Minute}); err != nil {
		t.Fatal(err)
	}
	prepare()
	if set.Instances()[0] == first || !strings.Contains(strings.Join(told, "\n"), "restarted, as its data could not be set back: ") {
		t.Errorf("not restarted, or not said: %q", told)
	}
}

func TestRedisMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Start(t.Context(), newTestHost(t), study.Service{Name: "cache", Use: study.Redis, As: "X"})
	checkError(t, err, []string{"service cache: this machine lacks redis-server", "dyno services install redis says what installs it"})
}
