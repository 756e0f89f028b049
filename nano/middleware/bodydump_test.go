package middleware

import (
	"fmt"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

func TestBodyDump(t *testing.T) {
	var got []string
	a := nano.New(nano.Config{})
	a.Use(BodyDump(BodyDumpConfig{
		MaxBody: 8,
		Dump: func(_ nano.Ctx, request, response []byte) {
			got = append(got, fmt.Sprintf("%s|%s|%v", request, response, response == nil))
		},
		Skip: func(c nano.Ctx) bool { return string(c.Path()) == "/login" },
	}))
	a.Post("/", func(c nano.Ctx) error { return c.Text(200, "hello, you") })
	a.Post("/login", func(c nano.Ctx) error { return c.Text(200, "in") })
	a.Post("/stream", func(c nano.Ctx) error {
		return c.Stream(200, "text/plain", func(s *nano.Stream) error { _, err := s.WriteString("bit by bit"); return err })
	})
	a.Post("/fails", func(nano.Ctx) error { return nano.NewProblem(409, "") })
	client := nanotest.New(a)
	for _, target := range []string{"/", "/login", "/stream", "/fails"} {
		client.Post(target).Text("what was sent").Do()
	}
	want := []string{`what was|hello, y|false`, `what was||true`, `what was|{"title"|false`}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
	mustPanic(t, "no function", func() { BodyDump(BodyDumpConfig{}) })
}
