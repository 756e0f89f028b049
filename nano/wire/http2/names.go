package http2

import "encoding/binary"

// Name is a field name that is known here: what it means is decided by comparing
// integers. Names of HPACK's static table have the first index they have there;
// others follow. 0 is any other name.
type Name uint8

const (
	NameAuthority          Name = 1
	NameMethod             Name = 2
	NamePath               Name = 4
	NameScheme             Name = 6
	NameStatus             Name = 8
	NameAcceptCharset      Name = 15
	NameAcceptEncoding     Name = 16
	NameAcceptLanguage     Name = 17
	NameAcceptRanges       Name = 18
	NameAccept             Name = 19
	NameAllowOrigin        Name = 20
	NameAge                Name = 21
	NameAllow              Name = 22
	NameAuthorization      Name = 23
	NameCacheControl       Name = 24
	NameContentDisposition Name = 25
	NameContentEncoding    Name = 26
	NameContentLanguage    Name = 27
	NameContentLength      Name = 28
	NameContentLocation    Name = 29
	NameContentRange       Name = 30
	NameContentType        Name = 31
	NameCookie             Name = 32
	NameDate               Name = 33
	NameETag               Name = 34
	NameExpect             Name = 35
	NameExpires            Name = 36
	NameFrom               Name = 37
	NameHost               Name = 38
	NameIfMatch            Name = 39
	NameIfModifiedSince    Name = 40
	NameIfNoneMatch        Name = 41
	NameIfRange            Name = 42
	NameIfUnmodifiedSince  Name = 43
	NameLastModified       Name = 44
	NameLink               Name = 45
	NameLocation           Name = 46
	NameMaxForwards        Name = 47
	NameProxyAuthenticate  Name = 48
	NameProxyAuthorization Name = 49
	NameRange              Name = 50
	NameReferer            Name = 51
	NameRefresh            Name = 52
	NameRetryAfter         Name = 53
	NameServer             Name = 54
	NameSetCookie          Name = 55
	NameStrictTransport    Name = 56
	NameTransferEncoding   Name = 57
	NameUserAgent          Name = 58
	NameVary               Name = 59
	NameVia                Name = 60
	NameWWWAuthenticate    Name = 61

	NameProtocol        Name = 62 // RFC 8441 4
	NameConnection      Name = 63
	NameKeepAlive       Name = 64
	NameProxyConnection Name = 65
	NameTE              Name = 66
	NameTrailer         Name = 67
	NameUpgrade         Name = 68
	NamePriority        Name = 69 // RFC 9218 5
	NameGRPCStatus      Name = 70
	NameGRPCMessage     Name = 71
	NameGRPCEncoding    Name = 72

	names = 73
)

// further are the names after the static table's.
var further = [...]string{
	NameProtocol - staticLen - 1:        ":protocol",
	NameConnection - staticLen - 1:      "connection",
	NameKeepAlive - staticLen - 1:       "keep-alive",
	NameProxyConnection - staticLen - 1: "proxy-connection",
	NameTE - staticLen - 1:              "te",
	NameTrailer - staticLen - 1:         "trailer",
	NameUpgrade - staticLen - 1:         "upgrade",
	NamePriority - staticLen - 1:        "priority",
	NameGRPCStatus - staticLen - 1:      "grpc-status",
	NameGRPCMessage - staticLen - 1:     "grpc-message",
	NameGRPCEncoding - staticLen - 1:    "grpc-encoding",
}

// String is the name as it stands in a field, "" for 0.
func (n Name) String() string {
	switch {
	case n == 0 || n >= names:
		return ""
	case n <= staticLen:
		return staticTable[n].name()
	}
	return further[n-staticLen-1]
}

// NameOf looks a name up, whatever the case of its letters. name must be a field
// name or a pseudo-header's but for that.
func NameOf(name []byte) Name {
	n := nameSlots[slotOfName(name)]
	for ; n != 0; n = nameNext[n] {
		if sameFold(name, n.String()) {
			break
		}
	}
	return n
}

// sameFold compares a name with a known one without regard to case. Where they
// differ it may be by the bit that capitals lack, and only at letters: of what known
// names are made of, these alone have the bit above it.
func sameFold(name []byte, known string) bool {
	const above = 0x4040404040404040
	n := len(name)
	if n != len(known) {
		return false
	}
	i := 0
	for ; i+8 <= n; i += 8 {
		k := binary.LittleEndian.Uint64(unsafeBytes(known[i:]))
		if (binary.LittleEndian.Uint64(name[i:])^k)&^(k&above>>1) != 0 {
			return false
		}
	}
	for ; i < n; i++ {
		if (name[i]^known[i])&^(known[i]&0x40>>1) != 0 {
			return false
		}
	}
	return true
}

// The names as a hash table, with chains where two have the same slot.
var nameSlots, nameNext = func() (slots [256]Name, next [names]Name) {
	for n := Name(1); n < names; n++ {
		name := []byte(n.String())
		if n > 1 && n <= staticLen && n.String() == (n-1).String() {
			continue // a further value of the same name
		}
		slot := slotOfName(name)
		next[n], slots[slot] = slots[slot], n
	}
	return
}()

// slotOfName mixes a name's length with three of its bytes, in small letters.
func slotOfName(name []byte) uint8 {
	n := len(name)
	if n < 2 {
		return 0
	}
	return uint8(n)*67 ^ (name[n-1]|0x20)*29 ^ (name[n/2]|0x20)*11 ^ (name[0] | 0x20)
}
