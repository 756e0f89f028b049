package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// What speaks against a trial, and why a verdict is what it is, was written in
// English when it was measured, and is archived so: old runs must be readable in
// other languages too. So a language has, besides its texts, a list of phrases: the
// format that wrote the English one, as it is in the source, and the same in the
// language with {1}, {2} for what was filled in. A text is translated phrase by
// phrase; names, commands and errors of others stay as they are.

// phrase is one such format, ready to be found.
type phrase struct {
	english string // the format
	fixed   string // the longest part of it that is there in whatever it writes, in lower case
	open    bool   // it may hold other phrases
	find    func() *regexp.Regexp
	text    string // in the language
}

var verb = regexp.MustCompile(`%%|%(?:\[\d+\])?[-+]?[0-9.*]*[a-z]`)

// newPhrase makes a pattern of a format: figures stand for its verbs, and any text
// for its strings.
func newPhrase(english, text string) phrase {
	var pattern strings.Builder
	fixed, open := "", false
	literal := func(text string) {
		pattern.WriteString(regexp.QuoteMeta(text))
		if len(text) > len(fixed) {
			fixed = text
		}
	}
	rest := english
	for rest != "" {
		at := verb.FindStringIndex(rest)
		if at == nil {
			literal(rest)
			break
		}
		literal(rest[:at[0]])
		is, after := rest[at[0]:at[1]], rest[at[1]:]
		switch {
		case is == "%%":
			pattern.WriteString("%")
		case strings.ContainsRune("vsqw", rune(is[len(is)-1])):
			open = true
			pattern.WriteString("(.*?)")
			if after == "" {
				pattern.WriteString("$")
			}
		default:
			pattern.WriteString(`([-+]?[0-9][0-9.,e+-]*|[-+]?Inf|NaN)`)
		}
		rest = after
	}
	body := pattern.String()
	if isWord(english[0]) {
		body = `\b` + body // a word is no part of another
	}
	if verbs := verb.FindAllStringIndex(english, -1); isWord(english[len(english)-1]) && (len(verbs) == 0 || verbs[len(verbs)-1][1] < len(english)) {
		body += `\b`
	}
	// Most phrases are in no text, and a language has a thousand of them.
	find := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)(?i:` + body + `)`) })
	return phrase{english, strings.ToLower(fixed), open, find, text}
}

func isWord(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' }

// weight orders phrases: those that fix most are tried first, and before them those
// that may hold others and fix enough to be known.
func (p *phrase) weight() int {
	const known, first = 12, 1000
	fixed := len(verb.ReplaceAllString(p.english, ""))
	if fixed >= known && p.open {
		return first + fixed
	}
	return fixed
}

// loadPhrases reads a language's phrases; English has none.
func loadPhrases(lang string) ([]phrase, error) {
	if lang == "en" {
		return nil, nil
	}
	pairs, err := readPhrases(lang)
	if err != nil {
		return nil, fmt.Errorf("report: reading the phrases of language %s: %w", lang, err)
	}
	list := make([]phrase, len(pairs))
	for i, pair := range pairs {
		list[i] = newPhrase(pair[0], pair[1])
	}
	slices.SortStableFunc(list, func(x, y phrase) int { return cmp.Compare(y.weight(), x.weight()) })
	return list, nil
}

// readPhrases reads the phrases of what is archived, and those of messages, which are
// told and forgotten: of commands, progress and errors.
func readPhrases(lang string) (pairs [][2]string, err error) {
	for _, kind := range []string{".phrases.json", ".messages.phrases.json"} {
		data, err := langFiles.ReadFile("lang/" + lang + kind)
		if err != nil {
			return nil, err
		}
		var more [][2]string
		if err := json.Unmarshal(data, &more); err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		pairs = append(pairs, more...)
	}
	return pairs, nil
}

// reason translates what the lab wrote in English when it measured.
func (c language) reason(text string) string { return c.translate(text, c.phrases, 0) }

// deepest is how far phrases may hold phrases.
const deepest = 6

// translate replaces the phrases found in a text, and those in what they hold.
func (c language) translate(text string, phrases []phrase, depth int) string {
	if whole, ok := c.whole[text]; ok {
		return whole
	}
	if text == "" || depth > deepest {
		return text
	}
	lower := strings.ToLower(text)
	for i := range phrases {
		p := &phrases[i]
		if !strings.Contains(lower, p.fixed) {
			continue
		}
		at := p.find().FindStringSubmatchIndex(text)
		if at == nil || at[0] == at[1] || partOfName(text, at[0], at[1]) {
			continue
		}
		var swap []string
		for n := 1; 2*n < len(at); n++ {
			swap = append(swap, "{"+strconv.Itoa(n)+"}", c.translate(text[at[2*n]:at[2*n+1]], phrases, depth+1))
		}
		// What fixes less than this phrase is looked for before it and after it.
		return c.translate(text[:at[0]], phrases[i:], depth) + strings.NewReplacer(swap...).Replace(p.text) + c.translate(text[at[1]:], phrases[i:], depth)
	}
	return text
}

// partOfName reports whether a stretch of a text begins or ends within a word with
// hyphens, such as the name of a finding: those are the same in all languages.
func partOfName(text string, from, to int) bool {
	return from > 0 && text[from-1] == '-' && isWord(text[from]) || to < len(text) && text[to] == '-' && isWord(text[to-1])
}
