"""The Python module's contract, beyond the examples of docs/use/python.md."""

import contextlib
import gc
import io
import os
import tempfile
import unittest
import warnings
import xml.etree.ElementTree

import heddle
import numpy as np

ADD = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u32 n)
{
    .reg .u64 %rd<4>; .reg .u32 %r<6>; .reg .f32 %f<3>; .reg .pred %p;
    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p, %r5, %r1; @%p bra E;
    mul.wide.u32 %rd3, %r5, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
    ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; add.f32 %f1, %f1, %f2; st.global.f32 [%rd2], %f1;
E:  ret;
}
.global .u32 counts[4] = {1, 2, 3, 4};
.visible .entry values(.param .u8 a, .param .s16 b, .param .f64 c, .param .align 4 .b8 d[12], .param .u64 out)
{
    .reg .u64 %rd<3>; .reg .u32 %r<4>; .reg .f64 %fd<2>;
    ld.param.u64 %rd1, [out]; ld.param.u8 %r1, [a]; st.global.u32 [%rd1], %r1;
    ld.param.s16 %r1, [b]; st.global.u32 [%rd1+4], %r1;
    ld.param.f64 %fd1, [c]; st.global.f64 [%rd1+8], %fd1;
    ld.param.u32 %r1, [d+8]; st.global.u32 [%rd1+16], %r1;
    ld.global.u32 %r1, [counts+4]; st.global.u32 [%rd1+20], %r1;
    ret;
}
.visible .entry forever() { L: bra L; }
"""


class Arguments(unittest.TestCase):
    def setUp(self):
        self.gpu = heddle.Gpu()
        self.module = self.gpu.load(ADD)

    def test_each_kind_of_value(self):
        out = self.gpu.zeros(6, np.uint32)
        record = np.zeros((), dtype=[("x", "<i4"), ("y", "<i4"), ("z", "<i4")])
        record["z"] = 77
        for struct in (record, record.tobytes(), record[()]):
            out[:] = 0
            self.module["values"](1, 1, [200, np.int16(-3), 1.5, struct, out])
            self.assertEqual(out[0], 200)
            self.assertEqual(out[1].astype(np.int32), -3)
            self.assertEqual(out[2:4].view(np.float64)[0], 1.5)
            self.assertEqual(out[4], 77)
            self.assertEqual(out[5], 2)

    def test_values_that_do_not_fit_are_refused_before_the_launch(self):
        out = self.gpu.zeros(6, np.uint32)
        for bad, error in (
            ([256, 0, 0.0, bytes(12), out], OverflowError),
            ([0, 1 << 15, 0.0, bytes(12), out], OverflowError),
            ([0, 0, "x", bytes(12), out], TypeError),
            ([0, 0, 0.0, bytes(8), out], TypeError),
            ([0, 0, 0.0, 12, out], TypeError),
            ([0, 0, np.float32(0), bytes(12), out], TypeError),
            ([out, 0, 0.0, bytes(12), out], TypeError),
            ([0, 0, 0.0, bytes(12)], TypeError),
            ([0, 0, 0.0, bytes(12), np.array([None, 1])], TypeError),
        ):
            with self.assertRaises(error):
                self.module["values"](1, 1, bad)
        self.assertEqual(len(self.gpu.runs), 0)

    def test_sizes_of_grid_and_block(self):
        x = self.gpu.zeros(64)
        for grid, block in ((0, 1), ((1, 2, 3, 4), 1), (1, -1), ("a", 1), (1, ())):
            with self.assertRaises(heddle.InputError):
                self.module["add"](grid, block, [x, x, 64])
        run = self.module["add"]((2, 1), (32,), [x, x, 64])
        self.assertEqual((run.grid, run.block, run.blocks, run.threads), ((2, 1, 1), (32, 1, 1), 2, 64))

    def test_host_arrays_come_back_unless_read_only(self):
        a, b = np.ones(64, np.float32), np.ones((8, 16), np.float32)[:, ::2]
        a.flags.writeable = False
        self.module["add"](2, 32, [a, b, 64])
        self.assertTrue((b == 2).all() and (a == 1).all())

    def test_an_array_of_another_gpu_is_refused(self):
        other = heddle.Gpu().zeros(64)
        with self.assertRaisesRegex(heddle.InputError, "another GPU"):
            self.module["add"](1, 32, [other, other, 32])

    def test_results_of_arithmetic_are_host_arrays(self):
        x = self.gpu.array(np.arange(64, dtype=np.float32))
        y = x * 2
        self.assertEqual(getattr(y, "device_address", 0), 0)
        self.module["add"](2, 32, [x, y, 64])
        self.assertEqual(y[10], 30)

    def test_variables(self):
        self.assertEqual(self.module.read_variable("counts", np.uint32).tolist(), [1, 2, 3, 4])
        self.module.write_variable("counts", np.array([5, 6, 7, 8], np.uint32))
        self.assertEqual(self.module.read_variable("counts", np.uint32)[1], 6)
        with self.assertRaises(heddle.InputError):
            self.module.write_variable("counts", np.zeros(1, np.uint32))
        with self.assertRaises(heddle.InputError):
            self.module.variable("nothing")

    def test_no_such_kernel_says_which_there_are(self):
        with self.assertRaisesRegex(KeyError, "add, values, forever"):
            self.module["nothing"]


class Memory(unittest.TestCase):
    def test_freed_memory_is_given_back(self):
        gpu = heddle.Gpu(memory=1 << 20)
        for _ in range(10):
            x = gpu.zeros(200000, np.uint8)
            del x
            gc.collect()
        held = gpu.zeros(900000, np.uint8)
        with self.assertRaises(heddle.OutOfMemory):
            gpu.zeros(900000, np.uint8)
        del held

    def test_an_array_outlives_its_gpu(self):
        gpu = heddle.Gpu()
        x = gpu.array(np.arange(1000))
        y = x[500:]
        gpu.close()
        del gpu, x
        gc.collect()
        self.assertEqual(y.sum(), sum(range(500, 1000)))

    def test_a_closed_gpu_says_so(self):
        gpu = heddle.Gpu()
        module = gpu.load(ADD)
        gpu.close()
        with self.assertRaisesRegex(heddle.Error, "closed"):
            module["add"](1, 1, [0, 0, 0])
        with self.assertRaisesRegex(heddle.Error, "closed"):
            gpu.zeros(3)

    def test_shapes_and_empty_arrays(self):
        gpu = heddle.Gpu()
        self.assertEqual(gpu.array(np.zeros((3, 4, 5), np.int16)).shape, (3, 4, 5))
        self.assertEqual(gpu.array(7.5).shape, ())
        self.assertEqual(gpu.zeros((0, 3)).size, 0)
        with self.assertRaises(TypeError):
            gpu.empty(3, object)


class Errors(unittest.TestCase):
    def test_wrong_machines_options_and_programs(self):
        for keywords in ({"machine": "nothing"}, {"machine": "gtx480", "options": {"gpu.nothing": 1}},
                         {"machine": "gtx480", "options": {"gpu.sms": "many"}}, {"timing": True},
                         {"check": "everything"}, {"code": "volta"}, {"threads": -1}):
            with self.assertRaises(heddle.InputError):
                heddle.Gpu(**keywords)
        gpu = heddle.Gpu()
        for program in ("no-such-file.ptx", b"\x7fELF nonsense", ".version 7.0\n.target sm_70 nonsense\n", "", " \n"):
            with self.assertRaises(heddle.InputError):
                gpu.load(program)
        with self.assertRaisesRegex(TypeError, "not NoneType"):
            gpu.load(None)
        add = gpu.load(ADD)["add"]
        for size in (0, -1, 1.5, "x", None, (1, 1, 1, 1), ()):
            with self.assertRaisesRegex(heddle.InputError, "one to three positive numbers"):
                add(1, size, [gpu.zeros(1), gpu.zeros(1), 1])
        for data in (np.zeros(3, ">f4"), np.zeros(3, [("a", ">i4")]), np.array(["text"]), np.zeros(3, "M8[s]")):
            with self.assertRaises(TypeError):
                gpu.array(data)
            with self.assertRaises(TypeError):
                add(1, 32, [data, data, 1])
        x = gpu.zeros(1)
        gpu.close()
        with self.assertRaisesRegex(heddle.Error, "the GPU is closed"):
            add(1, 32, [x, x, 1])

    def test_a_fault_has_its_place(self):
        gpu = heddle.Gpu()
        x = gpu.zeros(64)
        with self.assertRaises(heddle.Fault) as caught:
            gpu.load(ADD)["add"](4096, 32, [x, x, 4096 * 32])
        fault = caught.exception
        self.assertEqual((fault.kind, fault.kernel), ("bounds", "add"))
        self.assertGreater(fault.address, x.device_address)
        self.assertGreater(fault.line, 0)

    def test_a_limit_ends_a_launch(self):
        with self.assertRaises(heddle.LimitError):
            heddle.Gpu(max_instructions=10000).load(ADD)["forever"](1, 32)

    def test_reads_of_unwritten_memory(self):
        gpu = heddle.Gpu(check="init")
        add = gpu.load(ADD)["add"]
        for write in (lambda a: a.__setitem__(slice(None), 1), lambda a: a.fill(1),
                      lambda a: np.add(a, 1, out=a)):
            x, y = gpu.zeros(64), gpu.empty(64)
            with self.assertRaises(heddle.Fault) as caught:
                add(2, 32, [x, y, 64])
            self.assertEqual(caught.exception.kind, "uninit")
            write(y)
            add(2, 32, [x, y, 64])

    def test_options_without_effect_are_warnings(self):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            heddle.Gpu(machine="gtx480", options={"sm.scheduler": "lrr", "sm.scheduler_active": 4})
        self.assertTrue(any("no effect" in str(w.message) for w in said))


class Figures(unittest.TestCase):
    def run_once(self, **keywords):
        gpu = heddle.Gpu(machine="gtx480", options={"gpu.sms": 4}, **keywords)
        x = gpu.zeros(4096)
        return gpu, gpu.load(ADD)["add"](16, 256, [x, x, 4096])

    def test_cycles_do_not_depend_on_threads_or_run(self):
        first = self.run_once()[1]
        self.assertEqual(self.run_once()[1].cycles, first.cycles)
        self.assertEqual(self.run_once(threads=2)[1].cycles, first.cycles)

    def test_attributes_and_the_full_figures_agree(self):
        _, run = self.run_once()
        self.assertEqual(run.stats["cycles"], run.cycles)
        self.assertEqual(run.stats["warp_instructions"], run.warp_instructions)
        self.assertIn("add", run._repr_html_())

    def test_a_series_and_its_picture(self):
        gpu, run = self.run_once(series=20)
        series = gpu.series()
        self.assertTrue(3 <= len(series["cycle"]) <= 20)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.svg")
            gpu.picture(["ipc", "resident_warps"]).save(path)
            with open(path, encoding="utf-8") as file:
                root = xml.etree.ElementTree.fromstring(file.read())
        labels = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("resident_warps", labels)
        with self.assertRaises(heddle.InputError):
            gpu.picture(["nothing"])
        with self.assertRaises(heddle.InputError):
            self.run_once()[0].series()

    def test_a_sweep_in_processes_keeps_order_and_errors(self):
        points = list(heddle.sweep(count_cycles, {"machine": ["gtx480"], "gpu.sms": [1, 0, 4]}, workers=2))
        self.assertEqual([p.settings["gpu.sms"] for p in points], [1, 0, 4])
        self.assertGreater(points[0].value, points[2].value)
        self.assertIsNone(points[1].value)
        self.assertIn("InputError", points[1].error)

    def test_progress_is_a_bar(self):
        out = io.StringIO()
        with contextlib.redirect_stderr(out):
            list(heddle.sweep(count_cycles, {"machine": ["gtx480"]}, workers=0, progress=True))
        self.assertIn("1 of 1", out.getvalue())

    def test_device_printf_is_standard_output(self):
        gpu = heddle.Gpu()
        kernel = gpu.load('#include <cstdio>\n__global__ void say(int n) { printf("n is %d\\n", n); }')["say"]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            kernel(1, 1, [42])
        self.assertEqual(out.getvalue(), "n is 42\n")


def count_cycles(gpu):
    x = gpu.zeros(4096)
    return gpu.load(ADD)["add"](16, 256, [x, x, 4096]).cycles


if __name__ == "__main__":
    unittest.main()
