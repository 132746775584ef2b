// Package fakecuda builds and controls a stand-in for libcuda in tests; it is empty where there is no cgo.
package fakecuda
