package ptx

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// Line says where an instruction stands in printed text.
type Line struct {
	Instr *Instr
	Line  int // from 1
}

// Print writes the canonical text of a module, and the line of every instruction in text order. Equal modules print
// equal bytes.
func Print(m *Module) (text []byte, lines []Line) {
	p := printer{line: 1}
	p.header(m)
	for i, d := range m.Decls {
		if _, ok := d.(*Func); ok || i == 0 {
			p.end("")
		}
		switch d := d.(type) {
		case *Var:
			p.text(varText(d))
			p.end(";")
		case *Func:
			p.fn(d)
		case *Pragma:
			p.end(".pragma " + quote(d.Text) + ";")
		}
	}
	return p.buf.Bytes(), p.lines
}

type printer struct {
	buf   bytes.Buffer
	line  int // of what is written next
	depth int
	lines []Line
}

func (p *printer) text(s string) { p.buf.WriteString(s) }

// end finishes a line.
func (p *printer) end(s string) {
	p.buf.WriteString(s)
	p.buf.WriteByte('\n')
	p.line++
}

func (p *printer) indent() {
	for range p.depth {
		p.buf.WriteByte('\t')
	}
}

func (p *printer) header(m *Module) {
	p.end(".version " + m.Version.String())
	p.text(".target ")
	for i, t := range m.Target {
		if i > 0 {
			p.text(", ")
		}
		p.text(t)
	}
	p.end("")
	if m.AddressSize != 0 {
		p.end(".address_size " + strconv.Itoa(m.AddressSize))
	}
}

func (p *printer) fn(f *Func) {
	p.text(word(f.Linkage.String()))
	if f.Entry {
		p.text(".entry ")
	} else {
		p.text(".func ")
		if len(f.Returns) > 0 {
			p.text("(" + varList(f.Returns) + ") ")
		}
	}
	p.text(f.Name)
	p.params(f.Params)
	p.directives(&f.Directives)
	if f.Body == nil {
		p.end(";")
		return
	}
	p.end("")
	p.block(f.Body)
}

// params writes a parameter list, one on a line, without the end of its last line.
func (p *printer) params(params []*Var) {
	if len(params) == 0 {
		p.text("()")
		return
	}
	p.end("(")
	for i, v := range params {
		sep := ","
		if i == len(params)-1 {
			sep = ""
		}
		p.end("\t" + varText(v) + sep)
	}
	p.text(")")
}

func (p *printer) directives(d *Directives) {
	p.triple(".maxntid", d.MaxNTID)
	p.triple(".reqntid", d.ReqNTID)
	p.number(".minnctapersm", d.MinNCTAPerSM)
	p.number(".maxnctapersm", d.MaxNCTAPerSM)
	p.number(".maxnreg", d.MaxNReg)
	p.triple(".reqnctapercluster", d.ReqNCTAPerCluster)
	p.flag(".explicitcluster", d.ExplicitCluster)
	p.number(".maxclusterrank", d.MaxClusterRank)
	p.flag(".blocksareclusters", d.BlocksAreClusters)
	p.flag(".noreturn", d.NoReturn)
	for _, text := range d.Pragmas {
		p.flag(".pragma "+quote(text)+";", true)
	}
}

func (p *printer) triple(name string, n [3]int) {
	p.flag(fmt.Sprintf("%s %d, %d, %d", name, n[0], n[1], n[2]), n[0] != 0)
}

func (p *printer) number(name string, n int) { p.flag(name+" "+strconv.Itoa(n), n != 0) }

// flag starts a new line, so the caller has left the last one open.
func (p *printer) flag(text string, present bool) {
	if present {
		p.end("")
		p.text(text)
	}
}

func (p *printer) block(b *Block) {
	p.indent()
	p.end("{")
	p.depth++
	for _, s := range b.Stmts {
		p.stmt(s)
	}
	p.depth--
	p.indent()
	p.end("}")
}

func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Label:
		p.end(s.Name + ":")
		return
	case *Block:
		p.block(s)
		return
	}
	p.indent()
	switch s := s.(type) {
	case *Instr:
		p.lines = append(p.lines, Line{s, p.line})
		p.instr(s)
	case *RegDecl:
		p.text(".reg ." + s.Type.String() + " " + s.Name)
		if s.Count > 0 {
			p.text("<" + strconv.Itoa(s.Count) + ">")
		}
	case *Var:
		p.text(varText(s))
	case *Pragma:
		p.text(".pragma " + quote(s.Text))
	case *BranchTargets:
		p.text(s.Name + ": .branchtargets ")
		for i, l := range s.Targets {
			p.text(sep(i) + l.Name)
		}
	case *CallTargets:
		p.text(s.Name + ": .calltargets ")
		for i, f := range s.Targets {
			p.text(sep(i) + f.Name)
		}
	case *CallPrototype:
		p.prototype(s)
	}
	p.end(";")
}

func (p *printer) prototype(s *CallPrototype) {
	p.text(s.Name + ": .callprototype ")
	if len(s.Returns) > 0 {
		p.text("(" + varList(s.Returns) + ") ")
	}
	p.text("_ (" + varList(s.Params) + ")")
	if s.NoReturn {
		p.text(" .noreturn")
	}
}

func (p *printer) instr(in *Instr) {
	if in.Guard.Reg != nil {
		if in.Guard.Not {
			p.text("@!" + in.Guard.Reg.Name() + " ")
		} else {
			p.text("@" + in.Guard.Reg.Name() + " ")
		}
	}
	p.text(in.Form.Mnemonic())
	slots := in.Form.Operands()
	first := true
	for i, op := range in.Operands {
		switch {
		case op == nil:
			continue
		case first:
			p.text(" ")
		case i < len(slots) && slots[i].Pair:
			p.text("|")
		default:
			p.text(", ")
		}
		first = false
		p.text(operandText(op))
	}
}

func sep(i int) string {
	if i == 0 {
		return ""
	}
	return ", "
}

// quote writes a string as it is: PTX strings have no escapes.
func quote(s string) string { return `"` + s + `"` }

// word is s and a space, or nothing.
func word(s string) string {
	if s == "" {
		return ""
	}
	return s + " "
}

func varList(vars []*Var) string {
	s := ""
	for i, v := range vars {
		s += sep(i) + varText(v)
	}
	return s
}

// varText is a declaration without its semicolon. The .ptr attribute stands behind the type, .align otherwise before.
func varText(v *Var) string {
	s := word(v.Linkage.String()) + "." + v.Space.String() + " "
	if v.Align > 0 {
		s += ".align " + strconv.Itoa(v.Align) + " "
	}
	if v.Vec > 0 {
		s += ".v" + strconv.Itoa(v.Vec) + " "
	}
	s += "." + v.Type.String() + " "
	if v.Ptr != nil {
		s += ".ptr "
		if v.Ptr.Space != isa.Generic {
			s += "." + v.Ptr.Space.String() + " "
		}
		if v.Ptr.Align > 0 {
			s += ".align " + strconv.Itoa(v.Ptr.Align) + " "
		}
	}
	s += v.Name
	for _, d := range v.Dims {
		s += "["
		if d > 0 {
			s += strconv.FormatInt(d, 10)
		}
		s += "]"
	}
	if v.Init != nil {
		s += " = " + initText(v.Init)
	}
	return s
}

func initText(in *Init) string {
	if in.Value != nil {
		if in.Generic {
			return "generic(" + operandText(in.Value) + ")"
		}
		return operandText(in.Value)
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range in.List {
		b.WriteString(sep(i) + initText(e))
	}
	b.WriteByte('}')
	return b.String()
}

// operandText is the canonical spelling of one operand.
func operandText(op Operand) string {
	switch op := op.(type) {
	case *Reg:
		return op.Name()
	case SReg:
		return op.Name()
	case Int:
		if op.Unsigned && op.Value < 0 {
			return strconv.FormatUint(uint64(op.Value), 10) + "U"
		}
		return strconv.FormatInt(op.Value, 10)
	case F32:
		return fmt.Sprintf("0f%08X", op.Bits)
	case F64:
		return fmt.Sprintf("0d%016X", op.Bits)
	case WarpSize:
		return "WARP_SZ"
	case Sink:
		return "_"
	case Not:
		return "!" + op.Reg.Name()
	case Vec:
		return "{" + operandList(op) + "}"
	case List:
		return "(" + operandList(op) + ")"
	case Addr:
		return addrText(op)
	case Sym:
		if op.Off != 0 {
			return op.Of.SymbolName() + "+" + strconv.FormatInt(op.Off, 10)
		}
		return op.Of.SymbolName()
	case *Label:
		return op.Name
	case *BranchTargets:
		return op.Name
	case *CallTargets:
		return op.Name
	case *CallPrototype:
		return op.Name
	}
	return "?"
}

func operandList(ops []Operand) string {
	var b bytes.Buffer
	for i, op := range ops {
		b.WriteString(sep(i) + operandText(op))
	}
	return b.String()
}

func addrText(a Addr) string {
	s := strconv.FormatInt(a.Off, 10)
	if a.Base != nil {
		switch base := operandText(a.Base); a.Off {
		case 0:
			s = base
		default:
			s = base + "+" + s
		}
	}
	if a.Coords != nil {
		s += ", " + operandText(a.Coords)
	}
	return "[" + s + "]"
}
