package probe

import (
	"path"
	"slices"
	"testing"
	"time"
)

func TestParseThrottled(t *testing.T) {
	tests := []struct {
		name, data string
		want       time.Duration
		wrong      bool
	}{
		{name: "version 1", data: "nr_periods 10\nnr_throttled 3\nthrottled_time 123456789\n", want: 123456789},
		{name: "version 2", data: "usage_usec 5\nnr_periods 10\nnr_throttled 3\nthrottled_usec 2500\n", want: 2500 * time.Microsecond},
		{name: "no controller", data: "usage_usec 5\nuser_usec 3\nsystem_usec 2\n"},
		{name: "no number", data: "throttled_usec x\n", wrong: true},
		{name: "too large", data: "throttled_usec 9223372036854775807\n", wrong: true},
	}
	for _, test := range tests {
		got, err := parseThrottled([]byte(test.data))
		if got != test.want || (err != nil) != test.wrong {
			t.Errorf("%s: got %v, %v; want %v", test.name, got, err, test.want)
		}
	}
}

func TestParseCgroupMounts(t *testing.T) {
	want := []cgroupMount{
		{point: "/sys/fs/cgroup/cpu,cpuacct", root: "/"},
		{point: "/sys/fs/cgroup/my unified", root: "/", v2: true},
	}
	if got := parseCgroupMounts(sample(t, "mountinfo")); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestParseCgroupFolders(t *testing.T) {
	v1 := cgroupMount{point: "/v1", root: "/"}
	v2 := cgroupMount{point: "/v2", root: "/", v2: true}
	inside := cgroupMount{point: "/c", root: "/docker/abc", v2: true}
	tests := []struct {
		name, data string
		mounts     []cgroupMount
		want       []string
	}{
		{"version 1", "3:cpuset:/\n2:cpu,cpuacct:/a/b\n", []cgroupMount{v1, v2}, []string{"/v1/a/b", "/v1/a", "/v1"}},
		{"version 2", "0::/u/s.service\n", []cgroupMount{v2}, []string{"/v2/u/s.service", "/v2/u", "/v2"}},
		{"both", "1:cpu:/a\n0::/\n", []cgroupMount{v1, v2}, []string{"/v1/a", "/v1", "/v2"}},
		{"in a container", "0::/docker/abc/x\n", []cgroupMount{inside}, []string{"/c/x", "/c"}},
		{"container's own group", "0::/docker/abc\n", []cgroupMount{inside}, []string{"/c"}},
		{"outside the mount", "0::/docker/abcd\n", []cgroupMount{inside}, nil},
		{"no controller", "4:memory:/a\n", []cgroupMount{v1}, nil},
		{"not a path", "0::a\n1:cpu\n:\n", []cgroupMount{v1, v2}, nil},
	}
	for _, test := range tests {
		if got := parseCgroupFolders([]byte(test.data), test.mounts); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func FuzzParseThrottled(f *testing.F) {
	f.Add([]byte("throttled_time 123456789\n"))
	f.Add([]byte("throttled_usec 2500\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if d, _ := parseThrottled(data); d < 0 {
			t.Errorf("throttled %v", d)
		}
	})
}

func FuzzParseCgroupFolders(f *testing.F) {
	f.Add(sample(f, "mountinfo"), []byte("3:cpuset:/\n2:cpu,cpuacct:/a/b\n0::/x\n"))
	f.Add([]byte("1 2 3 / /m rw - cgroup2 c rw"), []byte("0::/../.."))
	f.Fuzz(func(t *testing.T, mounts, groups []byte) {
		for _, folder := range parseCgroupFolders(groups, parseCgroupMounts(mounts)) {
			if folder == "" || folder != path.Clean(folder) {
				t.Errorf("folder %q", folder)
			}
		}
	})
}
