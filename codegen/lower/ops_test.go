package lower_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/cubin/cubintest"
	"github.com/oxideinfer/oxide/codegen/lower"
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// shaped are the ops that the generator below cannot make up, besides those whose signatures it cannot read;
// TestHandWritten builds each of them.
var shaped = []string{"exit", "create_policy", "fence", "select", "uniform", "setmaxnreg", "in_warps", "desc_add", "cluster_arrive", "cluster_wait"}

// handWritten tells whether an op is left to TestHandWritten: it has pointers, groups in flight, or another shape than
// operands and results.
func handWritten(info *op.Info) bool {
	sig := info.Signature()
	for _, s := range append(sig.Args[:len(sig.Args):len(sig.Args)], sig.Results...) {
		if s.Variadic || s.Optional || strings.HasPrefix(s.Pattern, "@") || s.Pattern == "ptr" || s.Pattern == "any" || s.Pattern == "tensormap" {
			return true
		}
	}
	return info.Effects.Control || info.Effects.Async || hasAttr(info, "groups") || contains(shaped, info.Name)
}

func hasAttr(info *op.Info, name string) bool {
	_, ok := info.Spec(name)
	return ok
}

// bench makes operands of any kind and keeps results alive.
type bench struct {
	k    *ir.Kernel
	base *ir.Value
	at   int64
}

func (b *bench) pointer(kind op.Kind) *ir.Value {
	b.at += 16
	p := b.k.Emit("addr_off", []op.Attr{{Name: "off", Int: b.at}}, []ir.Type{b.base.Type()}, b.base).Result()
	return b.k.Emit("ptr_cast", nil, []ir.Type{op.PointerTo(op.Global, kind)}, p).Result()
}

func (b *bench) operand(kind op.Kind) *ir.Value {
	if kind == op.Pred {
		x, y := b.operand(op.U32), b.operand(op.U32)
		return b.k.Emit("lt", nil, []ir.Type{op.Scalar(op.Pred)}, x, y).Result()
	}
	return b.k.Emit("load", nil, []ir.Type{op.Scalar(kind)}, b.pointer(kind)).Result()
}

func (b *bench) keep(v *ir.Value) {
	if v.Type().Kind == op.Pred {
		u := op.Scalar(op.U32)
		v = b.k.Emit("select", nil, []ir.Type{u}, v, b.k.Const(u, 1), b.k.Const(u, 0)).Result()
	}
	b.k.Emit("store", nil, nil, b.pointer(v.Type().Kind), v)
}

// widened is the W of a signature: twice the width.
func widened(k op.Kind) op.Kind {
	return map[op.Kind]op.Kind{op.U16: op.U32, op.U32: op.U64, op.S16: op.S32, op.S32: op.S64}[k]
}

func resolve(pattern string, t, s op.Kind) op.Kind {
	switch pattern {
	case "T":
		return t
	case "S":
		return s
	case "W":
		return widened(t)
	}
	k, _ := op.KindByName(pattern)
	return k
}

// each calls f for every kind, or pair of kinds, that the op is offered on.
func each(info *op.Info, f func(t, s op.Kind)) {
	switch {
	case len(info.Pairs) > 0:
		for _, p := range info.Pairs {
			f(p.T, p.S)
		}
	case info.Kinds != 0:
		for _, t := range info.Kinds.List() {
			f(t, op.Invalid)
		}
	default:
		f(op.Invalid, op.Invalid)
	}
}

func (b *bench) emit(info *op.Info, t, s op.Kind, attrs []op.Attr) {
	sig := info.Signature()
	var args []*ir.Value
	for _, a := range sig.Args {
		args = append(args, b.operand(resolve(a.Pattern, t, s)))
	}
	var results []ir.Type
	for _, r := range sig.Results {
		results = append(results, op.Scalar(resolve(r.Pattern, t, s)))
	}
	for _, v := range b.k.Emit(info.Name, attrs, results, args...).Results {
		b.keep(v)
	}
}

// required gives values to the attributes that an op cannot do without.
func required(info *op.Info) []op.Attr {
	var out []op.Attr
	for _, a := range info.Attrs {
		if !a.Required {
			continue
		}
		v := op.Attr{Name: a.Name}
		switch {
		case a.Name == "threads":
			v.Int = 64
		case a.Kind == op.Enum:
			v.Text = a.Values[len(a.Values)-1]
		default:
			v.Int = 1
		}
		out = append(out, v)
	}
	return out
}

// settings lists attribute sets that cover every value of every attribute once.
func settings(info *op.Info, t, s op.Kind) [][]op.Attr {
	base := required(info)
	all := [][]op.Attr{base}
	for _, a := range info.Attrs {
		if a.Required || !a.For(t, s) {
			continue
		}
		switch a.Kind {
		case op.Flag:
			all = append(all, append([]op.Attr{{Name: a.Name}}, base...))
		case op.Enum:
			for _, v := range a.Values[1:] {
				if info.Name == "cvt_narrow" && op.Halves.Has(t) && (v == "rm" || v == "rp") {
					continue // the manual has no such form, and the verifier says so
				}
				all = append(all, append([]op.Attr{{Name: a.Name, Text: v}}, base...))
			}
		case op.Int:
			all = append(all, append([]op.Attr{{Name: a.Name, Int: 8}}, base...))
		}
	}
	return all
}

// build makes a kernel, lowers it and returns the module.
func build(t *testing.T, name string, body func(*bench)) *ptx.Module {
	t.Helper()
	k, err := ir.BuildFunc(name, ir.Contract{Block: [3]int{64}}, func(k *ir.Kernel) {
		p := ir.GlobalParam[ir.U32](k, "p", ir.Writes, ir.Aligned(16))
		body(&bench{k: k, base: ir.ValueOf(p)})
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	res, err := lower.Kernel(k)
	if err != nil {
		t.Fatal(err)
	}
	return res.Module
}

// TestEveryOp lowers every op on every kind with every modifier, reads the text back, and has ptxas take it.
func TestEveryOp(t *testing.T) {
	var all *ptx.Module
	for _, info := range op.All() {
		if handWritten(info) {
			continue
		}
		m := build(t, "op_"+strings.ReplaceAll(info.Name, ".", "_"), func(b *bench) {
			each(info, func(kt, ks op.Kind) {
				for _, attrs := range settings(info, kt, ks) {
					b.emit(info, kt, ks, attrs)
				}
			})
		})
		roundTrip(t, m)
		if all == nil {
			all = m
		} else {
			all.Decls = append(all.Decls, m.Decls...)
		}
	}
	text, _ := ptx.Print(all)
	if _, err := cubintest.Assembler(t).Assemble(context.Background(), text, "sm_90a"); err != nil {
		t.Fatalf("%v\n%s", err, numbered(text))
	}
}

// numbered shows the lines that an assembler's messages speak of.
func numbered(text []byte) string {
	var b strings.Builder
	for i, line := range strings.Split(string(text), "\n") {
		if strings.Contains(line, "cvt") || strings.Contains(line, "mov.") {
			fmt.Fprintf(&b, "%d:%s\n", i+1, line)
		}
	}
	return b.String()
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func roundTrip(t *testing.T, m *ptx.Module) {
	t.Helper()
	text, _ := ptx.Print(m)
	back, err := ptx.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if again, _ := ptx.Print(back); !bytes.Equal(text, again) {
		t.Fatalf("printing what was parsed gives another text:\n%s\n--\n%s", text, again)
	}
}
