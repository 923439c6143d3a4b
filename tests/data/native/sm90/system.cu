extern "C" __global__ void add(int *a) { for (int i = 0; i < 2000; i++) atomicAdd_system(a, 1); }
