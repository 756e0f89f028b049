package main

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/probe/pprof"
)

// TestLoadKeeps: what is kept of a load lies beside its evidence, sealed, with the reason for
// what is missing, and is in the terminal and on the page.
func TestLoadKeeps(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("sampling a process from outside takes root")
	}
	home := t.TempDir()
	server := serve(t, "good")
	o := undisturbed(t, home, "load", "-c", "4", "-d", "2s", server, "--explain", "--keep", "cpu,off-cpu,packets,pprof", "-o", "r.html")
	o.want(t, 0, o.stderr, "kept (cpu): ", "cpu.pb.gz, go tool pprof -http=:", "kept (off-cpu): ", "kept (packets): ", "packets.pcapng.gz, Wireshark", "not kept (pprof-cpu): ")
	folders, _ := filepath.Glob(filepath.Join(home, "evidence", "*.kept"))
	if len(folders) == 0 {
		folders, _ = filepath.Glob(filepath.Join(home, "*", "evidence", "*.kept"))
	}
	if len(folders) == 0 {
		t.Fatal("no folder of kept files")
	}
	folder := folders[len(folders)-1] // a disturbed load before has one too
	check := exec.Command("sha256sum", "--check", "--strict", archive.SumsFile)
	check.Dir = folder
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	var kept []archive.Kept
	if err := json.Unmarshal([]byte(read(t, filepath.Join(folder, archive.KeptListFile))), &kept); err != nil {
		t.Fatal(err)
	}
	missing := map[archive.Kind]string{}
	for _, k := range kept {
		missing[k.Kind] = k.Missing
	}
	for _, kind := range []archive.Kind{archive.CPUProfile, archive.PacketHeaders} {
		if why, listed := missing[kind]; !listed || why != "" {
			t.Errorf("%s: %+v", kind, kept)
		}
	}
	if missing[archive.HeapProfile] == "" {
		t.Errorf("the server offers none: %+v", kept)
	}
	f, err := os.Open(filepath.Join(folder, "cpu.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if p, err := pprof.Read(f); err != nil || p.Sum(0) == 0 {
		t.Errorf("%v: %+v", err, p)
	}
	contains(t, read(t, filepath.Join(home, "r.html")), "Kept files", filepath.Join(filepath.Base(folder), "cpu.pb.gz"), "<dt>pprof-heap</dt><dd>missing: ")
}

// TestLoadKeepsNothing: what can't be kept is refused before anything is sent, with what to do.
func TestLoadKeepsNothing(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	nobody := "http://" + l.Addr().String()
	if err := os.Mkdir(filepath.Join(home, "e.kept"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"--keep cpu", "--keep goes with --explain", 2},
		{"--explain --keep cpv", `--keep "cpv" is none of cpu, off-cpu, pprof, packets; did you mean cpu?`, 2},
		{"--explain --keep flight", "--keep flight is for studies: the server has to be told where to connect", 2},
		{"--explain --keep buffers", "--keep buffers is for studies", 2},
		{"--explain --keep cpu,cpu", "--keep: cpu is given twice", 2},
		{"--explain --keep pprof -n 10", "add -d", 2},
		{"--explain=e.jsonl.gz --keep cpu", "e.kept is there already", 1},
	} {
		o := dyno(t, home, append([]string{"load", nobody}, strings.Fields(c.args)...)...)
		o.want(t, c.code, o.stderr, c.want)
		if strings.Contains(o.stdout, "throughput") {
			t.Errorf("%s: it was sent: %s", c.args, o.stdout)
		}
	}
}
