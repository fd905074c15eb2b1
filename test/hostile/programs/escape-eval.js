// ends: value ["undefined","undefined","undefined"]
// Eval in all its forms.
return [eval('typeof process'), (0, eval)('typeof require'), setTimeout.constructor('return typeof Buffer')()];
