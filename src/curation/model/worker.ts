import { parentPort, workerData } from 'node:worker_threads';
import { ask, type ModelRequest } from './send-request.ts';

// Sends requests to the model, one after the other. The main thread terminates this worker.
parentPort?.on('message', (request: ModelRequest) => {
  void ask(workerData, request).then((answer) => parentPort?.postMessage(answer));
});
