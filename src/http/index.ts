export { assertLoopback, HttpServer } from './server.ts';
