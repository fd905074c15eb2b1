// ends: value "undefined"
// The global that started the code.
return typeof __start__;
