package request

import "bytes"

// PathError is why a path has no canonical form.
type PathError string

func (e PathError) Error() string { return string(e) }

const (
	ErrNulInPath   = PathError("the path holds %00")
	ErrSlashInPath = PathError("the path holds an escaped slash or backslash, which servers read in two ways")
	ErrAbovePath   = PathError("the path leads above its root")

	ErrParameterInPath = PathError("the path holds a parameter (;), which some servers take out before they read it")
	ErrDotsInPath      = PathError("the path holds a segment of dots, or of nothing, with a parameter (;), which some servers resolve")
	ErrDotsBesideSlash = PathError("the path holds a segment of dots beside an escaped slash or backslash, which some servers resolve")
)

// Keeps says which paths have a canonical form although servers read them in two ways.
type Keeps struct {
	Slashes    bool // with escaped slashes and backslashes
	Parameters bool // with parameters, as in "/a;b=c"
}

// Clean reports whether a path that was parsed is in canonical form already: no
// escapes, no parameters, no empty, "." or ".." segments.
func Clean(path []byte, escaped bool) bool {
	if escaped || bytes.IndexByte(path, ';') >= 0 || len(path) == 0 || path[0] != '/' {
		return false
	}
	for i := 0; i < len(path); {
		next := path[i+1:]
		if len(next) > 0 && (next[0] == '/' || next[0] == '.' && isDots(next)) {
			return false
		}
		k := bytes.IndexByte(next, '/')
		if k < 0 {
			return true
		}
		i += 1 + k
	}
	return true
}

// isDots reports whether the segment that b begins with is "." or "..".
func isDots(b []byte) bool {
	end := bytes.IndexByte(b, '/')
	if end < 0 {
		end = len(b)
	}
	return end == 1 && b[0] == '.' || end == 2 && b[0] == '.' && b[1] == '.'
}

// AppendCanonical appends the canonical form of a path whose escapes are "%" and two digits:
// escapes of unreserved characters decoded and the others in capitals (RFC 3986 6.2.2), "."
// and ".." resolved (5.2.4), repeated slashes made one. A path that servers read in
// different ways is an error: %00, what keeps doesn't allow, a parameter of a segment that
// would be "", "." or ".." without it, as Tomcat and what stands on it take parameters out
// first (RFC 3986 3.3 leaves their meaning to each server), and dots beside an escaped
// slash, as some servers decode first.
func AppendCanonical(dst, path []byte, keeps Keeps) ([]byte, error) {
	from := len(dst)
	if len(path) == 0 || path[0] != '/' {
		dst = append(dst, '/')
	}
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == ';' && !keeps.Parameters {
			return dst[:from], ErrParameterInPath
		}
		if c != '%' {
			dst = append(dst, c)
			continue
		}
		high, low := upper(path[i+1]), upper(path[i+2])
		x := hex(high)<<4 | hex(low)
		switch {
		case x == 0:
			return dst[:from], ErrNulInPath
		case (x == '/' || x == '\\') && !keeps.Slashes:
			return dst[:from], ErrSlashInPath
		case unreserved(x):
			dst = append(dst, x)
		default:
			dst = append(dst, '%', high, low)
		}
		i += 2
	}
	if err := hiddenDots(dst[from:]); err != nil {
		return dst[:from], err
	}
	end, ok := resolve(dst[from:])
	if !ok {
		return dst[:from], ErrAbovePath
	}
	return dst[:from+end], nil
}

// hiddenDots is what is wrong with an absolute path, whose escapes are in capitals, of which a
// segment is "", "." or ".." but for its parameters, or dots with an escaped slash before it
// or behind it.
func hiddenDots(path []byte) error {
	for before := false; len(path) > 0; {
		end, behind := segmentEnd(path)
		segment := path[:end]
		name := bytes.TrimPrefix(bytes.TrimPrefix(segment, dot), dot)
		if len(name) > 0 && (name[0] == ';' || bytes.HasPrefix(name, escapedSemicolon)) {
			return ErrDotsInPath
		}
		if len(name) == 0 && len(segment) > 0 && (before || behind) {
			return ErrDotsBesideSlash
		}
		if before = behind; behind {
			end += len("%2F")
		} else if end < len(path) {
			end++
		}
		path = path[end:]
	}
	return nil
}

// segmentEnd is where the first segment of a path ends, and whether at an escaped slash or
// backslash.
func segmentEnd(path []byte) (end int, escaped bool) {
	for i, c := range path {
		if c == '/' {
			return i, false
		}
		if rest := path[i:]; c == '%' && (bytes.HasPrefix(rest, escapedSlash) || bytes.HasPrefix(rest, escapedBackslash)) {
			return i, true
		}
	}
	return len(path), false
}

var (
	dot              = []byte(".")
	escapedSemicolon = []byte("%3B")
	escapedSlash     = []byte("%2F")
	escapedBackslash = []byte("%5C")
)

// resolve takes "//", "." and ".." out of an absolute path, in place, and returns what
// is left of its length; false if it leads above the root.
func resolve(path []byte) (end int, ok bool) {
	for i := 0; i < len(path); {
		next := i + 1
		for next < len(path) && path[next] != '/' {
			next++
		}
		segment, last := path[i+1:next], next == len(path)
		switch {
		case len(segment) == 0 && !last:
		case len(segment) == 1 && segment[0] == '.':
			if last {
				path[end] = '/'
				end++
			}
		case len(segment) == 2 && segment[0] == '.' && segment[1] == '.':
			if end == 0 {
				return 0, false
			}
			end = bytes.LastIndexByte(path[:end], '/')
			if last {
				end++
			}
		default:
			end += copy(path[end:], path[i:next])
		}
		i = next
	}
	return end, true
}

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

func upper(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 'A'
	}
	return c
}

func hex(upper byte) byte {
	if upper >= 'A' {
		return upper - 'A' + 10
	}
	return upper - '0'
}
