package golden

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"crypto/sha256"

	"github.com/oxideinfer/oxide/internal/safetensors"
)

// Case is one PTX kernel with inputs for one launch. Its parameters are the addresses of the buffers, in order.
type Case struct {
	Name        string
	About       string
	PTX         string
	Entry       string
	Grid, Block uint32
	Dynamic     uint32 // bytes of dynamic shared memory
	Buffers     []Buffer
	Digest      bool // of the outputs only the hash is kept
}

// Buffer is a buffer of 32-bit words in global memory.
type Buffer struct {
	Name string
	Data []byte // initial content; for an output 0xCD bytes
	Out  bool
}

// outputFill marks bytes that a kernel does not write.
const outputFill = 0xCD

// output is a buffer for n bytes of results.
func output(name string, n int) Buffer {
	b := Buffer{Name: name, Data: make([]byte, n), Out: true}
	for i := range b.Data {
		b.Data[i] = outputFill
	}
	return b
}

// Write stores the case as NAME.json, NAME.ptx and NAME.safetensors for "oxidelab ptx".
func (c *Case) Write(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, c.Name+".ptx"), []byte(c.PTX), 0o644); err != nil {
		return err
	}
	text, err := json.MarshalIndent(c.description(), "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, c.Name+".json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	f := &safetensors.File{}
	for _, b := range c.Buffers {
		if !b.Out {
			f.Tensors = append(f.Tensors, safetensors.Tensor{Name: b.Name, DType: safetensors.U32, Shape: []int64{int64(len(b.Data) / 4)}, Data: b.Data})
		}
	}
	return safetensors.WriteFile(filepath.Join(dir, c.Name+".safetensors"), f)
}

// description is the JSON object of the format ptx-fixture/1.
func (c *Case) description() map[string]any {
	var buffers, params, outputs []any
	for _, b := range c.Buffers {
		d := map[string]any{"name": b.Name, "dtype": "u32", "shape": []int{len(b.Data) / 4}, "bytes": len(b.Data), "align": 256, "role": "in", "init": "tensor"}
		if b.Out {
			d["role"], d["init"], d["fill"] = "out", "fill", outputFill
			outputs = append(outputs, map[string]any{"buffer": b.Name, "tensor": "out:" + b.Name, "cls": "hw", "nan": "bits"})
		}
		buffers = append(buffers, d)
		params = append(params, map[string]any{"type": "u64", "buffer": b.Name, "offset": 0})
	}
	return map[string]any{
		"format": "ptx-fixture/1", "name": c.Name, "about": c.About, "known_findings": []string{}, "arch": "sm_90a",
		"ptx": c.Name + ".ptx", "ptx_sha256": fmt.Sprintf("%x", sha256.Sum256([]byte(c.PTX))), "data": c.Name + ".safetensors",
		"buffers": buffers, "outputs": outputs,
		"launches": []any{map[string]any{"entry": c.Entry, "grid": []uint32{c.Grid, 1, 1}, "block": []uint32{c.Block, 1, 1}, "dynamic_smem": c.Dynamic, "params": params}},
	}
}
