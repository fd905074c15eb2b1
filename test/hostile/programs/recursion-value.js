// ends: exception
// limits: {"turnCpuMs": 20000}
// A result nested a hundred thousand levels deep.
let value = [];
for (let i = 0; i < 100_000; i++) value = [value];
return value;
