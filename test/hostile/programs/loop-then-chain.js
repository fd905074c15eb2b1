// ends: timeout
// Each thenable resolves to another one.
const link = { then(resolve) { resolve({ then: link.then }); } };
return link;
