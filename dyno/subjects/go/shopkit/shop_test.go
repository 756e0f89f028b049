package shopkit

import (
	"reflect"
	"strings"
	"testing"
)

func TestMerged(t *testing.T) {
	basket := []Line{{Product: 2, Quantity: 1}, {Product: 9, Quantity: 4}}
	more := []Line{{Product: 9, Quantity: 1}, {Product: 1, Quantity: 3}, {Product: 1, Quantity: 1}}
	want := []Line{{Product: 1, Quantity: 4}, {Product: 2, Quantity: 1}, {Product: 9, Quantity: 5}}
	if got := Merged(basket, more); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if basket[1].Quantity != 4 || more[0].Quantity != 1 {
		t.Error("what was merged has changed")
	}
	if got := Merged(nil, nil); len(got) != 0 {
		t.Errorf("nothing became %v", got)
	}
}

func TestLines(t *testing.T) {
	got, err := Lines(map[string]string{"30": "2", "4": "1"})
	if want := []Line{{Product: 4, Quantity: 1}, {Product: 30, Quantity: 2}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, wrong := range []map[string]string{{"x": "1"}, {"1": "many"}} {
		if _, err := Lines(wrong); err == nil {
			t.Errorf("%v is no basket", wrong)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		p    Purchase
		want string
	}{
		{Purchase{}, ""},
		{Purchase{[]Line{{Product: 1, Quantity: 100}}}, ""},
		{Purchase{[]Line{{Product: 1, Quantity: 1}, {Product: 0, Quantity: 1}}}, "lines[1].product"},
		{Purchase{[]Line{{Product: 1, Quantity: 101}}}, "lines[0].quantity"},
		{Purchase{make([]Line, 101)}, "lines: at most 100"},
	} {
		err := c.p.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.p, err, c.want)
		}
	}
}

// TestKey: what is found under a key must be what was asked for.
func TestKey(t *testing.T) {
	seen := map[string]Query{}
	for _, q := range []Query{
		{Product: 3}, {InCategory: true}, {InCategory: true, Category: 3}, {InCategory: true, Category: 3, After: 4},
		{InCategory: true, After: 34}, {Words: "3"}, {Words: "product:3"},
	} {
		if other, twice := seen[q.Key()]; twice {
			t.Errorf("%v and %v are both %q", q, other, q.Key())
		}
		seen[q.Key()] = q
	}
}

func TestConfig(t *testing.T) {
	env := map[string]string{"DATABASE_URL": "postgres://a", "REDIS_URL": "redis://b", "KAFKA_BROKERS": "c:1", "SHOP_CONNECTIONS": "7"}
	getenv := func(name string) string { return env[name] }
	if c, err := ConfigOf(getenv); err != nil || c != (Config{"postgres://a", "redis://b", "c:1", 7}) {
		t.Errorf("%+v, %v", c, err)
	}
	for name, value := range map[string]string{"SHOP_CONNECTIONS": "0", "KAFKA_BROKERS": ""} {
		was := env[name]
		env[name] = value
		if _, err := ConfigOf(getenv); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%q: %v", name, value, err)
		}
		env[name] = was
	}
}
