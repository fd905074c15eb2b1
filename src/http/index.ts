export { assertLoopback, HttpFace } from './face.ts';
