package oxrt

// TensorMapAlign is the alignment of a tensor map in memory and in the parameters of a launch.
const TensorMapAlign = 64

// TensorMap is an encoded tensor map, CUtensorMap: 128 bytes that a kernel takes by value. They describe a tensor in device
// memory to the engine that copies boxes of it, and hold its address; they are made for one place in memory.
type TensorMap [128]byte
