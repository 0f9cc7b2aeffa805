/** What a server over an engine says it can do. */
import type { Engine } from '../engine.ts';

/** The server capabilities: resources and prompts only where there are any. */
export function capabilitiesOf(engine: Engine) {
  const { resources, prompts } = engine.catalog;
  return {
    tools: { listChanged: true },
    logging: {},
    ...(resources.length > 0 && { resources: { subscribe: true, listChanged: true } }),
    ...(prompts.length > 0 && { prompts: { listChanged: true }, completions: {} }),
  };
}
