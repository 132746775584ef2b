package ir

import (
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
)

// Frame is one call on the way from the kernel function to an op. File is import path and base name, so that it does not
// depend on where the module lies, and carries no module version.
type Frame struct {
	File string
	Line int
	Func string
}

// Short is "rmsnorm.go:27".
func (f Frame) Short() string { return path.Base(f.File) + ":" + strconv.Itoa(f.Line) }

// Pos is where an op was written: the innermost frame outside package ir first, the kernel function's last.
type Pos []Frame

// String is "reduce.go:27 < WarpSum rmsnorm.go:41": line 27, in WarpSum, called at line 41.
func (p Pos) String() string {
	var b strings.Builder
	for i, f := range p {
		if i > 0 {
			b.WriteString(" < ")
			b.WriteString(p[i-1].Func)
			b.WriteByte(' ')
		}
		b.WriteString(f.Short())
	}
	return b.String()
}

const (
	maxDepth  = 64
	traceFunc = ".(*Kernel).trace"
)

// here finds the position of the kernel code that called into this package.
func here() Pos {
	var pcs [maxDepth]uintptr
	return position(pcs[:runtime.Callers(1, pcs[:])])
}

// here is the function of that name; unrolled loops call from one place again and again, so it remembers.
func (k *Kernel) here() Pos {
	var pcs [maxDepth]uintptr
	n := runtime.Callers(1, pcs[:])
	if pos, ok := k.positions[pcs]; ok {
		return pos
	}
	if k.positions == nil {
		k.positions = map[[maxDepth]uintptr]Pos{}
	}
	pos := position(pcs[:n])
	k.positions[pcs] = pos
	return pos
}

func position(pcs []uintptr) Pos {
	frames := runtime.CallersFrames(pcs)
	own, dir := "", ""
	var pos Pos
	between := true // frames of this package since the last kept one
	for {
		f, more := frames.Next()
		pkg, name := splitFunc(f.Function)
		if own == "" {
			own, dir = pkg, path.Dir(filepath.ToSlash(f.File))
		}
		switch {
		case pkg == own && strings.HasSuffix(f.Function, traceFunc):
			return pos
		case pkg == "runtime": // between a panic and the recovery in trace
		// by file, because a closure of this package that is inlined is named after its caller
		case path.Dir(filepath.ToSlash(f.File)) == dir && !strings.HasSuffix(f.File, "_test.go"):
			between = true
		default:
			if !(between && len(pos) > 0 && sameFunc(pos[len(pos)-1], pkg, outerFunc(name))) {
				pos = append(pos, Frame{File: sourceName(pkg, f.File), Line: f.Line, Func: outerFunc(name)})
			}
			between = false
		}
		if !more {
			return pos
		}
	}
}

// sameFunc tells whether a frame only re-enters the function of the last one: the body of a device loop is a closure that
// this package calls back, and its caller is the line of the loop, which is no helper.
func sameFunc(last Frame, pkg, name string) bool {
	return firstName(last.Func) == firstName(name) && strings.HasPrefix(last.File, strings.TrimSuffix(pkg, "_test"))
}

// splitFunc separates "a/b.c.(*T).M.func1" into package path and name.
func splitFunc(full string) (pkg, name string) {
	slash := strings.LastIndexByte(full, '/') + 1
	dot := strings.IndexByte(full[slash:], '.')
	if dot < 0 {
		return full, ""
	}
	pkg = strings.ReplaceAll(full[:slash+dot], "%2e", ".")
	return pkg, full[slash+dot+1:]
}

// outerFunc drops closures, range bodies and type arguments: "WarpSum[...].func1-range2" is WarpSum. The closure of a
// function that was inlined is called after both, "rowNorm.(*Kernel).Loop.func1", and belongs to the first.
func outerFunc(name string) string {
	whole := name
	for _, mark := range []string{"[", "-range", ".func"} {
		if i := strings.Index(name, mark); i > 0 {
			name = name[:i]
		}
	}
	if name != whole {
		return firstName(name)
	}
	return name
}

// firstName is the function or, for a pointer method, "(*T).M".
func firstName(name string) string {
	from := 0
	if strings.HasPrefix(name, "(") {
		from = strings.IndexByte(name, ')') + 2
	}
	if i := strings.IndexByte(name[min(from, len(name)):], '.'); i > 0 {
		return name[:from+i]
	}
	return name
}

func sourceName(pkg, file string) string {
	if filepath.IsAbs(file) {
		if strings.HasSuffix(file, "_test.go") {
			pkg = strings.TrimSuffix(pkg, "_test")
		}
		return pkg + "/" + filepath.Base(file)
	}
	at := strings.IndexByte(file, '@')
	if at < 0 {
		return file
	}
	rest := ""
	if slash := strings.IndexByte(file[at:], '/'); slash >= 0 {
		rest = file[at+slash:]
	}
	return file[:at] + rest
}

// funcPos is the line on which a function is declared.
func funcPos(f any) Pos {
	fn := runtime.FuncForPC(reflect.ValueOf(f).Pointer())
	file, line := fn.FileLine(fn.Entry())
	pkg, name := splitFunc(fn.Name())
	return Pos{{File: sourceName(pkg, file), Line: line, Func: outerFunc(name)}}
}
