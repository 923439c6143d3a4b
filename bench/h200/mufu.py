#!/usr/bin/env python3
"""Derives the tables of the special unit (src/exec/alu/mufu.def) from results of a GPU.

    ./mufu dump DIR && ./mufu.py DIR >../../src/exec/alu/mufu.def          (mufu.cu says how mufu is made; this needs NumPy)

src/exec/alu/mufu.c says how the unit computes: row and x from the argument, and sum = c0 * 2^15 + round + slope * c1 * x + 4 * curve * c2 * square(x) in
units of 2^-41, of which a result is the leading 24 bits. So every result bounds a sum from below and from above. Least squares over the results of a row
give c1 and c2 to within a few hundredths, and they are whole numbers; the bounds then leave one c0. A row that cannot be met is an error: that c0, c1 and
c2 exist for all 627 rows is what shows that the unit works this way."""
import sys

import numpy as np

BITS = 17
# name: rows, round, slope, curve
FUNCTIONS = {
    "rcp": (128, 8092, -2, 1),
    "rsq": (128, 32766, -2, 2),
    "sqrt": (128, 32766, 2, -1),
    "ex2": (64, 16144, 8, 2),
    "lg2": (64, 6696, 8, -4),
    "sin": (64, 0, 16, -4),
    "tanh": (51, 0, 4, -2),
}
# tanh: the logarithm of the number of rows for arguments of exponent -8 to 2
TANH_ROWS = (0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3)


def squares():
    """The square of every x in units of 2^19, from the partial products that weigh at least that."""
    x = np.arange(1 << BITS, dtype=np.int64)
    s = np.zeros_like(x)
    for i in range(BITS):
        for j in range(i, BITS):
            weight = 2 * i if i == j else i + j + 1
            if weight >= 19:
                s += (x >> i & x >> j & 1) << (weight - 19)
    return s


def arguments(name, n):
    """Row and x of every result of the dump; row -1: the result says nothing."""
    i = np.arange(n, dtype=np.int64)
    if name == "rcp":
        return i >> 16, (i & 0xFFFF) << 1
    if name == "sin":
        i = i << 1  # multiples of 2^-24, the argument has 25 bits
    if name != "tanh":
        return i >> BITS, i & 0x1FFFF
    u = i.astype(np.uint32)
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        u = (u ^ u >> np.uint32(shift)) * np.uint32(factor)
    u ^= u >> np.uint32(16)
    a = 0x38800000 + (i << 4 | u.astype(np.int64) & 15)
    e, m = (a >> 23) - 119, a & 0x7FFFFF
    inside = (e >= 0) & (e < len(TANH_ROWS))
    e = np.where(inside, e, 0)
    log = np.array(TANH_ROWS)[e]
    first = np.cumsum([0] + [1 << r for r in TANH_ROWS[:-1]])[e]
    return np.where(inside, first + (m >> (23 - log)), -1), m >> (6 - log) & 0x1FFFF


def bounds(name, result):
    """What each result says of its sum: low <= sum < high."""
    e = (result >> 23 & 255).astype(np.int64)
    m = (result & 0x7FFFFF | 0x800000).astype(np.int64)
    shift = e - 150 + 41
    low, high = m << np.maximum(shift, 0), (m + 1) << np.maximum(shift, 0)
    unit = 5 if name == "lg2" else 0  # logarithms are cut to units of 2^-36
    fine = shift < unit  # the result has more bits than the sum
    low = np.where(fine, m >> np.clip(unit - shift, 0, 40) << unit, low)
    high = np.where(fine, low + (1 << unit), high)
    if name in ("sin", "tanh"):  # not above one
        high = np.where(result >= 0x3F800000, 1 << 50, high)
    if name in ("sin", "lg2"):  # the first argument is 0, or 1: any small sum
        low[0], high[0] = 0, 1 << 19
    if name == "rsq":  # powers of four are exact
        low[0] -= 1 << 17
    return low, high


def solve(x, square, low, high, round_, slope, curve):
    a = np.stack([np.ones(len(x)), x / 2.0**BITS, square / 2.0**15], 1)
    weight = 2.0**17 / (high - low)
    middle = (low + high) / 2.0**18 - low.min() / 2.0**17
    fit = np.linalg.lstsq(a * weight[:, None], middle * weight, rcond=None)[0]
    near1, near2 = round(fit[1] / slope), round(fit[2] / curve)
    for c1 in (near1, near1 - 1, near1 + 1):
        for c2 in (near2, near2 - 1, near2 + 1):
            rest = round_ + slope * c1 * x + 4 * curve * c2 * square
            c0 = -((-(low - rest).max()) >> 15)
            if c0 << 15 < (high - rest).min():
                return int(c0), c1, c2
    return None


def main():
    table = squares()
    print("/* Rows of the special unit's tables, made by bench/h200/mufu.py from results of an H200. */")
    for name, (rows, round_, slope, curve) in FUNCTIONS.items():
        result = np.fromfile("%s/%s.bin" % (sys.argv[1], name), dtype=np.uint32)
        row, x = arguments(name, len(result))
        low, high = bounds(name, result)
        order = np.argsort(row, kind="stable")
        ends = np.searchsorted(row[order], np.arange(rows + 1))
        print("/* %s */" % name)
        line = ""
        for k in range(rows):
            i = order[ends[k] : ends[k + 1]]
            c = solve(x[i], table[x[i]], low[i], high[i], round_, slope, curve)
            if not c:
                sys.exit("mufu.py: row %d of %s has no parabola" % (k, name))
            text = "ROW(%d, %d, %d)" % c
            if len(line) + len(text) + 1 > 100:
                print(line)
                line = ""
            line += " " + text if line else text
        print(line)


if len(sys.argv) != 2:
    sys.exit("usage: mufu.py DIR")
main()
