package validate

import (
	"reflect"
	"strings"

	"github.com/go-playground/validator/v10"
)

// details are the rules that are said in words. "%" is the rule's parameter.
var details = map[string]string{
	"required": "is missing",
	"email":    "must be an e-mail address",
	"url":      "must be a URL",
	"uri":      "must be a URI",
	"uuid":     "must be a UUID",
	"ip":       "must be an IP address",
	"hostname": "must be a host name",
	"datetime": "must be a time of the form %",
	"oneof":    "must be one of: %",
	"eq":       "must be %",
	"ne":       "must not be %",
	"numeric":  "must be a number",
	"alpha":    "must consist of letters",
	"alphanum": "must consist of letters and digits",
	"unique":   "must not hold anything twice",
	"contains": "must contain %",
	"eqfield":  "must be the same as %",
}

// amounts are the rules about how much: for numbers, and for what is counted.
var amounts = map[string][2]string{
	"min": {"must be % or more", "must have % or more"},
	"gte": {"must be % or more", "must have % or more"},
	"max": {"must be % or less", "must have % or fewer"},
	"lte": {"must be % or less", "must have % or fewer"},
	"gt":  {"must be more than %", "must have more than %"},
	"lt":  {"must be less than %", "must have fewer than %"},
	"len": {"must be %", "must have exactly %"},
}

// detail says what a field has to be. It doesn't repeat the value: that may be a
// secret.
func detail(w validator.FieldError) string {
	if both, ok := amounts[w.Tag()]; ok {
		if unit := unitOf(w.Kind()); unit != "" {
			return strings.Replace(both[1], "%", w.Param(), 1) + " " + unit
		}
		return strings.Replace(both[0], "%", w.Param(), 1)
	}
	if text, ok := details[w.Tag()]; ok {
		return strings.Replace(text, "%", w.Param(), 1)
	}
	if w.Param() == "" {
		return "does not meet the rule " + w.Tag()
	}
	return "does not meet the rule " + w.Tag() + "=" + w.Param()
}

// unitOf returns what is counted of a kind; "" for numbers.
func unitOf(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "characters"
	case reflect.Slice, reflect.Array, reflect.Map:
		return "elements"
	}
	return ""
}
