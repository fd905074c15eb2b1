// ends: timeout
// An endless loop in plain code.
for (;;);
