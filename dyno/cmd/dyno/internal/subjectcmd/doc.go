// Package subjectcmd is dyno subjects: which there are, what they lack, whether they
// keep their contract.
package subjectcmd
