package expect

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// parseBody compiles "OPERATOR TEXT", "size OPERATOR BYTES" or "sha256 HEX".
func parseBody(rest string) (check, error) {
	operator, operand := word(rest)
	switch operator {
	case "":
		return check{}, errors.New("says nothing of the body; write it as body contains hello")
	case "size":
		return parseSize(operand)
	case "sha256":
		return parseSum(strings.TrimSpace(strings.TrimPrefix(operand, "==")))
	}
	test, err := parseText(operator, operand)
	return check{needs: Body, holds: func(a response) (string, bool) {
		if test(a.body) {
			return "", true
		}
		return quote(a.body), false
	}}, err
}

func containing(want string) textTest {
	text := []byte(want)
	return func(got []byte) bool { return bytes.Contains(got, text) }
}

func parseSize(rest string) (check, error) {
	operator, operand := word(rest)
	holds, ok := order(operator)
	size, err := strconv.Atoi(operand)
	if !ok || err != nil || size < 0 {
		return check{}, fmt.Errorf("%q compares no size; write it as body size < 1000", rest)
	}
	return check{needs: Body, holds: func(a response) (string, bool) {
		if holds(cmp.Compare(len(a.body), size)) {
			return "", true
		}
		return strconv.Itoa(len(a.body)) + " bytes", false
	}}, nil
}

func parseSum(digits string) (check, error) {
	sum, err := hex.DecodeString(digits)
	if err != nil || len(sum) != sha256.Size {
		return check{}, fmt.Errorf("%q is no SHA-256 of %d hexadecimal digits", digits, 2*sha256.Size)
	}
	want := [sha256.Size]byte(sum)
	return check{needs: Body, holds: func(a response) (string, bool) {
		got := sha256.Sum256(a.body)
		if got == want {
			return "", true
		}
		return hex.EncodeToString(got[:]), false
	}}, nil
}
