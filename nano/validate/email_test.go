package validate

import (
	"strings"
	"testing"

	"github.com/go-playground/validator/v10"
)

var addresses = []string{
	"ann@example.com", "a.b+c_d@x-y.example.co", "a@b.c", "A1@1a.ORG", "!#$%&'*+-/=?^_`{|}~@example.com", "a@xn--bcher-kva.example",
	"", "@", "a@", "@b.c", "a@b", "a@@b.c", "a@b@c.d", ".a@b.c", "a.@b.c", "a..b@c.d", "a@.b.c", "a@b..c", "a@b.c.", "a@-b.c", "a@b-.c", "a@b.-c", "a@b.c-",
	"a@b.1", "a@b.1c", "a@b.c1", "a@b.c1d", "a@1.2.3.4", "a@[1.2.3.4]", "\"a b\"@c.d", "a b@c.d", "a@b c.d", "a@b_c.d", "a@b~c.d", "Ann <a@b.c>", "<a@b.c>", "a@b.c, d@e.f", "a(x)@b.c",
	"\u00e9@b.c", "a@\u00e9.c", "a@b.\u00e9", "a@b.c\n", "\na@b.c", "a\x00@b.c", "a:b@c.d", "a;b@c.d", "a\\b@c.d",
	strings.Repeat("a", 65) + "@b.c", "a@" + strings.Repeat("b", 64) + ".c", strings.Repeat("a", 300) + "@" + strings.Repeat("b.", 200) + "c",
}

// sameEmail holds the quick look against the library's rule.
func sameEmail(t *testing.T, s string) {
	if plainEmail(s) && validator.New().Var(s, "email") != nil {
		t.Errorf("%q is taken, and the library refuses it", s)
	}
}

func TestPlainEmail(t *testing.T) {
	for i, s := range addresses {
		if got := plainEmail(s); len(s) < 60 && got != (i < 6) { // how long they may be is the library's to say
			t.Errorf("%q: %v", s, got)
		}
		sameEmail(t, s)
		own := New().Check(struct {
			A string `validate:"email"`
		}{s})
		if library := validator.New().Var(s, "email"); (own == nil) != (library == nil) {
			t.Errorf("%q: %v, the library says %v", s, own, library)
		}
	}
}

func FuzzPlainEmail(f *testing.F) {
	for _, s := range addresses {
		f.Add(s)
	}
	f.Fuzz(sameEmail)
}
