// ends: limit
// A small value whose text is as large as a disk.
let value = ['ha'];
for (let i = 0; i < 60; i++) value = [value, value];
return value;
