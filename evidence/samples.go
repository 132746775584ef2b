package evidence

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// maxSamples bounds what Unpack makes of a hostile record.
const maxSamples = 1 << 16

// Samples are raw measurements in whole picoseconds: differences between neighbours as zigzag varints, deflated, in base64.
type Samples struct {
	Count  int    `json:"count"`
	Packed string `json:"packed_ps"`
}

// Pack packs microseconds. They are kept to a picosecond.
func Pack(us []float64) (Samples, error) {
	var raw []byte
	var last int64
	for _, x := range us {
		if math.IsNaN(x) || x < 0 || x > 1e12 {
			return Samples{}, fmt.Errorf("evidence: a sample of %g µs", x)
		}
		ps := int64(math.Round(x * 1e6))
		raw = binary.AppendVarint(raw, ps-last)
		last = ps
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		return Samples{}, err
	}
	if _, err := w.Write(raw); err != nil {
		return Samples{}, err
	}
	if err := w.Close(); err != nil {
		return Samples{}, err
	}
	return Samples{len(us), base64.StdEncoding.EncodeToString(out.Bytes())}, nil
}

// Unpack returns the samples in microseconds, in the order in which they were taken.
func (s Samples) Unpack() ([]float64, error) {
	if s.Count < 0 || s.Count > maxSamples {
		return nil, fmt.Errorf("evidence: %d samples, want 0 to %d", s.Count, maxSamples)
	}
	packed, err := base64.StdEncoding.DecodeString(s.Packed)
	if err != nil {
		return nil, fmt.Errorf("evidence: samples: %w", err)
	}
	limit := int64(s.Count)*binary.MaxVarintLen64 + 1
	raw, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), limit))
	if err != nil {
		return nil, fmt.Errorf("evidence: samples: %w", err)
	}
	us := make([]float64, 0, s.Count)
	var ps int64
	for len(raw) > 0 {
		d, n := binary.Varint(raw)
		if n <= 0 || len(us) == s.Count {
			return nil, fmt.Errorf("evidence: samples: more or other data than %d numbers", s.Count)
		}
		ps, raw = ps+d, raw[n:]
		if ps < 0 {
			return nil, fmt.Errorf("evidence: sample %d is negative", len(us))
		}
		us = append(us, float64(ps)/1e6)
	}
	if len(us) != s.Count {
		return nil, fmt.Errorf("evidence: %d samples, want %d", len(us), s.Count)
	}
	return us, nil
}
