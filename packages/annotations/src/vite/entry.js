/** Loads the plugin where Node runs its sources; on an older Node the dev server goes on without it. */
import { createRequire } from 'node:module';

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
        `Parley is off: it needs Node 22.18 or newer, this is ${process.versions.node}. Start Vite with a newer Node.`,
      );
    },
  };
}
