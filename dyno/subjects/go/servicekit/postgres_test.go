package main

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestLocated(t *testing.T) {
	const text = "SELECT 'ü';\n\nSELECT 1\n FROM nothing;"
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"of a line":      {&pgconn.PgError{Severity: "ERROR", Code: "42P01", Message: "gone", Position: 29}, "line 4: ERROR: gone (SQLSTATE 42P01)"},
		"the first":      {&pgconn.PgError{Severity: "ERROR", Code: "42601", Message: "no", Position: 12}, "line 1: ERROR: no (SQLSTATE 42601)"},
		"past the end":   {&pgconn.PgError{Severity: "ERROR", Code: "42601", Message: "no", Position: 1000}, "line 4: ERROR: no (SQLSTATE 42601)"},
		"of a statement": {&pgconn.PgError{Severity: "ERROR", Code: "23505", Message: "twice", Detail: "Key (id)=(1) exists."}, "statement 2: ERROR: twice (SQLSTATE 23505): Key (id)=(1) exists."},
		"of none":        {errors.New("gone"), "gone"},
	} {
		if got := located(text, 1, c.err); got.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
	if located(text, 2, nil) != nil {
		t.Error("an error where there is none")
	}
}
