package oxrt

// Completion returns the completion that [Completion.Slot] named: for foreign handles. Numbers that no submission of this device had are
// ErrStale when they are used.
func (d *Device) Completion(slot, generation uint32) Completion {
	if generation == 0 && slot != capturedSlot {
		return Completion{} // slots start at generation 1
	}
	return Completion{dev: d, slot: slot, gen: generation}
}
