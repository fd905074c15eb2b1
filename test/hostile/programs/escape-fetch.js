// ends: denied
// The network.
return (await fetch('http://127.0.0.1:3737/')).status;
