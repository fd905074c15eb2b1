// ends: value "done"
// One log line of an object without measure.
const list = [];
list.length = 4294967295;
console.log(list, { list, list2: [list, list] }, new Proxy({}, { ownKeys: () => Array.from({ length: 1e5 }, (_, i) => `k${i}`) }));
return 'done';
