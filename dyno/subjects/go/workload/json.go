package main

import (
	"encoding/json"
	"strings"

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

// both decodes a user of about so many bytes and encodes it again.
func (c codec) both(bytes int) task {
	source := []byte(userOf(bytes))
	return func() func() int {
		return func() int {
			var u user.User
			if err := c.decode(source, &u); err != nil {
				return -1
			}
			out, err := c.encode(&u)
			if err != nil || len(out) != len(source) {
				return -1
			}
			return int(u.ID)
		}
	}
}

// decoding only reads, and encoding only writes: claims about JSON libraries often
// don't say which of the two was measured. All respond with the user's ID.
func (c codec) decoding(bytes int) task {
	source := []byte(userOf(bytes))
	return func() func() int {
		return func() int {
			var u user.User
			if err := c.decode(source, &u); err != nil {
				return -1
			}
			return int(u.ID)
		}
	}
}

func (c codec) encoding(bytes int) task {
	source := userOf(bytes)
	var u user.User
	if err := json.Unmarshal([]byte(source), &u); err != nil {
		panic(err) // our own text
	}
	return func() func() int {
		return func() int {
			out, err := c.encode(&u)
			if err != nil || len(out) != len(source) {
				return -1
			}
			return int(u.ID)
		}
	}
}

// userJSON is a user as most APIs send one, some 500 bytes, in the form in which
// all libraries write it.
var userJSON = userOf(547)

// Parts of a user: what is there in any case, and what it is written around.
const (
	userHead = `{"id":1007,"name":"Ada Lovelace","email":"ada@example.com","age":36,"balance":1234.5,"active":true,` +
		`"tags":["math","engines","poetry","horses"],"address":{"street":"12 St James's Square","city":"London","zip":"SW1Y 4JH"},` +
		`"manager":null,"serial":"9007199254740993","bio":"`
	userTail = `"}`
	userBio  = `Ada wrote the first program that was meant for a machine, a table of ` +
		`steps for computing Bernoulli numbers, in a note that was longer than the paper it explained. Ask her about the slowest ` +
		`request of last week, and she will show you which queue it stood in, and for how long. `
)

// leastUser is how long the text of a user is whose biography is empty.
const leastUser = len(userHead) + len(userTail)

// userOf is the text of a user, of so many bytes: its biography, which is written
// as often as it takes, makes the difference.
func userOf(bytes int) string {
	n := max(0, bytes-leastUser)
	bio := strings.Repeat(userBio, n/len(userBio)+1)[:n]
	if strings.HasSuffix(bio, " ") && n > 0 {
		bio = bio[:n-1] + "."
	}
	return userHead + bio + userTail
}
