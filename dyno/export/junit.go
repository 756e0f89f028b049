package export

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dyno.example/internal/i18n"
)

// Check is one thing that was to hold of a load.
type Check struct {
	Name    string // the expression, or what was checked
	Result  CheckResult
	Message i18n.Message // what was measured, and why it did not hold
	Of      string       // the part of the measurement that it is about, such as "request"; empty for all of it
}

// CheckResult is what became of a check.
type CheckResult string

// What a check can come to. All but the first and last fail a build.
const (
	Passed  CheckResult = "passed"
	Failed  CheckResult = "failed"
	Unknown CheckResult = "unknown" // the measurement can't tell, or is invalid
	Broken  CheckResult = "error"   // nothing could be measured
	Skipped CheckResult = "skipped" // the load was interrupted
)

// Suite is a measurement and its checks, for a CI system.
type Suite struct {
	Tool       string // the command: "dyno load"
	Name       string // what was loaded
	Started    time.Time
	Took       time.Duration
	Properties [][2]string // name and value, in order
	Checks     []Check
}

// JUnit writes the checks as JUnit XML in the form that Jenkins, GitLab and
// GitHub's reporters read: a test case per check, which fails with what was
// measured.
func JUnit(w io.Writer, s *Suite) error {
	suite := junitSuite{
		Name: s.Name, Tests: len(s.Checks), Time: seconds(s.Took), Timestamp: s.Started.UTC().Format("2006-01-02T15:04:05"),
	}
	for _, p := range s.Properties {
		suite.Properties = append(suite.Properties, junitProperty{printable(p[0]), printable(p[1])})
	}
	for _, c := range s.Checks {
		suite.add(c, s)
	}
	all := junitSuites{Name: s.Tool, Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Skipped: suite.Skipped, Time: suite.Time, Suites: []junitSuite{suite}}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	out := xml.NewEncoder(w)
	out.Indent("", "  ")
	if err := out.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(c Check, of *Suite) {
	tc := junitCase{Name: s.unique(printable(c.Name)), Class: strings.ReplaceAll(of.Tool, " ", "."), Time: seconds(of.Took)}
	if c.Of != "" {
		tc.Class += "." + c.Of
	}
	problem := &junitProblem{Message: printable(c.Message.String()), Type: string(c.Result), Text: printable(c.Name + ": " + c.Message.String())}
	switch c.Result {
	case Passed:
		tc.Out = problem.Text
	case Broken:
		tc.Error = problem
		s.Errors++
	case Skipped:
		tc.Skipped = &junitSkipped{Message: problem.Message}
		s.Skipped++
	default:
		tc.Failure = problem
		s.Failures++
	}
	s.Cases = append(s.Cases, tc)
}

// unique is a name that no case has yet: CI systems tell cases apart by it, from run to
// run.
func (s *junitSuite) unique(name string) string {
	taken := func(name string) bool {
		return slices.ContainsFunc(s.Cases, func(c junitCase) bool { return c.Name == name })
	}
	out := name
	for n := 2; taken(out); n++ {
		out = fmt.Sprintf("%s (%d)", name, n)
	}
	return out
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// printable leaves out what XML can't hold.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Skipped *junitSkipped `xml:"skipped"`
	Error   *junitProblem `xml:"error"`
	Failure *junitProblem `xml:"failure"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}
