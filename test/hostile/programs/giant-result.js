// ends: limit
// A result above its limit.
return 'x'.repeat(2_000_000);
