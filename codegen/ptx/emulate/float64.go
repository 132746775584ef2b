package emulate

import (
	"math"
	"math/big"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
	"github.com/oxideinfer/oxide/internal/numfmt"
)

// arith64 is an f64 operation in a rounding mode. To nearest the machine's own arithmetic is used; the other modes are
// rare, and computed exactly first.
func arith64(op string, r numfmt.Rounding) func(a, b, c float64) float64 {
	near := map[string]func(a, b, c float64) float64{
		"add":  func(a, b, _ float64) float64 { return a + b },
		"sub":  func(a, b, _ float64) float64 { return a - b },
		"mul":  func(a, b, _ float64) float64 { return a * b },
		"div":  func(a, b, _ float64) float64 { return a / b },
		"fma":  math.FMA,
		"rcp":  func(a, _, _ float64) float64 { return 1 / a },
		"sqrt": func(a, _, _ float64) float64 { return math.Sqrt(a) },
	}[op]
	if near == nil || r == numfmt.RN {
		return near
	}
	return func(a, b, c float64) float64 {
		n := near(a, b, c)
		if n-n != 0 && !(math.IsInf(n, 0) && finite(a, b, c)) || n == 0 && op != "mul" && op != "div" && op != "fma" {
			if op == "add" || op == "sub" {
				if op == "sub" {
					b = -b
				}
				return zeroSum(n, a, b, r)
			}
			return n // NaN, or an infinity that an operand brought
		}
		x := exact64(op, a, b, c)
		if x == nil {
			return n
		}
		if x.Sign() == 0 {
			return zeroSum(n, a*b, c, r)
		}
		return round64(x, r)
	}
}

func finite(v ...float64) bool {
	for _, x := range v {
		if x-x != 0 {
			return false
		}
	}
	return true
}

// exact64 computes an operation exactly, or to far more bits than a rounding boundary can hide behind. It is nil for a
// division by zero or the root of a negative number.
func exact64(op string, a, b, c float64) *big.Float {
	v := func(x float64) *big.Float { return new(big.Float).SetPrec(4400).SetFloat64(x) }
	z := new(big.Float).SetPrec(4400)
	switch op {
	case "add":
		return z.Add(v(a), v(b))
	case "sub":
		return z.Sub(v(a), v(b))
	case "mul":
		return z.Mul(v(a), v(b))
	case "fma":
		return z.Add(z.Mul(v(a), v(b)), v(c))
	case "rcp":
		a, b = 1, a
	case "sqrt":
		if a < 0 {
			return nil
		}
		return new(big.Float).SetPrec(300).Sqrt(v(a))
	}
	if b == 0 {
		return nil
	}
	return new(big.Float).SetPrec(300).Quo(v(a), v(b))
}

// round64 rounds once in a directed mode.
func round64(x *big.Float, r numfmt.Rounding) float64 {
	f, acc := x.Float64()
	down := r == numfmt.RM || r == numfmt.RZ && x.Sign() > 0
	switch {
	case acc == big.Above && down:
		return math.Nextafter(f, math.Inf(-1))
	case acc == big.Below && !down:
		return math.Nextafter(f, math.Inf(1))
	}
	return f
}

func floatBinary64(op string, r numfmt.Rounding) func(x, y uint64) uint64 {
	f := arith64(op, r)
	if f == nil {
		return nil
	}
	return func(x, y uint64) uint64 { return canon64(f(f64(x), f64(y), 0)) }
}

// decodeFunction64 is rcp.rnd.f64 and sqrt.rnd.f64.
func decodeFunction64(b *build, op string, approx bool) {
	f := arith64(op, modeOf(b.rounding()))
	if approx || f == nil {
		b.fail("this f64 function is not modelled")
		return
	}
	b.unary(isa.F64, func(a uint64) uint64 { return canon64(f(f64(a), 0, 0)) })
}
