/** Loads the plugin where Node runs its sources; on an older Node the dev server goes on without it. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The plugin, or one that only says why there is none. */
export const parley = process.features.typescript ? loadPlugin() : sayWhyNot;

// Waiting at the top level is not possible: a CommonJS configuration requires this file.
function loadPlugin() {
  return createRequire(import.meta.url)('./index.ts').parley;
}

function sayWhyNot() {
  return {
    name: 'parley',
    apply: 'serve',
    configResolved({ logger }) {
      logger.warn(
        `Parley is off: it needs Node 22.18 or newer, this is ${process.versions.node}. ${remedy()}`,
      );
    },
  };
}

function remedy() {
  // The checkout that the plugin is installed from brings a Node of its own.
  const bin = fileURLToPath(new URL('../../../../node_modules/.bin', import.meta.url));
  if (process.platform === 'win32' || !existsSync(`${bin}/node`)) return 'Start Vite with a newer Node.';
  return `Start Vite with the one that Parley brings: PATH="${bin}:$PATH" npm run dev`;
}
