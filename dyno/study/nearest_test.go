package study

import "testing"

func TestDidYouMean(t *testing.T) {
	valid := []string{"go/gin", "go/fasthttp", "response.p99"}
	const list = "valid: go/gin, go/fasthttp, response.p99"
	tests := []struct{ written, want string }{
		{"go/gni", `did you mean "go/gin"?`},
		{"GO/GIN", `did you mean "go/gin"?`},
		{"gin", `did you mean "go/gin"?`},
		{"p99", `did you mean "response.p99"?`},
		{"go/fsthtp", `did you mean "go/fasthttp"?`},
		{"", list},
		{"x", list},
		{"né", list},
	}
	for _, c := range tests {
		if got := didYouMean(c.written, valid); got.String() != c.want {
			t.Errorf("%q: got %s, want %s", c.written, got, c.want)
		}
	}
	if got := didYouMean("x", nil); !got.IsZero() {
		t.Errorf("no choices: %q", got)
	}
}
