package subject

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// megabyte is what a manifest gives sizes on disk in, as disks are sold.
const megabyte = 1_000_000

var megabytes = regexp.MustCompile(`^([1-9][0-9]{0,5}) MB$`)

// megabytes reads a size such as "60 MB".
func (r *reader) megabytes(dst *uint64) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		s, ok := r.scalar(n, p)
		m := megabytes.FindStringSubmatch(s)
		if m == nil {
			if ok {
				r.fail(n, p, "%q is not a size on disk; expected one such as %q", s, "60 MB")
			}
			return
		}
		mb, _ := strconv.ParseUint(m[1], 10, 64) // digits only
		*dst = mb * megabyte
	}
}

// readyTime reads a duration within which a subject is to be ready.
func (r *reader) readyTime(dst *time.Duration) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		s, ok := r.scalar(n, p)
		if !ok {
			return
		}
		d, err := time.ParseDuration(s)
		if err != nil || d < time.Second || d > maxReady {
			r.fail(n, p, "%q is not a time from 1s to %v", s, maxReady)
			return
		}
		*dst = d
	}
}

// yearPattern is a year of the web.
var yearPattern = regexp.MustCompile(`^(19|20)\d\d$`)

func (r *reader) year(dst *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		s, ok := r.scalar(n, p)
		if ok && !yearPattern.MatchString(s) {
			r.fail(n, p, "%q is not a year such as 2018", s)
		}
		*dst = s
	}
}

// packageName is how Debian writes the names of packages (Debian Policy, 5.6.1), so
// that a manifest can name packages but no options.
var packageName = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+$`)

// packages reads names of Debian's packages.
func (r *reader) packages(dst *[]string) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		r.items(n, p, func(item *yaml.Node, p string) {
			s, ok := r.scalar(item, p)
			if ok && !packageName.MatchString(s) {
				r.fail(item, p, "%q is not the name of a package", strings.TrimSpace(s))
			}
			*dst = append(*dst, s)
		})
	}
}
