// ends: exception
// More randomness than one may ask for.
return crypto.getRandomValues(new Uint8Array(100_000_000)).length;
