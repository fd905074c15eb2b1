// ends: denied
// The usual first lines of Node programs.
const fs = require('fs');
return fs.readdirSync('/');
