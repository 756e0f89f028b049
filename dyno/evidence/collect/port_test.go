package collect

import "testing"

func TestPortOf(t *testing.T) {
	for at, want := range map[string]int{
		"http://127.0.0.1:8081/a": 8081, "http://a.example": 80, "https://[::1]/": 443, "https://a.example:444": 444,
		"a.example:80:80": 0, "unix:///a": 0, "": 0,
	} {
		if got := PortOf(at); got != want {
			t.Errorf("%q: %d, want %d", at, got, want)
		}
	}
}
