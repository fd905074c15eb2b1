import { globSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtFile, packageFile } from '../../package-files.js';

export interface WebFile {
  readonly type: string;
  /** The content, and what it is compressed with. */
  readonly content: Uint8Array<ArrayBuffer>;
  readonly encoding: Encoding | undefined;
}

type Encoding = keyof typeof ENCODINGS;

/** The encodings in which the build stores each file, with the ending it adds, the smallest first. */
const ENCODINGS = { br: '.br', gzip: '.gz' } as const;

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Where the dashboard is in the package, or else in a checkout after `npm run web`. */
const FOLDER = builtFile('web/') ?? packageFile('build/web/');

/** The files of the built dashboard. Only those found in its folder are served, so no path leads out of it. */
export class WebFiles {
  readonly #folder: string;
  #names: ReadonlySet<string> = new Set();
  #cache = new Map<string, WebFile>();
  /** When the build that is served was made: a new one is taken up without a restart. */
  #builtAt = 0;

  constructor(folder = fileURLToPath(FOLDER)) {
    this.#folder = folder;
  }

  /** The page that all addresses of the dashboard answer; undefined if it is not built. */
  page(accepted: string): WebFile | undefined {
    this.#refresh();
    return this.read('index.html', accepted);
  }

  /** Reads a file in the best encoding that the browser accepts; undefined if there is no such file. */
  read(name: string, accepted: string): WebFile | undefined {
    if (this.#builtAt === 0) this.#refresh();
    if (!this.#names.has(name)) return undefined;
    const encodings = Object.entries(ENCODINGS) as [Encoding, string][];
    const [encoding, ending] = encodings.find(
      ([one, suffix]) => accepts(accepted, one) && this.#names.has(name + suffix),
    ) ?? [undefined, ''];
    const key = name + ending;
    const known = this.#cache.get(key);
    if (known) return known;
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    const file = { type, content: new Uint8Array(readFileSync(join(this.#folder, key))), encoding };
    this.#cache.set(key, file);
    return file;
  }

  #refresh(): void {
    const index = statSync(join(this.#folder, 'index.html'), { throwIfNoEntry: false });
    const builtAt = index ? index.mtimeMs : 0;
    if (builtAt === this.#builtAt) return;
    this.#builtAt = builtAt;
    this.#cache.clear();
    const folder = this.#folder;
    const found = globSync('**/*', { cwd: folder, withFileTypes: true });
    this.#names = new Set(
      found
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '.').length + 1)),
    );
  }
}

/** True if the browser names the encoding, and does not refuse it with `q=0`. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name, ...parameters] = part.split(';').map((one) => one.trim());
    return name === encoding && !parameters.some((one) => /^q=0(\.0*)?$/.test(one));
  });
}
