package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Every command that takes a scenario has the same flags, which mean the same.
func TestSameFlags(t *testing.T) {
	want := newFlags("")
	newGiven("", want)
	for _, cmd := range commands() {
		if !strings.Contains(cmd.args, "SCENARIO") {
			continue
		}
		flags := newFlags(cmd.name)
		cmd.setup(flags)
		for _, name := range []string{"run", "set", "machine", "phase", "without"} {
			if f := flags.Lookup(name); f == nil || f.Hidden || f.Usage != want.Lookup(name).Usage {
				t.Errorf("%s has no --%s, or one of its own", cmd.name, name)
			}
		}
	}
}

// A mistake is where the user wrote it.
func TestFlagsInMessages(t *testing.T) {
	for line, want := range map[string]string{
		"run ft --machine nowhere":                                    "--machine nowhere: no machine is called nowhere",
		"gradient ft-slabs-jacquard --machine nowhere":                "--machine nowhere: ",
		"potential ft-slabs-jacquard --without gaps":                  "--without gaps: must be one of",
		"sweep ft --vary ranks=4,8 --machine nowhere":                 "--machine nowhere: ",
		"export ft-slabs-jacquard --goal /dev/null --machine nowhere": "--machine nowhere: ",
		"optimize ft-granularity --over ranks=2,4 --run Nowhere":      "--run Nowhere: is not a run of ft-granularity; ",
		"optimize ft-granularity --over ranks=2,4 --machine nowhere":  "--machine nowhere: ",
		"compare ft --run Nowhere":                                    "--run Nowhere: ft has no run Nowhere",
		"compare ft --machine bassi --machines jacquard":              "--machine and --machines both name machines",
		"run ft --machine bassi --set machine=jacquard":               "--machine and --set machine are the same",
		"run halo --phase loop":                                       "--phase loop: ",
		"run ft --phase loop --set workload.phase=1":                  "--phase and --set workload.phase are the same",
		"run ft --html=": "--html",
		"run ft --figure a.svg --figure-with of=ranks,help": "--figure-with help: unknown",
	} {
		if out, errs, status := callMain(strings.Fields(line)...); status != wrong || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %s, want %s", line, status, errs, want)
		}
	}
}

// A list without a kind, and the picture's words, are answers.
func TestLists(t *testing.T) {
	for line, want := range map[string]string{"list": "machines ", "run --figure-with help": "size=85x60 "} {
		if out, errs, status := callMain(strings.Fields(line)...); status != done || errs != "" || !strings.Contains(out, want) {
			t.Errorf("%s: status %d, %s%s", line, status, out, errs)
		}
	}
}

// One run of several is searched and compared.
func TestOneOfSeveral(t *testing.T) {
	out, errs, status := callMain("optimize", "ft-granularity", "--run", "Bassi", "--over", "workload.granularity=4,16", "--why=false",
		"--set", "workload.rows=512")
	if status != done || errs != "" || strings.Contains(out, "Jacquard") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	out, errs, status = callMain("compare", "ft", "--run", "Slabs on Jacquard", "--machines", "jacquard,bassi", "--no-advice")
	if status != done || errs != "" || strings.Contains(out, "Pencils") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
}

// Programs read the commands as JSON, and a flag with its value is completed as one word.
func TestCommandsAsJSON(t *testing.T) {
	out, errs, status := callMain("help", "--json")
	if status != done || errs != "" {
		t.Fatal(status, errs)
	}
	var all commandList
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	for i, cmd := range commands() {
		one := all.Commands[i]
		if one.Name != cmd.name || one.Example != cmd.example || len(one.Flags) != len(flagNames(cmd.name))-hiddenFlags(cmd) {
			t.Errorf("%s is %+v", cmd.name, one)
		}
	}
	for last, want := range map[string]string{"--machine=jupi": "--machine=jupiter", "--without=lat": "--without=latency",
		"--set=machine.runtime=openmpi-5-t": "--set=machine.runtime=openmpi-5-tcp"} {
		if got := candidates([]string{"run", "ft", last}); len(got) != 1 || got[0] != want {
			t.Errorf("%s becomes %q", last, got)
		}
	}
	for line, want := range map[string]string{"run ft --machine = jupi": "jupiter", "potential halo-libraries --machine = jupi": "jupiter",
		"run ft --set = machine.runtime = openmpi-5-t": "openmpi-5-tcp", "run hal": "halo"} {
		if got := candidates(strings.Fields(line)); len(got) == 0 || got[0] != want {
			t.Errorf("%s becomes %q", line, got)
		}
	}
}

func hiddenFlags(c command) (n int) {
	c.flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			n++
		}
	})
	return n
}
