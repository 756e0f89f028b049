package study

import (
	"strconv"
	"strings"

	"dyno.example/dyno/internal/shell"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// kind is a family of factors: how its levels are read, in which studies it is
// not possible, and what a level changes in a cell.
type kind struct {
	// name is as in the study. One that ends in NAME stands for all factors that
	// begin as it does, each with a name of its own.
	name  string
	level func(at scope, s *Study) string // as text; numbers in plain decimal
	check func(e entry, name string, s *Study)
	apply func(c *Cell, name, level string, s *Study) // the level was checked
	scale *scale                                      // of ranges; nil if the levels have no order
	// secrets are what of a level is not to be shown; nil if no level can hold any.
	secrets func(name, level string) []string
}

const ownName = "NAME"

// kinds are all there are, the most usual first.
var kinds = []kind{
	{name: "connections", level: connectionsLevel, apply: applyConnections, scale: &scale{whole: true, end: connectionsEnd}},
	{name: "rate", level: rateLevel, check: checkRate, apply: applyRate, scale: &scale{end: rateEnd}},
	{name: "request", level: requestLevel, apply: applyRequest},
	{name: "reuse", level: reuseLevel, apply: applyReuse},
	{name: "protocol", level: protocolLevel, apply: applyProtocol},
	{name: "streams", level: streamsLevel, apply: applyStreams, scale: &scale{whole: true, end: streamsEnd}},
	{name: "pacing", level: pacingLevel, check: checkPacing, apply: applyPacing},
	{name: "size", level: sizeLevel, check: checkSizes, apply: applySize, scale: &scale{whole: true, end: sizeEnd}},
	{name: "tls", level: tlsLevel, check: checkTLS, apply: applyTLS},
	{name: "cpus", level: cpusLevel, check: checkCPUs, apply: applyCPUs, scale: &scale{whole: true, end: cpusEnd}},
	{name: "env.NAME", level: textLevel, check: checkEnv, apply: applyEnv, scale: &scale{end: anyEnd}, secrets: namedSecret},
	{name: "args.NAME", level: textLevel, check: checkArgument, apply: applyArgument, scale: &scale{end: anyEnd}, secrets: namedSecret},
	{name: "args", level: argsLevel, check: checkArgs, apply: applyArgs, secrets: optionSecrets},
	{name: "build.flags", level: buildLevel, check: checkBuild, apply: applyBuild, secrets: optionSecrets},
	{name: "kernel.NAME", level: kernelLevel, check: checkKernel, apply: applyKernel, scale: &scale{whole: true, end: anyEnd}},
	{name: "rtt", level: rttLevel, check: checkRTT, apply: applyRTT},
	{name: "cpu", level: cpuLevel, check: checkQuota, apply: applyCPU, scale: &scale{end: cpuEnd}},
	{name: "memory", level: memoryLevel, check: checkQuota, apply: applyMemory, scale: &scale{whole: true, unit: "MiB", end: memoryEnd}},
}

// FactorNames are what a study may vary; those that end in NAME stand for any
// name after the dot.
func FactorNames() []string {
	names := make([]string, len(kinds))
	for i := range kinds {
		names[i] = kinds[i].name
	}
	return names
}

// kindOf finds the kind of a factor, and its own name if it has one.
func kindOf(factor string) (k kind, name string, ok bool) {
	for i := range kinds {
		prefix, many := strings.CutSuffix(kinds[i].name, ownName)
		if factor == kinds[i].name && !many {
			return kinds[i], "", true
		}
		if rest, found := strings.CutPrefix(factor, prefix); many && found {
			return kinds[i], rest, true
		}
	}
	return kind{}, "", false
}

func connectionsLevel(at scope, _ *Study) string {
	return strconv.Itoa(at.Integer(1, profile.MaxConnections))
}
func rateLevel(at scope, _ *Study) string    { return plain(at.number(minRate, maxRate)) }
func requestLevel(at scope, s *Study) string { return at.oneOf(requestNames(s)...) }
func reuseLevel(at scope, _ *Study) string   { return reuseText(at) }
func pacingLevel(at scope, _ *Study) string  { return string(pacingAt(at)) }

func textLevel(at scope, _ *Study) string {
	text, _ := at.printable("\n\t")
	return text
}

func applyConnections(c *Cell, _, level string, _ *Study) {
	c.Profile.Connections, _ = strconv.Atoi(level)
}
func applyRate(c *Cell, _, level string, _ *Study) {
	c.Profile.Rate, _ = strconv.ParseFloat(level, 64)
}
func applyRequest(c *Cell, _, level string, s *Study) {
	c.Requests = []request.Request{requestNamed(s, level)}
}
func applyPacing(c *Cell, _, level string, _ *Study) { c.Pacing = profile.Pacing(level) }
func applyEnv(c *Cell, name, level string, _ *Study) { c.Env[name] = level }

func applyReuse(c *Cell, _, level string, _ *Study) {
	c.Link.Reuse, c.Link.PerConnection, _ = request.ParseReuse(level)
}

// addArgs appends text to the command's arguments.
func (c *Cell) addArgs(text string) {
	c.Args = strings.TrimSpace(c.Args + " " + text)
}

// applyArgument gives the option --NAME=LEVEL, which both Go's flags and those
// of GNU understand; a name with a dash of its own is taken as it is, and an
// empty level leaves the option out.
func applyArgument(c *Cell, name, level string, _ *Study) {
	if level == "" {
		return
	}
	if !strings.HasPrefix(name, "-") {
		name = "--" + name
	}
	c.addArgs(shell.Quote(name + "=" + level))
}

func applyArgs(c *Cell, _, level string, _ *Study)      { c.addArgs(level) }
func applyBuild(c *Cell, _, level string, _ *Study)     { c.BuildFlags = level }
func applyCPUs(c *Cell, _, level string, _ *Study)      { c.CPUs = level }
func applyKernel(c *Cell, name, level string, _ *Study) { c.setKernel(name, level) }
func applyCPU(c *Cell, _, level string, s *Study)       { c.limit(s).CPUs = quotaOf(level) }
func applyMemory(c *Cell, _, level string, s *Study)    { c.limit(s).Memory = bytesOf(level) }

func (c *Cell) setKernel(name, level string) {
	if c.Kernel == nil {
		c.Kernel = make(map[string]string)
	}
	c.Kernel[name] = level
}

// limit returns the cell's own limits, which begin as its subject's.
func (c *Cell) limit(s *Study) *Limits {
	if c.Limits == nil {
		c.Limits = &Limits{}
		for i := range s.Subjects {
			if subject := &s.Subjects[i]; subject.Name == c.Subject && subject.Limits != nil {
				*c.Limits = *subject.Limits
			}
		}
	}
	return c.Limits
}

// applyTLS: "off" is the load's plain form.
func applyTLS(c *Cell, _, level string, _ *Study) {
	if level != tlsOff {
		c.TLS = level
	}
}

func applySize(c *Cell, _, level string, _ *Study) {
	if n, err := strconv.Atoi(level); err == nil {
		c.BodySize = &n
	}
}
