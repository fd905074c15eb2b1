export { findLinks, type Link, type PassedCall } from './find-links.ts';
export { mayLink, type Origins, originsOf, type TokenLeaf } from './origins.ts';
export { tellingOf } from './telling-value.ts';
export { leavesOf } from './value-leaves.ts';
