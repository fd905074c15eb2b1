// ends: limit
// A list with one member and four thousand million holes.
const list = [];
list.length = 4294967295;
return list;
