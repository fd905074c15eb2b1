// ends: timeout
// Recursion that catches its own overflow and goes on.
const deeper = () => { try { deeper(); } catch { deeper(); } };
deeper();
