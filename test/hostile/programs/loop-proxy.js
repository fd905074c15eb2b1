// ends: timeout
// A proxy whose list of keys takes for ever.
return new Proxy({}, { ownKeys() { for (;;); } });
