package subjects

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/internal/safetensors"
	"github.com/oxideinfer/oxide/ir/op"
)

// Write writes the subject as a case that "oxidelab ptx run" reads and a device can record: NAME.json, NAME.ptx and
// NAME.safetensors with the inputs and the wanted outputs. The text may be a mutant's; nil is the subject's own.
func (s *Subject) Write(dir string, text []byte) error {
	if text == nil {
		own, err := s.Text()
		if err != nil {
			return err
		}
		text = own
	}
	description, err := json.MarshalIndent(s.description(text), "", " ")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, s.Name)
	for suffix, content := range map[string][]byte{".json": append(description, '\n'), ".ptx": text} {
		if err := os.WriteFile(path+suffix, content, 0o666); err != nil {
			return err
		}
	}
	return safetensors.WriteFile(path+".safetensors", s.tensors())
}

type object = map[string]any

func (s *Subject) description(text []byte) object {
	sum := sha256.Sum256(text)
	var buffers, maps, launches, outputs []object
	for _, b := range s.Buffers {
		buffers = append(buffers, b.description())
		if b.Out {
			outputs = append(outputs, object{"buffer": b.Name, "tensor": "out:" + b.Name, "cls": "exact", "ulp": 0, "abs": 0, "rel": 0, "nan": "bits"})
		}
	}
	for i := range s.Maps {
		maps = append(maps, s.Maps[i].description())
	}
	for _, l := range s.Launches {
		launches = append(launches, l.description())
	}
	return object{"format": "ptx-fixture/1", "name": s.Name, "about": s.About, "features": []string{}, "known_findings": []string{},
		"compiler": "oxidegen", "source": "codegen/subjects", "arch": "sm_90a", "ptx": s.Name + ".ptx", "ptx_sha256": hex.EncodeToString(sum[:]),
		"data": s.Name + ".safetensors", "buffers": buffers, "tensor_maps": maps, "launches": launches, "outputs": outputs}
}

func (b *Buffer) description() object {
	role := "in"
	if b.Out {
		role = "inout"
	}
	return object{"name": b.Name, "dtype": caseType(b.Kind), "shape": b.Shape, "bytes": len(b.Data), "role": role, "align": 256, "init": "tensor"}
}

// caseType is a kind in the words of the case format.
func caseType(k op.Kind) string {
	switch k {
	case op.S32:
		return "i32"
	case op.U32, op.F32, op.BF16, op.E4M3:
		return k.String()
	}
	return "u8"
}

var mapTypeNames = map[emulate.MapType]string{emulate.MapU8: "u8", emulate.MapF32: "f32", emulate.MapBF16: "bf16"}

var swizzleNames = map[emulate.MapSwizzle]string{emulate.SwizzleNone: "none", emulate.Swizzle32B: "32B", emulate.Swizzle64B: "64B", emulate.Swizzle128B: "128B"}

func (m *Map) description() object {
	return object{"name": m.Name, "buffer": m.Buffer, "buffer_offset": 0, "dtype": mapTypeNames[m.Type], "rank": m.Rank,
		"global_dim": m.Dims[:m.Rank], "global_strides": m.Strides[:m.Rank-1], "box_dim": m.Box[:m.Rank], "element_strides": m.ElementStrides[:m.Rank],
		"interleave": "none", "swizzle": swizzleNames[m.Swizzle], "l2_promotion": "none", "oob_fill": "zero"}
}

func (l *Launch) description() object {
	cfg := launchConfig(*l)
	var cluster any
	if cfg.HasCluster {
		cluster = cfg.Cluster
	}
	var params []object
	for _, a := range l.Args {
		switch {
		case a.Buffer != "":
			params = append(params, object{"type": "u64", "buffer": a.Buffer, "offset": 0})
		case a.Map != "":
			params = append(params, object{"type": "tensormap", "map": a.Map})
		default:
			params = append(params, object{"type": "u32", "value": a.Word, "bits": fmt.Sprintf("0x%08x", a.Word)})
		}
	}
	return object{"entry": l.Kernel.Name, "grid": cfg.Grid, "block": cfg.Block, "cluster": cluster, "dynamic_smem": cfg.Dynamic, "pdl": cfg.Dependent, "params": params}
}

// tensors holds what the buffers start with, and what the outputs must hold in the end.
func (s *Subject) tensors() *safetensors.File {
	names := map[op.Kind]safetensors.DType{op.F32: safetensors.F32, op.BF16: safetensors.BF16, op.E4M3: safetensors.E4M3, op.S32: safetensors.I32, op.U32: safetensors.U32}
	f := &safetensors.File{}
	for _, b := range s.Buffers {
		var shape []int64
		for _, n := range b.Shape {
			shape = append(shape, int64(n))
		}
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: b.Name, DType: names[b.Kind], Shape: shape, Data: b.Data})
		if b.Out {
			f.Tensors = append(f.Tensors, safetensors.Tensor{Name: "out:" + b.Name, DType: names[b.Kind], Shape: shape, Data: b.Want})
		}
	}
	return f
}
