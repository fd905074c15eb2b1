// ends: exception
// limits: {"turnCpuMs": 20000}
// An error with a message of ten megabytes.
throw new Error('x'.repeat(10_000_000));
