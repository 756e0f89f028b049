//go:build linux

package command

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"dyno.example/nanogate/internal/admin"
	"dyno.example/nanogate/internal/config"
)

func newDiff() *cobra.Command { return newPut(true) }

func newApply() *cobra.Command { return newPut(false) }

// newPut sends a file to a gateway: to be served, or to hear what would change.
func newPut(dry bool) *cobra.Command {
	var a adminFlags
	var version int
	var file fileArgument
	cmd := &cobra.Command{
		Use:   "apply FILE",
		Short: "Make a running gateway serve a file",
		Long: `Sends a file to a running gateway, which serves it from then on. Only what changed is
rebuilt, and no connection is closed. A file with errors changes nothing. The gateway's
own file isn't touched: it is served again after SIGHUP or a restart.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := file.must(cmd, args)
			if err != nil {
				return err
			}
			if version < 0 {
				return usageError{fmt.Errorf("--version: expected 1 or more, got %d", version)}
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			if _, err := open(cmd.ErrOrStderr(), name); err != nil { // its mistakes with their places here
				return err
			}
			body, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			path, fields := "/config", []string(nil)
			if dry {
				path += "?dry-run"
			}
			if version > 0 {
				fields = []string{"If-Match", strconv.Quote(strconv.Itoa(version))}
			}
			status, response, err := client.do(cmd.Context(), http.MethodPut, path, "application/yaml", body, fields...)
			if err != nil {
				return err
			}
			return printChanged(cmd.OutOrStdout(), cmd.ErrOrStderr(), name, status, response)
		},
	}
	if dry {
		cmd.Use, cmd.Short = "diff FILE", "Show what a file would change in a running gateway"
		cmd.Long = `Shows what a running gateway would rebuild to serve a file. It builds everything that the
file asks for and discards it, which finds more errors than check does. Nothing is changed.`
	} else {
		cmd.Flags().IntVar(&version, "version", 0, "only if this `number` is still the version that is served, as diff shows it; 0: any")
	}
	a.add(cmd)
	file.add(cmd)
	return cmd
}

func newRollback() *cobra.Command {
	var a adminFlags
	var list, dry bool
	cmd := &cobra.Command{
		Use:   "rollback [VERSION]",
		Short: "Make a running gateway serve an earlier configuration",
		Long: `Serves the previous version of the configuration again, or the one that is named. The
gateway keeps the last few in memory; --list shows them.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("expected one version, got %q", args)}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			if list {
				var versions []admin.Version
				if err := client.get(cmd.Context(), "/config/versions", &versions); err != nil {
					return err
				}
				return printVersions(cmd.OutOrStdout(), versions)
			}
			to := 0
			if len(args) == 1 {
				if to, err = strconv.Atoi(args[0]); err != nil || to < 1 {
					return usageError{fmt.Errorf("expected a version such as 3, got %q; see %s --list", args[0], cmd.CommandPath())}
				}
			}
			body, err := json.Marshal(map[string]any{"to": to, "dry-run": dry})
			if err != nil {
				return err
			}
			status, response, err := client.do(cmd.Context(), http.MethodPost, "/config/rollback", "application/json", body)
			if err != nil {
				return err
			}
			return printChanged(cmd.OutOrStdout(), cmd.ErrOrStderr(), "the earlier configuration", status, response)
		},
	}
	a.add(cmd)
	cmd.Flags().BoolVar(&list, "list", false, "list the versions that the gateway keeps")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would change")
	return cmd
}

// printChanged writes what a gateway says of a change, and to errs what is wrong with it.
func printChanged(w, errs io.Writer, what string, status int, response []byte) error {
	var r admin.Changed
	if status != http.StatusOK && status != http.StatusUnprocessableEntity || json.Unmarshal(response, &r) != nil {
		return said(status, response)
	}
	if len(r.Problems) > 0 {
		for _, p := range r.Problems {
			fmt.Fprintln(errs, p)
		}
		return configError{fmt.Errorf("%s: %s, and nothing is changed", what, counted(len(r.Problems), "error"))}
	}
	for _, c := range r.Changes {
		name := strings.TrimSpace(c.Part + " " + c.Name)
		switch c.Kind {
		case config.Moved:
			fmt.Fprintf(w, "  %s is moved\n", name)
		case config.Added, config.Removed, config.Changed:
			if c.Before != "" {
				fmt.Fprintf(w, "- %s: %s\n", name, c.Before)
			}
			if c.After != "" {
				fmt.Fprintf(w, "+ %s: %s\n", name, c.After)
			}
		}
	}
	if len(r.Changes) == 0 {
		fmt.Fprintln(w, "no changes")
	}
	for _, part := range r.Restart {
		fmt.Fprintf(w, "! %s needs a restart, and stays as it is until then\n", part)
	}
	if r.Applied {
		fmt.Fprintf(w, "version %d is served\n", r.Version)
	} else {
		fmt.Fprintf(w, "version %d is served, and nothing was changed\n", r.Version)
	}
	return nil
}

func printVersions(w io.Writer, versions []admin.Version) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "VERSION\tSINCE\tROUTES\tBY")
	for i, v := range versions {
		by := v.By
		if i == len(versions)-1 {
			by += " (served)"
		}
		fmt.Fprintf(t, "%d\t%s\t%d\t%s\n", v.Number, v.At.Local().Format(time.DateTime), v.Routes, by)
	}
	return t.Flush()
}
