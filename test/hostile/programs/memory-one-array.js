// ends: memory
// limits: {"turnCpuMs": 20000}
// One list larger than the limit, asked for at once.
return new Array(30_000_000).fill(0).length;
