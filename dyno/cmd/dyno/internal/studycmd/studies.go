package studycmd

import (
	"os"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/runcmd"
	"dyno.example/dyno/internal/shell"
	"dyno.example/dyno/studies"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

func NewStudies() *cobra.Command {
	return newList("studies", "List the built-in studies", func(c *subject.Catalog) (table [][]string, err error) {
		for _, name := range studies.Names() {
			s, err := study.Open(name, c.Names())
			if err != nil {
				return nil, err
			}
			table = append(table, []string{name, s.Question})
		}
		return table, nil
	})
}

// newList makes a command that prints a table of the catalog.
func newList(use, short string, rows func(c *subject.Catalog) ([][]string, error)) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cli.NoArgs(),
		RunE: func(*cobra.Command, []string) error {
			c, err := cli.Catalog()
			if err != nil {
				return err
			}
			table, err := rows(c)
			if err != nil {
				return err
			}
			return cli.PrintTable(table)
		},
	}
}

func NewStudy(global *cli.Global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "study",
		Short: "Write, check and plan studies",
		Args:  cli.ExactArgs(0, i18n.New("studycmd.subcommand-missing", "a subcommand: init, check, plan or schema")),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newStudyInit(global), newStudyCheck(global), newStudyPlan(global), newStudySchema())
	return cmd
}

func newStudyInit(global *cli.Global) *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented study file to start from (default study.yaml)",
		Args:  cli.ArgsBetween(0, 1, i18n.New("studycmd.most-file", "at most a file")),
		RunE: func(_ *cobra.Command, args []string) error {
			name := "study.yaml"
			if len(args) == 1 {
				name = args[0]
			}
			f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if err != nil {
				return i18n.Errorf("studycmd.nothing-written", "%w; nothing was written (dyno study init FILE chooses another name)", err)
			}
			if _, err := f.Write(study.Starter()); err != nil {
				f.Close()
				return err
			}
			if err := f.Close(); err != nil {
				return err
			}
			global.Out().Print(i18n.New("studycmd.study-written", "wrote %s; run it with: dyno run %s", name, shell.Quote(name)))
			return nil
		},
	}
}

func newStudyCheck(global *cli.Global) *cobra.Command {
	return &cobra.Command{
		Use:   "check STUDY",
		Short: "Check a study and print its plan",
		Long: `Check a study and print its plan, with what that tells of the study's claims before
anything is measured: which parts arithmetic forbids to decide (a percentile of too few
requests, a throughput beyond what the load asks for), which can come out in one way only,
and how much a subject has to serve for its throughput to grow as claimed.`,
		Args: cli.ExactArgs(1, i18n.New("runcmd.studys-name-file", "a study's name or file")),
		RunE: func(_ *cobra.Command, args []string) error {
			plan, foreseen, err := runcmd.PlanOf(args[0])
			if err != nil {
				return cli.UsageError(err)
			}
			plan.Describe(os.Stdout, global.Texts().Say)
			for _, f := range foreseen {
				global.Out().Print(f.Message())
			}
			return nil
		},
		ValidArgsFunction: cli.CompleteStudies,
	}
}

func newStudySchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of study files, for editors",
		Args:  cli.NoArgs(),
		RunE: func(*cobra.Command, []string) error {
			_, err := os.Stdout.Write(studies.Schema())
			return err
		},
	}
}
