// Package runner carries out a plan: it prepares the subjects, measures trial
// after trial, and archives each as soon as it is done.
//
// It is the one place where the rooms of the lab meet: study says what to do,
// subject starts and stops, load and probe measure on one clock, archive keeps.
package runner
