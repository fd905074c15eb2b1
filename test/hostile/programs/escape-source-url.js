// ends: exception
// Code that gives itself the file name of the sandbox's own.
//# sourceURL=pml:guest
null.x;
