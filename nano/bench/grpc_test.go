//go:build linux

package main

import "testing"

func TestEchoIsChecked(t *testing.T) {
	for _, r := range []rpc{unaryCall, conversation} {
		if err := r.check(200, "0", r.body()); err != nil {
			t.Errorf("%s: %v", r.method, err)
		}
		for name, err := range map[string]error{
			"status": r.check(404, "0", r.body()), "code": r.check(200, "12", r.body()), "no code": r.check(200, "", r.body()),
			"cut": r.check(200, "0", r.body()[1:]), "empty": r.check(200, "0", nil),
		} {
			if err == nil {
				t.Errorf("%s: a response with another %s is taken", r.method, name)
			}
		}
	}
}
