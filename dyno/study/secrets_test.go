package study

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"dyno.example/internal/i18n"
)

const secretive = `study: s
subjects: [{name: mine, run: ./mine --db-password=opensesame $X, env: {API_KEY: k3y-of-mine, GOGC: 400}}]
requests: [{get: /, headers: {Authorization: Bearer s3cr3t}}, {get: /b, auth: "basic ann:pa55word"}]
factors:
  env.DB_PASSWORD: [hunter22, swordfish]
  args: ["-v --token=tok3n-one", "--token 'tok3n two'"]
  env.SESSION_SECONDS: [3600, 7200]
  args.cookies: [true, off]
  env.GOGC: [100]
claims:
  - {id: a, says: hunter22 is quick, holds: "throughput[env.DB_PASSWORD=hunter22, args='-v --token=tok3n-one', env.SESSION_SECONDS=3600, args.cookies=off] > 1"}
quick: {factors: {env.DB_PASSWORD: [only-quick]}}
twin: false
`

var secretsOfSecretive = []string{"hunter22", "swordfish", "only-quick", "tok3n-one", "tok3n two", "opensesame", "k3y-of-mine", "s3cr3t", "pa55word"}

// TestSecretLevelsAreNotShown: cells have them, and are told apart without them.
func TestSecretLevelsAreNotShown(t *testing.T) {
	s := parse(t, secretive)
	p := expand(t, s, 1)
	labels := map[string]bool{}
	for i := range p.Cells {
		c := &p.Cells[i]
		for factor, level := range c.Levels {
			labels[factor+"="+level] = true
		}
		password := map[string]string{"***1": "hunter22", "***2": "swordfish"}[c.Levels["env.DB_PASSWORD"]]
		if password == "" || c.Env["DB_PASSWORD"] != password {
			t.Errorf("%v: the password is %q", c.Levels, c.Env["DB_PASSWORD"])
		}
		if !strings.Contains(c.Args, "--token=tok3n-one") && !strings.Contains(c.Args, "--token 'tok3n two'") {
			t.Errorf("%v: arguments %q", c.Levels, c.Args)
		}
	}
	for _, want := range []string{"args=-v --token=***3", "args=--token '***4'", "env.SESSION_SECONDS=3600", "args.cookies=true", "env.GOGC=100"} {
		if !labels[want] {
			t.Errorf("no cell is called %s: %v", want, labels)
		}
	}
	if len(labels) != 2+2+2+2+1 {
		t.Errorf("the labels are %v", labels)
	}
	var plan strings.Builder
	p.Describe(&plan, i18n.Message.String)
	for _, secret := range secretsOfSecretive {
		if strings.Contains(plan.String(), secret) {
			t.Errorf("the plan shows %q", secret)
		}
		if s.Secrets[secret] == "" {
			t.Errorf("%q is not known for a secret: %v", secret, s.Secrets)
		}
	}
	if hidden := s.Secrets.Hide(string(s.Source)); !strings.Contains(hidden, "env.DB_PASSWORD: [***1, ***2]") || !strings.Contains(hidden, "env.DB_PASSWORD: [***5]") {
		t.Errorf("the source is shown as\n%s", hidden)
	}
}

func TestOneSecretLevelHasNoNumber(t *testing.T) {
	p := expand(t, parse(t, "study: s\nsubjects: [{name: a, run: ./a}]\nfactors: {args.token: [t0ken]}\n"), 1)
	if got := p.Cells[0].Levels["args.token"]; got != "***" || p.Cells[0].Args != "--token=t0ken" {
		t.Errorf("level %q, arguments %q", got, p.Cells[0].Args)
	}
}

func TestStudyWithoutSecrets(t *testing.T) {
	s := parse(t, minimal+"factors: {env.GOGC: [100, 200]}\n")
	if p := expand(t, s, 1); s.Secrets != nil || p.Secrets.Hide("100") != "100" {
		t.Errorf("secrets %v", s.Secrets)
	}
}

func TestProblemsDontShowSecrets(t *testing.T) {
	checkProblems(t, []problemCase{
		{"twice", minimal + "factors: {env.API_TOKEN: [hunter22, hunter22]}\n",
			`s.yaml:3:37: factors.env.API_TOKEN[1]: the level "***" is given twice (remove one of them)`},
		{"in a claim", minimal + "factors: {env.API_TOKEN: [hunter22, swordfish]}\nclaims:\n- id: a\n  holds: throughput[env.API_TOKEN=no] > 1\n",
			`s.yaml:6:21: claims[0].holds: there is no level of env.API_TOKEN "no" here (there are ***1, ***2)`},
	})
}

func TestOptionSecrets(t *testing.T) {
	for line, want := range map[string][]string{
		"":                                  nil,
		"-v --workers=4":                    nil,
		"--token=abcd":                      {"abcd"},
		"-token abcd -v":                    {"abcd"},
		"--token -v":                        nil,
		"--token":                           nil,
		"--Api-Key='a b' x":                 {"a b"},
		"API_TOKEN=abcd ./server":           {"abcd"},
		"'-ldflags=-X main.token=abcd -s'":  {"abcd"},
		`--password="it's" --session-id=x1`: {"it's", "x1"},
		"'open":                             nil,
	} {
		if got := optionSecrets("", line); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// Passwords in URLs are secrets whatever the name says; a word that is a user's name too is
// looked for only there.
func TestPasswordsOfURLs(t *testing.T) {
	s := Secrets{}
	s.AddEnv(map[string]string{"DATABASE_URL": "postgres://app:Tr0ub4dor%26@db/app", "REDIS": "redis://postgres:postgres@cache", "HOME_PAGE": "http://example.test/"})
	s.AddCommand("./app --queue amqp://guest:gu@mq/ --db=mysql://root:$DB_PASS@db")
	for text, want := range map[string]string{
		"connecting to postgres://app:Tr0ub4dor%26@db/app": "connecting to postgres://app:***@db/app",
		"password Tr0ub4dor& is wrong":                     "password *** is wrong",
		"redis://postgres:postgres@cache":                  "redis://postgres:***@cache",
		"postgres is up at http://example.test/":           "postgres is up at http://example.test/",
		"amqp://guest:gu@mq/ as guest":                     "amqp://guest:***@mq/ as guest",
		"mysql://root:$DB_PASS@db":                         "mysql://root:$DB_PASS@db",
	} {
		if got := s.Hide(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestHide(t *testing.T) {
	s := Secrets{"abcd": "***1", "abcdef": "***2", "it's": "***3", `say "x"`: "***4"}
	for text, want := range map[string]string{
		"":                        "",
		"abc":                     "abc",
		"abcd abcdef abcdabcd":    "***1 ***2 ***1***1",
		`--a='it'\''s' 'it''s'`:   "--a='***3' '***3'",
		`{"a": "say \"x\""}`:      `{"a": "***4"}`,
		"xabcdefx":                "x***2x",
		"a secret in abcd\nabcd.": "a secret in ***1\n***1.",
	} {
		if got := s.Hide(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	cause := errors.New("no abcd")
	if err := s.Error(cause); err.Error() != "no ***1" || !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
	if other := errors.New("plain"); s.Error(other) != other || s.Error(nil) != nil {
		t.Error("an error without secrets is another")
	}
}

// TestCopy: secrets are found wherever reading happens to stop.
func TestCopy(t *testing.T) {
	s := Secrets{"abcd": "***1", "abcdefgh": "***2"}
	text := strings.Repeat("abc abcd abcdefg abcdefgh ab", 10_000) + "abcdefgh"
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)),
		"halves": iotest.HalfReader(strings.NewReader(text)), "end with data": iotest.DataErrReader(strings.NewReader(text)),
	} {
		var out bytes.Buffer
		if err := s.Copy(&out, r); err != nil || out.String() != s.Hide(text) {
			t.Errorf("%s: %d bytes, %v", name, out.Len(), err)
		}
	}
	for at := range 20 { // across the end of what is read at once
		text := strings.Repeat("x", 64<<10-10+at) + "abcdefgh"
		var out bytes.Buffer
		if err := s.Copy(&out, strings.NewReader(text)); err != nil || out.String() != s.Hide(text) {
			t.Errorf("at %d: %v", at, err)
		}
	}
	var out bytes.Buffer
	if err := Secrets(nil).Copy(&out, strings.NewReader("abcd")); err != nil || out.String() != "abcd" {
		t.Errorf("without secrets: %q, %v", out.String(), err)
	}
	broken := errors.New("broken")
	if err := s.Copy(io.Discard, iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("a reader that breaks: %v", err)
	}
}

func FuzzSecrets(f *testing.F) {
	f.Add("--token=abcd 'x y'", "abcd")
	f.Add("API_TOKEN='a", "a\"b'c")
	f.Fuzz(func(t *testing.T, line, value string) {
		s := Secrets{}
		s.AddCommand(line)
		s.add(value)
		var out bytes.Buffer
		if err := s.Copy(&out, strings.NewReader(line+value)); err != nil {
			t.Fatal(err)
		}
		if len(value) >= shortest && !strings.Contains(value, "*") && strings.Contains(s.Hide(value), value) {
			t.Errorf("%q is shown", value)
		}
	})
}
