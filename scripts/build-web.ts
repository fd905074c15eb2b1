// Builds the dashboard into build/web: `npm run web`. `npm ci` does it too, so that a fresh clone serves it at once.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ROOT = path.join(import.meta.dirname, '..');
export const BUILT_WEB = path.join(ROOT, 'build', 'web');
/** Lists the modules of packages that are in the dashboard. */
const MODULES = path.join(ROOT, 'build', 'web-modules.json');
/** Smaller files do not gain from compression. */
const WORTH_COMPRESSING = 1024;

/** Builds the dashboard, unless it is there and no source has changed since. */
export async function buildWeb(): Promise<void> {
  const stamp = path.join(ROOT, 'build', 'web-built-from');
  const sources = hashSources();
  if ([path.join(BUILT_WEB, 'index.html'), MODULES, stamp].every((file) => existsSync(file))) {
    if (readFileSync(stamp, 'utf8') === sources) return;
  }
  // Vite takes a while to load, which most calls do not need.
  const { build } = await import('vite');
  const built = await build({ configFile: path.join(ROOT, 'web', 'vite.config.ts'), logLevel: 'warn' });
  compressFiles();
  writeFileSync(MODULES, JSON.stringify(modulesOf([built].flat() as Built[])));
  writeFileSync(stamp, sources);
}

/** Returns the files of packages that are in the dashboard as it was built. */
export function webModules(): string[] {
  return JSON.parse(readFileSync(MODULES, 'utf8'));
}

interface Built {
  output: readonly { moduleIds?: readonly string[] }[];
}

function modulesOf(built: readonly Built[]): string[] {
  const files = built.flatMap(({ output }) => output.flatMap(({ moduleIds = [] }) => moduleIds));
  return [...new Set(files.filter((file) => file.includes('node_modules')))].sort();
}

function hashSources(): string {
  const hash = createHash('sha256');
  const files = globSync('web/**/*', { cwd: ROOT }).filter((file) =>
    statSync(path.join(ROOT, file)).isFile(),
  );
  for (const file of [...files, 'package-lock.json', 'scripts/build-web.ts'].sort()) {
    hash.update(file).update(readFileSync(path.join(ROOT, file)));
  }
  return hash.digest('hex');
}

/** Writes each file compressed beside it, so that the gateway compresses nothing while it serves. */
function compressFiles(): void {
  const files = globSync('**/*.{js,css,html,svg}', { cwd: BUILT_WEB }).map((file) =>
    path.join(BUILT_WEB, file),
  );
  for (const file of files) {
    const bytes = readFileSync(file);
    if (bytes.length < WORTH_COMPRESSING) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  }
}

if (process.argv[1] === import.meta.filename) await buildWeb();
