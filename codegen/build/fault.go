package build

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Kinds of Fault, for errors.Is.
var (
	ErrManifest    = errors.New("manifest cannot be read")
	ErrNoArtifact  = errors.New("kernel has no artifact")
	ErrExtra       = errors.New("artifact or file without a kernel")
	ErrMissingFile = errors.New("file is missing")
	ErrStalePTX    = errors.New("PTX is not what the source gives")
	ErrPTXFile     = errors.New("PTX file is not what the manifest says")
	ErrContract    = errors.New("contract is not what the source declares")
	ErrToolchain   = errors.New("assembled by another toolchain")
	ErrKey         = errors.New("key is not that of text, ptxas and flags")
	ErrCubinHash   = errors.New("cubin is not what the manifest says")
	ErrNotCubin    = errors.New("cubin cannot be read")
	ErrTarget      = errors.New("cubin is for another target")
	ErrEntry       = errors.New("cubin has another entry")
	ErrResources   = errors.New("resource use is not what the cubin says")
	ErrGate        = errors.New("undeclared spill, stack or warning")
	ErrCubinBytes  = errors.New("cubin is not what ptxas makes of the text")
	ErrGenerated   = errors.New("generated file is not what the source gives")
)

// Fault is one difference between what the source gives and what lies under gen/.
type Fault struct {
	Kind     error
	File     string // below the output folder
	Artifact string // name of the artifact, if it is about one
	Want     string
	Got      string
}

func (f *Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Artifact != "" {
		fmt.Fprintf(&b, " (%s)", f.Artifact)
	}
	fmt.Fprintf(&b, ": %v", f.Kind)
	if f.Want != "" || f.Got != "" {
		fmt.Fprintf(&b, ": want %s, got %s", orNone(f.Want), orNone(f.Got))
	}
	return b.String()
}

// Unwrap gives the kind.
func (f *Fault) Unwrap() error { return f.Kind }

// orNone is a value as a message shows it: a hash by its beginning.
func orNone(s string) string {
	switch {
	case s == "":
		return "none"
	case hash.MatchString(s):
		return s[:16] + "…"
	}
	return s
}

var hash = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Faults lists the faults in an error of Verify.
func Faults(err error) []*Fault {
	var all []*Fault
	for _, e := range flatten(err) {
		if f, ok := e.(*Fault); ok {
			all = append(all, f)
		}
	}
	return all
}
