package http2

// staticLen is the number of entries of the static table.
const staticLen = 61

// staticEntry is a name and value that HPACK has from the start.
type staticEntry struct {
	both    string // the name, then the value
	nameLen uint8
	known   Name
}

func (e *staticEntry) name() string  { return e.both[:e.nameLen] }
func (e *staticEntry) value() string { return e.both[e.nameLen:] }

// staticTable is RFC 7541 Appendix A, from 1 on.
var staticTable = func() (table [staticLen + 1]staticEntry) {
	first := Name(0)
	for i, f := range staticFields {
		if i == 0 || f.name != staticFields[i-1].name {
			first = Name(i + 1)
		}
		table[i+1] = staticEntry{f.name + f.value, uint8(len(f.name)), first}
	}
	return
}()

var staticFields = [staticLen]struct{ name, value string }{
	{":authority", ""},
	{":method", "GET"},
	{":method", "POST"},
	{":path", "/"},
	{":path", "/index.html"},
	{":scheme", "http"},
	{":scheme", "https"},
	{":status", "200"},
	{":status", "204"},
	{":status", "206"},
	{":status", "304"},
	{":status", "400"},
	{":status", "404"},
	{":status", "500"},
	{"accept-charset", ""},
	{"accept-encoding", "gzip, deflate"},
	{"accept-language", ""},
	{"accept-ranges", ""},
	{"accept", ""},
	{"access-control-allow-origin", ""},
	{"age", ""},
	{"allow", ""},
	{"authorization", ""},
	{"cache-control", ""},
	{"content-disposition", ""},
	{"content-encoding", ""},
	{"content-language", ""},
	{"content-length", ""},
	{"content-location", ""},
	{"content-range", ""},
	{"content-type", ""},
	{"cookie", ""},
	{"date", ""},
	{"etag", ""},
	{"expect", ""},
	{"expires", ""},
	{"from", ""},
	{"host", ""},
	{"if-match", ""},
	{"if-modified-since", ""},
	{"if-none-match", ""},
	{"if-range", ""},
	{"if-unmodified-since", ""},
	{"last-modified", ""},
	{"link", ""},
	{"location", ""},
	{"max-forwards", ""},
	{"proxy-authenticate", ""},
	{"proxy-authorization", ""},
	{"range", ""},
	{"referer", ""},
	{"refresh", ""},
	{"retry-after", ""},
	{"server", ""},
	{"set-cookie", ""},
	{"strict-transport-security", ""},
	{"transfer-encoding", ""},
	{"user-agent", ""},
	{"vary", ""},
	{"via", ""},
	{"www-authenticate", ""},
}

// staticMatch is the index of the static entry with this value, or 0.
func staticMatch(n Name, value string) uint32 {
	switch n {
	case NameMethod, NamePath, NameScheme:
		for i := n; i <= n+1; i++ {
			if staticTable[i].value() == value {
				return uint32(i)
			}
		}
	case NameStatus:
		for i := n; i < n+7; i++ {
			if staticTable[i].value() == value {
				return uint32(i)
			}
		}
	case NameAcceptEncoding:
		if staticTable[n].value() == value {
			return uint32(n)
		}
	}
	if n >= NameAcceptCharset && n <= staticLen && value == "" && n != NameAcceptEncoding {
		return uint32(n)
	}
	if n == NameAuthority && value == "" {
		return uint32(n)
	}
	return 0
}
