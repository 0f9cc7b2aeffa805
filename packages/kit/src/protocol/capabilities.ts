/** What a server over an engine says it can do. */
import type { Engine } from '../engine.ts';

/** The server capabilities: resources and prompts only where there are any, extensions for modern clients. */
export function capabilitiesOf(engine: Engine, era: 'modern' | 'legacy') {
  const { resources, prompts } = engine.catalog;
  return {
    tools: { listChanged: true },
    logging: {},
    ...(resources.length > 0 && { resources: { subscribe: true, listChanged: true } }),
    ...(engine.extensions.length > 0 &&
      era === 'modern' && {
        extensions: Object.fromEntries(engine.extensions.map(({ name }) => [name, {}])),
      }),
    ...(prompts.length > 0 && { prompts: { listChanged: true }, completions: {} }),
  };
}
