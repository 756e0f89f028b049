package main

import "testing"

func TestMiddlewares(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		why  string
	}{
		{"", 0, ""},
		{"3", 3, ""},
		{"-1", 0, `MIDDLEWARES is "-1": set it to a number from 0 to 50`},
		{"many", 0, `MIDDLEWARES is "many": set it to a number from 0 to 50`},
	} {
		n, err := middlewaresOf(func(string) string { return c.text })
		why := ""
		if err != nil {
			why = err.Error()
		}
		if n != c.n || why != c.why {
			t.Errorf("%q: %d, %s", c.text, n, why)
		}
	}
}
