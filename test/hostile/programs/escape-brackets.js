// ends: syntax
// Closes the function that the code is put in, and goes on outside.
});
globalThis.outside = true;
(async () => {
