package bind

// function is one exported function. Every one returns an oxide_status.
type function struct {
	name   string
	params []param
	doc    string
}

// param is a parameter: its C type, and the ctypes type where that does not follow from it.
type param struct{ name, c string }

var functions = []function{
	{"device_count", []param{{"kind", "int32_t"}, {"count", "int32_t *"}},
		"Counts the devices of a kind. Without a driver OXIDE_CUDA is OXIDE_ERROR_NO_DRIVER."},
	{"device_open", []param{{"kind", "int32_t"}, {"ordinal", "int32_t"}, {"device", "oxide_device *"}},
		"Opens a device. On a GPU this retains the primary context; the current context of the thread stays as it is."},
	{"device_close", []param{{"device", "oxide_device"}},
		"Closes a device; OXIDE_ERROR_LEASED while it has plans or streams. The last one of a kind waits for the device and closes the driver."},
	{"device_get_info", []param{{"device", "oxide_device"}, {"info", "oxide_device_info *"}}, "Properties of a device."},
	{"host_map", []param{{"device", "oxide_device"}, {"memory", "void *"}, {"bytes", "uint64_t"}},
		"Emulated devices only: makes memory of the host usable as device memory, at its own address, until oxide_host_unmap."},
	{"host_unmap", []param{{"device", "oxide_device"}, {"memory", "void *"}},
		"Ends a mapping. Work that uses the memory must have settled."},
	{"stream_open", []param{{"device", "oxide_device"}, {"handle", "uint64_t"}, {"stream", "oxide_stream *"}},
		"Wraps a CUstream of the device's primary context, or 0 (default), 1 (legacy), 2 (per thread). Wrap again after you re-create a stream."},
	{"stream_reserve_workspace", []param{{"stream", "oxide_stream"}, {"bytes", "int64_t"}},
		"Makes scratch memory ready for the plans of the stream: the most that one of them says in workspace_bytes. Nothing else allocates."},
	{"stream_close", []param{{"stream", "oxide_stream"}}, "Forgets the stream and leaves it alone."},
	{"capability_query", []param{{"device", "oxide_device"}, {"spec", "const void *"}, {"capabilities", "oxide_capability *"}, {"room", "int32_t"}, {"count", "int32_t *"}},
		"Asks every algorithm whether it runs a spec on this device and with how much workspace. Writes at most room answers, whose headers\nmust be set, and how many there are."},
	{"plan_create", []param{{"device", "oxide_device"}, {"spec", "const void *"}, {"algorithm", "const char *"}, {"plan", "oxide_plan *"}},
		"Makes a plan from an oxide_..._spec: chooses the algorithm (NULL: the recommended one) and loads its kernel. A plan is immutable and safe\nfor concurrent use."},
	{"plan_destroy", []param{{"plan", "oxide_plan"}}, "Ends a plan. Submitted work goes on."},
	{"plan_get_info", []param{{"plan", "oxide_plan"}, {"info", "oxide_plan_info *"}}, "What a plan decided."},
	{"enqueue", []param{{"plan", "oxide_plan"}, {"stream", "oxide_stream"}, {"operands", "const void *"}, {"completion", "oxide_completion *"}},
		"Submits one call: operands is the oxide_..._operands of the plan's operator. It allocates nothing, waits for nothing and can be captured\nin a graph. completion may be NULL, which saves an event. The operands' memory must live until the work is done."},
	{"scope_begin", []param{{"stream", "oxide_stream"}, {"scope", "oxide_scope *"}}, "Opens a scope: several calls that are submitted in one go."},
	{"scope_report_to", []param{{"scope", "oxide_scope"}, {"record", "uint64_t"}},
		"Calls that validate data on the device report to 40 zeroed bytes of device memory instead of to the completion: the way inside a\ncapture. Comes before the first call."},
	{"scope_enqueue", []param{{"scope", "oxide_scope"}, {"plan", "oxide_plan"}, {"operands", "const void *"}},
		"Adds a call to a scope. A scope that refused a call refuses everything after it; drop it."},
	{"scope_submit", []param{{"scope", "oxide_scope"}, {"completion", "oxide_completion *"}}, "Submits the calls and ends the scope, whatever the outcome. completion may be NULL."},
	{"scope_drop", []param{{"scope", "oxide_scope"}}, "Ends a scope without submitting anything."},
	{"completion_poll", []param{{"completion", "oxide_completion"}},
		"OXIDE_OK when the work has ended well, OXIDE_NOT_READY while it has not, or its error."},
	{"completion_wait", []param{{"completion", "oxide_completion"}, {"nanoseconds", "int64_t"}},
		"Waits for the work; OXIDE_NOT_READY when the time is over, and a negative time waits for ever. The work goes on in any case."},
}
