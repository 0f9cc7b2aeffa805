/** Which programs a server may start for connections, where whoever runs it has named them. */
import type { UpstreamProgram } from '../upstream.ts';

/** The list as it is named to people. */
const SETTING = '--allow-command (PARLEY_ALLOW_COMMAND)';

/** Variables by which the same word starts another program, or has it run other code than its own. */
const REPLACING =
  /^(?:PATH|LD_.*|DYLD_.*|NODE_(?:OPTIONS|PATH)|PYTHON(?:PATH|HOME|STARTUP|USERBASE|EXECUTABLE)|PERL5(?:LIB|OPT|DB)|PERLLIB|RUBY(?:LIB|OPT)|(?:JDK)?_JAVA_OPTIONS|JAVA_TOOL_OPTIONS|BASH_ENV|ENV|BUN_OPTIONS|DOTNET_STARTUP_HOOKS)$/;

/** Why a program may not be started; undefined: it may. Without a list any may. */
export function refusedProgram(
  commands: readonly string[] | undefined,
  { command, env }: Pick<UpstreamProgram, 'command' | 'env'>,
): string | undefined {
  if (commands === undefined) return undefined;
  if (!commands.includes(command))
    return `connection_headers.command: this is not a program that this server may start. Whoever runs it names those that are with ${SETTING}.`;
  // In another folder it would be another program.
  if (command.includes('/') && !command.startsWith('/'))
    return `connection_headers.command: a path has to begin with "/" while the server has a list of programs with ${SETTING}.`;
  const replacing = Object.keys(env).find((name) => REPLACING.test(name));
  if (replacing !== undefined)
    return `connection_headers.envVars.${replacing}: it decides which program or code runs, and the server has a list of programs with ${SETTING}. Leave it out.`;
  return undefined;
}
