package ptxcase

import (
	"math"

	"github.com/oxideinfer/oxide/internal/numfmt"
	"github.com/oxideinfer/oxide/internal/safetensors"
)

// safetensorsType maps a dtype of a case to that of its tensors; empty for an unknown one.
func safetensorsType(t string) safetensors.DType {
	switch t {
	case "f64":
		return safetensors.F64
	case "f32":
		return safetensors.F32
	case "f16":
		return safetensors.F16
	case "bf16":
		return safetensors.BF16
	case "e4m3":
		return safetensors.E4M3
	case "e5m2":
		return safetensors.E5M2
	case "i64":
		return safetensors.I64
	case "i32":
		return safetensors.I32
	case "i16":
		return safetensors.I16
	case "i8":
		return safetensors.I8
	case "u64":
		return safetensors.U64
	case "u32":
		return safetensors.U32
	case "u16":
		return safetensors.U16
	case "u8":
		return safetensors.U8
	}
	return ""
}

func dtypeSize(t string) int { return safetensorsType(t).Size() }

// floatFormat returns the format of a floating-point dtype of at most 32 bits.
func floatFormat(t string) (numfmt.Format, bool) {
	switch t {
	case "f32":
		return numfmt.F32, true
	case "f16":
		return numfmt.F16, true
	case "bf16":
		return numfmt.BF16, true
	case "e4m3":
		return numfmt.E4M3, true
	case "e5m2":
		return numfmt.E5M2, true
	}
	return 0, false
}

func isFloat(t string) bool {
	_, ok := floatFormat(t)
	return ok || t == "f64"
}

// value decodes an element of a floating-point dtype.
func value(t string, bits uint64) float64 {
	if f, ok := floatFormat(t); ok {
		return f.Decode(uint32(bits))
	}
	return math.Float64frombits(bits)
}
