package cli

import (
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno.example/dyno/present"
	"dyno.example/dyno/report"
)

// The texts of help have ids too: NAME.short and NAME.long.1 of a command, where a name has
// dots for spaces, NAME.flag.FLAG of a flag, and flag.FLAG of one that says the same of all
// commands.

// TranslateHelp has the help of root and of all commands below it in the language that
// global asks for when help is asked for, by then. told is called with each text and its id,
// and whether the language has it; it may be nil.
func TranslateHelp(root *cobra.Command, global *Global, told func(id, english string, has bool)) {
	write := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		h := help{global.Texts(), told}
		root.SetUsageTemplate(h.headings(root.UsageTemplate()))
		h.describe(cmd)
		for _, below := range cmd.Commands() {
			below.Short = h.text(below.Short, helpID(below)+".short")
		}
		var page strings.Builder
		out := cmd.OutOrStdout()
		cmd.SetOut(&page)
		write(cmd, args)
		cmd.SetOut(out)
		io.WriteString(out, wrap(strings.ReplaceAll(page.String(), " (default ", " "+h.text("(default", "heading.default")+" ")))
	})
}

// Lines of help have so many columns: those of flags, if that leaves enough for what is
// said of each, and prose that isn't broken into lines where it is written.
const (
	helpWidth  = 80
	leastUsage = 32
	proseWidth = 88 // that of paragraphs in lines
)

var (
	flagLine  = regexp.MustCompile(`(?m)^( +(?:-\w, )?--[\w-]+(?:\[=.*?\])?(?: \S+)? {3,})(\S.*)$`) // as pflag writes it, and what it says of the flag
	proseLine = regexp.MustCompile(`(?m)^\S.*$`)
)

// wrap breaks long lines of a page of help. Neither cobra nor pflag does that for Chinese,
// which has no spaces and letters of two columns.
func wrap(page string) string {
	page = flagLine.ReplaceAllStringFunc(page, func(line string) string {
		parts := flagLine.FindStringSubmatch(line)
		indent := present.Width(parts[1])
		usage := present.Wrap(parts[2], max(helpWidth-indent, leastUsage))
		return parts[1] + strings.ReplaceAll(usage, "\n", "\n"+strings.Repeat(" ", indent))
	})
	return proseLine.ReplaceAllStringFunc(page, func(line string) string {
		if present.Width(line) <= proseWidth {
			return line
		}
		return present.Wrap(line, proseWidth)
	})
}

// helpID is the name of a command as ids have it: "baseline.set".
func helpID(cmd *cobra.Command) string {
	_, below, _ := strings.Cut(cmd.CommandPath(), " ")
	if below == "" {
		return cmd.Name()
	}
	return strings.ReplaceAll(below, " ", ".")
}

// help is written in the language of its texts.
type help struct {
	texts report.Texts
	told  func(id, english string, has bool)
}

// text is that of the first id that the language has, or the English one.
func (h help) text(english string, ids ...string) string {
	if english == "" {
		return ""
	}
	translated, id := "", ids[0]
	for _, one := range ids {
		if text, has := h.texts.Help(one); has {
			translated, id = text, one
			break
		}
	}
	if h.told != nil {
		h.told(id, english, translated != "")
	}
	if translated == "" {
		return english
	}
	return translated
}

// describe translates a command's texts and those of its flags.
func (h help) describe(cmd *cobra.Command) {
	id := helpID(cmd)
	cmd.Short = h.text(cmd.Short, id+".short")
	paragraphs := strings.Split(cmd.Long, "\n\n")
	for i, english := range paragraphs {
		paragraphs[i] = h.text(english, id+".long."+strconv.Itoa(i+1))
	}
	cmd.Long = strings.Join(paragraphs, "\n\n")
	flag := func(f *pflag.Flag) { h.flag(id, f) }
	cmd.LocalFlags().VisitAll(flag)
	cmd.InheritedFlags().VisitAll(flag)
}

func (h help) flag(command string, f *pflag.Flag) {
	switch english := f.Usage; f.Name {
	case "help": // what cobra writes has the command's name in it
		f.Usage = h.text("help for this command", "flag.help")
	case "version":
		f.Usage = h.text("version of dyno", "flag.version")
	default:
		f.Usage = h.text(english, command+".flag."+f.Name, "flag."+f.Name)
	}
}

// Heading is a heading of help.
func Heading(t report.Texts, english, id string) string {
	return help{t, nil}.text(english, "heading."+id)
}

// headings are those of cobra's template that help can have here.
func (h help) headings(template string) string {
	for _, one := range [][2]string{
		{"Usage:", "usage"}, {"Aliases:", "aliases"}, {"Examples:", "examples"}, {"Available Commands:", "commands"}, {"Global Flags:", "global"}, {"Flags:", "flags"},
		{`Use "{{.CommandPath}} [command] --help" for more information about a command.`, "more"},
	} {
		english, translated := one[0], h.text(one[0], "heading."+one[1])
		template = strings.ReplaceAll(template, "\n"+english, "\n"+translated)
		if rest, first := strings.CutPrefix(template, english); first {
			template = translated + rest
		}
	}
	return template
}
