import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import type { JsonObject } from '../../json.ts';
import { builtFile, packageFile } from '../../package-files.js';

/** The functions of PostgreSQL's parser, compiled to WebAssembly. Texts are passed by their address in its memory. */
interface Parser {
  _malloc(size: number): number;
  _free(address: number): void;
  lengthBytesUTF8(text: string): number;
  stringToUTF8(text: string, address: number, size: number): void;
  UTF8ToString(address: number): string;
  /** Answers the tree as JSON, or an error message. */
  _wasm_parse_query(address: number): number;
  _wasm_free_string(address: number): void;
}

let parser: Parser | undefined;

/** Returns the statements of an SQL text as PostgreSQL's parser reads them; undefined if it refuses the text. */
export function parseSql(text: string): readonly JsonObject[] | undefined {
  parser ??= loadParser();
  try {
    const answer = askParser(parser, text);
    return answer.startsWith('{') ? JSON.parse(answer).stmts : undefined;
  } catch {
    // A trap in WebAssembly may leave its memory in disorder, so the next text gets a new instance.
    parser = undefined;
    return undefined;
  }
}

function askParser(sql: Parser, text: string): string {
  const size = sql.lengthBytesUTF8(text) + 1;
  const query = sql._malloc(size);
  sql.stringToUTF8(text, query, size);
  const answer = sql._wasm_parse_query(query);
  const json = sql.UTF8ToString(answer);
  sql._wasm_free_string(answer);
  sql._free(query);
  return json;
}

const START = `
  const instantiateWasm = (imports, done) => done(new WebAssembly.Instance(new WebAssembly.Module(bytes), imports));
  PgQueryModule({ instantiateWasm }).then((module) => { globalThis.parser = module; });
`;

/**
 * Loads the parser when the first SQL is met: it takes 30 ms and 15 MB, which most sessions never need. Its script returns a
 * promise, but code tasks are synchronous. A context with a microtask queue of its own settles that promise before
 * `runInContext` returns.
 */
function loadParser(): Parser {
  const folder = builtFile('libpg-query/') ?? packageFile('node_modules/libpg-query/wasm/');
  const script = readFileSync(new URL('libpg-query.js', folder), 'utf8');
  const bytes = readFileSync(new URL('libpg-query.wasm', folder));
  const context = vm.createContext({ TextDecoder, bytes }, { microtaskMode: 'afterEvaluate' });
  vm.runInContext(`${script}\n${START}`, context);
  if (!context.parser) throw new Error('The SQL parser did not start');
  return context.parser;
}
