export { assertLoopback, HttpFace } from './server.ts';
