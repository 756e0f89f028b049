package spelling

import "testing"

func TestNearest(t *testing.T) {
	valid := []string{"go/chi", "go/gin", "go/fasthttp", "response.p99", "throughput"}
	tests := []struct{ written, want string }{
		{"go/gni", "go/gin"}, {"gin", "go/gin"}, {"GO/GIN", "go/gin"}, {"p99", "response.p99"},
		{"troughput", "throughput"}, {"go/fasthtp", "go/fasthttp"}, {"nginx-plus", ""}, {"", ""},
	}
	for _, tt := range tests {
		if got, ok := Nearest(tt.written, valid); got != tt.want || ok != (tt.want != "") {
			t.Errorf("Nearest(%q) = %q, %v, want %q", tt.written, got, ok, tt.want)
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"ab", "b", 1}}
	for _, tt := range tests {
		if got := Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := Distance(tt.b, tt.a); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}
