// ends: timeout
// A comparison that sorts for ever.
return [3, 1, 2].sort(() => { for (;;); });
