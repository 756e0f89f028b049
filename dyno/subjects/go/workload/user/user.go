// Package user has the type that JSON libraries encode and decode, and the code
// that easyjson generates for it. That code has no MarshalJSON, which the other
// libraries would call.
package user

//go:generate go tool easyjson -no_std_marshalers user.go

// User has fields of the usual kinds.
//
//easyjson:json
type User struct {
	ID       int64             `json:"id"`
	Name     string            `json:"name"`
	Email    string            `json:"email"`
	Age      int               `json:"age"`
	Balance  float64           `json:"balance"`
	Active   bool              `json:"active"`
	Tags     []string          `json:"tags"`
	Address  Address           `json:"address"`
	Manager  *string           `json:"manager"`
	Nickname string            `json:"nickname,omitempty"`
	Serial   int64             `json:"serial,string"`
	Extra    map[string]string `json:"extra,omitempty"`
	Bio      string            `json:"bio"`
	Secret   string            `json:"-"`
}

// Address is a part of a user.
//
//easyjson:json
type Address struct {
	Street string `json:"street"`
	City   string `json:"city"`
	Zip    string `json:"zip"`
}
