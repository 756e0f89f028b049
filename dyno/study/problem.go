package study

import "dyno.example/internal/yamlfile"

// Problem is one thing that is wrong with a study file.
type Problem = yamlfile.Problem

// Problems is the error that [Parse] returns: everything that is wrong with a
// file, in the order of the file. It is never empty.
type Problems = yamlfile.Problems

// hide takes the secrets out of the problems, some of which repeat what the file
// says.
func (s Secrets) hide(problems Problems) {
	for i := range problems {
		p := &problems[i]
		p.Message, p.Hint = p.Message.Map(s.Hide), p.Hint.Map(s.Hide)
	}
}
