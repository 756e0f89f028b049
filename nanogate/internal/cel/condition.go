// Package cel reads conditions in the Common Expression Language (CEL, cel.dev): it is the
// driver of [rule]. As event loops evaluate them, no expression may take long.
package cel

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"

	"dyno.example/internal/spelling"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/rule"
)

const (
	// mostCost bounds an evaluation, in CEL's units: an operation is one, ten bytes of a
	// text that are looked at are, and a regular expression has one for each four of its
	// characters and ten of the text's. That is some 100 ns each at most, so a millisecond or two.
	mostCost = 10_000

	mostRegex = 1000 // steps of a regular expression's program
)

// base is what all expressions may use.
var base = sync.OnceValues(func() (*cel.Env, error) {
	options := []cel.EnvOption{
		cel.ParserExpressionSizeLimit(rule.MostText), cel.ParserRecursionLimit(64), cel.ExpressionNodeLimit(5_000),
		ext.Network(),
	}
	for _, v := range variables {
		options = append(options, cel.Variable(v.name, v.kind))
	}
	return cel.NewEnv(append(options, functions...)...)
})

func init() {
	rule.Register(func(text string, scope rule.Scope) (rule.Condition, error) { return Compile(text, scope) })
}

// Condition is an expression that was checked.
type Condition struct {
	scope   rule.Scope
	program cel.Program
}

// Compile checks an expression. What is wrong with it is an [*rule.Error].
func Compile(text string, scope rule.Scope) (*Condition, error) {
	env, err := base()
	if err != nil {
		return nil, err
	}
	var options []cel.EnvOption
	for _, name := range scope.Guards {
		options = append(options, cel.Variable(name, claims))
	}
	for _, name := range scope.Params {
		options = append(options, cel.Variable("params."+name, cel.StringType))
	}
	if env, err = env.Extend(options...); err != nil {
		return nil, err
	}
	checked, issues := env.Compile(text)
	if all := issues.Errors(); len(all) > 0 {
		first := all[0]
		e := &rule.Error{Line: first.Location.Line(), Column: first.Location.Column() + 1, Message: first.Message}
		return nil, explain(e, scope)
	}
	if kind := checked.OutputType(); kind != cel.BoolType && kind != cel.DynType {
		return nil, &rule.Error{Line: 1, Column: 1, Message: fmt.Sprintf("it is of the type %s, and has to be true or false", kind)}
	}
	if e := patterns(checked); e != nil {
		return nil, e
	}
	estimate, err := env.EstimateCost(checked, sizes{})
	if err != nil {
		return nil, err
	}
	if estimate.Min > mostCost {
		return nil, &rule.Error{Line: 1, Column: 1, Message: fmt.Sprintf("it takes too long: it costs at least %d, and %d is the most", estimate.Min, mostCost)}
	}
	how := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}
	if estimate.Max > mostCost { // counting costs time itself
		how = append(how, cel.CostTracking(sizes{}), cel.CostLimit(mostCost))
	}
	program, err := env.Program(checked, how...)
	if err != nil {
		return nil, &rule.Error{Line: 1, Column: 1, Message: err.Error()}
	}
	return &Condition{scope, program}, nil
}

// explain makes CEL's message one that helps who doesn't know what there is.
func explain(e *rule.Error, s rule.Scope) error {
	e.Message, _, _ = strings.Cut(e.Message, "\n")
	e.Message = strings.TrimSuffix(e.Message, " (in container '')")
	rest, ok := strings.CutPrefix(e.Message, "undeclared reference to '")
	if !ok {
		return e
	}
	name := strings.TrimSuffix(rest, "'")
	known := slices.Clone(s.Guards)
	for _, v := range variables {
		known = append(known, v.name)
	}
	for _, p := range s.Params {
		known = append(known, "params."+p)
	}
	e.Message = "there is no " + name
	nearest, near := spelling.Nearest(name, known)
	switch {
	case slices.Contains(rule.Guards, name):
		e.Hint = "add " + name + " to the route, which says who it is"
	case near:
		e.Hint = "did you mean " + nearest + "?"
	case name == "params":
		e.Hint = "the path that is matched has no such {name}"
	default:
		e.Hint = "there are " + strings.Join(known, ", ")
	}
	return e
}

// patterns refuses regular expressions that aren't written out, as making one of what a
// client sends takes long, and those that are large. (CEL's own limit for their size fails
// for any with a repetition.)
func patterns(checked *cel.Ast) error {
	tree := checked.NativeRep()
	for _, call := range ast.MatchDescendants(ast.NavigateAST(tree), ast.FunctionMatcher("matches")) {
		args := call.AsCall().Args()
		pattern := args[len(args)-1]
		at := tree.SourceInfo().GetStartLocation(pattern.ID())
		wrong := func(message string) error {
			return &rule.Error{Line: at.Line(), Column: at.Column() + 1, Message: message}
		}
		if pattern.Kind() != ast.LiteralKind {
			return wrong("the pattern of matches has to be a text that stands there")
		}
		text, _ := pattern.AsLiteral().Value().(string)
		parsed, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			return wrong(err.Error())
		}
		if program, err := syntax.Compile(parsed.Simplify()); err != nil || len(program.Inst) > mostRegex {
			return wrong(fmt.Sprintf("the pattern of matches is too large: %d steps at most", mostRegex))
		}
	}
	return nil
}

// Holds implements [rule.Condition].
func (c *Condition) Holds(q *request.Request) (bool, error) {
	v := values.Get().(*view)
	v.scope, v.r = &c.scope, q
	out, _, err := c.program.Eval(v)
	*v = view{}
	values.Put(v)
	if err != nil {
		return false, err
	}
	holds, ok := out.(types.Bool)
	if !ok {
		return false, rule.ErrNotBool
	}
	return bool(holds), nil
}
