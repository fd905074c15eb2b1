// ends: exception
// A hook on stack traces that throws, in an error that ends the run.
Error.prepareStackTrace = () => { throw new Error('hook'); };
null.x;
