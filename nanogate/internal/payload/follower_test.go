package payload

import (
	"strings"
	"testing"
)

func TestFollower(t *testing.T) {
	const want = "0123456789abcdefghijklmnopqrstuvwxyz"
	for _, c := range []struct {
		name  string
		parts []string
		wrong string // what Ended says has it
	}{
		{"all of it", []string{want}, ""},
		{"in parts", []string{want[:7], "", want[7:]}, ""},
		{"nothing", nil, "whole after 0 of 36 bytes"},
		{"too little", []string{want[:30]}, "whole after 30 of 36 bytes"},
		{"too much", []string{want, "!"}, "more than the 36 bytes that there are: 36 and 1 more"},
		{"much too much", []string{want, "!", "!"}, "36 and 1 more"},
		{"another byte", []string{want[:5], "56!"}, "at offset 7 of 36 bytes came 21, which are of no place in it"},
		{"a part twice", []string{want[:10], want[:10]}, "at offset 10 of 36 bytes came " + "30313233343536373839" + ", which are those of offset 0 (-10)"},
		{"a part left out", []string{want[:10], want[20:]}, "which are those of offset 20 (+10)"},
		{"what is wrong first", []string{"x", "y"}, "at offset 0"},
	} {
		f := Follower{Want: []byte(want)}
		n := 0
		for _, p := range c.parts {
			f.Take([]byte(p))
			n += len(p)
		}
		if got := f.Ended(); !strings.Contains(got, c.wrong) || (got == "") != (c.wrong == "") {
			t.Errorf("%s: %q, want %q", c.name, got, c.wrong)
		}
		if f.At != n {
			t.Errorf("%s: at %d of %d", c.name, f.At, n)
		}
	}
}

func TestDescribe(t *testing.T) {
	set := Describe("world", "World")
	last := set.File[len(set.File)-1]
	if last.GetPackage() != "world" || last.Service[0].GetName() != "World" || last.Service[0].Method[0].GetInputType() != ".world.Asked" {
		t.Errorf("the service is %v", last)
	}
	seen := map[string]bool{}
	for _, f := range set.File {
		for _, needs := range f.Dependency {
			if !seen[needs] {
				t.Errorf("%s stands before %s, which it needs", f.GetName(), needs)
			}
		}
		seen[f.GetName()] = true
	}
}
