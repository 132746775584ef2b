package cubin

import "fmt"

// The pinned versions. A released cubin says which ptxas made it; changing this line changes every cubin under gen/.
const (
	PtxasVersion    = "13.0.88"
	NvdisasmVersion = "13.5.37"
)

// Tool describes one program of the toolchain: what it is called, which version is pinned, which environment
// variable binds another one, and the Python package whose wheel carries it.
type Tool struct {
	Name    string // file name of the program
	Version string // the pinned version
	Env     string // environment variable that binds a path
	Package string // name of the package on the Python package index
	member  string // path of the program inside the wheel
	wheels  map[string]wheel
}

// wheel is one file of the package index, identified by its hash.
type wheel struct {
	platform string // pip's --platform
	file     string
	sha256   string
}

// Ptxas is the assembler: PTX ISA 9.0.
func Ptxas() Tool {
	return Tool{
		Name: "ptxas", Version: PtxasVersion, Env: "OXIDE_PTXAS",
		Package: "nvidia-cuda-nvcc", member: "nvidia/cu13/bin/ptxas",
		wheels: map[string]wheel{
			"linux/amd64": {
				"manylinux2014_x86_64",
				"nvidia_cuda_nvcc-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
				"56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03",
			},
			"linux/arm64": {
				"manylinux2014_aarch64",
				"nvidia_cuda_nvcc-13.0.88-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl",
				"c7ff28f86a24effdc6c034fa15230c549a273e4771b10a7fec14996f8cf3307f",
			},
		},
	}
}

// Nvdisasm is the disassembler. The 13.0 wheels have none, so a later one is pinned; it reads 13.0 cubins.
func Nvdisasm() Tool {
	return Tool{
		Name: "nvdisasm", Version: NvdisasmVersion, Env: "OXIDE_NVDISASM",
		Package: "nvidia-cuda-nvdisasm", member: "nvidia/cu13/bin/nvdisasm",
		wheels: map[string]wheel{
			"linux/amd64": {
				"manylinux2014_x86_64",
				"nvidia_cuda_nvdisasm-13.5.37-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
				"d3fdbdd49fa53e2e4aacd3db8259d052bd2b049ececdcb69e92e083c6728e7ca",
			},
			"linux/arm64": {
				"manylinux2014_aarch64",
				"nvidia_cuda_nvdisasm-13.5.37-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl",
				"a3a8248074edb9fba63b74c38a5416b712a91ab09e70b8ab37186c3d293fc605",
			},
		},
	}
}

// Tools lists the whole toolchain.
func Tools() []Tool { return []Tool{Ptxas(), Nvdisasm()} }

func (t Tool) String() string { return t.Name + " " + t.Version }

// requirement is the package as pip names it.
func (t Tool) requirement() string { return t.Package + "==" + t.Version }

// Program is one found tool. BoundBy is empty for the pinned version found by search; otherwise it says who chose
// this path on purpose, and Version may differ from the pinned one.
type Program struct {
	Tool    Tool
	Path    string
	Version string
	BoundBy string
}

// Pinned reports whether the program is of the pinned version.
func (p Program) Pinned() bool { return p.Version == p.Tool.Version }

func (p Program) String() string {
	s := fmt.Sprintf("%s %s at %s", p.Tool.Name, p.Version, p.Path)
	if p.BoundBy != "" {
		s += " (bound by " + p.BoundBy + ")"
	}
	return s
}
