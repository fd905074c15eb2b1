// ends: exception
// An error that pretends to be one of the sandbox's own.
throw Object.assign(new Error('Isolate was disposed during execution due to memory limit'), { kind: 'memory', code: 'not_allowed', denied: true });
