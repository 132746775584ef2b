package emulate

import (
	"fmt"
	"strings"
)

var checkNames = []struct {
	name string
	set  Checks
}{
	{"memcheck", Memcheck}, {"initcheck", Initcheck}, {"asynccheck", Asynccheck}, {"racecheck", Racecheck}, {"synccheck", Synccheck},
	{"wgmmacheck", Wgmmacheck}, {"all", AllChecks}, {"none", NoChecks},
}

// ParseChecks returns the set of a list of names, separated by commas: memcheck, initcheck, asynccheck, racecheck,
// synccheck, wgmmacheck, all or none.
func ParseChecks(list string) (Checks, error) {
	var set Checks
	for _, word := range strings.Split(list, ",") {
		found := false
		for _, c := range checkNames {
			if c.name == strings.TrimSpace(word) {
				set |= c.set
				found = true
			}
		}
		if !found {
			return 0, fmt.Errorf("emulate: %q is no checker: memcheck, initcheck, asynccheck, racecheck, synccheck, wgmmacheck, all or none", word)
		}
	}
	return set, nil
}
