/** The globals that the child uses, and those of the language that Node's own code may look up. */
const KEPT_GLOBALS = new Set(
  (
    'process Buffer URL URLSearchParams TextEncoder TextDecoder crypto atob btoa setTimeout clearTimeout setInterval ' +
    'clearInterval queueMicrotask globalThis undefined NaN Infinity Object Function Array Number Boolean String ' +
    'Symbol BigInt Date Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError ' +
    'URIError JSON Math Reflect Proxy Map Set WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer DataView ' +
    'Uint8Array Uint16Array Uint32Array Int8Array Int16Array Int32Array Float32Array Float64Array BigInt64Array ' +
    'BigUint64Array Uint8ClampedArray Iterator parseInt parseFloat isFinite isNaN Symbol(Symbol.toStringTag)'
  ).split(' '),
);

/** Members of `process` that lead to modules, handles or other processes. */
const REMOVED_FROM_PROCESS =
  'getBuiltinModule binding _linkedBinding dlopen mainModule stdin stdout stderr openStdin kill _kill ppid chdir ' +
  '_getActiveHandles _getActiveRequests getActiveResourcesInfo _debugProcess _debugEnd report loadEnvFile execve ' +
  '_rawDebug setuid setgid seteuid setegid setgroups initgroups';

/**
 * Removes from the child what a guest that escapes its isolate would look for. Node's permissions already deny files,
 * processes, workers and addons. They do not deny the network, so this removes everything that leads to a socket: above
 * all the globals that `node -e` makes of every built-in module, and dynamic imports.
 */
export function hardenChild(): void {
  process.getBuiltinModule('node:module').registerHooks({
    resolve: (specifier) => {
      throw new Error(`No modules here: ${specifier}`);
    },
  });
  // The types of Node 24 do not have it yet.
  const permission = process.permission as { drop?(scope: string): void } | undefined;
  for (const scope of ['addon', 'worker']) permission?.drop?.(scope);
  for (const name of Reflect.ownKeys(globalThis)) {
    if (!KEPT_GLOBALS.has(String(name))) Reflect.deleteProperty(globalThis, name);
  }
  for (const name of REMOVED_FROM_PROCESS.split(' ')) Reflect.deleteProperty(process, name);
}
