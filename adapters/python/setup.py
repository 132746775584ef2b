"""Builds the shared library with `go build` and puts it beside the Python files: the wheel needs no other compiler."""

import pathlib
import subprocess

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

C_ABI = pathlib.Path(__file__).resolve().parent.parent / "c"


class BuildWithGo(build_py):
    def run(self):
        super().run()
        library = (pathlib.Path(self.build_lib) / "oxideinfer" / "liboxide.so").absolute()
        subprocess.run(["go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", library, "."], cwd=C_ABI, check=True)
        library.with_suffix(".h").unlink()  # cgo's; the header for programs is oxide.h


class PlatformWheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(cmdclass={"build_py": BuildWithGo, "bdist_wheel": PlatformWheel})
