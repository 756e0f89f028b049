package archive

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestParseLocation(t *testing.T) {
	here, err := filepath.Abs("runs")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]Location{
		"runs":                  {Dir: here},
		"/data/runs/":           {Dir: "/data/runs"},
		"file:///data/runs":     {Dir: "/data/runs"},
		"s3://lab":              {Bucket: "lab"},
		"s3://lab/":             {Bucket: "lab"},
		"s3://lab/team/runs/":   {Bucket: "lab", Prefix: "team/runs"},
		"s3://lab?region=eu-1":  {Bucket: "lab", Region: "eu-1"},
		"s3://lab/a?profile=ci": {Bucket: "lab", Prefix: "a", Profile: "ci"},
		"s3://lab/a?endpoint=http://127.0.0.1:9000":                                    {Bucket: "lab", Prefix: "a", Endpoint: "http://127.0.0.1:9000", PathStyle: true},
		"s3://lab/a?endpoint=https%3A%2F%2Fs3.example&region=x&path_style=0":           {Bucket: "lab", Prefix: "a", Endpoint: "https://s3.example", Region: "x"},
		"s3://lab?endpoint=http://minio.internal:9000&insecure=true":                   {Bucket: "lab", Endpoint: "http://minio.internal:9000", PathStyle: true, Insecure: true},
		"s3://lab?path_style=true":                                                     {Bucket: "lab", PathStyle: true},
		"s3://a.b-c.d/with%20space?endpoint=http%3A%2F%2F%5B%3A%3A1%5D%3A9000":         {Bucket: "a.b-c.d", Prefix: "with space", Endpoint: "http://[::1]:9000", PathStyle: true},
		"s3://lab/20261121-075328-x-52f0?endpoint=http://localhost:9000&region=us-e-1": {Bucket: "lab", Prefix: "20261121-075328-x-52f0", Endpoint: "http://localhost:9000", Region: "us-e-1", PathStyle: true},
	} {
		got, err := ParseLocation(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
			continue
		}
		if again, err := ParseLocation(got.String()); err != nil || again != got {
			t.Errorf("%s: written as %s, read as %+v, %v", text, got, again, err)
		}
	}
}

func TestParseLocationRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "names no folder",
		"s3:lab/runs":                            "s3://bucket/prefix",
		"gs://lab/runs":                          `"gs" is not a scheme`,
		"file://runs":                            "file:///folder",
		"file:///runs?x=1":                       "file:///folder",
		"s3://":                                  "bucket's name",
		"s3://La":                                "bucket's name",
		"s3://lab:80/x":                          "bucket's name",
		"s3://lab/../x":                          "single slashes",
		"s3://lab/a//b":                          "single slashes",
		"s3://lab/a%00b":                         "single slashes",
		"s3://lab#x":                             "#fragment",
		"s3://lab?region=":                       "region must be given once",
		"s3://lab?region=a&region=b":             "region must be given once",
		"s3://lab?regoin=a":                      `"regoin" is not a parameter`,
		"s3://lab?path_style=maybe":              "true or false",
		"s3://lab?endpoint=minio:9000":           "http or https URL",
		"s3://lab?endpoint=http://127.0.0.1/x":   "without a path",
		"s3://lab?endpoint=http://10.0.0.1":      "insecure=true",
		"s3://AKIA:s3cr3t@lab/x":                 "credentials come from the environment",
		"s3://AKIA:s3cr3t%@lab/x":                "is not a URL",
		"s3://lab?access_key=AKIA&secret=s3cr3t": "not a parameter",
		"s3://lab?endpoint=https://ann:s3cr3t@minio.example": "endpoint holds a user",
		"s3://lab?x=s3cr3t%zz":                               "can't be read",
	} {
		_, err := ParseLocation(text)
		if err == nil {
			t.Errorf("%q is taken", text)
			continue
		}
		wantError(t, err, want)
		if strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%q: the error shows a secret: %v", text, err)
		}
	}
}

func TestParseRun(t *testing.T) {
	for text, want := range map[string]struct {
		location Location
		ref      string
	}{
		"s3://lab/team/latest":                               {Location{Bucket: "lab", Prefix: "team"}, "latest"},
		"s3://lab/20260314?region=x":                         {Location{Bucket: "lab", Region: "x"}, "20260314"},
		"s3://lab/20260314/?endpoint=http://127.0.0.1:9000/": {Location{Bucket: "lab", Endpoint: "http://127.0.0.1:9000", PathStyle: true}, "20260314"},
		"file:///data/runs/20260314":                         {Location{Dir: "/data/runs"}, "20260314"},
	} {
		l, ref, ok, err := ParseRun(text)
		if err != nil || !ok || l != want.location || ref != want.ref {
			t.Errorf("%s: %+v, %q, %v, %v", text, l, ref, ok, err)
		}
	}
	for _, text := range []string{"latest", "20260314", "./runs/20260314", "sha256:abcdef"} {
		if _, _, ok, err := ParseRun(text); ok || err != nil {
			t.Errorf("%q is taken for a URL: %v", text, err)
		}
	}
	for _, text := range []string{"s3://lab", "s3:///latest", "http://lab/latest"} {
		if _, _, _, err := ParseRun(text); err == nil {
			t.Errorf("%q names a run", text)
		}
	}
}

// FuzzParseLocation: what is taken can be written and read again, and holds no
// credentials.
func FuzzParseLocation(f *testing.F) {
	for _, text := range []string{"runs", "file:///data", "s3://lab/a/b?region=x&endpoint=https://h:1&path_style=false", "s3://u:p@lab", "s3://lab?insecure=1&endpoint=http://h", "s3://lab/%2e%2e/x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLocation(text)
		if err != nil {
			return
		}
		again, err := ParseLocation(l.String())
		if err != nil || again != l {
			t.Errorf("%q is %+v, written %q, read as %+v, %v", text, l, l.String(), again, err)
		}
		if l.IsBucket() == (l.Dir != "") {
			t.Errorf("%q is folder and bucket, or neither: %+v", text, l)
		}
	})
}
