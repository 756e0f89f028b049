package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno.example/dyno/report"
)

// TranslateHelp has the help of root and of all commands below it in the language that
// global asks for when help is asked for, by then. untold is told of each text that the
// language lacks; it may be nil.
func TranslateHelp(root *cobra.Command, global *Global, untold func(cmd *cobra.Command, text string)) {
	if untold == nil {
		untold = func(*cobra.Command, string) {}
	}
	write := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		h := help{global.Texts(), func(text string) { untold(cmd, text) }}
		root.SetUsageTemplate(h.headings(root.UsageTemplate()))
		h.describe(cmd)
		for _, below := range cmd.Commands() {
			below.Short = h.paragraphs(below.Short)
		}
		var page strings.Builder
		out := cmd.OutOrStdout()
		cmd.SetOut(&page)
		write(cmd, args)
		cmd.SetOut(out)
		io.WriteString(out, strings.ReplaceAll(page.String(), " (default ", " "+h.paragraphs("(default")+" "))
	})
}

// help is written in the language of its texts.
type help struct {
	texts  report.Texts
	untold func(text string)
}

// describe translates what a command says of itself and its flags.
func (h help) describe(cmd *cobra.Command) {
	cmd.Short, cmd.Long = h.paragraphs(cmd.Short), h.paragraphs(cmd.Long)
	cmd.LocalFlags().VisitAll(h.flag)
	cmd.InheritedFlags().VisitAll(h.flag)
}

func (h help) flag(f *pflag.Flag) {
	switch f.Name { // what cobra writes has the command's name in it
	case "help":
		f.Usage = h.paragraphs("help for this command")
	case "version":
		f.Usage = h.paragraphs("version of dyno")
	default:
		f.Usage = h.paragraphs(f.Usage)
	}
}

// paragraphs translates each paragraph of a text.
func (h help) paragraphs(text string) string {
	list := strings.Split(text, "\n\n")
	for i, english := range list {
		translated, missing := h.texts.Whole(english)
		if missing {
			h.untold(english)
		}
		list[i] = translated
	}
	return strings.Join(list, "\n\n")
}

// headings are those of cobra's template that help can have here.
func (h help) headings(template string) string {
	for _, english := range []string{"Usage:", "Aliases:", "Examples:", "Available Commands:", "Global Flags:", "Flags:", `Use "{{.CommandPath}} [command] --help" for more information about a command.`} {
		translated, missing := h.texts.Whole(english)
		if missing || !strings.Contains(template, english) {
			h.untold(english)
		}
		template = strings.ReplaceAll(template, "\n"+english, "\n"+translated)
		if rest, first := strings.CutPrefix(template, english); first {
			template = translated + rest
		}
	}
	return template
}
