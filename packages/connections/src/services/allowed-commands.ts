/** Which programs a server may start for connections, where whoever runs it has named them. */
import type { UpstreamProgram } from '../upstream.ts';

/** The list as it is named to people. */
const SETTING = '--allow-command (PARLEY_ALLOW_COMMAND)';

/** Why a program may not be started; undefined: it may. Without a list any may. */
export function refusedProgram(
  commands: readonly string[] | undefined,
  { command, env }: Pick<UpstreamProgram, 'command' | 'env'>,
): string | undefined {
  if (commands === undefined) return undefined;
  if (!commands.includes(command))
    return `connection_headers.command: this is not a program that this server may start. Whoever runs it names those that are with ${SETTING}.`;
  // The same word would stand for another program.
  if (Object.hasOwn(env, 'PATH'))
    return `connection_headers.envVars.PATH: programs are looked for where the server looks, while it has a list of them with ${SETTING}. Leave it out.`;
  return undefined;
}
