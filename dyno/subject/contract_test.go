package subject

import (
	"strings"
	"testing"

	"dyno.example/dyno/subject/contract"
)

func TestVerifyRealServer(t *testing.T) {
	c, m := serverCatalog(t)
	routes, err := c.Routes(m)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		mode string
		want []string
	}{
		{"good", nil},
		{"wrong", []string{"GET /json (json)\n  body", `-   "message": "Hello, World!"`, `+   "message": "Hello, Wrold!"`}},
		{"close", []string{"GET /plaintext (plaintext)\n  keep-alive", "POST /users (create)\n  keep-alive"}},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			in := startServer(t, serverSpec(t, tt.mode))
			err := new(contract.Verifier).Verify(t.Context(), in.URL(), routes)
			if (err == nil) != (tt.want == nil) {
				t.Fatalf("got %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("refusal lacks %q:\n%v", want, err)
				}
			}
		})
	}
}

func serverCatalog(t *testing.T) (*Catalog, Manifest) {
	t.Helper()
	a, err := theServer()
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCatalog(testSubjects)
	if err != nil {
		t.Fatal(err)
	}
	return c, a.Manifest
}
