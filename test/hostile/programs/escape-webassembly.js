// ends: denied
// WebAssembly.
return new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true }).buffer;
