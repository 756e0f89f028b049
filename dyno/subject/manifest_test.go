package subject

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

const goodManifest = `name: go/gin
language: go
framework: gin
version: 1.12.0
role: production
build:
  command: go build -trimpath -o $OUT/server .
  inputs: [".", "../dynoprobe"]
run: $OUT/server -port $PORT
ready: /plaintext
routes: ../../routes.yaml
probe: go
needs: [{command: go, check: go version, min: "1.26", install: see go.dev}]
env: {GIN_MODE: release}
remarks: as its README says
`

func TestParseManifest(t *testing.T) {
	got, err := ParseManifest("subject.yaml", "go/gin", []byte(goodManifest))
	if err != nil {
		t.Fatal(err)
	}
	want := Manifest{
		Name: "go/gin", Language: "go", Framework: "gin", Version: "1.12.0", Role: Production,
		Build:  Recipe{Command: "go build -trimpath -o $OUT/server .", Inputs: []string{"go/gin", "go/dynoprobe"}},
		Run:    "$OUT/server -port $PORT",
		Ready:  "/plaintext",
		Routes: "routes.yaml",
		Probe:  "go",
		Needs:  []Need{{Command: "go", Check: "go version", Min: "1.26", Install: "see go.dev"}},
		Env:    map[string]string{"GIN_MODE": "release"}, Remarks: "as its README says",
		Protocols: []string{"http/1.1"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestManifestSpeaks(t *testing.T) {
	m, err := ParseManifest("subject.yaml", "go/gin", []byte(goodManifest+"protocols: [h2]\n"))
	if err != nil || !m.Speaks("h2") || m.Speaks("http/1.1") || m.GRPC() {
		t.Errorf("%v, %v", m.Protocols, err)
	}
	called := strings.Replace(goodManifest, "/plaintext", "grpc", 1) + "protocols: [grpc]\n"
	if m, err = ParseManifest("subject.yaml", "go/gin", []byte(called)); err != nil || !m.GRPC() || m.Ready != "grpc" || !m.Speaks("h2") || m.Speaks("http/1.1") {
		t.Errorf("%v, %v", m.Protocols, err)
	}
}

func TestManifestOfABigSubject(t *testing.T) {
	text := strings.Replace(goodManifest, "inputs: [\".\", \"../dynoprobe\"]", "inputs: [\".\"]\n  disk: 250 MB", 1)
	text = strings.Replace(text, "install: see go.dev", "install: see go.dev, debian: [golang-go, libc6-dev]", 1)
	m, err := ParseManifest("subject.yaml", "go/gin", []byte(text+"cpus: one loop a CPU\nready_within: 40s\n"))
	if err != nil || m.Build.Disk != 250_000_000 || m.CPUs != "one loop a CPU" || m.ReadyWithin != 40*time.Second ||
		!slices.Equal(m.Needs[0].Debian, []string{"golang-go", "libc6-dev"}) {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestParseManifestErrors(t *testing.T) {
	tests := []struct {
		name     string
		old, new string // replaced in the good manifest
		want     []string
	}{
		{"unknown field", "framework:", "framwork:", []string{`s.yaml:3:1: unknown field "framwork"; did you mean "framework"?`, `field "framework" is missing`}},
		{"unknown nested field", "  command: go build", "  comand: go build", []string{`s.yaml:7:3: build: unknown field "comand"; did you mean "command"?`}},
		{"wrong role", "role: production", "role: produktion", []string{`s.yaml:5:7: role: "produktion" is not one of production, tuned, engine; did you mean "production"?`}},
		{"wrong name", "name: go/gin", "name: go/jin", []string{`s.yaml:1:7: name: "go/jin" must be the name of its folder, "go/gin"`}},
		{"upstream list", "probe: go", "upstream: [a]", []string{"upstream: expected text, got a list"}},
		{"ready within", "probe: go", "ready_within: 2m", []string{`s.yaml:12:15: ready_within: "2m" is not a time from 1s to 1m0s`}},
		{"package", "install: see go.dev", "install: see go.dev, debian: [\"--purge\"]", []string{`needs[0].debian[0]: "--purge" is not the name of a package`}},
		{"disk", "  inputs:", "  disk: 5GB\n  inputs:", []string{`s.yaml:8:9: build.disk: "5GB" is not a size on disk; expected one such as "60 MB"`}},
		{"unknown protocol", "probe: go", "protocols: [h2, h3]", []string{`s.yaml:12:17: protocols[1]: "h3" is not one of http/1.1, h2, grpc`}},
		{"protocol twice", "probe: go", "protocols: [h2, h2]", []string{`s.yaml:12:17: protocols[1]: "h2" is there twice`}},
		{"no protocol", "probe: go", "protocols: []", []string{`protocols: must name at least one protocol, such as "http/1.1"`}},
		{"twice", "probe: go", "ready: /x", []string{"s.yaml:12:1: ready: given twice"}},
		{"list for text", "version: 1.12.0", "version: [1]", []string{"s.yaml:4:10: version: expected text, got a list"}},
		{"nothing for text", "version: 1.12.0", "version:", []string{"version: expected text, got nothing"}},
		{"empty", "version: 1.12.0", `version: ""`, []string{"version: must not be empty"}},
		{"text for mapping", "env: {GIN_MODE: release}", "env: release", []string{`s.yaml:14:6: env: expected a mapping, got "release"`}},
		{"variable's name", "{GIN_MODE:", "{GIN-MODE:", []string{`"GIN-MODE" is not the name of an environment variable`}},
		{"escape", `"../dynoprobe"`, `"../../../etc"`, []string{"build.inputs[1]", "stays within"}},
		{"absolute", "routes: ../../routes.yaml", "routes: /etc/passwd", []string{"routes", "relative path"}},
		{"no inputs", `inputs: [".", "../dynoprobe"]`, "inputs: []", []string{"build.inputs: must name at least one folder"}},
		{"not a path", "ready: /plaintext", "ready: plaintext", []string{`s.yaml:10:8: ready: "plaintext" is not a path`}},
		{"shell", "run: $OUT/server", "run: cd / && $OUT/server", []string{`is run without a shell, so "&" can't be used`}},
		{"version", `min: "1.26"`, "min: newest", []string{`needs[0].min: "newest" is not a version`}},
		{"need's field", "install: see", "instal: see", []string{`did you mean "install"?`, `needs[0]: field "install" is missing`}},
		{"alias", "remarks: as its README says", "remarks: &a x\nprobe2: *a", []string{`unknown field "probe2"; did you mean "probe"?`}},
		{"alias as text", "version: 1.12.0", "version: &v 1\nremarks: *v", []string{"remarks: expected text, got an alias"}},
		{"syntax", "role: production", "role: [", []string{"s.yaml:", "not valid YAML"}},
		{"second document", "remarks: as", "---\nremarks: as", []string{"a second document"}},
		{"everything", goodManifest, "", []string{"s.yaml: the file is empty"}},
		{"a list", goodManifest, "- x", []string{"s.yaml:1:1: expected a mapping, got a list"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(goodManifest, tt.old, tt.new, 1)
			_, err := ParseManifest("s.yaml", "go/gin", []byte(text))
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error lacks %q:\n%v", want, err)
				}
			}
			var fe *FileError
			if !errors.As(err, &fe) || fe.File != "s.yaml" {
				t.Errorf("%v is not a FileError", err)
			}
		})
	}
}

func FuzzParseManifest(f *testing.F) {
	for _, seed := range []string{goodManifest, "", "a: &a [*a]", "- - -", "name: {", "\x00", "? [a]: b", "---\n---\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseManifest("s.yaml", "go/gin", data)
		if err == nil && (m.Name != "go/gin" || m.Build.Command == "" || m.Run == "") {
			t.Errorf("accepted %+v", m)
		}
	})
}

func TestCatalog(t *testing.T) {
	c, err := NewCatalog(os.DirFS("testdata/subjects"))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Names(); !reflect.DeepEqual(got, []string{"go/server"}) {
		t.Fatalf("names are %v", got)
	}
	m, err := c.Get("go/server")
	if err != nil || m.Name != c.List()[0].Name {
		t.Errorf("got %v, %v", m.Name, err)
	}
	routes, err := c.Routes(m)
	if err != nil || len(routes) != 3 {
		t.Errorf("got %d routes, %v", len(routes), err)
	}
	for wrong, want := range map[string]string{
		"go/sever": `no subject "go/sever"; did you mean "go/server"?`,
		"server":   `did you mean "go/server"?`,
		"nothing":  `no subject "nothing" (known: go/server)`,
	} {
		if _, err := c.Get(wrong); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Get(%q): error lacks %q: %v", wrong, want, err)
		}
	}
}
