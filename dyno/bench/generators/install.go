//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"dyno.example/dyno/bench/rounds"
)

// module is a peer that comes as a Go module.
type module struct{ name, pkg, module, version string }

// modules are built each in a module of its own with the version pinned.
var modules = []module{
	{"hey", "github.com/rakyll/hey", "github.com/rakyll/hey", "v0.1.5"},
	{"vegeta", "github.com/tsenart/vegeta/v12", "github.com/tsenart/vegeta/v12", "v12.12.0"},
	{"bombardier", "github.com/codesenberg/bombardier", "github.com/codesenberg/bombardier", "v1.2.6"},
	{"fortio", "fortio.org/fortio", "fortio.org/fortio", "v1.66.5"},
	{"ghz", "github.com/bojand/ghz/cmd/ghz", "github.com/bojand/ghz", "v0.121.0"},
	{"k6", "go.k6.io/k6", "go.k6.io/k6", "v1.8.1"},
}

// Packages of other kinds.
const (
	ohaVersion     = "1.16.0"
	debianPackages = "wrk apache2-utils nghttp2-client"
)

// peersFolder is where installed peers are kept, for this program only.
func peersFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "dyno", "generators", "bin"), nil
}

// installPeers installs what is not there yet; what fails is said at the end,
// and does not stop the others.
func installPeers(ctx context.Context) error {
	bin, err := peersFolder()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	var failed []error
	for _, m := range modules {
		failed = append(failed, install(bin, m.name, func() error { return buildModule(ctx, bin, m) }))
	}
	failed = append(failed, install(bin, "oha", func() error {
		return command(ctx, "", "cargo", "install", "oha", "--version", ohaVersion, "--locked", "--root", filepath.Dir(bin))
	}))
	for _, program := range []string{"wrk", "ab", "h2load"} {
		failed = append(failed, install(bin, program, func() error {
			return fmt.Errorf("comes with Debian: apt-get install %s", debianPackages)
		}))
	}
	for _, program := range []string{"wrk2", "zrk"} {
		failed = append(failed, install(bin, program, func() error {
			return errors.New("comes as source only: build it and put it in PATH")
		}))
	}
	return errors.Join(failed...)
}

// install does so unless the program is here.
func install(bin, program string, how func() error) error {
	t := tool{Program: program}
	if path, ok := t.locate(bin); ok {
		fmt.Println(program, "is here:", path)
		return nil
	}
	fmt.Println("installing", program)
	if err := how(); err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	return nil
}

// buildModule builds a program at its pinned version, without touching any
// module of the user's.
func buildModule(ctx context.Context, bin string, m module) error {
	dir, err := os.MkdirTemp("", "generators-build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	pinned := fmt.Sprintf("module build\n\ngo 1.26\n\nrequire %s %s\n", m.module, m.version)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(pinned), 0o644); err != nil {
		return err
	}
	return command(ctx, dir, "go", "build", "-mod=mod", "-o", filepath.Join(bin, m.name), m.pkg)
}

func command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, rounds.Tail(string(output)))
	}
	return nil
}
