package measure

import (
	"reflect"
	"strings"
	"testing"
)

// Every field is a kind, by its name in files.
func TestByKind(t *testing.T) {
	var e Errors
	fields := reflect.ValueOf(&e).Elem()
	for i := range fields.NumField() {
		fields.Field(i).SetUint(uint64(i + 1))
	}
	kinds := e.ByKind()
	if len(kinds) != fields.NumField() {
		t.Fatalf("%d kinds of %d fields", len(kinds), fields.NumField())
	}
	total := uint64(0)
	for i, k := range kinds {
		total += k.Count
		if name, _, _ := strings.Cut(fields.Type().Field(i).Tag.Get("json"), ","); k.Kind != name || k.Count != uint64(i+1) {
			t.Errorf("kind %d is %+v, want %s", i, k, name)
		}
	}
	if total != e.Total() {
		t.Errorf("the kinds are %d, the total %d", total, e.Total())
	}
}
