// ends: timeout
// Swallows its own end: a finally that starts again.
const again = () => { try { for (;;); } finally { again(); } };
again();
