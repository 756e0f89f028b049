package cli

import (
	"os"
	"regexp"
	"strings"

	"dyno.example/dyno/load/request"
)

// HideArgs takes secrets out of the process' title, which every user of the machine sees
// for as long as it runs (ps(1), /proc/PID/cmdline). os.Args is a copy afterwards, with the
// arguments as they were given. It is called once, first of all: until then they can be seen.
// Only Linux allows this.
func HideArgs() {
	given := os.Args
	os.Args = make([]string, len(given))
	for i := range given {
		os.Args[i] = strings.Clone(given[i])
	}
	for i, parts := range secretParts(os.Args) {
		for _, p := range parts {
			overwrite(given[i], p)
		}
	}
}

// span is a part of a text: bytes from at, up to end.
type span struct{ at, end int }

// secretFlags are the flags whose value is a secret, except for names in it, each with the
// text up to which it is shown.
var secretFlags = map[string]string{
	"bearer": "", "auth": ":", "header": ":", "remote-write-header": ":", "otlp-header": ":", "cookie": "=",
}

var (
	// passwords are those of URLs.
	passwords = regexp.MustCompile(`://[^/?#\s:@]*:([^/?#\s@]+)@`)
	// assignments are parameters of URLs, and variables.
	assignments = regexp.MustCompile(`(?:^-{0,2}|[?&\s=])([A-Za-z_][A-Za-z0-9_.-]*)=([^&#\s]+)`)
)

// secretParts finds the secrets in a command line, by argument.
func secretParts(args []string) map[int][]span {
	found := map[int][]span{}
	for i := 1; i < len(args); i++ {
		for _, at := range passwords.FindAllStringSubmatchIndex(args[i], -1) {
			found[i] = append(found[i], span{at[2], at[3]})
		}
		for _, at := range assignments.FindAllStringSubmatchIndex(args[i], -1) {
			if request.IsSecret(args[i][at[2]:at[3]]) {
				found[i] = append(found[i], span{at[4], at[5]})
			}
		}
		shown, from, ok := flagValue(args[i])
		switch {
		case !ok:
		case from < len(args[i]):
			found[i] = append(found[i], spanOf(args[i], from, shown)...)
		case i+1 < len(args):
			i++
			found[i] = append(found[i], spanOf(args[i], 0, shown)...)
		}
	}
	return found
}

// flagValue reports whether an argument is a flag whose value is a secret, up to which text
// it is none, and where it begins: beyond the end, it is the next argument.
func flagValue(arg string) (shown string, from int, ok bool) {
	if long, isLong := strings.CutPrefix(arg, "--"); isLong {
		name, _, assigned := strings.Cut(long, "=")
		if shown, ok = secretFlags[name]; ok && assigned {
			return shown, len("--") + len(name) + 1, true
		}
		return shown, len(arg), ok
	}
	// -H, perhaps behind switches of one letter.
	if at := strings.IndexByte(arg, 'H'); at > 0 && arg[0] == '-' && strings.Trim(arg[1:at], "abcdefghijklmnopqrstuvwxyz") == "" {
		return secretFlags["header"], at + 1, true
	}
	return "", 0, false
}

// spanOf is the secret in a value that begins at from. What names a file or a variable that
// holds it is none.
func spanOf(arg string, from int, shown string) []span {
	value := arg[from:]
	if strings.HasPrefix(value, "env:") || shown == "" && strings.HasPrefix(value, "@") {
		return nil
	}
	if at := strings.Index(value, shown); at >= 0 {
		from += at + len(shown)
	}
	if from == len(arg) {
		return nil
	}
	return []span{{from, len(arg)}}
}
