//go:build linux

package gateway_test

import (
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/admin"
)

// TestProcessMetrics: what dashboards of any Go service show is there by its usual names,
// with values that can be true of this process.
func TestProcessMetrics(t *testing.T) {
	g, _ := start(t, "routes: [{respond: {}}]\n")
	app := admin.New(g, admin.Options{Local: true})
	_, text := shown(t, app, "/metrics")
	value := func(name string) float64 {
		m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(text)
		if m == nil || !strings.Contains(text, "\n# TYPE "+name+" ") && !strings.HasPrefix(text, "# TYPE "+name+" ") {
			t.Errorf("/metrics lacks %s", name)
			return 0
		}
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Error(err)
		}
		return v
	}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	now := float64(time.Now().Unix())
	for _, one := range []struct {
		name        string
		least, most float64
	}{
		{"process_start_time_seconds", now - 24*3600, now + 2},
		{"process_cpu_seconds_total", 1e-6, 24 * 3600 * float64(runtime.NumCPU())},
		{"process_resident_memory_bytes", 1 << 20, 1 << 40},
		{"process_open_fds", 3, float64(len(fds) + 1000)},
		{"process_max_fds", 16, 1 << 40},
		{"go_goroutines", 1, 1e6},
		{"go_memstats_heap_alloc_bytes", 1 << 10, 1 << 40},
	} {
		if v := value(one.name); v < one.least || v > one.most {
			t.Errorf("%s is %g, want %g to %g", one.name, v, one.least, one.most)
		}
	}
	if !regexp.MustCompile(`(?m)^nanogate_build_info\{version="[^"]+",revision="[^"]*",goversion="go[^"]+"\} 1$`).MatchString(text) {
		t.Errorf("/metrics lacks nanogate_build_info:\n%s", text[:400])
	}
}
