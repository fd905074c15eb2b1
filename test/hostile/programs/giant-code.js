// ends: any
// Code that makes code without end.
let code = '0';
for (;;) { code += `+${code}`; new Function(code); }
