//go:build linux

package storm

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// child is the gateway's process.
type child struct {
	cmd  *exec.Cmd
	log  string        // its file
	over chan struct{} // closed when it has ended
	err  error         // then: how
}

// start starts the gateway and waits until it serves.
func (s *Storm) start() error {
	c := &child{over: make(chan struct{}), log: filepath.Join(s.options.Folder, "gateway.log")}
	out, err := os.Create(c.log)
	if err != nil {
		return err
	}
	defer out.Close()
	c.cmd = exec.Command(s.options.Gate, "run", "-c", "storm.yaml", "--state", "none", "--loops", strconv.Itoa(s.options.Loops))
	c.cmd.Dir, c.cmd.Stdout, c.cmd.Stderr = s.options.Folder, out, out
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := c.cmd.Start(); err != nil {
		return err
	}
	go func() {
		c.err = c.cmd.Wait()
		close(c.over)
	}()
	s.child = c
	for range 300 {
		select {
		case <-c.over:
			return fmt.Errorf("the gateway doesn't start: %v\n%s", c.err, c.tail(2000))
		case <-time.After(50 * time.Millisecond):
		}
		if resp, err := http.Get("http://" + s.admin + "/ready"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == 200 {
				http.DefaultClient.CloseIdleConnections()
				return nil
			}
		}
	}
	return errors.New("the gateway isn't ready after 15 s:\n" + c.tail(2000))
}

// ended is whether it has.
func (c *child) ended() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// tail is the end of what it said, or what it said when it died.
func (c *child) tail(n int) string {
	b, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	text := string(b)
	for _, sign := range []string{"panic: ", "fatal error: ", "SIGSEGV", "a mistake of nanogate's own"} {
		if i := strings.Index(text, sign); i >= 0 {
			return text[i:min(len(text), i+n)]
		}
	}
	return text[max(0, len(text)-n):]
}

// files is how many descriptors it has open.
func (c *child) files() int {
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.cmd.Process.Pid))
	if err != nil {
		return -1
	}
	return len(list)
}

// resident is its memory, in bytes.
func (c *child) resident() int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", c.cmd.Process.Pid))
	if f := strings.Fields(string(b)); len(f) > 1 {
		pages, _ := strconv.Atoi(f[1])
		return pages * os.Getpagesize()
	}
	return 0
}

// gauges are its figures that must be 0 while nothing is under way, and aren't; wrong are
// those that must be 0 always.
func (s *Storm) gauges() (list, wrong []string, err error) {
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	resp, err := c.Get("http://" + s.admin + "/metrics")
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		zero := name == "nanogate_clients" || strings.HasPrefix(name, "nanogate_endpoint_active") ||
			strings.HasPrefix(name, "nanogate_limit_state") && (strings.Contains(name, `"taken"`) || strings.Contains(name, `"waiting"`))
		mistake := name == "nanogate_internal_errors_total" || strings.HasPrefix(name, "nanogate_middleware_failures_total") ||
			strings.HasPrefix(name, "nanogate_plugin_failures_total")
		switch {
		case zero && value != "0":
			list = append(list, name+" "+value)
		case mistake && value != "0":
			wrong = append(wrong, name+" "+value)
		}
	}
	return list, wrong, nil
}
