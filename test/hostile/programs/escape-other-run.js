// ends: value [0,"undefined"]
// An earlier run left nothing behind.
const left = Reflect.ownKeys(globalThis).filter((key) => String(key).startsWith('left_'));
globalThis[`left_${crypto.randomUUID()}`] = 'secret';
Object.prototype.left_here = 'secret';
return [left.length, typeof globalThis.secretOfAnotherRun];
