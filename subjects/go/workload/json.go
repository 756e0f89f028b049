package main

import (
	"encoding/json"

	"github.com/bytedance/sonic"
	jsoniter "github.com/json-iterator/go"
	"github.com/mailru/easyjson"

	"subject/user"
)

// codec is a JSON library, set up to take the place of encoding/json.
type codec struct {
	name   string
	decode func([]byte, *user.User) error
	encode func(*user.User) ([]byte, error)
}

var codecs = []codec{
	{"std",
		func(b []byte, u *user.User) error { return json.Unmarshal(b, u) },
		func(u *user.User) ([]byte, error) { return json.Marshal(u) }},
	{"jsoniter",
		func(b []byte, u *user.User) error { return jsoniterStd.Unmarshal(b, u) },
		func(u *user.User) ([]byte, error) { return jsoniterStd.Marshal(u) }},
	{"easyjson",
		func(b []byte, u *user.User) error { return easyjson.Unmarshal(b, u) },
		func(u *user.User) ([]byte, error) { return easyjson.Marshal(u) }},
	{"sonic",
		func(b []byte, u *user.User) error { return sonic.ConfigStd.Unmarshal(b, u) },
		func(u *user.User) ([]byte, error) { return sonic.ConfigStd.Marshal(u) }},
}

var jsoniterStd = jsoniter.ConfigCompatibleWithStandardLibrary

// task decodes a user and encodes it again.
func (c codec) task() func() int {
	source := []byte(userJSON)
	return func() int {
		var u user.User
		if err := c.decode(source, &u); err != nil {
			return -1
		}
		out, err := c.encode(&u)
		if err != nil {
			return -1
		}
		return len(out)
	}
}

// userJSON is a user as most APIs send one, some 500 bytes, in the form in which
// all libraries write it.
const userJSON = `{"id":1007,"name":"Ada Lovelace","email":"ada@example.com","age":36,"balance":1234.5,"active":true,` +
	`"tags":["math","engines","poetry","horses"],"address":{"street":"12 St James's Square","city":"London","zip":"SW1Y 4JH"},` +
	`"manager":null,"serial":"9007199254740993","bio":"Ada wrote the first program that was meant for a machine, a table of ` +
	`steps for computing Bernoulli numbers, in a note that was longer than the paper it explained. Ask her about the slowest ` +
	`request of last week, and she will show you which queue it stood in, and for how long."}`
