package main

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dyno/internal/shell"
	"dyno/lab/study"
	"dyno/studies"
)

func newStudies() *cobra.Command {
	return &cobra.Command{
		Use:   "studies",
		Short: "List the built-in studies",
		Args:  exactArgs(0, "none"),
		RunE: func(*cobra.Command, []string) error {
			c, err := catalog()
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
			for _, name := range studies.Names() {
				s, err := study.Open(name, c.Names())
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "%s\t%s\n", name, s.Question)
			}
			return w.Flush()
		},
	}
}

func newSubjects() *cobra.Command {
	return &cobra.Command{
		Use:   "subjects",
		Short: "List the subjects that ship with dyno",
		Args:  exactArgs(0, "none"),
		RunE: func(*cobra.Command, []string) error {
			c, err := catalog()
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
			fmt.Fprintln(w, "NAME\tFRAMEWORK\tVERSION\tROLE\tREMARKS")
			for _, m := range c.List() {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", m.Name, m.Framework, m.Version, m.Role, strings.ReplaceAll(strings.TrimSpace(m.Remarks), "\n", " "))
			}
			return w.Flush()
		},
	}
}

func newStudy(global *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "study",
		Short: "Write, check and plan studies",
		Args:  exactArgs(0, "a subcommand: init, check, plan or schema"),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newStudyInit(), newStudyCheck(), newStudyPlan(global), newStudySchema())
	return cmd
}

func newStudyInit() *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented study file to start from (default study.yaml)",
		Args:  argsBetween(0, 1, "at most a file"),
		RunE: func(_ *cobra.Command, args []string) error {
			name := "study.yaml"
			if len(args) == 1 {
				name = args[0]
			}
			f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if err != nil {
				return fmt.Errorf("%w; nothing was written (dyno study init FILE chooses another name)", err)
			}
			if _, err := f.Write(study.Starter()); err != nil {
				f.Close()
				return err
			}
			if err := f.Close(); err != nil {
				return err
			}
			fmt.Printf("wrote %s; run it with: dyno run %s\n", name, shell.Quote(name))
			return nil
		},
	}
}

func newStudyCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check STUDY",
		Short: "Check a study and print its plan",
		Args:  exactArgs(1, "a study's name or file"),
		RunE: func(_ *cobra.Command, args []string) error {
			plan, err := planOf(args[0])
			if err != nil {
				return usageError(err)
			}
			plan.Describe(os.Stdout)
			return nil
		},
		ValidArgsFunction: completeStudies,
	}
}

func newStudySchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of study files, for editors",
		Args:  exactArgs(0, "none"),
		RunE: func(*cobra.Command, []string) error {
			_, err := os.Stdout.Write(studies.Schema())
			return err
		},
	}
}
