package main

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"overlapsim/scenarios"
)

var compareCommand = command{
	name:  "compare",
	args:  "SCENARIO SCENARIO...",
	title: "run scenarios side by side",
	text: `Runs the scenarios (files, or names from 'overlapsim list scenarios') and shows
them side by side, each against the first.`,
	example: "overlapsim compare ft-exchange-jacquard ft-pencils-jacquard",
	setup: func(flags *pflag.FlagSet) action {
		r := newRunner("compare", flags)
		settings := flags.StringArray("set", nil, "change a `path=value` of every scenario (repeat for more)")
		return func(c *call, args []string) error {
			if len(args) < 2 {
				return want("compare", args, 2, 2, "two or more scenarios")
			}
			all := &scenarios.Study{Name: "compare", Title: "Comparison of " + strings.Join(args, ", ")}
			var problems scenarios.Problems
			for _, name := range args {
				study, err := scenarios.Load(name, *settings)
				var found scenarios.Problems
				if errors.As(err, &found) {
					problems = append(problems, found...)
					continue
				}
				all.Add(study)
			}
			if len(problems) > 0 {
				return problems
			}
			return r.run(c, all)
		}
	},
}
