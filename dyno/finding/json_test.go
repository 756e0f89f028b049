package finding

import (
	"encoding/json"
	"reflect"
	"testing"

	"dyno.example/internal/i18n"
)

// What is archived is read as it was, and what older versions wrote has its English.
func TestFindingsAreArchived(t *testing.T) {
	shed := i18n.New("load.shed", "%d arrivals were given up", 7)
	for text, want := range map[string]Finding{
		`{"name":"shed","level":"suspect","detail":"7 arrivals were given up","message":{"id":"load.shed","args":["7"],"en":"7 arrivals were given up"},"windows":[3]}`: {Name: Shed, Validity: Suspect, Detail: shed, Windows: []int{3}},
		`{"name":"shed","level":"valid","detail":"9 arrivals were given up","accepted":true}`:                                                                           {Name: Shed, Validity: Valid, Detail: i18n.Verbatim("9 arrivals were given up"), Accepted: true},
	} {
		var f Finding
		if err := json.Unmarshal([]byte(text), &f); err != nil || !reflect.DeepEqual(f, want) {
			t.Errorf("%s reads as %+v, %v", text, f, err)
		}
		if back, err := json.Marshal(f); err != nil || string(back) != text {
			t.Errorf("%s is written as %s, %v", text, back, err)
		}
	}
}
