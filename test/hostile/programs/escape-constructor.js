// ends: denied
// The classic: a function made from a constructor, in search of process.
return [].constructor.constructor('return process')();
