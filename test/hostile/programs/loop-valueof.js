// ends: timeout
// A coercion to a string that never answers, in a log line.
console.log(new Error('x', { get cause() { for (;;); } }));
