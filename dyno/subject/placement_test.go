package subject

import (
	"reflect"
	"strings"
	"testing"
)

func TestPlace(t *testing.T) {
	tests := []struct {
		name              string
		mode              string
		gen, subj, online []int
		wantGen, wantSubj []int
		remark            string
		err               string
	}{
		{name: "split 1", online: []int{3}, wantGen: []int{3}, wantSubj: []int{3}, remark: "only one CPU"},
		{name: "split 2", mode: "split", online: []int{0, 1}, wantGen: []int{0}, wantSubj: []int{1}},
		{name: "split 3", online: []int{0, 1, 2}, wantGen: []int{0}, wantSubj: []int{1, 2}},
		{name: "split 4", online: []int{3, 2, 1, 0}, wantGen: []int{0, 1}, wantSubj: []int{2, 3}},
		{name: "split of a cpuset", online: []int{4, 6, 9}, wantGen: []int{4}, wantSubj: []int{6, 9}},
		{name: "shared", mode: "shared", online: []int{0, 1}, wantGen: []int{0, 1}, wantSubj: []int{0, 1}, remark: "share CPUs"},
		{name: "explicit", mode: "explicit", gen: []int{2}, subj: []int{1, 0}, online: []int{0, 1, 2}, wantGen: []int{2}, wantSubj: []int{0, 1}},
		{name: "overlap", mode: "explicit", gen: []int{0, 1}, subj: []int{1}, online: []int{0, 1}, wantGen: []int{0, 1}, wantSubj: []int{1}, remark: "CPU 1 is given to both"},
		{name: "offline", mode: "explicit", gen: []int{0}, subj: []int{7}, online: []int{0, 1}, err: "gives the subject CPU 7, which can't be used; online are [0 1]"},
		{name: "twice", mode: "explicit", gen: []int{0, 0}, subj: []int{1}, online: []int{0, 1}, err: "gives the generator CPU 0 twice"},
		{name: "none", mode: "explicit", subj: []int{1}, online: []int{0, 1}, err: "gives the generator no CPU"},
		{name: "unknown", mode: "spilt", online: []int{0}, err: `did you mean "split"?`},
		{name: "no CPU", err: "no CPU is online"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			gen, subj, remarks, err := Place(tt.mode, tt.gen, tt.subj, tt.online)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error lacks %q: %v", tt.err, err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(gen, tt.wantGen) || !reflect.DeepEqual(subj, tt.wantSubj) {
				t.Errorf("got %v, %v, %v; want %v, %v", gen, subj, err, tt.wantGen, tt.wantSubj)
			}
			if got := strings.Join(remarks, "; "); (tt.remark == "") != (got == "") || !strings.Contains(got, tt.remark) {
				t.Errorf("remarks are %q, want %q", got, tt.remark)
			}
		})
	}
}

func TestOnlineCPUs(t *testing.T) {
	cpus, err := OnlineCPUs()
	if err != nil || len(cpus) == 0 {
		t.Errorf("got %v, %v", cpus, err)
	}
}

func TestPortsOutside(t *testing.T) {
	tests := []struct{ first, last, low, high int }{
		{32768, 60999, 10000, 32768},
		{1024, 20000, 20001, 60000},
		{15000, 64000, 10000, 15000},
	}
	for _, tt := range tests {
		if low, high := portsOutside(tt.first, tt.last); low != tt.low || high != tt.high {
			t.Errorf("outside %d to %d: [%d, %d), want [%d, %d)", tt.first, tt.last, low, high, tt.low, tt.high)
		}
	}
	if low, high := portsOutside(0, highestPort); low < high {
		t.Errorf("outside all ports: [%d, %d)", low, high)
	}
}

func TestSaysPortTaken(t *testing.T) {
	tests := []struct {
		line string
		want bool
	}{
		{"listen tcp :8080: bind: address already in use", true},
		{"Error: listen EADDRINUSE: address already in use :::8080", true},
		{"java.net.BindException: Address already in use", true},
		{"listen tcp :80: bind: permission denied", false},
	}
	for _, tt := range tests {
		if got := saysPortTaken([]string{"start", tt.line}); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.line, got, tt.want)
		}
	}
}

func TestAttach(t *testing.T) {
	in, err := Attach("mine", "http://localhost:8080/some/path")
	if err != nil {
		t.Fatal(err)
	}
	if in.URL() != "http://localhost:8080" || in.Port() != 8080 || in.PID() != 0 || in.Name() != "mine" {
		t.Errorf("got %s, port %d, PID %d", in.URL(), in.Port(), in.PID())
	}
	for range 2 {
		if err := in.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	<-in.Done()
	if in.Err() != nil {
		t.Error(in.Err())
	}
	for _, wrong := range []string{"localhost:8080", "ftp://localhost", "http://", "http://x:0", "::"} {
		if _, err := Attach("mine", wrong); err == nil {
			t.Errorf("attached to %q", wrong)
		}
	}
}
