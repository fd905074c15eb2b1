// Adds to package-lock.json the packages of other platforms that the npm registry in use did not offer.
//
// npm leaves an optional dependency that it cannot find out of the lock file, and `npm ci` then refuses the file as
// incomplete on every machine. An entry with the version that its parent names is enough: npm installs it where it fits.
// With --check the script writes nothing and fails if an entry is missing.
import { readFileSync, writeFileSync } from 'node:fs';

interface Entry {
  version?: string;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const FILE = new URL('../package-lock.json', import.meta.url);
const OS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const CPU = ['arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** Reads the platform from the package's name. */
function platformOf(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const words = (name.split('/').at(-1) as string).split('-');
  const os = OS.filter((one) => words.includes(one));
  const cpu = CPU.filter((one) => words.includes(one));
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.includes('gnu')
      ? ['glibc']
      : [];
  return { ...(cpu.length > 0 && { cpu }), ...(os.length > 0 && { os }), ...(libc.length > 0 && { libc }) };
}

function missing(packages: Record<string, Entry>): [string, Entry][] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {}, dev }]) =>
    Object.entries(optionalDependencies).flatMap(([name, version]): [string, Entry][] => {
      const nested = `${path}/node_modules/${name}`;
      const shared = `node_modules/${name}`;
      if (packages[nested] || packages[shared] || !/^\d/.test(version)) return [];
      return [[shared, { version, ...(dev && { dev }), optional: true, ...platformOf(name) }]];
    }),
  );
}

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const added = missing(lock.packages);
if (process.argv.includes('--check')) {
  for (const [path] of added) console.error(`package-lock.json lacks ${path}: run npm run lock`);
  if (added.length > 0) process.exitCode = 1;
} else {
  const packages = { ...lock.packages, ...Object.fromEntries(added) };
  const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
  console.log(`${added.length} entries added`);
}
