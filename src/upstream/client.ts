export { NO_CATALOG, readList } from './catalog.ts';
export { type ConnectedClient, connect } from './connect.ts';
