// Package opprofile profiles operators of the library: a plan's call runs on an emulated device of an H200's size, as it would
// on the GPU, and what each kernel did is counted.
package opprofile
