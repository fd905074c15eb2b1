export { tellingOf } from './distinctive-value.ts';
export { findLinks, type Link, type PassedCall } from './find-links.ts';
export { mayLink, type Origins, originsOf, type TokenLeaf } from './origins.ts';
export { leavesOf } from './value-leaves.ts';
