"""A Python program keeps its signal handlers around the library: SIGINT, SIGTERM, faulthandler's SIGSEGV, and subprocesses."""
import ctypes
import faulthandler
import os
import signal
import subprocess
import sys

faulthandler.enable()
seen = []
signal.signal(signal.SIGTERM, lambda number, frame: seen.append(number))
lib = ctypes.CDLL(sys.argv[1])
device = ctypes.c_uint64()
assert lib.oxide_device_open(2, 0, ctypes.byref(device)) == 0

os.kill(os.getpid(), signal.SIGTERM)
assert seen == [signal.SIGTERM], seen
try:
    os.kill(os.getpid(), signal.SIGINT)
    signal.sigtimedwait([], 0.1)
    raise AssertionError("SIGINT raised nothing")
except KeyboardInterrupt:
    pass
assert subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True).stdout == b"1\n"
child = os.fork()
if child == 0:
    os._exit(lib.oxide_device_close(device))
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 17, "a child of fork must get OXIDE_ERROR_FORKED"
assert lib.oxide_device_close(device) == 0

# The program's own fault still reaches faulthandler, which prints the Python stack and dies of the signal.
code = "import ctypes, faulthandler, sys; faulthandler.enable(); ctypes.CDLL(sys.argv[1]).oxide_abi_version(); ctypes.string_at(0x40)"
fault = subprocess.run([sys.executable, "-c", code, sys.argv[1]], capture_output=True)
assert fault.returncode == -signal.SIGSEGV and b"Segmentation fault" in fault.stderr and b"<string>" in fault.stderr, fault
