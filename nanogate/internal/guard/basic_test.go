package guard

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/request/requesttest"
)

// hashed is a bcrypt hash of a password, as cheap as there are.
func hashed(t testing.TB, password string) string {
	t.Helper()
	b, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// decide checks a request, and does what is to be done for it at once.
func decide(t testing.TB, g filter.Filter, r *request.Request) *request.Reply {
	t.Helper()
	a := g.Check(r)
	if a == nil || a.Deferred == nil {
		return a
	}
	verdict := a.Deferred.Work(t.Context())
	a.Deferred.End()
	return verdict(r)
}

func basicGuard(t testing.TB, rules config.Basic, text string) (g *Basic, file string) {
	t.Helper()
	rules.File = filepath.Join(t.TempDir(), "htpasswd")
	if err := os.WriteFile(rules.File, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := NewBasic(&rules)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g, rules.File
}

func credentials(text string) string {
	return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(text)) + "\r\n"
}

func TestBasic(t *testing.T) {
	long := strings.Repeat("x", 72)
	g, _ := basicGuard(t, config.Basic{Realm: "shop", Forward: "x-user", Cache: 10},
		"# users\n\nann:"+hashed(t, "secret")+"\nbob:"+hashed(t, "a:b")+"\nlong:"+hashed(t, long)+"\n")
	const right = "authorization"
	for _, c := range []struct {
		name, fields string
		status       int
		user         string
	}{
		{"none", "", 401, ""},
		{"right", credentials("ann:secret"), 0, "ann"},
		{"right again, remembered", credentials("ann:secret"), 0, "ann"},
		{"with a colon", credentials("bob:a:b"), 0, "bob"},
		{"wrong", credentials("ann:Secret"), 401, ""},
		{"another's", credentials("bob:secret"), 401, ""},
		{"nobody", credentials("eve:secret"), 401, ""},
		{"empty", credentials("ann:"), 401, ""},
		{"no colon", credentials("ann"), 401, ""},
		{"control", credentials("ann:secret\n"), 401, ""},
		{"longer than bcrypt looks at", credentials("long:" + long + "y"), 401, ""},
		{"as long as it looks at", credentials("long:" + long), 0, "long"},
		{"too long", credentials("ann:" + strings.Repeat("x", 4000)), 401, ""},
		{"not base64", "Authorization: Basic !!!!\r\n", 401, ""},
		{"any case", strings.Replace(credentials("ann:secret"), "Basic", "bAsIc", 1), 0, "ann"},
		{"bearer", "Authorization: Bearer abc\r\n", 401, ""},
		{"two", credentials("ann:secret") + credentials("bob:a:b"), 401, ""},
	} {
		r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\nX-User: root\r\n"+c.fields+"\r\n")
		a := decide(t, g, r)
		switch {
		case a == nil && c.status == 0:
			if got, want := string(r.Forwards()), "x-user: "+c.user+"\r\n"; got != want || strings.Join(r.Drops(), " ") != right+" x-user" {
				t.Errorf("%s: forwards %q and drops %q", c.name, got, r.Drops())
			}
		case a == nil || a.Status != c.status:
			t.Errorf("%s: %+v, want %d", c.name, a, c.status)
		case !strings.Contains(string(a.Fields), "WWW-Authenticate: Basic realm=\"shop\", charset=\"UTF-8\"\r\n"):
			t.Errorf("%s: there is no challenge in %q", c.name, a.Fields)
		}
	}
	r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n"+credentials("ann:secret")+"\r\n")
	if n := testing.AllocsPerRun(100, func() {
		r.Begin(r.Head, r.Buf)
		if g.Check(r) != nil {
			t.Fatal("it isn't remembered")
		}
	}); n != 0 {
		t.Errorf("%v allocations for credentials that are remembered", n)
	}
}

// A password that was changed is no longer right, though it is remembered.
func TestBasicForgets(t *testing.T) {
	g, file := basicGuard(t, config.Basic{Cache: 10}, "ann:"+hashed(t, "secret"))
	r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n"+credentials("ann:secret")+"\r\n")
	for range 2 {
		if a := decide(t, g, r); a != nil {
			t.Fatal(a.Status)
		}
	}
	if err := os.WriteFile(file, []byte("ann:"+hashed(t, "another")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := g.file.Look(); err != nil { // which it would do by itself, soon
		t.Fatal(err)
	}
	if a := decide(t, g, r); a == nil || a.Status != 401 {
		t.Errorf("the old password: %+v", a)
	}
	if err := os.WriteFile(file, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := g.file.Look(); err == nil {
		t.Error("a broken file is taken")
	}
	if a := decide(t, g, requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n"+credentials("ann:another")+"\r\n")); a != nil {
		t.Errorf("with a file that has become broken: %d", a.Status)
	}
}

// One client can't have all the room there is for passwords that are verified.
func TestBasicIsBounded(t *testing.T) {
	g, _ := basicGuard(t, config.Basic{}, "ann:"+hashed(t, "secret"))
	r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n"+credentials("ann:secret")+"\r\n")
	var last *request.Reply
	for range waitingEach {
		if last = g.Check(r); last.Deferred == nil {
			t.Fatalf("%d", last.Status)
		}
	}
	if a := g.Check(r); a.Status != 429 || a.Deferred != nil {
		t.Errorf("one more: %+v", a)
	}
	last.Deferred.End()
	if a := g.Check(r); a.Deferred == nil {
		t.Errorf("when one has been verified: %d", a.Status)
	}
}

func TestPasswords(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "it holds no user"},
		{"ann", `line 1: expected "user:hash"`},
		{"\n:x", `line 2: expected "user:hash"`},
		{"ann:secret", `line 1: the hash of "ann": expected bcrypt ($2y$…) or argon2id ($argon2id$…): make it again with htpasswd -B`},
		{"ann:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", `line 1: the hash of "ann": SHA-1 and MD5 are too fast to keep a password: make it again with htpasswd -B`},
		{"ann:$apr1$x$y", `line 1: the hash of "ann": SHA-1 and MD5 are too fast to keep a password: make it again with htpasswd -B`},
		{"ann:$2y$05$short", `line 1: the hash of "ann": this is not a whole bcrypt hash of 60 characters`},
		{"ann:$2y$20$" + strings.Repeat("a", 53), `line 1: the hash of "ann": expected a cost from 4 to 15, got 20`},
		{"ann:$argon2id$v=19$m=9999999,t=1,p=1$c2FsdHNhbHQ$c2FsdHNhbHRzYWx0c2FsdA", `line 1: the hash of "ann": expected m from 8 for each lane to 131072, t from 1 to 32, p from 1 to 16`},
		{"ann:$argon2id$v=19$m=16,t=1$a$b", `line 1: the hash of "ann": expected m=…,t=…,p=… of argon2id`},
		{"ann:$argon2id$v=19$m=16,t=1,p=1$c2Fs$c2FsdHNhbHRzYWx0c2FsdA", `line 1: the hash of "ann": expected a salt of 8 to 64 bytes and a hash of 16 to 64 bytes, in base64 without padding`},
	} {
		if _, err := parsePasswords([]byte(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v\nwant %s", c.text, err, c.want)
		}
	}
	ann := hashed(t, "x")
	if _, err := parsePasswords([]byte("ann:" + ann + "\nann:" + ann)); err == nil || err.Error() != `line 2: the user "ann" is there already` {
		t.Errorf("twice: %v", err)
	}
}

// What others have hashed is read as they do.
func TestPasswordsOfOthers(t *testing.T) {
	for _, hash := range []string{
		"$2y$04$Tg4rlCdX/z.35M4YvCppIOhUJdm.fEQlK/UAJI79mWceuFDBefO/C",                         // htpasswd -nbB -C 4
		"$2b$04$abcdefghijklmnopqrstuughE8Ev8uGFaUgY2cNEySvxngrb/Jzdm",                         // crypt(3) of glibc's libcrypt
		"$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", // the reference implementation's test.c
	} {
		p, err := parsePasswords([]byte("ann:" + hash))
		if err != nil {
			t.Errorf("%s: %v", hash, err)
			continue
		}
		if !p.verify("ann", []byte("password")) || p.verify("ann", []byte("Password")) || p.verify("bob", []byte("password")) {
			t.Errorf("%s is verified wrongly", hash)
		}
	}
}

// Whatever a file holds, what is read of it has bounds, and messages hold no hash.
func FuzzPasswords(f *testing.F) {
	f.Add("ann:$2y$04$abcdefghijklmnopqrstuughE8Ev8uGFaUgY2cNEySvxngrb/Jzdm\n")
	f.Add("ann:$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4")
	f.Add("#\n\nann:{SHA}x\nbob")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePasswords([]byte(text))
		if err != nil {
			return
		}
		for user, one := range p.users {
			if user == "" || hasControl([]byte(user)) {
				t.Errorf("%q is a user", user)
			}
			switch h := one.(type) {
			case bcryptHash:
				if h.cost > mostBcryptCost {
					t.Errorf("cost %d", h.cost)
				}
			case argonHash:
				if h.memory > mostArgonMemory || h.time > mostArgonTime || h.lanes == 0 || len(h.sum) < 16 {
					t.Errorf("%+v", h)
				}
			}
			if one.effort() > p.unknownUser.effort() {
				t.Error("somebody's password takes longer than nobody's")
			}
		}
	})
}
