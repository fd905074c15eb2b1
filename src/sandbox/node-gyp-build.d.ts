/** The package has no declarations. */
declare module 'node-gyp-build' {
  const build: { path(folder: string): string };
  export default build;
}
