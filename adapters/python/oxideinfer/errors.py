"""The library's errors as exceptions: one class for what a caller may want to tell apart."""

from . import zabi


class OxideError(RuntimeError):
    """An error of the library. Fields that do not apply are empty."""

    def __init__(self, text, status=0, driver_code=0, operator="", field="", want="", got="", index=0):
        super().__init__(text)
        self.status, self.driver_code = status, driver_code
        self.operator, self.field, self.want, self.got, self.index = operator, field, want, got, index


class ArgumentError(OxideError, ValueError):
    """An argument is of the wrong kind or out of range."""


class ContractError(OxideError, ValueError):
    """A call breaks the operator's contract; nothing was submitted."""


class AutogradError(OxideError, TypeError):
    """An input requires a gradient. The operators have no backward."""


class RejectedError(OxideError):
    """The device found wrong data in an operand and did nothing."""


class CaptureError(OxideError):
    """The stream is being captured and the call may not be."""


class TargetError(OxideError):
    """The operator has no kernel for this device."""


class NoDriverError(OxideError):
    """There is no NVIDIA driver, or no such device."""


class DriverError(OxideError):
    """A driver call failed; driver_code says how."""


class DeviceLostError(DriverError):
    """The context is lost; the process must end."""


class ForkedError(OxideError):
    """The process was forked after the library was loaded: spawn instead."""


class InternalError(OxideError):
    """A fault of the library itself."""


CLASSES = {
    "ERROR_ARGUMENT": ArgumentError,
    "ERROR_CONTRACT": ContractError,
    "ERROR_REJECTED": RejectedError,
    "ERROR_CAPTURE": CaptureError,
    "ERROR_TARGET": TargetError,
    "ERROR_NO_DRIVER": NoDriverError,
    "ERROR_NO_DEVICE": NoDriverError,
    "ERROR_DRIVER": DriverError,
    "ERROR_DEVICE_LOST": DeviceLostError,
    "ERROR_FORKED": ForkedError,
    "ERROR_PANIC": InternalError,
    "ERROR_POISONED": InternalError,
}


def of(status, e):
    """Makes the exception of a status from the library's error struct."""
    kind = CLASSES.get(zabi.STATUSES[status], OxideError)
    text = lambda b: b.decode("utf-8", "replace")
    return kind(text(e.text), status, e.driver_code, text(e.operator_name), text(e.field), text(e.want), text(e.got), e.index)
