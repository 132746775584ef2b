package ir

import (
	"fmt"
	"reflect"
	"strings"
)

// Target is what a kernel is assembled for.
type Target string

// Targets.
const (
	SM80  Target = "sm_80"
	SM90  Target = "sm_90"
	SM90a Target = "sm_90a"
)

// Contract is what a launch must keep and what the build must not exceed.
type Contract struct {
	Block              [3]int // exact; x is at least 1, 0 in y and z means 1
	Cluster            [3]int // zero for no cluster
	DynamicSharedBytes int
	MinBlocksPerSM     int
	MaxRegisters       int
	ProgrammaticLaunch bool // may start before its predecessor in the stream has ended
	AllowSpillBytes    int
	AllowStackBytes    int
	Why                string // reason for allowed spills or stack
}

// Threads is the number of threads in a block.
func (c Contract) Threads() int { return max(1, c.Block[0]) * max(1, c.Block[1]) * max(1, c.Block[2]) }

// Algorithm declares a kernel with its variants. Kernel packages hold exported variables of this type; V is a struct of
// build values (tile sizes, dtypes, modes).
type Algorithm[V any] struct {
	Name     string // a Go identifier, the algorithm's stable name
	Doc      string
	Variants []V
	Targets  []Target // sm_90a when empty
	Contract func(V) Contract
	Kernel   func(*Kernel, V)
}

// Declaration is an Algorithm of any variant type.
type Declaration interface {
	AlgorithmName() string
	Instances() []Instance
}

// Setting is one build value of a variant.
type Setting struct{ Name, Value string }

// Instance is one variant of an algorithm on one target: what becomes one entry in one cubin.
type Instance struct {
	Algorithm string
	Doc       string
	Variant   string
	Settings  []Setting
	Entry     string
	Target    Target
	Contract  Contract
	build     func(*Kernel)
	pos       Pos
}

// AlgorithmName gives the declared name.
func (a Algorithm[V]) AlgorithmName() string { return a.Name }

// Instances lists every variant on every target, in declaration order.
func (a Algorithm[V]) Instances() []Instance {
	targets := a.Targets
	if len(targets) == 0 {
		targets = []Target{SM90a}
	}
	var list []Instance
	for _, t := range targets {
		for _, v := range a.Variants {
			list = append(list, a.instance(v, t))
		}
	}
	return list
}

func (a Algorithm[V]) instance(v V, t Target) Instance {
	name := variantName(v)
	inst := Instance{Algorithm: a.Name, Doc: a.Doc, Variant: name, Settings: settings(v), Target: t}
	inst.Entry = a.Name
	if name != "" {
		inst.Entry += "_" + name
	}
	if a.Contract != nil {
		inst.Contract = a.Contract(v)
	}
	if a.Kernel != nil {
		inst.build = func(k *Kernel) { a.Kernel(k, v) }
		inst.pos = funcPos(a.Kernel)
	}
	return inst
}

// variantName is the variant's own VariantName or made from its fields: "BF16_Block256".
func variantName(v any) string {
	if n, ok := v.(interface{ VariantName() string }); ok {
		return n.VariantName()
	}
	var parts []string
	for _, s := range settings(v) {
		if s.Value[0] >= '0' && s.Value[0] <= '9' || s.Value == "true" || s.Value == "false" {
			parts = append(parts, s.Name+s.Value)
		} else {
			parts = append(parts, s.Value)
		}
	}
	return clean(strings.Join(parts, "_"))
}

func settings(v any) []Setting {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Struct {
		if r.IsValid() && r.Kind() != reflect.Func {
			return []Setting{{Name: "V", Value: nonEmpty(fmt.Sprint(v))}}
		}
		return nil
	}
	var list []Setting
	for i := range r.NumField() {
		f := r.Type().Field(i)
		if f.IsExported() {
			list = append(list, Setting{Name: f.Name, Value: nonEmpty(fmt.Sprint(r.Field(i).Interface()))})
		}
	}
	return list
}

func nonEmpty(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// clean keeps what a PTX identifier may hold.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
}
