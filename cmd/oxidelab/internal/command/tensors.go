package command

import (
	"fmt"
	"slices"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
	"github.com/oxideinfer/oxide/internal/safetensors"
	"github.com/oxideinfer/oxide/runtime"
)

// fileType is the name of an element type in a safetensors file.
func fileType(d oxrt.DType) safetensors.DType {
	switch d {
	case oxrt.F32:
		return safetensors.F32
	case oxrt.F16:
		return safetensors.F16
	case oxrt.BF16:
		return safetensors.BF16
	case oxrt.E4M3:
		return safetensors.E4M3
	case oxrt.E5M2:
		return safetensors.E5M2
	}
	return ""
}

// setupFrom takes the call's sizes and inputs from a file.
func setupFrom(op *catalog.Operator, spec any, file *safetensors.File) (trial.Setup, error) {
	dims, err := sizesFrom(op, spec, file)
	if err != nil {
		return trial.Setup{}, err
	}
	tensors, err := op.Tensors(spec, dims...)
	if err != nil {
		return trial.Setup{}, err
	}
	s := trial.Setup{Spec: spec, Dims: dims, Inputs: map[string][]byte{}}
	used := map[string]bool{}
	for _, t := range tensors {
		if !t.Present || t.Operand.Access != catalog.In {
			continue
		}
		name := t.Operand.Name
		in := file.Find(name)
		if in == nil {
			return s, op.Refuse(name, "a tensor of that name in the file", "none")
		}
		if in.DType != fileType(t.DType) {
			return s, op.Refuse(name, "elements of "+string(fileType(t.DType)), string(in.DType))
		}
		if want := shape64(t.Shape); !slices.Equal(in.Shape, want) {
			return s, op.Refuse(name, "shape "+fmt.Sprint(want), fmt.Sprint(in.Shape))
		}
		s.Inputs[name], used[name] = in.Data, true
	}
	for _, t := range file.Tensors {
		if !used[t.Name] {
			return s, op.Refuse(t.Name, "only tensors that are inputs under this spec", "a tensor that is none")
		}
	}
	return s, nil
}

// sizesFrom reads each of the call's sizes from the first input that has it as a dimension.
func sizesFrom(op *catalog.Operator, spec any, file *safetensors.File) ([]int, error) {
	none, err := op.Tensors(spec, make([]int, len(op.Dims))...)
	if err != nil {
		return nil, err
	}
	dims := make([]int, len(op.Dims))
	for i, d := range op.Dims {
		for _, t := range none {
			at := slices.Index(t.Operand.Shape, d.Name)
			if at < 0 || !t.Present || t.Operand.Access != catalog.In {
				continue
			}
			in := file.Find(t.Operand.Name)
			if in == nil {
				return nil, op.Refuse(t.Operand.Name, "a tensor of that name in the file", "none")
			}
			if len(in.Shape) != len(t.Shape) {
				return nil, op.Refuse(t.Operand.Name, fmt.Sprintf("%d dimensions", len(t.Shape)), fmt.Sprint(in.Shape))
			}
			dims[i] = int(in.Shape[at])
			break
		}
	}
	return dims, nil
}

// outputFile makes the file of the outputs.
func outputFile(op *catalog.Operator, s trial.Setup, out trial.Outcome) (*safetensors.File, error) {
	tensors, err := op.Tensors(s.Spec, s.Dims...)
	if err != nil {
		return nil, err
	}
	file := &safetensors.File{}
	for _, t := range tensors {
		if t.Present && t.Operand.Access == catalog.Out {
			file.Tensors = append(file.Tensors, safetensors.Tensor{Name: t.Operand.Name, DType: fileType(t.DType),
				Shape: shape64(t.Shape), Data: out.Outputs[t.Operand.Name]})
		}
	}
	return file, nil
}

func shape64(shape []int) []int64 {
	out := make([]int64, len(shape))
	for i, n := range shape {
		out[i] = int64(n)
	}
	return out
}
