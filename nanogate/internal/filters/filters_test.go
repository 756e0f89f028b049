package filters

import (
	"slices"
	"strings"
	"testing"

	"dyno.example/internal/i18n"
	"dyno.example/internal/yamlfile"
	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
)

// form is enough of one to read settings.
var form = yamlfile.Form{MostBytes: 1 << 16, MostValues: 1000, MostItems: 100, MostQuoted: 80, MostName: 80,
	Shown: func(text string) string { return text }, Choices: func(v []string) i18n.Message { return i18n.Verbatim(strings.Join(v, ", ")) }}

func read(k Kind, settings string) (Maker, yamlfile.Problems) {
	file := yamlfile.File{Form: &form, Path: "f"}
	root, ok := file.Read([]byte(settings))
	if !ok {
		return nil, file.Problems
	}
	return k.Read(root), file.Problems
}

// made makes a filter of settings that are right.
func made(t *testing.T, k Kind, settings string) filter.Filter {
	t.Helper()
	maker, problems := read(k, settings)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	f, err := maker()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// wrong is what is wrong with settings.
func wrong(k Kind, settings string) yamlfile.Problems {
	_, problems := read(k, settings)
	return problems
}

// asked is a request with these fields.
func asked(t testing.TB, fields string) *request.Request {
	t.Helper()
	text, head := []byte("GET / HTTP/1.1\r\nHost: h\r\n"+fields+"\r\n"), new(http1.Request)
	if _, err := head.Parse(text, nil); err != nil {
		t.Fatal(err)
	}
	r := new(request.Request)
	r.Begin(head, text)
	return r
}

// Each filter says what it is and what it does, under a name that no other has.
func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range All {
		if k.Name == "" || k.Doc == "" || strings.Contains(k.Doc, "\n") || k.Read == nil || !slices.Contains(filter.Phases[:], k.Phase) || seen[k.Name] {
			t.Errorf("%+v", k)
		}
		if k.Phase > filter.Limits {
			t.Errorf("%s: filters that are asked about heads have no business in %s", k.Name, k.Phase)
		}
		seen[k.Name] = true
	}
}
