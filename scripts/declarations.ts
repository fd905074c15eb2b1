import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

const ROOT = path.join(import.meta.dirname, '..');

/** Writes one declaration file for what the package exports, with the types that it needs and no others. */
export async function writeDeclarations(folder: string): Promise<void> {
  const scratch = mkdtempSync(path.join(ROOT, 'build', 'declarations-'));
  try {
    await declareEach(scratch);
    const bundle = await rolldown({
      input: { index: path.join(scratch, 'types', 'index.d.ts') },
      platform: 'node',
      external: /^node:/,
      plugins: [dts({ dtsInput: true })],
      // The plugin warns that TypeScript 7 has no stable API, which it does not need here.
      logLevel: 'silent',
    });
    await bundle.write({ dir: folder, format: 'esm' });
    await bundle.close();
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Writes a declaration file for each source file that the package's door reaches. */
async function declareEach(scratch: string): Promise<void> {
  const settings = {
    extends: path.join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: path.join(ROOT, 'src'),
      outDir: path.join(scratch, 'types'),
      // Not the checkout's, by which the compiler would take these files for done.
      tsBuildInfoFile: path.join(scratch, 'types.tsbuildinfo'),
    },
    // Declarations for packages that ship none.
    include: [path.join(ROOT, 'src', '**', '*.d.ts')],
    files: [path.join(ROOT, 'src', 'index.ts')],
  };
  const file = path.join(scratch, 'tsconfig.json');
  writeFileSync(file, JSON.stringify(settings));
  const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const child = spawn(process.execPath, [compiler, '-p', file], { cwd: ROOT, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('the declarations could not be made; see the errors above');
}
