// ends: value [0,"undefined"]
// What an earlier run left behind: nothing.
const left = Reflect.ownKeys(globalThis).filter((key) => String(key).startsWith('left_'));
globalThis[`left_${crypto.randomUUID()}`] = 'secret';
Object.prototype.left_here = 'secret';
return [left.length, typeof globalThis.secretOfAnotherRun];
