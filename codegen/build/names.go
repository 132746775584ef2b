package build

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
)

// badNames reports names from which no Go can be generated, once for each algorithm.
func badNames(kernels []bundle.Kernel, src sources) Problems {
	var problems Problems
	seen := map[bundle.Frame]bool{}
	for i := range kernels {
		k := &kernels[i]
		if seen[k.Declared] {
			continue
		}
		seen[k.Declared] = true
		report := func(format string, args ...any) {
			problems = append(problems, Problem{Code: "BAD_NAME", Pos: src.pos(k.Declared), Package: k.Package, Algorithm: k.Algorithm,
				Message: fmt.Sprintf(format, args...), Fix: "choose a name that is an exported Go identifier and nobody else's, for example ExampleScale"})
		}
		if !token.IsIdentifier(k.Algorithm) || !token.IsExported(k.Algorithm) || k.Algorithm == "Artifacts" {
			report("the name %q cannot be that of a generated Go function", k.Algorithm)
		}
		fields := map[string]string{}
		for _, p := range k.Contract.Params {
			field := exported(p.Name)
			if other := fields[field]; other != "" {
				report("parameters %s and %s would both be the field %s", other, p.Name, field)
			} else if !token.IsIdentifier(field) || !token.IsExported(field) {
				report("parameter %s cannot be the field of a Go struct", p.Name)
			}
			fields[field] = p.Name
		}
	}
	return problems
}

// duplicates reports names that two instances share. Entries must differ in the whole build: a profiler names
// kernels by them alone.
func duplicates(kernels []bundle.Kernel, src sources) Problems {
	var problems Problems
	algorithms, instances, entries := map[string]*bundle.Kernel{}, map[string]*bundle.Kernel{}, map[string]*bundle.Kernel{}
	for i := range kernels {
		k := &kernels[i]
		clash := ""
		if o := algorithms[k.Algorithm]; o != nil && (o.Package != k.Package || o.Symbol != k.Symbol) {
			clash = fmt.Sprintf("the name %s is also declared at %s", k.Algorithm, src.pos(o.Declared))
			if o.Declared == k.Declared {
				continue
			}
		} else if o := instances[k.Name()]; o != nil {
			clash = fmt.Sprintf("two variants are named %q", k.Variant)
		} else if o := entries[k.Target+" "+k.Entry]; o != nil {
			clash = fmt.Sprintf("the entry %s is also that of %s, declared at %s", k.Entry, o.Name(), src.pos(o.Declared))
		}
		if clash != "" {
			problems = append(problems, Problem{Code: "DUPLICATE_NAME", Pos: src.pos(k.Declared), Package: k.Package,
				Algorithm: k.Algorithm, Variant: k.Variant, Target: k.Target, Message: clash, Fix: "give it another name"})
			continue
		}
		algorithms[k.Algorithm], instances[k.Name()], entries[k.Target+" "+k.Entry] = k, k, k
	}
	return problems
}

// differingParams reports algorithms whose variants cannot share one Args struct.
func differingParams(kernels []bundle.Kernel, src sources) Problems {
	var problems Problems
	first := map[string]*bundle.Kernel{}
	for i := range kernels {
		k := &kernels[i]
		o := first[k.Algorithm]
		if o == nil {
			first[k.Algorithm] = k
			continue
		}
		if a, b := signature(o), signature(k); a != b && o.Symbol == k.Symbol {
			problems = append(problems, Problem{Code: "PARAMS_DIFFER", Pos: src.pos(k.Declared), Package: k.Package,
				Algorithm: k.Algorithm, Variant: k.Variant, Target: k.Target,
				Message: fmt.Sprintf("its parameters are (%s), those of %s are (%s): one algorithm has one launch binding", b, o.Name(), a),
				Fix:     "declare the same parameters in every variant, or make it another algorithm"})
		}
	}
	return problems
}

// signature is what the binding sees of the parameters: a pointer is an address, whatever it points to.
func signature(k *bundle.Kernel) string {
	parts := make([]string, len(k.Contract.Params))
	for i, p := range k.Contract.Params {
		parts[i] = p.Name + " " + p.Type
		if p.Pointer {
			parts[i] = p.Name + " pointer"
		}
	}
	return strings.Join(parts, ", ")
}
