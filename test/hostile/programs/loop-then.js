// ends: timeout
// A thenable whose then never returns.
return { then() { for (;;); } };
