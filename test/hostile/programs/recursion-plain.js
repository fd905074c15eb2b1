// ends: exception
// Recursion without end.
const deeper = () => deeper() + 1;
return deeper();
