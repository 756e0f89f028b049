package archive

import (
	"encoding/json"
	"strings"
	"testing"

	"dyno/lab/claim"
	"dyno/lab/load"
	"dyno/lab/study"
)

func TestRedact(t *testing.T) {
	requests := []load.Request{{Path: "/", Headers: []load.Header{{Name: "Authorization", Value: "Bearer s3cr3t"}, {Name: "Accept", Value: "text/plain"}},
		Auth: "basic ann:s3cr3t", Cookies: []load.Header{{Name: "sid", Value: "s3cr3t="}, {Name: "n", Value: "1"}}}}
	m := Manifest{
		StudySource: "headers: {Authorization: Bearer s3cr3t}\nenv: {DB_PASSWORD: hunter22}",
		Command:     []string{"dyno", "load", "-H", "Authorization: Bearer s3cr3t", "--auth", "ann:s3cr3t", "--cookie", "sid=s3cr3t=", "-n", "100"},
		Subjects:    []Subject{{Name: "mine", Env: map[string]string{"DB_PASSWORD": "hunter22", "GOGC": "400"}}},
		Plan:        study.Plan{Cells: []study.Cell{{Requests: requests, Env: map[string]string{"API_TOKEN": "hunter22"}}}},
	}
	claims := []claim.Claim{{ID: "a", Expressions: []string{"cpu[env.API_TOKEN=hunter22] < 1ms"}, Direction: "cpu[env.API_TOKEN=hunter22] < 2ms"}}
	m.Claims = claims
	Redact(&m)
	document, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"s3cr3t", "hunter22"} {
		if strings.Contains(string(document), secret) {
			t.Errorf("%q is in the manifest: %s", secret, document)
		}
	}
	for _, kept := range []string{"text/plain", "400", "Authorization", "DB_PASSWORD", "basic ***", `"100"`, "sid=***"} {
		if !strings.Contains(string(document), kept) {
			t.Errorf("%q is not in the manifest: %s", kept, document)
		}
	}
	if !strings.Contains(claims[0].Expressions[0], "hunter22") {
		t.Error("the claims of the study were changed")
	}
	if requests[0].Headers[0].Value != "Bearer s3cr3t" {
		t.Error("the request to send was changed")
	}
}
