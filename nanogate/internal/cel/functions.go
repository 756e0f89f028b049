package cel

import (
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/checker"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// functions are those that expressions may use in addition to CEL's own and the ones of
// addresses. They are a part of CEL's strings library: its other functions can make large
// results of small inputs.
var functions = []cel.EnvOption{
	cel.Function("split", cel.MemberOverload("string_split_string", []*cel.Type{cel.StringType, cel.StringType}, cel.ListType(cel.StringType),
		cel.BinaryBinding(func(text, by ref.Val) ref.Val {
			return types.NewStringList(types.DefaultTypeAdapter, strings.Split(string(text.(types.String)), string(by.(types.String))))
		}))),
	cel.Function("lowerAscii", cel.MemberOverload("string_lower_ascii", []*cel.Type{cel.StringType}, cel.StringType,
		cel.UnaryBinding(func(text ref.Val) ref.Val {
			return types.String(strings.Map(func(c rune) rune {
				if c >= 'A' && c <= 'Z' {
					c += 'a' - 'A'
				}
				return c
			}, string(text.(types.String))))
		}))),
	cel.Function("trim", cel.MemberOverload("string_trim", []*cel.Type{cel.StringType}, cel.StringType,
		cel.UnaryBinding(func(text ref.Val) ref.Val { return types.String(strings.TrimSpace(string(text.(types.String)))) }))),
}

// sizes gives CEL's cost estimate the bounds of what a client sends, and the cost of
// the functions.
type sizes struct{}

// longest is how long a text of a request is at most, and how many there are of one: what
// fits into a head as it is mostly limited. Where it is more, the evaluation is counted.
const longest = 16 << 10

// EstimateSize implements [checker.CostEstimator].
func (sizes) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	most := uint64(longest)
	if path := node.Path(); len(path) == 1 {
		switch path[0] {
		case "request.method", "request.address":
			most = 64
		case "request.host":
			most = 255
		case "request.headers", "request.cookies", "request.query":
			most = 1024
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: most}
}

// EstimateCallCost implements [checker.CostEstimator].
func (s sizes) EstimateCallCost(function, _ string, target *checker.AstNode, _ []checker.AstNode) *checker.CallEstimate {
	if target == nil || !ours(function) {
		return nil
	}
	size := (*target).ComputedSize()
	if size == nil {
		size = s.EstimateSize(*target)
	}
	return &checker.CallEstimate{CostEstimate: size.MultiplyByCostFactor(0.2).Add(checker.FixedCostEstimate(1)), ResultSize: size}
}

// CallCost implements [interpreter.ActualCostEstimator].
func (sizes) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	if len(args) == 0 || !ours(function) {
		return nil
	}
	cost := uint64(1)
	if sized, ok := args[0].(traits.Sizer); ok {
		if n, ok := sized.Size().(types.Int); ok {
			cost += uint64(n) / 5
		}
	}
	return &cost
}

func ours(function string) bool {
	return function == "split" || function == "lowerAscii" || function == "trim"
}
