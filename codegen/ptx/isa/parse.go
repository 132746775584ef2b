package isa

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrUnmodelled is wrapped by the error for an opcode or a modifier that the table does not know: the instruction may
// well exist.
var ErrUnmodelled = errors.New("not in the instruction table")

// ErrInvalid is wrapped by the error for known words in a combination that the manual or ptxas forbids.
var ErrInvalid = errors.New("invalid instruction")

// Error explains a refused mnemonic.
type Error struct {
	Mnemonic string
	Kind     error  // ErrUnmodelled or ErrInvalid
	Word     string // the opcode or modifier that is not known, "" otherwise
	Where    string // the condition of the table that forbids it, "" if no row takes these modifiers together
	Near     string // syntax of the row that comes nearest, "" if none does
	Sec      string // manual section of that row
}

// Error is one line without a position, which only the parser of a file knows.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %v", e.Mnemonic, e.Kind)
	switch {
	case e.Word != "":
		fmt.Fprintf(&b, ": %s", e.Word)
	case e.Where != "":
		fmt.Fprintf(&b, ": needs %s", e.Where)
	default:
		b.WriteString(": no form takes these modifiers together")
	}
	if e.Near != "" {
		fmt.Fprintf(&b, " (%s, PTX ISA %s)", e.Near, e.Sec)
	}
	return b.String()
}

// Unwrap returns the kind, for errors.Is.
func (e *Error) Unwrap() error { return e.Kind }

// table is the compiled instruction table. Rows are compiled when their opcode is first asked for.
type table struct {
	ops   map[string]*opcode
	order []string // opcodes in table order

	forms     sync.Map // spelling -> *Form, only of legal ones
	spellings atomic.Int32
}

// maxSpellings bounds the memo of non-canonical spellings, of which a hostile text has factorially many.
const maxSpellings = 1 << 14

type opcode struct {
	rows  []*Row
	once  sync.Once
	infos []*rowInfo
	words map[string]bool
	err   error
}

func newTable(chapters ...[]Row) *table {
	t := &table{ops: map[string]*opcode{}}
	for _, rows := range chapters {
		for i := range rows {
			name := rows[i].Opcode()
			if t.ops[name] == nil {
				t.ops[name] = &opcode{}
				t.order = append(t.order, name)
			}
			t.ops[name].rows = append(t.ops[name].rows, &rows[i])
		}
	}
	return t
}

// compiled returns the rows of an opcode in compiled form.
func (o *opcode) compiled() ([]*rowInfo, error) {
	o.once.Do(func() {
		o.words = map[string]bool{}
		for _, r := range o.rows {
			ri, err := compileRow(r)
			if err != nil {
				o.err = errors.Join(o.err, err)
				continue
			}
			o.infos = append(o.infos, ri)
			for _, s := range ri.slots {
				for _, a := range s.alts {
					o.words[a] = true
				}
			}
		}
	})
	return o.infos, o.err
}

var standard = sync.OnceValue(func() *table { return newTable(chapters()...) })

// Parse returns the form that a mnemonic names, with its modifiers in any order that ptxas accepts. The error is an
// *Error that wraps ErrUnmodelled or ErrInvalid.
func Parse(mnemonic string) (*Form, error) { return standard().parse(mnemonic) }

func (t *table) parse(mnemonic string) (*Form, error) {
	if f, ok := t.forms.Load(mnemonic); ok {
		return f.(*Form), nil
	}
	toks := strings.Split(mnemonic, ".")
	op := t.ops[toks[0]]
	if op == nil {
		return nil, &Error{Mnemonic: mnemonic, Kind: ErrUnmodelled, Word: toks[0]}
	}
	infos, err := op.compiled()
	if err != nil {
		return nil, err
	}
	toks = toks[1:]
	for _, tok := range toks {
		if !op.words[tok] {
			return nil, &Error{Mnemonic: mnemonic, Kind: ErrUnmodelled, Word: "." + tok}
		}
	}
	refused := &Error{Mnemonic: mnemonic, Kind: ErrInvalid}
	for _, ri := range infos {
		m := matcher{row: ri, toks: toks}
		if m.match() {
			return t.intern(mnemonic, newForm(ri, m.choice)), nil
		}
		if m.failed != "" && refused.Where == "" {
			refused.Where, refused.Near, refused.Sec = m.failed, ri.Syntax, ri.Sec
		}
	}
	if len(infos) == 1 && refused.Near == "" {
		refused.Near, refused.Sec = infos[0].Syntax, infos[0].Sec
	}
	return nil, refused
}

// intern returns the one Form of the canonical spelling and remembers the given spelling too.
func (t *table) intern(spelling string, f *Form) *Form {
	kept, _ := t.forms.LoadOrStore(f.mnemonic, f)
	if spelling != f.mnemonic && t.spellings.Load() < maxSpellings {
		t.spellings.Add(1)
		t.forms.Store(strings.Clone(spelling), kept)
	}
	return kept.(*Form)
}
