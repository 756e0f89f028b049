package subject

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestWithBuildFlags(t *testing.T) {
	m := Manifest{Name: "go/x", Language: "go", Build: Recipe{Command: "GOFLAGS=-mod=readonly go build -trimpath -o $OUT/server ."}}
	for flags, want := range map[string]string{
		"":                  m.Build.Command,
		"-race":             "GOFLAGS=-mod=readonly go build -trimpath -race -o $OUT/server .",
		"'-ldflags=-s -w'":  "GOFLAGS=-mod=readonly go build -trimpath '-ldflags=-s -w' -o $OUT/server .",
		"-tags=a -gcflags=": "GOFLAGS=-mod=readonly go build -trimpath -tags=a -gcflags= -o $OUT/server .",
	} {
		got, err := m.WithBuildFlags(flags)
		if err != nil || got.Build.Command != want {
			t.Errorf("%q: got %q, %v, want %q", flags, got.Build.Command, err, want)
		}
	}
	other := m
	other.Language = "rust"
	if _, err := other.WithBuildFlags("-race"); err == nil || !strings.Contains(err.Error(), "go/x is not built by") {
		t.Errorf("a program in Rust: %v", err)
	}
	if _, err := m.WithBuildFlags("'"); err == nil {
		t.Error("an open quotation is accepted")
	}
}

// TestBuildFlagsHaveTheirOwnPlace: flags make another build, the same flags the
// same.
func TestBuildFlagsHaveTheirOwnPlace(t *testing.T) {
	key := func(flags string) string {
		m, err := Manifest{Name: "go/x", Language: "go", Build: Recipe{Command: "go build -o $OUT/server ."}}.WithBuildFlags(flags)
		if err != nil {
			t.Fatal(err)
		}
		key, err := buildKey(os.DirFS("."), nil, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	if key("-race") == key("") || key("-race") != key("-race") {
		t.Errorf("keys %s, %s, %s", key(""), key("-race"), key("-race"))
	}
}

func TestWithArgs(t *testing.T) {
	shipped := StartSpec{Name: "x", Command: []string{"/bin/echo", "-port", "$PORT"}}
	with, err := shipped.WithArgs(`--a=1 'b $PORT'`)
	if err != nil {
		t.Fatal(err)
	}
	o, err := with.launchRequest(80)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"/bin/echo", "-port", "80", "--a=1", "b $PORT"}; !slices.Equal(o.Argv, want) {
		t.Errorf("got %q, want %q", o.Argv, want)
	}
	if len(shipped.Command) != 3 {
		t.Errorf("the specification itself changed: %q", shipped.Command)
	}
	own := StartSpec{Name: "x", Shell: "exec ./server -port $PORT\n"}
	if with, err = own.WithArgs(`--a 'b c'`); err != nil || with.Shell != "exec ./server -port $PORT --a 'b c'" {
		t.Errorf("got %q, %v", with.Shell, err)
	}
	if _, err := own.WithArgs("'"); err == nil {
		t.Error("an open quotation is accepted")
	}
}
