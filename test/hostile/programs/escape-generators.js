// ends: value "undefined"
// The constructors of generators and async functions make code too; it is of this realm.
const makers = [function* () {}, async () => {}, async function* () {}].map((fn) => fn.constructor);
const made = makers.map((Make) => new Make('return typeof process'));
return (await made[1]());
