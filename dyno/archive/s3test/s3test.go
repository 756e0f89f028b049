// Package s3test runs a real S3 server for tests: versitygw, which keeps the
// objects of a bucket as files in a folder. It is the one that runs with subjects as a
// service, built from a module of its own, whose dependencies are not dyno's.
package s3test

import (
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dyno.example/internal/freeport"
	"dyno.example/internal/program"
)

// Required is the environment variable that makes tests fail that would be
// skipped as the server can't be built.
const Required = "DYNO_TEST_S3"

const (
	accessKey = "dyno-test-access"
	secretKey = "dyno-test-secret"
	bucket    = "dyno-test"
	patience  = 2 * time.Minute
)

// Secret is the secret key that the server takes: it must be in no output.
const Secret = secretKey

// Environment is what a client needs to use the server, and nothing else.
func Environment() []string {
	return []string{
		"AWS_ACCESS_KEY_ID=" + accessKey, "AWS_SECRET_ACCESS_KEY=" + secretKey, "AWS_SESSION_TOKEN=",
		"AWS_REGION=", "AWS_DEFAULT_REGION=", "AWS_PROFILE=", "AWS_ENDPOINT_URL=", "AWS_ENDPOINT_URL_S3=",
		"AWS_CONFIG_FILE=" + os.DevNull, "AWS_SHARED_CREDENTIALS_FILE=" + os.DevNull, "AWS_EC2_METADATA_DISABLED=true",
	}
}

// SetEnvironment gives the test's own process the [Environment].
func SetEnvironment(t *testing.T) {
	for _, setting := range Environment() {
		name, value, _ := strings.Cut(setting, "=")
		t.Setenv(name, value)
	}
}

// Server is a running server with an empty bucket. It ends with the test.
type Server struct {
	binary, root, sidecar string
	address               string

	mu  sync.Mutex
	cmd *exec.Cmd // nil if it does not run
}

// Start runs a server on a free port of the loopback interface. If it can't be
// built, as on a machine without a network, the test is skipped, or fails if
// [Required] is set.
func Start(t testing.TB) *Server {
	t.Helper()
	binary, err := build()
	if err != nil {
		if os.Getenv(Required) != "" {
			t.Fatal(err)
		}
		t.Skipf("SKIPPED, nothing is tested against an S3 server: %v", err)
	}
	dir := t.TempDir()
	s := &Server{binary: binary, root: filepath.Join(dir, "buckets"), sidecar: filepath.Join(dir, "sidecar"), address: freeport.Address(t)}
	for _, folder := range []string{filepath.Join(s.root, bucket), s.sidecar} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(s.Kill)
	s.Restart(t)
	return s
}

// build returns the server's program, which is built if it has not been. A test
// runs in the folder of its package, from where the module is found.
//
// It is built with the flags of package service: what one of them compiled, some 600
// packages, the other finds in Go's cache. That is why it is not go tool that builds it,
// which takes no -trimpath.
func build() (string, error) {
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(filepath.Dir(strings.TrimSpace(string(mod))), "subjects", "go", "s3server")
	return program.Built(folder, "github.com/versity/versitygw/cmd/versitygw", "GOWORK=off", "GOFLAGS=-mod=readonly")
}

// Restart starts the server again, at the same address and with the same
// objects.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.Kill()
	cmd := exec.Command(s.binary, "--port", s.address, "--quiet", "posix", "--sidecar", s.sidecar, s.root)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+accessKey, "ROOT_SECRET_KEY="+secretKey)
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.cmd = cmd
	s.mu.Unlock()
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("tcp", s.address)
		if err == nil {
			c.Close()
			return
		}
		if time.Now().After(deadline) {
			s.Kill() // and waits for its output
			t.Fatalf("the S3 server does not listen: %v\n%s", err, output.String())
		}
	}
}

// Kill ends the server at once, in the middle of whatever it does.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		s.cmd.Process.Kill()
		s.cmd.Wait()
		s.cmd = nil
	}
}

// Freeze makes the server stop responding, until it is killed.
func (s *Server) Freeze(t testing.TB) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Error(err)
	}
}

// URL is that of an archive in the server's bucket, under a prefix.
func (s *Server) URL(prefix string) string {
	return "s3://" + bucket + "/" + prefix + "?endpoint=" + url.QueryEscape("http://"+s.address)
}

// File is where the server keeps an object of its bucket.
func (s *Server) File(key string) string {
	return filepath.Join(s.root, bucket, filepath.FromSlash(key))
}
