package machine

import (
	"encoding/json"
	"slices"
	"testing"
)

// fields returns the parts of a fingerprint by their names.
func fields(t *testing.T, f Fingerprint) map[string]string {
	t.Helper()
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	raw := make(map[string]json.RawMessage)
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for name, value := range raw {
		all[name] = string(value)
	}
	return all
}

func TestParseCPUList(t *testing.T) {
	tests := []struct {
		text string
		want []int
		ok   bool
	}{
		{"", nil, true},
		{"0", []int{0}, true},
		{"0-3,8,10-11", []int{0, 1, 2, 3, 8, 10, 11}, true},
		{"3-1", nil, false},
		{"1,1", nil, false},
		{"a", nil, false},
		{"1-", nil, false},
		{"-1", nil, false},
		{"0,", nil, false},
		{"0-2000000000", nil, false},
	}
	for _, test := range tests {
		got, err := parseCPUList(test.text)
		if !slices.Equal(got, test.want) || (err == nil) != test.ok {
			t.Errorf("%q: got %v, %v; want %v", test.text, got, err, test.want)
		}
	}
}

func TestKibibytes(t *testing.T) {
	for text, want := range map[string]uint64{
		"A:  12 kB\n":                   12288,
		"AB: 5 kB\n":                    0,
		"A: x kB\n":                     0,
		"A: 18446744073709551615 kB\n":  0,
		"B: 1 kB\nA: 2 kB\nA: 3 kB\n\n": 2048,
	} {
		if got := kibibytes(text, "A"); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestChosen(t *testing.T) {
	for text, want := range map[string]string{"always [madvise] never": "madvise", "": "", "[x": "", "a] b": ""} {
		if got := chosen(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzParseCPUList(f *testing.F) {
	f.Add("0-3,8,10-11")
	f.Add("0-65536")
	f.Fuzz(func(t *testing.T, text string) {
		cpus, err := parseCPUList(text)
		if err == nil && !slices.IsSorted(cpus) {
			t.Errorf("%q gives %v", text, cpus)
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add("MemTotal: 5 kB\n", "MemTotal")
	f.Add("always [madvise] never", "")
	f.Fuzz(func(t *testing.T, text, key string) {
		kibibytes(text, key)
		if c := chosen(text); len(c) > len(text) {
			t.Errorf("chose %q of %q", c, text)
		}
	})
}
