/** Owns how the console is built: hashed names below /console, and a manifest for the budgets and the server. */
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  build: {
    outDir: 'dist',
    // A tab that is open still loads parts of the build before; scripts/build-console.ts removes them when they are old.
    emptyOutDir: false,
    manifest: true,
    target: 'es2023',
    // The policy of the page allows no data: addresses for scripts and fonts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:4680', '/mcp': 'http://127.0.0.1:4680' } },
});
