// How Vite builds the dashboard: `npm run web`. `npx vite web` serves it with reloading, beside a gateway on its usual port.
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../build/web',
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy forbids inline scripts, and data: URLs of fonts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // A busy machine is slow, and nobody can change that here.
    rolldownOptions: { checks: { pluginTimings: false, bundlerTimings: false } },
  },
  worker: { format: 'es' },
  server: { proxy: { '/api': 'http://127.0.0.1:3737' } },
});
