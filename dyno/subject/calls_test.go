package subject

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	"dyno.example/dyno/subject/contract"
)

func TestParseCalls(t *testing.T) {
	got, err := ParseCalls("c.yaml", []byte(`
- {name: a, method: p.S/M, send: [{text: x}, {}], expect: {messages: [{text: x}]}}
- {name: b, method: p.S/M, send: [], expect: {status: INVALID_ARGUMENT, says: "text: "}}
`))
	x := map[string]any{"text": "x"}
	want := []contract.Call{
		{Name: "a", Method: "p.S/M", Send: []any{x, map[string]any{}}, Expect: contract.CallExpect{Messages: []any{x}}},
		{Name: "b", Method: "p.S/M", Expect: contract.CallExpect{Status: codes.InvalidArgument, Says: "text: "}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestParseCallsErrors(t *testing.T) {
	const good = "- {name: a, method: p.S/M, send: [{}], expect: {status: OK}}\n"
	for _, c := range []struct{ name, text, want string }{
		{"none", "[]", "no calls"},
		{"twice", good + good, `a second call with the name "a"`},
		{"method", strings.Replace(good, "p.S/M", "p.S", 1), `c.yaml:1:21: [0].method: "p.S" is not a method; expected one such as "package.Service/Method"`},
		{"status", strings.Replace(good, "OK", "Ok", 1), `[0].expect.status: "Ok" is not a status; expected one such as OK or INVALID_ARGUMENT`},
		{"message", strings.Replace(good, "[{}]", "[x]", 1), "[0].send[0]: expected a message as a mapping, got"},
		{"unknown field", strings.Replace(good, "send", "sent", 1), `unknown field "sent"`},
	} {
		if _, err := ParseCalls("c.yaml", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestShippedCalls reads the contract of the subjects that ship.
func TestShippedCalls(t *testing.T) {
	data, err := os.ReadFile("../subjects/echo/calls.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if calls, err := ParseCalls("calls.yaml", data); err != nil || len(calls) < 4 {
		t.Errorf("%d calls, %v", len(calls), err)
	}
}
