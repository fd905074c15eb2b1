import { parentPort, workerData } from 'node:worker_threads';
import { ask, type ModelRequest } from './send-request.ts';

// Asks one model one thing after the other; the main thread ends this one.
parentPort?.on('message', (request: ModelRequest) => {
  void ask(workerData, request).then((answer) => parentPort?.postMessage(answer));
});
