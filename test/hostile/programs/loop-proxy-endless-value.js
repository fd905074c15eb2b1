// ends: exception
// A proxy that holds another one under every key.
const make = () => new Proxy({}, { ownKeys: () => ['a'], get: (_, key) => (key === 'a' ? make() : undefined), getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }) });
return make();
