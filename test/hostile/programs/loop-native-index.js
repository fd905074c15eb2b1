// ends: timeout
// A search in a native function over four thousand million holes, which V8 cannot interrupt.
const list = [];
list.length = 4294967295;
for (;;) list.indexOf(1);
