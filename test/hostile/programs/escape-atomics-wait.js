// ends: denied
// A thread that sleeps where nothing can wake it.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
