// Package isa is the PTX instruction table: PTX ISA 9.0 for sm_90a, in the manual's own notation.
package isa
