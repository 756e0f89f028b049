package setting

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"dyno.example/dyno/machine"
	"dyno.example/internal/i18n"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// tree reads a recorded machine: a line is "PATH: CONTENT".
func tree(t *testing.T, name string) fstest.MapFS {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".tree"))
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for line := range strings.Lines(string(data)) {
		path, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		if !ok {
			t.Fatalf("%s: %q is no file", name, line)
		}
		text = strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(strings.TrimPrefix(text, " "))
		files[path] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	return files
}

func fingerprint(files fstest.MapFS, steal float64) machine.Fingerprint {
	f := machine.Reader{Root: files}.Read()
	f.Steal = steal
	return f
}

func TestDescribeRecorded(t *testing.T) {
	for name, steal := range map[string]float64{"laptop": 0, "cloud": 0.007, "metal": 0, "container": 0} {
		t.Run(name, func(t *testing.T) {
			files := tree(t, name)
			var b bytes.Buffer
			if err := Describe(&b, Survey(files, fingerprint(files, steal)), i18n.Message.String); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b.Bytes(), want) {
				t.Errorf("got\n%s\nwant\n%s", &b, want)
			}
		})
	}
}

func TestPlan(t *testing.T) {
	files := tree(t, "laptop")
	f := fingerprint(files, 0)
	names := func(p Profile) (all []string) {
		for _, c := range Plan(files, f, p) {
			all = append(all, c.Setting+"="+c.New)
		}
		return all
	}
	quiet := []string{"governor=performance", "governor=performance", "turbo=1", "idle_states=1", "nmi_watchdog=0", "transparent_hugepages=madvise", "swappiness=1"}
	network := []string{"port_range=10240 65535", "tcp_fastopen=3"}
	for p, want := range map[Profile][]string{
		Quiet: quiet, Network: network, All: slices.Concat(quiet, network, []string{"smt=off"}),
	} {
		if got := names(p); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", p, got, want)
		}
	}
}

// TestPlanReaches holds that what a plan writes makes every setting good.
func TestPlanReaches(t *testing.T) {
	for _, name := range []string{"laptop", "cloud", "metal", "container"} {
		files := tree(t, name)
		for _, c := range Plan(files, fingerprint(files, 0), All) {
			files[c.Path] = &fstest.MapFile{Data: []byte(c.New + "\n")}
			if c.Setting == "smt" {
				files["sys/devices/system/cpu/smt/active"] = &fstest.MapFile{Data: []byte("0\n")}
			}
		}
		if left := Plan(files, fingerprint(files, 0), All); len(left) > 0 {
			t.Errorf("%s: still to change: %+v", name, left)
		}
		for _, r := range Survey(files, fingerprint(files, 0)) {
			if r.Profile != "" && r.Level != Good && r.Level != Unknown {
				t.Errorf("%s: %s is %s (%s) after tuning", name, r.Name, r.Level, r.Value)
			}
		}
	}
}

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range settings {
		if s.Name == "" || s.Title.IsZero() || len(s.Title.String()) > 16 || s.Why == "" || s.Source == "" || seen[s.Name] {
			t.Errorf("%q lacks something, or is there twice", s.Name)
		}
		if (s.better == nil) != (s.Profile == "") {
			t.Errorf("%s: profile and way to set it don't match", s.Name)
		}
		seen[s.Name] = true
	}
	empty := fstest.MapFS{}
	for _, r := range Survey(empty, machine.Reader{Root: empty}.Read()) {
		if r.Level == Unknown && r.Note.IsZero() || r.Level == "" || len(r.Changes) > 0 {
			t.Errorf("on an empty machine: %+v", r)
		}
	}
}

// TestThisMachine holds that a real machine can be surveyed.
func TestThisMachine(t *testing.T) {
	root := os.DirFS("/")
	if _, err := os.Stat("/proc/sys/kernel/osrelease"); err != nil {
		t.Skip("no Linux")
	}
	for _, r := range Survey(root, machine.Reader{Root: root}.Read()) {
		if r.Level != Unknown && r.Value.IsZero() {
			t.Errorf("%s is %s and says nothing", r.Name, r.Level)
		}
	}
}

func TestNormal(t *testing.T) {
	for text, want := range map[string]string{
		"always [madvise] never\n": "madvise", "32768\t60999\n": "32768 60999", "1\n": "1", "": "", "[x": "[x",
	} {
		if got := Normal(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestParseProfile(t *testing.T) {
	if p, err := ParseProfile("network"); p != Network || err != nil {
		t.Errorf("%v, %v", p, err)
	}
	if _, err := ParseProfile("loud"); err == nil || !strings.Contains(err.Error(), "quiet, network and all") {
		t.Errorf("error %v", err)
	}
}

func FuzzLimits(f *testing.F) {
	f.Add("50000 100000", "0::/a/../b", "Max open files 1 2 files")
	f.Fuzz(func(t *testing.T, max, membership, limits string) {
		files := fstest.MapFS{
			"sys/fs/cgroup/cgroup.controllers": {}, "sys/fs/cgroup/cpu.max": {Data: []byte(max)},
			"proc/self/cgroup": {Data: []byte(membership)}, "proc/self/limits": {Data: []byte(limits)},
			pathPorts: {Data: []byte(max)},
		}
		for _, r := range Survey(files, machine.Reader{Root: files}.Read()) {
			if r.Level == "" {
				t.Errorf("%s has no level", r.Name)
			}
		}
	})
}
