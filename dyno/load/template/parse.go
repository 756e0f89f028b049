package template

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Limits of placeholders.
const (
	maxRandom  = 1 << 20 // characters of a random text
	maxChoices = 10_000
)

// names are the placeholders other than feeds and quoted texts.
var names = []string{"int", "string", "hex", "uuid", "choice", "seq", "timestamp", "env", "json", "url"}

// parse reads what is between the braces.
func parse(inner string, env *Env) (segment, error) {
	words, err := split(inner)
	if err != nil {
		return segment{}, err
	}
	return parseWords(words, env)
}

func parseWords(words []argument, env *Env) (segment, error) {
	if len(words) == 0 {
		return segment{}, errNone
	}
	name, args := words[0], words[1:]
	if name.quoted {
		if len(args) > 0 {
			return segment{}, errors.New("a text in quotes stands alone")
		}
		return segment{kind: literal, text: name.text}, nil
	}
	if rest, ok := strings.CutPrefix(name.text, "feed."); ok {
		if len(args) > 0 {
			return segment{}, fmt.Errorf("%q follows a feed's column; expected nothing", args[0].text)
		}
		return parseFeed(rest, env)
	}
	switch name.text {
	case "json", "url":
		return parseEncoded(name.text, args, env)
	case "env":
		return parseEnv(args, env)
	case "choice":
		return parseChoice(args)
	}
	return parseGenerated(name.text, args)
}

// argument is a word, or a text in quotes.
type argument struct {
	text   string
	quoted bool
}

// split takes the words apart.
func split(inner string) ([]argument, error) {
	var words []argument
	for rest := strings.TrimSpace(inner); rest != ""; rest = strings.TrimLeft(rest, " \t\r\n") {
		if rest[0] != '"' {
			end := strings.IndexAny(rest, " \t\r\n\"")
			if end < 0 {
				end = len(rest)
			}
			words, rest = append(words, argument{text: rest[:end]}), rest[end:]
			continue
		}
		prefix, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return nil, fmt.Errorf("%s is not a text in quotes", cut(rest))
		}
		text, err := strconv.Unquote(prefix)
		if err != nil {
			return nil, fmt.Errorf("%s is not a text in quotes", cut(prefix))
		}
		words, rest = append(words, argument{text, true}), rest[len(prefix):]
	}
	return words, nil
}

// parseGenerated reads the placeholders that are made up.
func parseGenerated(name string, args []argument) (segment, error) {
	switch name {
	case "int":
		return parseInt(args)
	case "string", "hex":
		kind := letters
		if name == "hex" {
			kind = hexadecimal
		}
		n, err := number(args, 0, 1, maxRandom)
		return segment{kind: kind, low: n}, firstOf(err, exactly(args, 1))
	case "uuid":
		return segment{kind: uuid}, exactly(args, 0)
	case "seq":
		if len(args) == 0 {
			return segment{kind: sequence}, nil
		}
		start, err := number(args, 0, -1<<53, 1<<53)
		return segment{kind: sequence, low: start}, firstOf(err, exactly(args, 1))
	case "timestamp":
		return parseTimestamp(args)
	}
	return segment{}, fmt.Errorf("there is no placeholder %q; expected %s, feed.NAME.COLUMN or a text in quotes", name, strings.Join(names, ", "))
}

// firstOf returns the first error there is.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func exactly(args []argument, n int) error {
	if len(args) != n {
		return fmt.Errorf("has %d arguments, expected %d", len(args), n)
	}
	return nil
}

// number reads the i-th argument as an integer.
func number(args []argument, i int, low, high int64) (int64, error) {
	if i >= len(args) {
		return 0, errors.New("lacks a number, as in {{int 1 100}} or {{string 12}}")
	}
	n, err := strconv.ParseInt(args[i].text, 10, 64)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("%q is not a whole number from %d to %d", args[i].text, low, high)
	}
	return n, nil
}

func parseInt(args []argument) (segment, error) {
	const most = 1 << 62
	low, errLow := number(args, 0, -most, most)
	high, errHigh := number(args, 1, -most, most)
	if err := firstOf(errLow, errHigh, exactly(args, 2)); err != nil {
		return segment{}, err
	}
	if high < low {
		return segment{}, fmt.Errorf("the highest number, %d, is below the lowest, %d", high, low)
	}
	return segment{kind: integer, low: low, span: uint64(high-low) + 1}, nil
}

func parseTimestamp(args []argument) (segment, error) {
	if len(args) == 0 {
		return segment{kind: unixSeconds}, nil
	}
	kinds := map[string]kind{"unix": unixSeconds, "unix-ms": unixMillis, "rfc3339": rfc3339}
	k, ok := kinds[args[0].text]
	if !ok {
		return segment{}, fmt.Errorf("%q is no form of a timestamp; expected unix, unix-ms or rfc3339", args[0].text)
	}
	return segment{kind: k}, exactly(args, 1)
}

func parseChoice(args []argument) (segment, error) {
	if len(args) == 0 || len(args) > maxChoices {
		return segment{}, fmt.Errorf("has %d texts, expected 1 to %d", len(args), maxChoices)
	}
	s := segment{kind: choice}
	for _, a := range args {
		s.choices = append(s.choices, a.text)
	}
	return s, nil
}

func parseEnv(args []argument, env *Env) (segment, error) {
	if err := exactly(args, 1); err != nil {
		return segment{}, err
	}
	if env.Getenv != nil {
		if value, ok := env.Getenv(args[0].text); ok {
			return segment{kind: literal, text: value}, nil
		}
	}
	return segment{}, fmt.Errorf("environment variable %s is not set", args[0].text)
}

// parseFeed reads NAME.COLUMN. Columns may have dots, feeds may not.
func parseFeed(reference string, env *Env) (segment, error) {
	name, column, ok := strings.Cut(reference, ".")
	if !ok || name == "" || column == "" {
		return segment{}, errors.New("names no column; write it as {{feed.users.name}}")
	}
	feed := slices.IndexFunc(env.Feeds, func(f *Feed) bool { return f.Name == name })
	if feed < 0 {
		return segment{}, &FeedError{name, known(env.Feeds)}
	}
	table := env.Feeds[feed].Table
	at, err := table.column(column)
	return segment{kind: feedField, feed: feed, column: at, table: table}, err
}

// FeedError is that a placeholder refers to a feed that doesn't exist.
type FeedError struct {
	Name  string
	given string
}

func (e *FeedError) Error() string { return fmt.Sprintf("there is no feed %q; %s", e.Name, e.given) }

func known(feeds []*Feed) string {
	if len(feeds) == 0 {
		return "none are given"
	}
	var names []string
	for _, f := range feeds {
		names = append(names, f.Name)
	}
	return "given are " + strings.Join(names, ", ")
}

// parseEncoded reads what follows json or url.
func parseEncoded(encoding string, words []argument, env *Env) (segment, error) {
	valid := len(words) > 0 && (words[0].quoted || words[0].text == "choice" || words[0].text == "env" || strings.HasPrefix(words[0].text, "feed."))
	if !valid {
		return segment{}, fmt.Errorf("%s goes before choice, env, a feed's column or a text in quotes", encoding)
	}
	s, err := parseWords(words, env)
	s.encoding = jsonString
	if encoding == "url" {
		s.encoding = percent
	}
	if s.kind == literal {
		return segment{kind: literal, text: string(s.encode(nil, s.text))}, err
	}
	return s, err
}
