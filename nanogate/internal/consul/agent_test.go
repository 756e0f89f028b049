package consul

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// program is the environment variable that names Consul's program, if it isn't on the
// PATH.
const program = "DYNO_TEST_CONSUL"

// root is the token that may do anything with the test's agent.
const root = "6d1f2c55-6a05-4f2c-9a38-3f9a3a5d7c11"

// real is an agent of Consul in development mode: a server that keeps nothing. Without a
// token it shows nobody anything.
type real struct {
	binary string
	ports  []int
	cmd    *exec.Cmd
}

// startReal starts one; the test is skipped where there is none.
func startReal(t *testing.T) *real {
	t.Helper()
	name := os.Getenv(program)
	if name == "" {
		name = "consul"
	}
	binary, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("SKIPPED, nothing is tested against a real Consul: %v", err)
	}
	a := &real{binary: binary}
	var held []net.Listener
	for range 4 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, ln)
		a.ports = append(a.ports, ln.Addr().(*net.TCPAddr).Port)
	}
	for _, ln := range held {
		ln.Close()
	}
	t.Cleanup(func() { a.kill(t) })
	a.start(t)
	return a
}

func (a *real) start(t *testing.T) {
	t.Helper()
	port := func(i int) string { return strconv.Itoa(a.ports[i]) }
	a.cmd = exec.Command(a.binary, "agent", "-dev", "-log-level=err", "-node=n1", "-bind=127.0.0.1", "-client=127.0.0.1",
		"-http-port="+port(0), "-server-port="+port(1), "-serf-lan-port="+port(2), "-serf-wan-port="+port(3), "-dns-port=-1", "-grpc-port=-1", "-grpc-tls-port=-1",
		"-disable-host-node-id", "-hcl", fmt.Sprintf(`disable_update_check = true
acl { enabled = true, default_policy = "deny", tokens { initial_management = %q, agent = %q } }`, root, root))
	var output bytes.Buffer
	a.cmd.Stdout, a.cmd.Stderr = &output, &output
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		status, body := a.call("GET", "/v1/health/service/consul?passing=1", "")
		if status == 200 && bytes.Contains(body, []byte(`"serfHealth"`)) {
			return
		}
		if time.Now().After(end) {
			a.kill(t)
			t.Fatalf("the agent isn't ready: %d %s\n%s", status, body, &output)
		}
	}
}

func (a *real) kill(t *testing.T) {
	t.Helper()
	if a.cmd != nil {
		_ = a.cmd.Process.Kill()
		_ = a.cmd.Wait()
		a.cmd = nil
	}
}

func (a *real) address() string { return "http://127.0.0.1:" + strconv.Itoa(a.ports[0]) }

// call asks the agent as who may do anything.
func (a *real) call(method, path, body string) (int, []byte) {
	req, err := http.NewRequest(method, a.address()+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, []byte(err.Error())
	}
	req.Header.Set("X-Consul-Token", root)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, []byte(err.Error())
	}
	return resp.StatusCode, b
}

func (a *real) do(t *testing.T, method, path, body string) {
	t.Helper()
	if status, said := a.call(method, path, body); status != 200 {
		t.Fatalf("%s %s: %d %s", method, path, status, said)
	}
}

// register registers an instance with a check that the test speaks for.
func (a *real) register(t *testing.T, id, address, tags string) {
	t.Helper()
	a.do(t, "PUT", "/v1/agent/service/register", fmt.Sprintf(`{"ID":%q,"Name":"users","Address":%q,"Port":8080,"Tags":[%s],"Meta":{"zone":"eu-1"},
"Weights":{"Passing":5,"Warning":2},"Check":{"CheckID":"check-%s","TTL":"1h","Status":"passing"}}`, id, address, tags, id))
}

// A real agent is followed through all that happens to a service, to a token, and to the
// agent itself.
func TestRealConsul(t *testing.T) {
	a := startReal(t)
	token := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(token, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a.do(t, "PUT", "/v1/acl/policy", `{"Name":"reads","Rules":"service_prefix \"\" { policy = \"read\" } node_prefix \"\" { policy = \"read\" }"}`)
	const reads = "2f3a8f0e-3a57-4d0c-8f8a-0b7f6f3c1a20"
	a.do(t, "PUT", "/v1/acl/token", `{"SecretID":"`+reads+`","Policies":[{"Name":"reads"}]}`)
	write(reads)
	c := of(t, "service: users, address: \""+a.address()+"\", tags: v2, token: "+token)
	all := *c
	all.Warning, all.Tags = true, nil
	f, warned := follow(t, c), follow(t, &all)
	f.until(t, func() bool { return f.Status().Live }, func() string { return fmt.Sprintf("%+v", f.Status()) })
	f.sees(t)

	a.register(t, "one", "10.0.0.1", `"v2","eu"`)
	a.register(t, "two", "10.0.0.2", `"v1"`)
	f.sees(t, "10.0.0.1:8080*5 eu-1")
	warned.sees(t, "10.0.0.1:8080*5 eu-1", "10.0.0.2:8080*5 eu-1")
	a.do(t, "PUT", "/v1/agent/check/warn/check-one", "")
	f.sees(t)
	warned.sees(t, "10.0.0.1:8080*2 eu-1", "10.0.0.2:8080*5 eu-1")
	a.do(t, "PUT", "/v1/agent/check/fail/check-one", "")
	warned.sees(t, "10.0.0.2:8080*5 eu-1")
	a.do(t, "PUT", "/v1/agent/check/pass/check-one", "")
	f.sees(t, "10.0.0.1:8080*5 eu-1")
	a.do(t, "PUT", "/v1/agent/service/maintenance/two?enable=true", "")
	warned.sees(t, "10.0.0.1:8080*5 eu-1")
	a.do(t, "PUT", "/v1/agent/service/maintenance/two?enable=false", "")
	warned.sees(t, "10.0.0.1:8080*5 eu-1", "10.0.0.2:8080*5 eu-1")

	write("00000000-0000-0000-0000-00000000dead")
	a.register(t, "three", "10.0.0.3", `"v2"`)
	f.fails(t, "it responds with 403")
	write(reads)
	f.sees(t, "10.0.0.1:8080*5 eu-1", "10.0.0.3:8080*5 eu-1")
	f.until(t, func() bool { return f.Status().Live }, func() string { return fmt.Sprintf("%+v", f.Status()) })
	blind := *c // who has no token at all isn't told that something was left out
	blind.Token = filepath.Join(t.TempDir(), "blind")
	a.do(t, "PUT", "/v1/acl/policy", `{"Name":"others","Rules":"service \"others\" { policy = \"read\" }"}`)
	const other = "7c0c8e5e-92e5-4d5e-9f0c-0a1b2c3d4e5f"
	a.do(t, "PUT", "/v1/acl/token", `{"SecretID":"`+other+`","Policies":[{"Name":"others"}]}`)
	if err := os.WriteFile(blind.Token, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	follow(t, &blind).fails(t, "the token may not read the service")

	a.do(t, "PUT", "/v1/agent/service/deregister/three", "")
	f.sees(t, "10.0.0.1:8080*5 eu-1")
	a.kill(t)
	f.fails(t, "")
	f.sees(t, "10.0.0.1:8080*5 eu-1")
	a.start(t) // it has forgotten everything, tokens too
	f.fails(t, "it responds with 403")
	f.sees(t, "10.0.0.1:8080*5 eu-1")
	write(root)
	f.sees(t)
	a.register(t, "four", "10.0.0.4", `"v2"`)
	f.sees(t, "10.0.0.4:8080*5 eu-1")
}
