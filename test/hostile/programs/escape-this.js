// ends: value true
// `this` is the guest's own global, with nothing of Node in it.
return this === globalThis && Reflect.ownKeys(this).every((key) => !['process', 'require', 'global', 'Buffer'].includes(key));
