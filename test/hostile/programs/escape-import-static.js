// ends: syntax
// A static import.
import fs from 'node:fs';
return fs;
