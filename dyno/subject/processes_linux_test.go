package subject

import (
	"os"
	"reflect"
	"slices"
	"testing"
)

func TestParseStat(t *testing.T) {
	tail := " 7 8 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 12345 1 2 3"
	tests := []struct {
		name, text string
		want       process
		ok         bool
	}{
		{"plain", "42 (server) S" + tail, process{identity: identity{42, 12345}, parent: 7, group: 8, state: 'S'}, true},
		{"odd name", "42 (a) R (b)) Z" + tail, process{identity: identity{42, 12345}, parent: 7, group: 8, state: 'Z'}, true},
		{"short", "42 (a) S 1 2", process{}, false},
		{"no name", "42 a S" + tail, process{}, false},
		{"empty", "", process{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseStat([]byte(tt.text))
			if (err == nil) != tt.ok {
				t.Fatalf("got %v", err)
			}
			if tt.ok && got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("1 (init) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 5 1 2"))
	f.Add([]byte(")("))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := parseStat(data); err == nil && p.state == 0 {
			t.Errorf("accepted %q", data)
		}
	})
}

func TestSelfIsAlive(t *testing.T) {
	if me := self(); !alive(me) || me.Start == 0 {
		t.Errorf("%+v is not alive", me)
	}
	if !slices.Contains(descendants(os.Getppid()), os.Getpid()) {
		t.Error("this process is not among its parent's descendants")
	}
}

func TestCgroupTrees(t *testing.T) {
	tests := []struct {
		name, mounts, membership string
		want                     []cgroupTree
	}{
		{
			"version 2",
			"30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n",
			"0::/user.slice/user-1000.slice\n",
			[]cgroupTree{{own: "/sys/fs/cgroup/user.slice/user-1000.slice", point: "/sys/fs/cgroup", v2: true}},
		},
		{
			"hybrid",
			"31 30 0:27 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n" +
				"32 30 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n" +
				"33 30 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
			"3:cpu,cpuacct:/\n2:freezer:/\n0::/\n",
			[]cgroupTree{{own: "/sys/fs/cgroup/unified", point: "/sys/fs/cgroup/unified", v2: true}, {own: "/sys/fs/cgroup/freezer", point: "/sys/fs/cgroup/freezer"}},
		},
		{
			"in a container",
			"31 30 0:27 /docker/abc /sys/fs/cgroup/pids ro shared:1 - cgroup cgroup rw,pids\n",
			"4:pids:/docker/abc\n",
			[]cgroupTree{{own: "/sys/fs/cgroup/pids", point: "/sys/fs/cgroup/pids"}},
		},
		{"none", "20 1 0:1 / / rw - ext4 /dev/vda rw\nnonsense\n", "0::/\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := cgroupTrees([]byte(tt.mounts), []byte(tt.membership)); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}
