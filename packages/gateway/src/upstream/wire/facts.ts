/** What a server says about itself in its opening, within bounds. */
import { isObject } from '../../messages.ts';
import type { ServerFacts } from '../link.ts';
import type { Result } from './messages.ts';

const LONGEST_INSTRUCTIONS = 100_000;

/** Capabilities and instructions, which both eras tell alike. */
export function detailsOf(result: Result): Pick<ServerFacts, 'capabilities' | 'instructions'> {
  const { capabilities, instructions } = result;
  return {
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions.slice(0, LONGEST_INSTRUCTIONS) : null,
  };
}

/** Name and version of the program; null where it does not say both. */
export function infoOf(given: unknown): ServerFacts['info'] {
  if (!isObject(given) || typeof given.name !== 'string' || typeof given.version !== 'string') return null;
  const [name, version] = [given.name.slice(0, 200), given.version.slice(0, 200)];
  return typeof given.title === 'string'
    ? { name, version, title: given.title.slice(0, 200) }
    : { name, version };
}
