package expect

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Lowest and highest status a final response can have (RFC 9110 15).
const (
	lowest  = 200
	highest = 599
)

// Statuses is a set of statuses.
type Statuses [10]uint64

// Successful are the statuses that are expected unless something else is said:
// 200 to 399.
func Successful() Statuses {
	var s Statuses
	s.add(200, 399)
	return s
}

// Has reports whether status is in the set.
func (s *Statuses) Has(status int) bool {
	return uint(status) < 64*uint(len(s)) && s[uint(status)/64]&(1<<(uint(status)%64)) != 0
}

func (s *Statuses) add(from, to int) {
	for status := from; status <= to; status++ {
		s[status/64] |= 1 << (status % 64)
	}
}

func (s *Statuses) empty() bool { return *s == Statuses{} }

// String returns the set as it can be written in an expectation.
func (s Statuses) String() string {
	var items []string
	for status := lowest; status <= highest; status++ {
		if !s.Has(status) {
			continue
		}
		from := status
		for s.Has(status + 1) {
			status++
		}
		item := strconv.Itoa(from)
		if status > from {
			item += "-" + strconv.Itoa(status)
		}
		items = append(items, item)
	}
	return strings.Join(items, " ")
}

// parse adds a list such as "200, 201 4xx 500-503".
func (s *Statuses) parse(list string) error {
	items := strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
	if len(items) == 0 {
		return errors.New("names no status; write it as status 200, status 2xx or status 200-204")
	}
	for _, item := range items {
		from, to, err := statusRange(item)
		if err != nil {
			return err
		}
		s.add(from, to)
	}
	return nil
}

func statusRange(item string) (from, to int, err error) {
	if class := strings.ToLower(item); len(class) == 3 && class[1:] == "xx" && class[0] >= '2' && class[0] <= '5' {
		from = int(class[0]-'0') * 100
		return from, from + 99, nil
	}
	low, high, isRange := strings.Cut(item, "-")
	from, err = strconv.Atoi(low)
	if to = from; isRange && err == nil {
		to, err = strconv.Atoi(high)
	}
	if err != nil || from < lowest || to > highest || to < from {
		return 0, 0, fmt.Errorf("%q is no status from %d to %d, class such as 2xx, or range such as 200-204", item, lowest, highest)
	}
	return from, to, nil
}
