#!/usr/bin/env python3
"""Writes the PTX of the microbenchmarks of tensor cores, shared memory, barriers, copies and clusters.

    micro3.py DIR       writes DIR/micro3_FAMILY.ptx
    ptxas -arch=sm_90a micro3_FAMILY.ptx -o micro3_FAMILY.cubin

Each kernel has parameters u64 out, u32 iters, u32 a, u32 b, u32 c, u64 buffer, and the 128 bytes of a tensor map. Every
thread reads %clock64, runs the loop `iters` times and reads it again; lane 0 of warp w of block k stores both clocks, %smid
and a sum at out + 32 * (k * warps of a block + w). The entries have the names of the tables micro3_*.
"""
import os
import sys

HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n\n.extern .shared .align 1024 .b8 smem[];\n\n"

ENTRY = """.visible .entry {name}(.param .u64 p_out, .param .u32 p_iters, .param .u32 p_a, .param .u32 p_b,
	.param .u32 p_c, .param .u64 p_buffer, .param .align 64 .b8 p_map[128]){tune}
{{
	.reg .pred %p<16>;
	.reg .b16 %h<8>;
	.reg .b32 %r<320>;
	.reg .b64 %rd<128>;
	.reg .f32 %f<320>;
	.reg .f64 %fd<128>;
	.reg .b64 %t<4>;
	.reg .b32 %iters, %a, %b, %c, %me, %lane, %warp, %base, %sum, %u<16>;
	.reg .b64 %out, %buf, %map;
	ld.param.u64 %out, [p_out];
	ld.param.u32 %iters, [p_iters];
	ld.param.u32 %a, [p_a];
	ld.param.u32 %b, [p_b];
	ld.param.u32 %c, [p_c];
	ld.param.u64 %buf, [p_buffer];
	mov.b64 %map, p_map;
	cvta.param.u64 %map, %map;
	mov.u32 %me, %tid.x;
	mov.u32 %lane, %laneid;
	shr.u32 %warp, %me, 5;
	mov.u32 %base, smem;
	mov.u32 %sum, 0;
{init}	bar.sync 0;
{cluster}	mov.u64 %t0, 0;
	mov.u64 %t1, 0;
{before}	mov.u64 %t0, %clock64;
LOOP:
	.pragma "nounroll";
{body}	sub.u32 %iters, %iters, 1;
	setp.ne.u32 %p15, %iters, 0;
	@%p15 bra LOOP;
	mov.u64 %t1, %clock64;
{after}OUT:
{end}	mov.u32 %u0, %ntid.x;
	mov.u32 %u1, %ctaid.x;
	add.u32 %u2, %u0, 31;
	shr.u32 %u2, %u2, 5;
	mad.lo.u32 %u3, %u1, %u2, %warp;
	mul.wide.u32 %t2, %u3, 32;
	add.u64 %t2, %out, %t2;
	setp.ne.u32 %p14, %lane, 0;
	@%p14 bra DONE;
	mov.u32 %u4, %smid;
	cvt.u64.u32 %t3, %u4;
	st.global.u64 [%t2], %t0;
	st.global.u64 [%t2+8], %t1;
	st.global.u64 [%t2+16], %t3;
	st.global.u32 [%t2+24], %sum;
DONE:
	ret;
}}

"""


def t(s):
    return "\t" + s + ";\n"


class Family:
    def __init__(self, name):
        self.name, self.text = name, HEAD

    def entry(self, name, body, init="", end="", before="", after="", tune="", cluster=False):
        both = "barrier.cluster.arrive.aligned", "barrier.cluster.wait.aligned"
        sync = "".join(t(s) for s in both) if cluster else ""
        self.text += ENTRY.format(name=name, body=body, init=init, end=sync + end, before=before, after=after, tune=tune,
                                  cluster=sync)

    def write(self, folder):
        with open(os.path.join(folder, f"micro3_{self.name}.ptx"), "w", encoding="ascii") as f:
            f.write(self.text)


def words(prefix, first, n):
    return "{" + ", ".join(f"{prefix}{first + i}" for i in range(n)) + "}"


def xor_all(registers):
    return "".join(t(f"xor.b32 %sum, %sum, {r}") for r in registers)


# ---- mma.sync ----

#       shape and types                          registers of A, B, C, and their kind
MMA = {
    "f16_f32_k16": ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, "f"),
    "f16_f32_k8": ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, "f"),
    "f16_f16_k16": ("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, "r"),
    "bf16_f32_k16": ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, "f"),
    "bf16_f32_k8": ("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, "f"),
    "tf32_f32_k8": ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, "f"),
    "tf32_f32_k4": ("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, "f"),
    "s8_s32_k32": ("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, "r"),
    "s8_s32_k16": ("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 2, 1, 4, "r"),
    "s4_s32_k64": ("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 4, 2, 4, "r"),
    "b1_s32_k256": ("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 2, 4, "r"),
    "e4m3_f32_k32": ("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, "f"),
    "f64_m8n8k4": ("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, "fd"),
    "f64_k4": ("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 2, 1, 4, "fd"),
    "f64_k8": ("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 4, 2, 4, "fd"),
    "f64_k16": ("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 8, 4, 4, "fd"),
    "sp_f16_f32_k32": ("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 4, "f"),
}


def make_mma():
    f = Family("mma")

    def start(kind, first, n):
        if kind == "fd":
            return "".join(t(f"cvt.rn.f64.u32 %fd{first + i}, %b") for i in range(n))
        if kind == "f":
            return "".join(t(f"mov.b32 %f{first + i}, %b") for i in range(n))
        return "".join(t(f"mov.b32 %r{first + i}, %b") for i in range(n))

    def finish(kind, n):
        if kind == "fd":
            return "".join(t(f"cvt.rn.f32.f64 %f{100 + i}, %fd{i}") + t(f"mov.b32 %r{100 + i}, %f{100 + i}") for i in range(n)) + \
                xor_all(f"%r{100 + i}" for i in range(n))
        if kind == "f":
            return "".join(t(f"mov.b32 %r{100 + i}, %f{i}") for i in range(n)) + xor_all(f"%r{100 + i}" for i in range(n))
        return xor_all(f"%r{i}" for i in range(n))

    for name, (op, na, nb, nc, kind) in MMA.items():
        ab = "fd" if kind == "fd" else "r"
        a0, b0 = (64, 80) if ab == "fd" else (64, 80)
        init = start(ab, a0, na) + start(ab, b0, nb)
        if name.startswith("e4m3"):  # equal operands would be converted once
            init = "".join(t(f"add.u32 %r{r}, %me, {r}") for r in (*range(a0, a0 + na), *range(b0, b0 + nb)))
        for chains in (1, 2, 4):
            body = ""
            for i in range(32):
                c = words("%" + kind, i % chains * nc, nc)
                more = ", %a, 0x0" if name.startswith("sp_") else ""
                body += t(f"{op} {c}, {words('%' + ab, a0, na)}, {words('%' + ab, b0, nb)}, {c}{more}")
            f.entry(f"mma_{name}_c{chains}", body, init + start(kind, 0, nc * chains), finish(kind, nc * chains))
    op = MMA["f16_f16_k16"][0]
    body = "".join(t(f"{op} {{%r64, %r65}}, {{%r64, %r65, %r64, %r65}}, {{%r80, %r81}}, {{%r0, %r1}}") for _ in range(32))
    f.entry("mma_f16_f16_k16_viaA", body, start("r", 0, 2) + start("r", 64, 2) + start("r", 80, 2), xor_all(["%r64", "%r65"]))
    body = "".join(t(f"{op} {{%r80, %r81}}, {{%r64, %r65, %r66, %r67}}, {{%r80, %r81}}, {{%r0, %r1}}") for _ in range(32))
    f.entry("mma_f16_f16_k16_viaB", body, start("r", 0, 2) + start("r", 64, 4) + start("r", 80, 2), xor_all(["%r80", "%r81"]))
    op = MMA["f16_f32_k16"][0]
    for what, n in (("fma", 4), ("fma", 8), ("lop", 8)):
        body = ""
        for i in range(32):
            c = words("%f", i % 4 * 4, 4)
            body += t(f"{op} {c}, {words('%r', 64, 4)}, {words('%r', 80, 2)}, {c}")
            for j in range(n):
                body += t(f"fma.rn.f32 %f{32 + j}, %f{32 + j}, %f40, %f41") if what == "fma" else \
                    t(f"lop3.b32 %r{32 + j}, %r{32 + j}, %r40, %r41, 0xE8")
        init = start("r", 64, 4) + start("r", 80, 2) + start("f", 0, 16) + \
            (start("f", 32, 8) + t("mov.b32 %f40, %b") + t("mov.b32 %f41, %c") if what == "fma" else
             "".join(t(f"add.u32 %r{32 + j}, %me, {j}") for j in range(8)) + t("mov.b32 %r40, %b") + t("mov.b32 %r41, %c"))
        end = finish("f", 16) + ("".join(t(f"mov.b32 %r{120 + j}, %f{32 + j}") for j in range(n)) + xor_all(f"%r{120 + j}" for j in range(n))
                                 if what == "fma" else xor_all(f"%r{32 + j}" for j in range(n)))
        f.entry(f"mma_with_{what}{n}", body, init, end)
    return f


# ---- wgmma ----

WGMMA = {"f16": ("f32.f16.f16", 16), "f16h": ("f16.f16.f16", 16), "bf16": ("f32.bf16.bf16", 16), "tf32": ("f32.tf32.tf32", 8),
         "s8": ("s32.s8.s8", 32), "e4m3": ("f32.e4m3.e4m3", 32)}


def wgmma_entry(f, name, kind, n, source, k, own=False, swizzle=True, transposed=False, lds=False):
    types, depth = WGMMA[kind]
    regs = n // 4 if kind == "f16h" else n // 2
    reg = "%r" if kind in ("s8", "f16h") else "%f"
    first = 0
    d = words(reg, first, regs)
    scale = "" if kind == "s8" else ", 1, 1"
    turn = (", 0, 1" if transposed else ", 0, 0") if kind in ("f16", "f16h", "bf16") else ""
    if source == "r":
        turn = turn[:3]
    # descriptors: address / 16, offsets of 16 and 1024 bytes, swizzle of 128 bytes; A at smem, B at smem + 64 KB
    mode = (1 << 62) if swizzle else 0
    desc = mode | (64 << 32) | (1 << 16)
    init = t("shr.u32 %u8, %base, 4") + t("cvt.u64.u32 %rd0, %u8") + t(f"or.b64 %rd0, %rd0, {desc}")
    if own:
        init += t("shr.u32 %u9, %me, 7") + t("mul.lo.u32 %u9, %u9, 512") + t("cvt.u64.u32 %rd2, %u9") + \
            t("add.u64 %rd1, %rd0, 4096") + t("add.u64 %rd1, %rd1, %rd2")
    else:
        init += t("add.u64 %rd1, %rd0, 4096")
    for i in range(regs):
        init += t(f"mov.b32 {reg}{i}, %b")
    a = "%rd0"
    if source == "r":
        a = words("%r", 260, 4)
        init += "".join(t(f"add.u32 %r{260 + i}, %me, {i}") for i in range(4))
    init += t("setp.ge.u32 %p1, %me, %c")
    body = t("wgmma.fence.sync.aligned")
    for i in range(k):
        body += t(f"wgmma.mma_async.sync.aligned.m64n{n}k{depth}.{types} {d}, {a}, %rd1, %p1{scale}{turn}")
    body += t("wgmma.commit_group.sync.aligned") + t("wgmma.wait_group.sync.aligned 0")
    end = ""
    if reg == "%f":
        end += "".join(t(f"mov.b32 %r{i}, %f{i}") for i in range(regs))
    f.entry(name, body, init, end + xor_all(f"%r{i}" for i in range(regs)))


def make_wgmma():
    out = []
    for kind, sizes in (("f16", (8, 16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256)), ("f16h", (8, 32, 64, 128, 256)),
                        ("bf16", (8, 32, 64, 128, 256)), ("tf32", (8, 32, 64, 128, 256)), ("s8", (8, 32, 64, 128, 256)),
                        ("e4m3", (8, 32, 64, 128, 256))):
        f = Family("wgmma_" + kind)
        for n in sizes:
            for source in "sr":
                for k in ((1, 2, 4, 8) if kind == "f16" and source == "s" and n in (64, 128, 256) else (1, 8)):
                    wgmma_entry(f, f"wgmma_{kind}_n{n}_{source}_K{k}", kind, n, source, k)
        if kind == "f16":
            for n in (64, 128, 256):
                wgmma_entry(f, f"wgmma_f16noswz_n{n}_s_K8", kind, n, "s", 8, swizzle=False)
                wgmma_entry(f, f"wgmma_f16tb_n{n}_s_K8", kind, n, "s", 8, transposed=True)
                for source in "sr":
                    wgmma_entry(f, f"wgmma_f16own_n{n}_{source}_K8", kind, n, source, 8, own=True)
        out.append(f)
    return out


# ---- chains of two kinds ----

PAIR = {
    "ffma": ("f", ["fma.rn.f32 {f}, {f}, {F}, {G}"]), "fmul": ("f", ["mul.rn.f32 {f}, {f}, {F}"]),
    "fmnmx": ("f", ["min.f32 {f}, {f}, {F}"]), "imad": ("r", ["mad.lo.s32 {r}, {r}, {R}, {S}"]),
    "lop3": ("r", ["lop3.b32 {r}, {r}, {R}, {S}, 0xE8"]), "shf": ("r", ["shf.l.wrap.b32 {r}, {r}, {R}, {S}"]),
    "prmt": ("r", ["prmt.b32 {r}, {r}, {R}, {S}"]), "imnmx": ("r", ["min.s32 {r}, {r}, {R}"]),
    "hfma2": ("r", ["fma.rn.f16x2 {r}, {r}, {R}, {S}"]), "mufu": ("f", ["ex2.approx.ftz.f32 {f}, {f}"]),
    "popc": ("r", ["popc.b32 {r}, {r}"]), "shfl": ("r", ["shfl.sync.bfly.b32 {r}, {r}, 1, 31, 0xffffffff"]),
    "isetpsel": ("r", ["setp.lt.s32 %p0, {r}, {R}", "selp.b32 {r}, {R}, {S}, %p0"]),
    "fsetpsel": ("f", ["setp.lt.f32 %p1, {f}, {F}", "selp.f32 {f}, {F}, {G}, %p1"]),
    "i2f": ("x", ["cvt.rn.f32.u32 {f}, {r}"]), "f2i": ("x", ["cvt.rzi.u32.f32 {r}, {f}"]),
}


def make_pairs():
    """A step of the chain is one operation of each kind; the value goes between integer and float registers as bits."""
    f = Family("pairs")
    names = list(PAIR)
    init = t("add.u32 %r0, %me, 3") + t("mov.b32 %f0, %r0") + t("mov.b32 %r1, %b") + t("mov.b32 %r2, %c") + t("mov.b32 %f1, %b") + \
        t("mov.b32 %f2, %c")
    fill = dict(f="%f0", r="%r0", F="%f1", G="%f2", R="%r1", S="%r2")
    for x in names:
        for y in names:
            body, at = "", "r"
            for _ in range(32):
                for name in (x, y):
                    kind, ops = PAIR[name]
                    need = "f" if kind == "f" or name == "f2i" else "r"
                    if need != at:
                        body += t("mov.b32 %f0, %r0") if need == "f" else t("mov.b32 %r0, %f0")
                    for op in ops:
                        body += t(op.format(**fill))
                    at = {"i2f": "f", "f2i": "r"}.get(name, need)
            if at == "f":
                body += t("mov.b32 %r0, %f0")
            f.entry(f"pair_{x}_{y}", body, init, xor_all(["%r0"]))
    smem = t("mov.b32 %r0, %base") + t("mov.b32 %r1, 0") + t("st.shared.u32 [%base], %base")
    f.entry("lds_chain_iadd", t("ld.shared.u32 %r0, [%r0]") * 31 + t("ld.shared.u32 %r0, [%r0]") + t("add.u32 %r0, %r0, %a"), smem, xor_all(["%r0"]))
    f.entry("lds_chain_lop", (t("ld.shared.u32 %r0, [%r0]") + t("xor.b32 %r0, %r0, %a")) * 32, smem, xor_all(["%r0"]))
    f.entry("lds_chain_imad", (t("ld.shared.u32 %r0, [%r0]") + t("mad.lo.u32 %r0, %r0, %b, %a")) * 32, smem, xor_all(["%r0"]))
    ring = t("mov.b64 %rd0, %buf") + t("st.global.u64 [%buf], %buf") + t("st.global.u32 [%buf+8], 0") + t("add.u64 %rd1, %buf, 8") + \
        t("mov.u32 %r0, 0")
    f.entry("ldg_l1_chain", t("ld.global.ca.relaxed.cta.u64 %rd0, [%rd0]".replace(".ca", "")) * 32, ring, t("cvt.u32.u64 %sum, %rd0"))
    f.entry("ldg_l1_off32", (t("cvt.u64.u32 %rd2, %r0") + t("add.u64 %rd2, %rd1, %rd2") + t("ld.relaxed.cta.global.u32 %r0, [%rd2]")) * 16, ring,
            xor_all(["%r0"]))
    f.entry("branch_dep", (t("add.u32 %r0, %r0, 1") + t("setp.eq.u32 %p0, %r0, %a") + "\t@%p0 bra QUIT;\n") * 16, t("mov.u32 %r0, 0"),
            "\tbra STORE;\nQUIT:\n\tret;\nSTORE:\n" + xor_all(["%r0"]))
    f.entry("nanosleep", t("nanosleep.u32 %a"))
    f.entry("elect", "".join(t(f"elect.sync %r1|%p{i % 8}, 0xffffffff") + f"\t@%p{i % 8} add.u32 %r0, %r0, 1;\n" for i in range(8)), t("mov.u32 %r0, 0"),
            xor_all(["%r0"]))
    f.entry("vote_uni", (t("setp.ne.u32 %p0, %r0, %a") + t("vote.sync.ballot.b32 %r0, %p0, 0xffffffff")) * 8, init, xor_all(["%r0"]))
    f.entry("redux_add", t("redux.sync.add.s32 %r0, %r0, 0xffffffff") * 8, init, xor_all(["%r0"]))
    f.entry("dpx_viaddmax", (t("add.s32 %r3, %r0, %r1") + t("max.s32 %r0, %r3, %r2")) * 32, init, xor_all(["%r0"]))
    return f


# ---- shared memory ----

def make_smem():
    f = Family("smem")
    # rows of `a` bytes: lane l's address is smem + l * a + its warp's 32 rows
    rows = t("mul.lo.u32 %u8, %lane, %a") + t("and.b32 %u8, %u8, 4095") + t("add.u32 %r0, %base, %u8")
    for n in (1, 2, 4):
        r = words("%r", 1, n)
        for trans in ("", ".trans"):
            tail = "_trans" if trans else ""
            body = "".join(t(f"ldmatrix.sync.aligned.m8n8.x{n}{trans}.shared.b16 {r}, [%r0+{i * 128}]") + xor_all(f"%r{1 + j}" for j in range(n))
                           for i in range(32))
            f.entry(f"ldsm_x{n}{tail}_thr", body, rows)
            body = t(f"stmatrix.sync.aligned.m8n8.x{n}{trans}.shared.b16 [%r0], {r}") * 32
            f.entry(f"stsm_x{n}{tail}_thr", body, rows + "".join(t(f"mov.b32 %r{1 + i}, %b") for i in range(n)))
        # word w of row r holds the address of lane 4 r + w, which is row 4 r + w of the matrix
        fill = t("mul.lo.u32 %u9, %lane, %a") + t("add.u32 %u9, %base, %u9") + t("shr.u32 %u10, %lane, 2") + t("mul.lo.u32 %u10, %u10, %a") + \
            t("and.b32 %u11, %lane, 3") + t("shl.b32 %u11, %u11, 2") + t("add.u32 %u10, %u10, %u11") + t("add.u32 %u10, %base, %u10") + \
            t("st.shared.u32 [%u10], %u9")
        f.entry(f"ldsm_x{n}_lat", t(f"ldmatrix.sync.aligned.m8n8.x{n}.shared.b16 {{{', '.join(['%r0'] + [f'%r{1 + i}' for i in range(n - 1)])}}}, [%r0]") * 32,
                fill + rows, xor_all(["%r0"]))
    f.entry("stsm_ldsm_x1", (t("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r0], {%r1}") + t("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r0]")) * 16,
            rows + t("mov.b32 %r1, %b"), xor_all(["%r1"]))
    f.entry("sts_lds", (t("st.volatile.shared.u32 [%r0], %r1") + t("ld.volatile.shared.u32 %r1, [%r0]")) * 16, rows + t("mov.b32 %r1, %b"), xor_all(["%r1"]))
    # lane l reads at l * a within 16 KB
    lane = t("mul.lo.u32 %u8, %lane, %a") + t("and.b32 %u8, %u8, 16383") + t("add.u32 %r0, %base, %u8")
    for name, op, n in (("lds4", "ld.volatile.shared.u32", 1), ("lds8", "ld.volatile.shared.v2.u32", 2), ("lds16", "ld.volatile.shared.v4.u32", 4)):
        r = "%r1" if n == 1 else words("%r", 1, n)
        f.entry(name, (t(f"{op} {r}, [%r0]") + xor_all(f"%r{1 + i}" for i in range(n))) * 32, lane, tune="")
    # a lanes per word, b bytes between warps; c is 0
    def address(bytes_):
        return t("div.u32 %u8, %lane, %a") + t(f"mul.lo.u32 %u8, %u8, {bytes_}") + t("mul.lo.u32 %u9, %warp, %b") + t("add.u32 %u8, %u8, %u9") + \
            t("add.u32 %r0, %base, %u8") + t("add.u32 %r1, %me, 1") + t("cvt.u64.u32 %rd1, %r1") + t("mov.u32 %r3, %r0") + \
            t("cvt.rn.f32.u32 %f1, %r1") + t("cvt.rn.f64.u32 %fd1, %r1")
    def low(r):
        return t(f"and.b32 %r2, {r}, %c") + t("add.u32 %r0, %r3, %r2")
    ops = [("add_u32", "add.u32", "%r1", 4), ("min_s32", "min.s32", "%r1", 4), ("and_b32", "and.b32", "%r1", 4), ("exch_b32", "exch.b32", "%r1", 4),
           ("inc_u32", "inc.u32", "%r1", 4), ("cas_b32", "cas.b32", "%r1, %c", 4), ("cas_b64", "cas.b64", "%rd1, %rd2", 8), ("add_u64", "add.u64", "%rd1", 8),
           ("max_u64", "max.u64", "%rd1", 8), ("add_f32", "add.f32", "%f1", 4), ("add_f64", "add.f64", "%fd1", 8),
           ("add_f16x2", "add.noftz.f16x2", "%r1", 4)]
    for name, op, operand, size in ops:
        to = "%f2" if "f32" in op else "%fd2" if "f64" in op else "%rd3" if "64" in op else "%r2"
        bits = {"%f2": t("mov.b32 %r2, %f2"), "%fd2": t("mov.b64 %rd3, %fd2") + t("cvt.u32.u64 %r2, %rd3"), "%rd3": t("cvt.u32.u64 %r2, %rd3"), "%r2": ""}[to]
        body = (t(f"atom.shared.{op} {to}, [%r0], {operand}") + bits + low("%r2")) * 8
        f.entry(f"atoms_{name}_lat", body, address(size) + t("mov.u64 %rd2, 0"), xor_all(["%r2"]))
        if "cas" not in op and "exch" not in op and "and" not in op:
            f.entry(f"reds_{name}_thr", t(f"red.shared.{op} [%r0], {operand}") * 8, address(size))
    f.entry("reds_add_one_thr", t("red.shared.add.u32 [%r0], 1") * 8, address(4))
    return f


# ---- barriers ----

def make_sync():
    f = Family("sync")
    def mbar(count, at="%base"):
        return t("setp.ne.u32 %p0, %me, 0") + f"\t@%p0 bra MADE;\n" + t(f"mbarrier.init.shared.b64 [{at}], {count}") + \
            t("mbarrier.init.shared.b64 [%base+8], " + str(count)) + "MADE:\n" + t("mov.u32 %r1, 0")
    def wait(i, at, phase, how="try_wait"):
        return f"W{i}:\n" + t(f"mbarrier.{how}.parity.shared.b64 %p1, [{at}], {phase}") + f"\t@!%p1 bra W{i};\n"
    flip = t("xor.b32 %r1, %r1, 1")
    f.entry("mbar_arrive", t("mbarrier.arrive.shared.b64 %rd0, [%base]") * 32, mbar("1000000"), t("cvt.u32.u64 %sum, %rd0"))
    def own(i, how="try_wait"):  # waits for the phase that the arrival's state names
        return t("mbarrier.arrive.shared.b64 %rd0, [%base]") + f"W{i}:\n" + t(f"mbarrier.{how}.shared.b64 %p1, [%base], %rd0") + \
            f"\t@!%p1 bra W{i};\n"

    def self_(how):
        return "".join(own(i, how) for i in range(8))
    f.entry("mbar_self", self_("try_wait"), mbar("1"))
    f.entry("mbar_self_test", self_("test_wait"), mbar("1"))
    done = mbar("1") + "\t@%p0 bra ONCE;\n" + t("mbarrier.arrive.shared.b64 %rd0, [%base]") + "ONCE:\n"
    for how in ("try", "test"):
        f.entry(f"mbar_{how}_done", "".join(wait(i, "%base", "0", how + "_wait") for i in range(16)), done)
    f.entry("mbar_expect_tx", (t("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%base], 16") + t("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%base], 16")) * 8,
            mbar("1"))
    f.entry("mbar_all", "".join(own(i) for i in range(4)),
            t("mov.u32 %u8, %ntid.x") + mbar("%u8"))
    f.entry("mbar_warps", "".join("\t@%p2 mbarrier.arrive.shared.b64 %rd0, [%base];\n" + wait(i, "%base", "%r1") + flip for i in range(4)),
            t("mov.u32 %u8, %ntid.x") + t("shr.u32 %u8, %u8, 5") + mbar("%u8") + t("setp.eq.u32 %p2, %lane, 0"))
    # warp 0 and warp 1 in turn, one thread each
    f.entry("mbar_pingpong", "\t@%p2 bra SECOND;\n\t@%p3 bra MEET;\n" + t("mbarrier.arrive.shared.b64 %rd0, [%base]") + wait(0, "%base+8", "%r1") +
            t("bra MEET") + "SECOND:\n\t@%p3 bra MEET;\n" + wait(1, "%base", "%r1") + t("mbarrier.arrive.shared.b64 %rd0, [%base+8]") + "MEET:\n" + flip,
            mbar("1") + t("setp.ne.u32 %p2, %warp, 0") + t("setp.ne.u32 %p3, %lane, 0"))
    f.entry("bar_groups", t("shr.u32 %u8, %me, %c") + t("bar.sync %u8, %a") * 16)
    f.entry("bar_red", "".join(t("setp.ne.u32 %p0, %r0, %a") + t("bar.red.popc.u32 %r0, 0, %p0") for _ in range(8)), t("mov.u32 %r0, 1"), xor_all(["%r0"]))
    for name, kind in (("cluster_bar", ".release"), ("cluster_bar_relaxed", ".relaxed")):
        f.entry(name, (t(f"barrier.cluster.arrive{kind}") + t("barrier.cluster.wait.acquire")) * 8, cluster=True)
    # rank 0 and rank a in turn
    rank = t("mov.u32 %r2, %cluster_ctarank") + t("setp.eq.u32 %p2, %r2, 0") + t("setp.eq.u32 %p3, %r2, %a") + t("or.pred %p4, %p2, %p3") + \
        t("selp.u32 %r3, %a, 0, %p2") + t("mapa.shared::cluster.u32 %r4, %base, %r3")
    def turn(arrive, extra=""):
        return "\t@!%p2 bra SECOND;\n" + extra + arrive + wait(0, "%base", "%r1") + t("bra MEET") + "SECOND:\n" + extra + \
            wait(1, "%base", "%r1") + arrive + "MEET:\n" + flip
    f.entry("mbar_remote", turn(t("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4]")), mbar("1") + rank, before="\t@!%p4 bra OUT;\n", cluster=True)
    f.entry("mbar_remote_plain", turn(t("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r4]")), mbar("1") + rank, before="\t@!%p4 bra OUT;\n", cluster=True)
    f.entry("st_async_pingpong", turn(t("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5], %r1, [%r4]"),
                                      t("mbarrier.arrive.expect_tx.shared.b64 %rd0, [%base], 4")), mbar("1") + rank + t("add.u32 %r5, %r4, 64"), before="\t@!%p4 bra OUT;\n", cluster=True)
    # memory of another block of the cluster: a = rank that this block reads (relative), b = kind of target
    target = t("mov.u32 %r2, %cluster_ctarank") + t("mov.u32 %r9, %cluster_nctarank")
    target += t("add.u32 %r3, %r2, %a") + t("rem.u32 %r3, %r3, %r9") + t("setp.eq.u32 %p2, %b, 1") + t("selp.u32 %r3, 0, %r3, %p2") + \
        t("setp.eq.u32 %p3, %b, 2") + t("shr.u32 %r8, %r9, 1") + t("xor.b32 %r8, %r8, %r2") + t("selp.u32 %r3, %r8, %r3, %p3") + \
        t("mapa.shared::cluster.u32 %r4, %base, %r3") + t("setp.ne.u32 %p4, %c, 0") + t("setp.ne.u32 %p5, %r2, 0") + t("and.pred %p4, %p4, %p5")
    for name, width, op in (("ld4", 4, "ld.volatile.shared::cluster.u32"), ("ld16", 16, "ld.volatile.shared::cluster.v4.u32"),
                            ("st4", 4, "st.shared::cluster.u32"), ("st16", 16, "st.shared::cluster.v4.u32"), ("red", 4, "red.shared::cluster.add.u32")):
        at = t(f"mul.lo.u32 %u8, %me, {width}") + t("add.u32 %r5, %r4, %u8") + "".join(t(f"mov.b32 %r{10 + i}, %b") for i in range(4))
        step = 1024 * width
        body = ""
        for i in range(8):
            r = words("%r", 10, 4) if width == 16 else "%r10"
            where = f"[%r5+{i % 2 * step}]"
            if name.startswith("ld"):
                body += t(f"{op} {r}, {where}") + xor_all(["%r10"])
            else:
                body += t(f"{op} {where}, {r}")
        f.entry("dsmem_" + name, body, target + at, before="\t@%p4 bra OUT;\n", cluster=True)
    ring = target + t("mapa.shared::cluster.u32 %r4, %base, %a") + t("mapa.shared::cluster.u32 %r6, %base, %r2") + t("st.shared.u32 [%base], %r6")
    f.entry("dsmem_lat", t("ld.shared::cluster.u32 %r4, [%r4]") * 16, ring, xor_all(["%r4"]), before="\t@%p5 bra OUT;\n", cluster=True)
    f.entry("dsmem_atom_lat", t("atom.shared::cluster.or.b32 %r4, [%r4], 0") * 16, ring, xor_all(["%r4"]), before="\t@%p5 bra OUT;\n", cluster=True)
    # a bulk copy to the block at rank xor a; b bytes; both barriers count one copy
    bulk = mbar("1") + t("mov.u32 %r2, %cluster_ctarank") + t("xor.b32 %r3, %r2, %a") + t("mapa.shared::cluster.u32 %r4, %base, %r3") + \
        t("add.u32 %r5, %r4, 1024") + t("add.u32 %r6, %base, 1024") + t("add.u32 %r6, %r6, %b")
    f.entry("dsmem_bulk", t("mbarrier.arrive.expect_tx.shared.b64 %rd0, [%base], %b") +
            t("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r5], [%r6], %b, [%r4]") + wait(0, "%base", "%r1") + flip,
            bulk, cluster=True)
    return f


# ---- constants as operands ----

def make_const():
    f = Family("const")
    f.text += ".const .align 256 .b8 bank[32768];\n\n"
    for stride, counts in ((4, (32, 64, 128, 256, 512, 1024, 2048)), (16, (32, 64, 128, 256, 512, 1024, 2048)), (64, (32, 64, 128, 256, 512)),
                           (256, (32, 64, 128))):
        for n in counts:
            body = "".join(t(f"ld.const.f32 %f{10 + i % 8}, [bank+{i * stride}]") + t(f"fma.rn.f32 %f{i % 4}, %f{i % 4}, %f{10 + i % 8}, %f5") for i in range(n))
            init = "".join(t(f"mov.b32 %f{i}, %b") for i in range(6))
            f.entry(f"cop_n{n}_s{stride}", body, init, "".join(t(f"mov.b32 %r{i}, %f{i}") for i in range(4)) + xor_all(f"%r{i}" for i in range(4)))
    return f


# ---- global memory: loads, stores, copies into shared memory ----

def make_copy():
    f = Family("copy")
    # offset = (size * number of the thread + c * steps) mod a; a is a power of two
    where = t("mov.u32 %u8, %ctaid.x") + t("mov.u32 %u9, %ntid.x") + t("mad.lo.u32 %r1, %u8, %u9, %me") + t("sub.u32 %r3, %a, 1") + \
        t("cvt.u64.u32 %rd3, %r3") + t("cvt.u64.u32 %rd4, %c")
    at = t("and.b64 %rd0, %rd5, %rd3") + t("add.u64 %rd0, %buf, %rd0")
    on = t("add.u64 %rd5, %rd5, %rd4")
    for how, sizes in (("ca", (4, 8, 16)), ("cg", (16,))):
        for size in sizes:
            for unroll in (1, 2, 4, 8):
                n = size // 4
                body = at if how == "ca" else ""
                for u in range(unroll):
                    r = words("%r", 10 + u * n, n) if n > 1 else f"%r{10 + u}"
                    if how == "ca":
                        body += t(f"ld.global{'.v' + str(n) if n > 1 else ''}.u32 {r}, [%rd0+{u * 16384}]")
                    else:
                        body += at + t(f"ld.relaxed.gpu.global.v4.u32 {r}, [%rd0]") + on
                body += xor_all(f"%r{10 + i}" for i in range(unroll * n)) + (on if how == "ca" else "")
                f.entry(f"ldg_{how}{size}_u{unroll}", body, where + t(f"mul.wide.u32 %rd5, %r1, {size}"))
    for size in (4, 8, 16):
        n = size // 4
        r = words("%r", 10, n) if n > 1 else "%r10"
        init = where + t(f"mul.wide.u32 %rd5, %r1, {size}") + "".join(t(f"mov.b32 %r{10 + i}, %b") for i in range(n))
        body = at + "".join(t(f"st.global{'.v' + str(n) if n > 1 else ''}.u32 [%rd0+{u * 16384}], {r}") for u in range(8)) + on
        f.entry(f"stg{size}", body, init)
    for how, size in (("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)):
        init = where + t(f"mul.wide.u32 %rd5, %r1, {size}") + t(f"mul.lo.u32 %u10, %me, {size}") + t("add.u32 %r2, %base, %u10")

        def copy(u):
            return at + t(f"cp.async.{how}.shared.global [%r2+{u * 1024 * size}], [%rd0], {size}") + on

        alone = t("cp.async.commit_group") + t("cp.async.wait_group 0")
        f.entry(f"cpasync_{how}{size}_lat", "".join(copy(0) + alone for _ in range(4)), init)
        behind = t("ld.volatile.shared.u32 %r6, [%r2]") + t("and.b32 %r6, %r6, %b") + t("cvt.u64.u32 %rd7, %r6") + t("add.u64 %rd5, %rd5, %rd7")
        f.entry(f"cpasync_{how}{size}_lds_lat", "".join(copy(0) + alone + behind for _ in range(4)), init)
        for n in (1, 4, 8):
            f.entry(f"cpasync_{how}{size}_thr{n}", "".join(copy(u) for u in range(n)) + t("cp.async.commit_group") + t("cp.async.wait_group 1"),
                    init, after=t("cp.async.wait_group 0"))
    return f


# ---- bulk and tensor copies ----

def make_tma():
    f = Family("tma")
    def bars(n, count="1"):
        return "".join(t(f"mbarrier.init.shared.b64 [%base+{8 * i}], {count}") for i in range(n)) + \
            t("fence.mbarrier_init.release.cluster") + t("mov.u32 %r1, 0")
    def wait(i, at, phase):
        return f"W{i}:\n" + t(f"mbarrier.try_wait.parity.shared.b64 %p1, [{at}], {phase}") + f"\t@!%p1 bra W{i};\n"
    # a = bytes of a copy, b = bytes of the footprint less one, c = rows that a copy moves on
    # copies in shared memory begin at multiples of 128 bytes
    place = t("mov.u32 %u8, %ctaid.x") + t("add.u32 %r7, %a, 127") + t("and.b32 %r7, %r7, -128")
    for s in (1, 2, 4, 8):
        # s copies in flight, each with its barrier; in a step each barrier is awaited and armed again
        for kind in ("tma2d", "bulk"):
            init = bars(8) + place + t("mul.lo.u32 %r0, %u8, %c") + t("mov.u32 %r9, 0")
            def load(i):
                to = t(f"add.u32 %r6, %base, 1024") + t(f"mad.lo.u32 %r6, %r7, {i}, %r6")
                arm = t(f"mbarrier.arrive.expect_tx.shared.b64 %rd1, [%base+{8 * i}], %a")
                if kind == "tma2d":
                    get = t(f"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%map, {{%r9, %r0}}], [%base+{8 * i}]")
                else:
                    get = t("cvt.u64.u32 %rd2, %r0") + t("add.u64 %rd2, %buf, %rd2") + \
                        t(f"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%rd2], %a, [%base+{8 * i}]")
                return to + arm + get + t("add.u32 %r0, %r0, %c") + t("and.b32 %r0, %r0, %b")
            body = "".join(wait(i, f"%base+{8 * i}", "%r1") + load(i) for i in range(s)) + t("xor.b32 %r1, %r1, 1")
            f.entry(f"{kind}_ld_S{s}", body, init, before="".join(load(i) for i in range(s)),
                    after="".join(wait(100 + i, f"%base+{8 * i}", "%r1") for i in range(s)))
            def store(i):
                src = t(f"add.u32 %r6, %base, 1024")
                if kind == "tma2d":
                    put = t("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%map, {%r9, %r0}], [%r6]")
                else:
                    put = t("cvt.u64.u32 %rd2, %r0") + t("add.u64 %rd2, %buf, %rd2") + t("cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r6], %a")
                return src + put + t("add.u32 %r0, %r0, %c") + t("and.b32 %r0, %r0, %b") + t("cp.async.bulk.commit_group")
            for how, read in (("str", ".read"), ("stw", "")):
                body = "".join(store(i) + t(f"cp.async.bulk.wait_group{read} {s - 1}") for i in range(4))
                f.entry(f"{kind}_{how}_S{s}", body, place + t("mul.lo.u32 %r0, %u8, %c") + t("mov.u32 %r9, 0"), 
                        after=t("cp.async.bulk.wait_group 0"))
    for kind in ("tma2d", "bulk"):
        # 8 copies to a barrier, two sets in turn
        init = bars(2) + place + t("mul.lo.u32 %r0, %u8, %c") + t("mov.u32 %r9, 0") + t("shl.b32 %r8, %a, 3")
        def batch(k):
            s = t(f"mbarrier.arrive.expect_tx.shared.b64 %rd1, [%base+{8 * k}], %r8")
            for i in range(8):
                s += t("add.u32 %r6, %base, 1024") + t(f"mad.lo.u32 %r6, %r7, {i}, %r6")
                if kind == "tma2d":
                    s += t(f"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%map, {{%r9, %r0}}], [%base+{8 * k}]")
                else:
                    s += t("cvt.u64.u32 %rd2, %r0") + t("add.u64 %rd2, %buf, %rd2") + \
                        t(f"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%rd2], %a, [%base+{8 * k}]")
                s += t("add.u32 %r0, %r0, %c") + t("and.b32 %r0, %r0, %b")
            return s
        f.entry(f"{kind}_ldB8", "".join(wait(k, f"%base+{8 * k}", "%r1") + batch(k) for k in range(2)) + t("xor.b32 %r1, %r1, 1"), init,
                before=batch(0) + batch(1), after=wait(100, "%base", "%r1") + wait(101, "%base+8", "%r1"))
    for typ in ("u32", "f32"):
        body = ""
        for _ in range(4):
            body += t("add.u32 %r6, %base, 1024") + t("cvt.u64.u32 %rd2, %r0") + t("add.u64 %rd2, %buf, %rd2") + \
                t(f"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.{typ} [%rd2], [%r6], %a") + t("add.u32 %r0, %r0, %c") + t("and.b32 %r0, %r0, %b") + \
                t("cp.async.bulk.commit_group") + t("cp.async.bulk.wait_group 3")
        f.entry(f"bulk_red_add_{typ}_S4", body, place + t("mul.lo.u32 %r0, %u8, %c"),  after=t("cp.async.bulk.wait_group 0"))
    return f


# ---- instruction fetch ----

def make_fetch():
    f = Family("fetch")
    init = "".join(t(f"mov.b32 %f{i}, %b") for i in range(8)) + t("mov.b32 %f40, %b") + t("mov.b32 %f48, %c")
    end = "".join(t(f"mov.b32 %r{i}, %f{i}") for i in range(4)) + xor_all(f"%r{i}" for i in range(4))
    for kb in (1, 2, 4, 8, 16, 24, 32, 40, 48, 64, 96, 128, 160, 192, 256, 512):
        n = kb * 64 - 3
        f.entry(f"icache_{kb}k", "".join(f"\tfma.rn.f32 %f{i % 4}, %f{i % 4}, %f40, %f48;\n" for i in range(n)), init, end)
    return f


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "."
    for f in [make_mma(), *make_wgmma(), make_pairs(), make_smem(), make_sync(), make_const(), make_copy(), make_tma(), make_fetch()]:
        f.write(folder)


main()
