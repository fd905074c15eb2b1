/** Ways from a value of the child's own realm to the world, which nothing in the child needs once it runs. */
const GLOBALS =
  'require module exports __filename __dirname fetch WebSocket EventSource Request Response BroadcastChannel ' +
  'MessageChannel MessagePort navigator WebAssembly SharedArrayBuffer Storage localStorage sessionStorage console';
const OF_PROCESS =
  'getBuiltinModule binding _linkedBinding dlopen mainModule stdin stdout stderr openStdin kill _kill ppid chdir ' +
  '_getActiveHandles _getActiveRequests getActiveResourcesInfo _debugProcess _debugEnd report loadEnvFile execve';

/**
 * Takes from the child what an escape out of an isolate into the child's own realm would look for. Node's permissions
 * already close files, processes, workers and addons; they do not close the network, so what leads to a socket goes.
 */
export function hardenChild(): void {
  // Newer than the types of Node 24.
  (process.permission as { drop?(scope: string): void } | undefined)?.drop?.('addon');
  for (const name of GLOBALS.split(' ')) Reflect.deleteProperty(globalThis, name);
  for (const name of OF_PROCESS.split(' ')) Reflect.deleteProperty(process, name);
}
