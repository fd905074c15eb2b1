// ends: exception
// limits: {"turnCpuMs": 20000}
// A text that doubles until V8 refuses.
let text = 'x';
for (;;) text += text;
