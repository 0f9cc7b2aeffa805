/** Whether `parley mcp` serves the data folder, or the feedback of a server elsewhere. */
import { UsageError, variable } from '../config.ts';

/** The flags of `parley mcp` for a feedback server elsewhere. */
export const REMOTE_FLAGS = {
  url: 'text',
  'api-key': 'text',
  remote: 'switch',
  extended: 'switch',
} as const;

/** Where the feedback of `parley mcp feedback` is, when it is not in the data folder. */
export interface RemoteChoice {
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  readonly isExtended: boolean;
}

/** Reads the choice of a feedback server elsewhere; undefined when the data folder is meant. */
export function remoteChoice(
  toolsets: readonly string[],
  flags: Partial<Record<keyof typeof REMOTE_FLAGS, unknown>>,
): RemoteChoice | undefined {
  // The tools that have to be named are in the data folder too.
  const flag = Object.keys(flags).find((name) => name !== 'extended' && Object.hasOwn(REMOTE_FLAGS, name));
  const isFeedback = toolsets.length === 1 && toolsets[0] === 'feedback';
  if (!isFeedback) {
    if (flag !== undefined) throw new UsageError(`--${flag}: works with "parley mcp feedback" only`);
    return undefined;
  }
  const read = (name: 'url' | 'api-key', other: string) => {
    const given = flags[name];
    return typeof given === 'string' ? given : variable(other);
  };
  const url = read('url', 'QUACKBACK_URL');
  const apiKey = read('api-key', 'QUACKBACK_API_KEY');
  if (url === undefined && apiKey === undefined && flags.remote !== true) return undefined;
  return { url, apiKey, isExtended: flags.extended === true };
}
