/** A React project as any other; the overlay is the one line with `parley()`. */
import { parley } from '@parley/annotations/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// oxlint-disable-next-line import/no-default-export -- Vite reads the default export of its configuration.
export default defineConfig({
  plugins: [react(), parley()],
});
