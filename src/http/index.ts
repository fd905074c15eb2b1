export { HttpFace } from './face.ts';
