package emulate

import (
	"strconv"
	"strings"
)

func (in *inst) name() string {
	if in.text == nil {
		return "the end of the function"
	}
	return in.text.Form.Mnemonic()
}

// laneList writes a mask as ranges: "0-3,7".
func laneList(m uint32) string {
	if m == fullMask {
		return "0-31"
	}
	var b strings.Builder
	for l := 0; l < warpSize; l++ {
		if m>>l&1 == 0 {
			continue
		}
		end := l
		for end+1 < warpSize && m>>(end+1)&1 != 0 {
			end++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(l))
		if end > l {
			b.WriteString("-" + strconv.Itoa(end))
		}
		l = end
	}
	return b.String()
}

func itoa(n int) string { return strconv.Itoa(n) }
