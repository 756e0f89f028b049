package config

import (
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"dyno.example/nano/wire/http1"
)

// scalar returns a single value as it is written; false if there is none.
func (p place) scalar() (string, bool) {
	n := p.resolved()
	switch {
	case n.Kind != yaml.ScalarNode:
		return "", false
	case !slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool", "!!timestamp", "!!merge"}, n.ShortTag()):
		return "", false
	}
	return n.Value, true
}

// text reads a text without control characters that isn't empty. It returns "" after
// a problem.
func (p place) text() string {
	text, ok := p.scalar()
	if !ok || text == "" {
		p.problem("", "expected a text, got %s", describe(p.resolved()))
		return ""
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		p.problem("", "expected a text without control characters, got %s", quote(text))
		return ""
	}
	return text
}

// word reads one of a few words. It returns "" after a problem.
func (p place) word(valid ...string) string {
	word := p.text()
	if word != "" && !slices.Contains(valid, word) {
		p.problem(didYouMean(word, valid), "%s is not one of the choices", quote(word))
		return ""
	}
	return word
}

// token reads a name as methods and fields have it (RFC 9110 5.6.2).
func (p place) token(what string) string {
	text := p.text()
	if text != "" && !http1.ValidToken(text) {
		p.problem("", "expected the name of a %s, got %s", what, quote(text))
		return ""
	}
	return text
}

// integer reads a whole number in plain decimal.
func (p place) integer(low, high int) int {
	text, _ := p.scalar()
	x, err := strconv.Atoi(text)
	if err != nil || x < low || x > high || strconv.Itoa(x) != text {
		p.problem("", "expected a whole number from %d to %d, got %s", low, high, describe(p.resolved()))
		return low
	}
	return x
}

// boolean reads true or false.
func (p place) boolean() bool {
	text, _ := p.scalar()
	if text != "true" && text != "false" {
		p.problem("", "expected true or false, got %s", describe(p.resolved()))
	}
	return text == "true"
}

// duration reads a number with its unit.
func (p place) duration(low, high time.Duration) time.Duration {
	text, _ := p.scalar()
	d, err := time.ParseDuration(text)
	if err != nil || d < low || d > high {
		hint := ""
		if err != nil {
			hint = "write it with a unit, such as 500ms, 10s or 2m"
		}
		p.problem(hint, "expected a duration from %s to %s, got %s", low, high, describe(p.resolved()))
		return low
	}
	return d
}

// sizes are the units of bytes, the longer first where one ends in another.
var sizes = []struct {
	unit  string
	bytes float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}}

// size reads a number of bytes with its unit.
func (p place) size(low, high int64) int64 {
	text, _ := p.scalar()
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
	p.problem("write it with a unit, such as 64KiB or 10MiB", "expected a size from %d bytes to %d, got %s", low, high, describe(p.resolved()))
	return low
}

// share reads a part of all: 5% or 0.05.
func (p place) share() float64 {
	text, _ := p.scalar()
	number, percent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(number, 64)
	if percent {
		x /= 100
	}
	if err != nil || !(x >= 0 && x <= 1) {
		p.problem("write it as 5% or 0.05", "expected a share from 0%% to 100%%, got %s", describe(p.resolved()))
		return 0
	}
	return x
}

// status reads a status code from low to high.
func (p place) status(low, high int) int { return p.integer(low, high) }

// prefix reads an IP address or a network in CIDR form.
func (p place) prefix() netip.Prefix {
	text := p.text()
	if text == "" {
		return netip.Prefix{}
	}
	if prefix, err := netip.ParsePrefix(text); err == nil {
		if masked := prefix.Masked(); masked != prefix {
			p.problem("write "+masked.String(), "%s has bits set beyond its length", text)
		}
		return prefix.Masked()
	}
	if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
		return netip.PrefixFrom(addr, addr.BitLen())
	}
	p.problem("such as 10.0.0.0/8 or 192.0.2.7", "expected an address or a network, got %s", quote(text))
	return netip.Prefix{}
}

// listenAddress reads host:port; a host that is left out is all addresses.
func (p place) listenAddress() string {
	text := p.text()
	if text == "" {
		return ""
	}
	if err := CheckListen(text); err != nil {
		p.problem("such as 127.0.0.1:8080 or :8080", "%v", err)
	}
	return text
}
