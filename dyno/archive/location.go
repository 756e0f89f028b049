package archive

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dyno.example/internal/i18n"
)

// Location is where runs are kept: a folder of this machine, or a bucket of an
// object store that speaks S3. It never holds credentials.
type Location struct {
	Dir string // absolute path; empty for a bucket

	Bucket    string // its name; empty for a folder
	Prefix    string // of all keys, without slashes at its ends; may be empty
	Region    string // empty leaves it to the environment
	Endpoint  string // http or https URL of a store that is not Amazon's; empty leaves it to the environment
	Profile   string // of the AWS configuration files; empty leaves it to the environment
	PathStyle bool   // the bucket's name goes into the path, not the host
	Insecure  bool   // plain HTTP is accepted also from other machines
}

// IsBucket reports whether it is a bucket, not a folder.
func (l Location) IsBucket() bool { return l.Bucket != "" }

// ParseLocation reads a folder's path, relative or not, or one of
//
//	file:///folder
//	s3://bucket/prefix?region=…&endpoint=…&profile=…&path_style=…&insecure=…
//
// With an endpoint, path_style is true unless given. Credentials in the URL are
// refused, and errors don't repeat what may be one.
func ParseLocation(text string) (Location, error) {
	switch scheme, _, isURL := strings.Cut(text, "://"); {
	case text == "":
		return Location{}, i18n.Errorf("archive.no-folder-or-bucket", "names no folder and no bucket")
	case !isURL && strings.HasPrefix(text, "s3:"):
		return Location{}, i18n.Errorf("archive.bucket-form", "write a bucket as s3://bucket/prefix")
	case !isURL:
		dir, err := filepath.Abs(text)
		return Location{Dir: dir}, err
	case scheme != "file" && scheme != "s3":
		return Location{}, i18n.Errorf("archive.unknown-scheme", "%q is not a scheme of archives: give a folder, file:///folder or s3://bucket/prefix", scheme)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return Location{}, i18n.Errorf("archive.bad-bucket-url", "is not a URL such as s3://bucket/prefix?region=eu-central-1") // err repeats it
	case u.User != nil:
		return Location{}, errors.New("holds a user or password: credentials come from the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE) only; if it was a real one, change it")
	case u.Fragment != "":
		return Location{}, errors.New("ends with a #fragment, which means nothing here")
	case u.Scheme == "file":
		return parseFolder(u)
	}
	return parseBucket(u)
}

// ParseRun splits the URL of a run into its archive and what names the run
// there: its last segment. It is not a run's URL if ok is false.
func ParseRun(text string) (l Location, ref string, ok bool, err error) {
	if !strings.Contains(text, "://") {
		return Location{}, "", false, nil
	}
	place, query, _ := strings.Cut(text, "?")
	place, ref, _ = cutLast(strings.TrimRight(place, "/"), "/")
	if query != "" {
		place += "?" + query
	}
	if l, err = ParseLocation(place); err == nil && ref == "" {
		err = i18n.Errorf("archive.no-run-in-address", "names no run at its end")
	}
	return l, ref, true, err
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func parseFolder(u *url.URL) (Location, error) {
	dir := filepath.FromSlash(u.Path)
	if u.Host != "" && u.Host != "localhost" || u.RawQuery != "" || !filepath.IsAbs(dir) {
		return Location{}, i18n.Errorf("archive.folder-form", "write a folder as file:///folder, or just its path")
	}
	return Location{Dir: filepath.Clean(dir)}, nil
}

// bucketName is what S3 takes as one: 3 to 63 lower-case letters, digits, dots
// and hyphens
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html).
var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

func parseBucket(u *url.URL) (Location, error) {
	l := Location{Bucket: u.Host, Prefix: strings.Trim(u.Path, "/")}
	if !bucketName.MatchString(l.Bucket) {
		return Location{}, errors.New("s3:// must be followed by a bucket's name: 3 to 63 lower-case letters, digits, dots and hyphens")
	}
	if l.Prefix != "" && (path.Clean(l.Prefix) != l.Prefix || l.Prefix == "." || strings.HasPrefix(l.Prefix, "..") || strings.ContainsFunc(l.Prefix, isControl)) {
		return Location{}, errors.New("the prefix after the bucket must be names with single slashes between them")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Location{}, errors.New("the part after ? can't be read: write name=value, with & between them")
	}
	return l, l.configure(query)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// parameters are the names that may follow the question mark of a bucket's URL.
var parameters = []string{"region", "endpoint", "profile", "path_style", "insecure"}

func (l *Location) configure(query url.Values) error {
	for name, values := range query {
		if !slices.Contains(parameters, name) {
			return fmt.Errorf("%q is not a parameter of a bucket's URL: there are %s; credentials come from the environment only", name, strings.Join(parameters, ", "))
		}
		if len(values) > 1 || values[0] == "" {
			return fmt.Errorf("parameter %s must be given once, with a value", name)
		}
	}
	l.Region, l.Profile, l.Endpoint = query.Get("region"), query.Get("profile"), strings.TrimRight(query.Get("endpoint"), "/")
	insecure, err := boolean(query, "insecure", false)
	if err != nil {
		return err
	}
	l.Insecure = insecure
	if l.PathStyle, err = boolean(query, "path_style", l.Endpoint != ""); err != nil || l.Endpoint == "" {
		return err
	}
	return checkEndpoint(l.Endpoint, l.Insecure)
}

func boolean(query url.Values, name string, otherwise bool) (bool, error) {
	if !query.Has(name) {
		return otherwise, nil
	}
	value, err := strconv.ParseBool(query.Get(name))
	if err != nil {
		return false, fmt.Errorf("parameter %s must be true or false", name)
	}
	return value, nil
}

// checkEndpoint refuses what is not the address of a store, and plain HTTP beyond this
// machine unless it is allowed: anyone on the path can read it.
func checkEndpoint(text string, insecure bool) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return errors.New("parameter endpoint must be an http or https URL without a path, such as https://minio.example:9000")
	case u.User != nil:
		return errors.New("parameter endpoint holds a user or password: credentials come from the environment only")
	case !insecure && isPlain(u):
		return fmt.Errorf("parameter endpoint %w", errPlain)
	}
	return nil
}

var errPlain = errors.New("is plain HTTP to another machine: use https, or add insecure=true if the network between is yours")

// isPlain reports whether what is sent to u can be read on the way.
func isPlain(u *url.URL) bool { return u.Scheme == "http" && !isLoopback(u.Hostname()) }

// Accepts says why an endpoint that the environment names can't be used for the
// location: for those, too, plain HTTP must be allowed.
func (l Location) Accepts(endpoint string) error {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil:
		return errors.New("the endpoint in the environment (AWS_ENDPOINT_URL) is not a URL") // err repeats it
	case !l.Insecure && isPlain(u):
		return fmt.Errorf("the endpoint in the environment (AWS_ENDPOINT_URL) %w", errPlain)
	}
	return nil
}

// Permits says why nothing of the location's may be sent to a URL.
func (l Location) Permits(u *url.URL) error {
	if !l.Insecure && isPlain(u) {
		return fmt.Errorf("%s %w", u.Redacted(), errPlain)
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// String is the folder's path or the bucket's URL, which [ParseLocation] reads.
func (l Location) String() string {
	if !l.IsBucket() {
		return l.Dir
	}
	query := url.Values{}
	for name, value := range map[string]string{"region": l.Region, "endpoint": l.Endpoint, "profile": l.Profile} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if l.PathStyle != (l.Endpoint != "") {
		query.Set("path_style", strconv.FormatBool(l.PathStyle))
	}
	if l.Insecure {
		query.Set("insecure", "true")
	}
	u := url.URL{Scheme: "s3", Host: l.Bucket, RawQuery: query.Encode()}
	if l.Prefix != "" {
		u.Path = "/" + l.Prefix
	}
	return u.String()
}
