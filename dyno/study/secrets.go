package study

import (
	"bytes"
	"cmp"
	"io"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dyno.example/dyno/internal/shell"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/template"
	"dyno.example/internal/i18n"
)

// Secrets are the values that must be neither shown nor archived, each with what
// stands for it. The nil map hides nothing.
//
// A value is secret by its name: that of an environment variable, an option of a
// command line or a header ([request.IsSecret]). Levels of factors have stand-ins that
// differ, so that cells can still be distinguished.
type Secrets map[string]string

// shortest is the length from which a value counts as a secret. A shorter one protects
// nothing, and would be found everywhere in texts.
const shortest = 4

// secretsOf collects the secrets of a study, also of its quick form.
func secretsOf(s *Study) Secrets {
	secrets := Secrets{}
	secrets.addLevels(slices.Concat(s.Factors, s.Shorter.Factors))
	for i := range s.Subjects {
		secrets.AddEnv(s.Subjects[i].Env)
		secrets.AddCommand(s.Subjects[i].Run)
		secrets.AddCommand(s.Subjects[i].Build)
	}
	for i := range s.Services {
		one := &s.Services[i]
		secrets.AddEnv(one.Env)
		secrets.AddEnv(map[string]string{one.As: one.URL})
		secrets.AddEnv(one.Settings)
		secrets.AddCommand(one.Run)
	}
	secrets.AddRequests(s.Requests)
	if len(secrets) == 0 {
		return nil
	}
	return secrets
}

// addLevels adds what is secret in levels, numbered in their order if there are
// several.
func (s Secrets) addLevels(factors []Factor) {
	var found []string
	for _, f := range factors {
		k, name, ok := kindOf(f.Name)
		if !ok || k.secrets == nil {
			continue
		}
		for _, level := range f.Levels {
			for _, value := range k.secrets(name, level) {
				if len(value) >= shortest && !isPlainSetting(value) && !slices.Contains(found, value) {
					found = append(found, value)
				}
			}
		}
	}
	for i, value := range found {
		s[value] = request.Redacted
		if len(found) > 1 {
			s[value] += strconv.Itoa(i + 1)
		}
	}
}

// isPlainSetting reports whether a level can't be a secret: a switch, or a number such as
// that of the seconds a session lasts.
func isPlainSetting(level string) bool {
	const longest = 7 // of a number
	_, err := strconv.ParseFloat(level, 64)
	return level == "true" || level == "false" || err == nil && len(level) <= longest
}

// namedSecret is the level of a factor whose own name says that it is secret.
func namedSecret(name, level string) []string {
	if request.IsSecret(name) || userinfo.MatchString(level) {
		return []string{level}
	}
	return nil
}

// optionSecrets are the values of options, or of variables, whose names say that
// they are secrets, in a command line. It is nil if that can't be read.
func optionSecrets(_, line string) []string {
	words, err := shell.Split(line)
	if err != nil {
		return nil
	}
	return secretWords(words)
}

// secretWords finds the values in --token=VALUE, --token VALUE and TOKEN=VALUE,
// also where such stand within one word, as in -ldflags='-X main.token=VALUE'.
func secretWords(words []string) (found []string) {
	for i, word := range words {
		name, value, assigned := strings.Cut(strings.TrimLeft(word, "-"), "=")
		switch {
		case strings.ContainsAny(name, " \t\n"):
			found = append(found, secretWords(strings.Fields(word))...)
		case assigned && (request.IsSecret(name) || userinfo.MatchString(value)):
			found = append(found, value)
		case assigned && strings.ContainsAny(value, " \t\n"):
			found = append(found, secretWords(strings.Fields(value))...)
		case !assigned && strings.HasPrefix(word, "-") && request.IsSecret(name) && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-"):
			found = append(found, words[i+1])
		}
	}
	return found
}

// add adds a value, unless it is there already or a stand-in itself.
func (s Secrets) add(value string) {
	if _, known := s[value]; !known && len(value) >= shortest && !strings.HasPrefix(value, request.Redacted) {
		s[value] = request.Redacted
	}
}

// AddEnv adds the values of variables whose names say that they are secrets, and the
// passwords of URLs in the others, such as DATABASE_URL.
func (s Secrets) AddEnv(env map[string]string) {
	for name, value := range env {
		filled, err := template.Environ(value, os.LookupEnv)
		if err != nil {
			filled = value
		}
		if request.IsSecret(name) {
			s.add(value)
			s.add(filled)
		}
		s.addURLs(filled)
	}
}

// userinfo finds user and password in the URLs of a text (RFC 3986 3.2.1), unless what
// stands there is the name of a variable or a stand-in.
var userinfo = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://([^/?#\s:@]*):([^/?#\s@$*][^/?#\s@]*)@`)

// longPassword is the length from which a password is looked for by itself too. A shorter
// one may be a word, such as that of the user's own name.
const longPassword = 8

// addURLs adds the passwords of the URLs in a text.
func (s Secrets) addURLs(text string) {
	for _, found := range userinfo.FindAllStringSubmatch(text, -1) {
		user, password := found[1], found[2]
		s[user+":"+password+"@"] = user + ":" + request.Redacted + "@"
		if len(password) < longPassword || password == user {
			continue
		}
		s.add(password)
		if plain, err := url.PathUnescape(password); err == nil {
			s.add(plain)
		}
	}
}

// AddCommand adds the secrets in a shell command, but for those that are names of
// variables there.
func (s Secrets) AddCommand(command string) {
	for _, value := range optionSecrets("", command) {
		if !strings.HasPrefix(value, "$") {
			s.add(value)
		}
	}
	s.addURLs(command)
}

// AddRequests adds credentials, cookies, and the values of headers whose names say
// that they are secrets.
func (s Secrets) AddRequests(requests []request.Request) {
	for i := range requests {
		r := &requests[i]
		for _, h := range r.Headers {
			if request.IsSecret(h.Name) {
				s.add(h.Value)
				s.addCredentials(h.Name, h.Value)
			}
		}
		for _, c := range r.Cookies {
			s.add(c.Value)
		}
		s.addCredentials("Authorization", r.Auth)
	}
}

// addCredentials adds what stands behind the scheme in the value of a header such
// as Authorization (RFC 9110 11.4), and the password in it.
func (s Secrets) addCredentials(header, value string) {
	_, secret, ok := strings.Cut(strings.TrimSpace(value), " ")
	if !ok || !strings.HasSuffix(strings.ToLower(header), "authorization") {
		return
	}
	s.add(strings.TrimSpace(secret))
	_, password, _ := strings.Cut(secret, ":")
	s.add(password)
}

// hiddenLevels returns the levels as they may be shown.
func (s Secrets) hiddenLevels(levels map[string]string) map[string]string {
	if len(s) == 0 {
		return levels
	}
	shown := make(map[string]string, len(levels))
	for factor, level := range levels {
		shown[factor] = level
		if k, _, ok := kindOf(factor); ok && k.secrets != nil {
			shown[factor] = s.Hide(level)
		}
	}
	return shown
}

// Hide returns the text with the stand-ins of all secrets in it.
func (s Secrets) Hide(text string) string {
	if len(s) == 0 || text == "" {
		return text
	}
	return s.replacer().Replace(text)
}

// Error returns an error that says the same without secrets, and wraps err.
func (s Secrets) Error(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if s.Hide(text) != text {
		return &hiddenError{i18n.From(err).Map(s.Hide), err}
	}
	return err
}

// hiddenError is an error whose text is not to be shown as it is.
type hiddenError struct {
	text i18n.Message
	err  error
}

func (e *hiddenError) Error() string { return e.text.String() }

// Message implements [i18n.Messager].
func (e *hiddenError) Message() i18n.Message { return e.text }
func (e *hiddenError) Unwrap() error         { return e.err }

// wording is one way to write a secret, and what stands for it.
type wording struct{ text, standIn string }

// wordings are all ways in which files and command lines write the secrets, the
// longest first: one may be a part of another.
func (s Secrets) wordings() (list []wording) {
	for value, standIn := range s {
		quoted := strconv.Quote(value)
		for _, text := range []string{value, quoted[1 : len(quoted)-1], strings.ReplaceAll(value, "'", "''"), strings.ReplaceAll(value, "'", `'\''`)} {
			list = append(list, wording{text, standIn})
		}
	}
	slices.SortFunc(list, func(a, b wording) int {
		return cmp.Or(cmp.Compare(len(b.text), len(a.text)), cmp.Compare(a.text, b.text))
	})
	return slices.Compact(list)
}

func (s Secrets) replacer() *strings.Replacer {
	var pairs []string
	for _, sp := range s.wordings() {
		pairs = append(pairs, sp.text, sp.standIn)
	}
	return strings.NewReplacer(pairs...)
}

// Copy copies a text without the secrets in it. Its memory does not grow with the
// text.
func (s Secrets) Copy(w io.Writer, r io.Reader) error {
	if len(s) == 0 {
		_, err := io.Copy(w, r)
		return err
	}
	list, replacer := s.wordings(), s.replacer()
	chunk := make([]byte, 64<<10)
	var text []byte // read and not yet written
	for {
		n, readErr := r.Read(chunk)
		text = append(text, chunk[:n]...)
		end := len(text)
		if readErr == nil {
			end = wholeUntil(text, list)
		}
		if _, err := replacer.WriteString(w, string(text[:end])); err != nil {
			return err
		}
		text = append(text[:0], text[end:]...)
		if readErr == io.EOF {
			return nil
		}
		if readErr != nil {
			return readErr
		}
	}
}

// wholeUntil is the length of the beginning of text that ends within no secret,
// whatever comes after text. list is sorted, the longest first.
func wholeUntil(text []byte, list []wording) int {
	end := max(len(text)-len(list[0].text)+1, 0)
	for moved := true; moved; {
		moved = false
		for _, sp := range list {
			for at := max(end-len(sp.text)+1, 0); at < end; at++ {
				if bytes.HasPrefix(text[at:], []byte(sp.text)) {
					end, moved = at+len(sp.text), true
				}
			}
		}
	}
	return end
}
