package cache

import "bytes"

// Bounds of what a response may be tagged with.
const (
	mostTags      = 64
	mostTagsBytes = 4 << 10 // of all tags of a response
)

// appendTags appends the tags that a field gives, each between line's ends. It reports
// whether there is room for all of them: what can't be purged by all of its tags isn't
// stored.
func appendTags(dst, value []byte, separator byte) ([]byte, bool) {
	for len(value) > 0 {
		one := value
		if i := bytes.IndexByte(value, separator); i >= 0 {
			one, value = value[:i], value[i+1:]
		} else {
			value = nil
		}
		if one = trim(one); len(one) == 0 {
			continue
		}
		if len(dst)+len(one)+2 > mostTagsBytes || bytes.Count(dst, newline) >= 2*mostTags {
			return dst, false
		}
		dst = append(append(append(dst, '\n'), one...), '\n')
	}
	return dst, true
}

// tagged reports whether a response has a tag.
func (v *Response) tagged(tag string) bool {
	for tags := v.tags; len(tags) > 0; {
		at := bytes.Index(tags, []byte(tag))
		if at < 0 {
			return false
		}
		if end := at + len(tag); at > 0 && tags[at-1] == '\n' && end < len(tags) && tags[end] == '\n' {
			return true
		}
		tags = tags[at+1:]
	}
	return false
}
