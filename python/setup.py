"""Builds the wheel: the Python files, the C interface that names.py has made from heddle.h, and the
installed tree (library, command, machines, CUDA headers) that `make wheel` has put into
heddle/installed. Run it by `make wheel`."""

import os

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))


class PlatformDistribution(Distribution):
    """The package is for one kind of machine: it contains a shared library."""

    def has_ext_modules(self):
        return True


class PlatformWheel(bdist_wheel):
    """A wheel for every Python 3, but for one kind of machine."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


def installed_files():
    """Paths of the installed tree's files, relative to the package."""
    root, paths = os.path.join(HERE, "heddle"), []
    for folder, _, names in os.walk(os.path.join(root, "installed")):
        paths += [os.path.relpath(os.path.join(folder, n), root) for n in names]
    return paths


def read_version():
    """The version that names.py found in heddle.h."""
    scope = {}
    with open(os.path.join(HERE, "heddle", "_version.py"), encoding="utf-8") as made:
        exec(made.read(), scope)
    return scope["VERSION"]


setup(
    name="heddle",
    version=read_version(),
    description="A simulated GPU: run CUDA kernels on NumPy arrays, cycle by cycle",
    license="See LICENSE",
    packages=["heddle"],
    package_data={"heddle": ["py.typed"] + installed_files()},
    python_requires=">=3.8",
    install_requires=["cffi", "numpy"],
    extras_require={"frames": ["pandas"]},
    distclass=PlatformDistribution,
    cmdclass={"bdist_wheel": PlatformWheel},
)
