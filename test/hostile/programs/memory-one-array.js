// ends: memory
// limits: {"turnCpuMs": 20000, "memoryMb": 16}
// One list larger than the limit, asked for at once.
return new Array(300_000_000).fill(0).length;
