package config

import (
	"math"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"dyno.example/nano/wire/http1"
)

// text reads a text without control characters that isn't empty. It returns "" after
// a problem.
func (p place) text() string {
	text, ok := p.Scalar()
	if !ok || text == "" {
		p.Problem("", "expected a text, got %s", p.Describe())
		return ""
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		p.Problem("", "expected a text without control characters, got %s", form.Quote(text))
		return ""
	}
	return text
}

// word reads one of a few words. It returns "" after a problem.
func (p place) word(valid ...string) string {
	word := p.text()
	if word != "" && !slices.Contains(valid, word) {
		p.Problem(didYouMean(word, valid), "%s is not one of the choices", form.Quote(word))
		return ""
	}
	return word
}

// token reads a name as methods and fields have it (RFC 9110 5.6.2).
func (p place) token(what string) string {
	text := p.text()
	if text != "" && !http1.ValidToken(text) {
		p.Problem("", "expected the name of a %s, got %s", what, form.Quote(text))
		return ""
	}
	return text
}

// sizes are the units of bytes, the longer first where one ends in another.
var sizes = []struct {
	unit  string
	bytes float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}}

// size reads a number of bytes with its unit.
func (p place) size(low, high int64) int64 {
	text, _ := p.Scalar()
	for _, s := range sizes {
		number, ok := strings.CutSuffix(text, s.unit)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if n := x * s.bytes; err == nil && n >= float64(low) && n <= float64(high) && n == math.Trunc(n) {
			return int64(n)
		}
		break
	}
	p.Problem("write it with a unit, such as 64KiB or 10MiB", "expected a size from %d bytes to %d, got %s", low, high, p.Describe())
	return low
}

// share reads a part of all: 5% or 0.05.
func (p place) share() float64 {
	text, _ := p.Scalar()
	number, percent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(number, 64)
	if percent {
		x /= 100
	}
	if err != nil || !(x >= 0 && x <= 1) {
		p.Problem("write it as 5% or 0.05", "expected a share from 0%% to 100%%, got %s", p.Describe())
		return 0
	}
	return x
}

// status reads a status code from low to high.
func (p place) status(low, high int) int { return p.Integer(low, high) }

// prefix reads an IP address or a network in CIDR form.
func (p place) prefix() netip.Prefix {
	text := p.text()
	if text == "" {
		return netip.Prefix{}
	}
	if prefix, err := netip.ParsePrefix(text); err == nil {
		if masked := prefix.Masked(); masked != prefix {
			p.Problem("write "+masked.String(), "%s has bits set beyond its length", text)
		}
		return prefix.Masked()
	}
	if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
		return netip.PrefixFrom(addr, addr.BitLen())
	}
	p.Problem("such as 10.0.0.0/8 or 192.0.2.7", "expected an address or a network, got %s", form.Quote(text))
	return netip.Prefix{}
}

// listenAddress reads host:port; a host that is left out is all addresses.
func (p place) listenAddress() string {
	text := p.text()
	if text == "" {
		return ""
	}
	if err := CheckListen(text); err != nil {
		p.Problem("such as 127.0.0.1:8080 or :8080", "%v", err)
	}
	return text
}

// path reads the path of a file. A relative one starts from the configuration's folder.
func (p place) path() string {
	text := p.text()
	if text == "" || filepath.IsAbs(text) {
		return text
	}
	return filepath.Join(p.in.dir, text)
}

// pathOrURL reads a file's path or an http or https URL. Over http anybody on the way
// could put in keys of his own, so that is for this machine only.
func (p place) pathOrURL() string {
	text := p.text()
	if !strings.Contains(text, "://") {
		return p.path()
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https":
		p.Problem("such as https://id.example/.well-known/jwks.json", "expected a file or an https URL, got %s", form.Quote(text))
	case u.Scheme == "http" && u.Hostname() != "localhost" && u.Hostname() != "127.0.0.1" && u.Hostname() != "::1":
		p.Problem("write https://", "keys that come over plain http could be anybody's: only this machine's own addresses are taken")
	}
	return text
}

// readOff reads the one word that a route may say of what the file asks for as a whole.
func readOff(p place) bool { return p.word("off", "on") == "off" }

func readHealthPath(p place) string {
	path := p.text()
	if path != "" && (path[0] != '/' || strings.ContainsAny(path, " #\\")) {
		p.Problem("such as /health", "expected a path, got %s", form.Quote(path))
	}
	return path
}
