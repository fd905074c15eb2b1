// ends: denied
// What Node programs do first.
const fs = require('fs');
return fs.readdirSync('/');
