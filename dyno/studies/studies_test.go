package studies_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"dyno.example/dyno/studies"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subjects"
)

// schema compiles the schema of study files.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(studies.Schema())))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("study.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("study.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// value reads a study as an editor does that checks it against the schema.
func value(t *testing.T, src string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(src), &v); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	v, err = jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func subjectNames(t *testing.T) []string {
	t.Helper()
	names, err := subjects.Names()
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestShippedStudies(t *testing.T) {
	s, shipped := schema(t), subjectNames(t)
	sources := map[string]string{"my-study": string(study.Starter())}
	for _, name := range studies.Names() {
		src, err := studies.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		sources[name] = string(src)
	}
	for name, src := range sources {
		t.Run(name, func(t *testing.T) {
			if err := s.Validate(value(t, src)); err != nil {
				t.Error(err)
			}
			parsed, err := study.Parse(name+".yaml", []byte(src), shipped)
			if err != nil {
				t.Fatal(err)
			}
			if parsed.Name != name || parsed.Question == "" {
				t.Errorf("the study is called %q and asks %q", parsed.Name, parsed.Question)
			}
			for _, subject := range parsed.Subjects {
				if subject.Use == "" && !strings.Contains(subject.Run, `"$DYNO" `) {
					t.Errorf("subject %s does not ship with dyno", subject.Name)
				}
			}
			for _, open := range parsed.QuickOpen() {
				t.Error(open)
			}
			for _, form := range []*study.Study{parsed, parsed.Quick()} {
				if _, err := study.Expand(form, 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestNamesAreSorted(t *testing.T) {
	names := studies.Names()
	if !slices.IsSorted(names) || !slices.Contains(names, "go-frameworks") {
		t.Errorf("got %q", names)
	}
}

func TestReadUnknown(t *testing.T) {
	if _, err := studies.Read("../studies"); err == nil || err.Error() != `there is no built-in study "../studies"` {
		t.Errorf("got %v", err)
	}
}

func TestSchemaIsTheCallers(t *testing.T) {
	studies.Schema()[0] = 'x'
	if studies.Schema()[0] != '{' {
		t.Error("the schema can be changed")
	}
}

func TestSchemaHasEveryMetric(t *testing.T) {
	var s struct {
		Properties struct {
			Report struct{ Items struct{ Enum []string } }
		}
	}
	if err := json.Unmarshal(studies.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	if got, want := s.Properties.Report.Items.Enum, study.Metrics(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
