/** The command line: finds the command, loads it, and turns what goes wrong into one clear line. */
import type { ServedToolset } from '../start/served-toolset.ts';
import { UsageError } from '../config.ts';
import { splitAtDashes } from './dashes.ts';
import { errorText } from './error-text.ts';
import { mcp } from './mcp.ts';

/** One command; it returns the exit code. */
export type Command = (args: readonly string[], toolsets: readonly ServedToolset[]) => Promise<number>;

const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  async start() {
    (await import('../lean-heap.ts')).keepHeapSmall();
    return (await import('./start.ts')).start;
  },
  // Loaded with the program: a client that starts Parley waits for its first answer.
  mcp: async () => mcp,
  tools: async () => (await import('./tools.ts')).tools,
  call: async () => (await import('./call.ts')).call,
  keys: async () => (await import('./keys.ts')).keys,
  'sign-in': async () => (await import('./sign-in.ts')).signIn,
  members: async () => (await import('./members.ts')).members,
  roles: async () => (await import('./roles.ts')).roles,
  connect: async () => (await import('./connect.ts')).connect,
  agents: async () => (await import('./agents.ts')).agents,
  questions: async () => (await import('./questions.ts')).questions,
  executions: async () => (await import('./executions.ts')).executions,
  organizations: async () => (await import('./organizations.ts')).organizations,
  projects: async () => (await import('./projects.ts')).projects,
  pages: async () => (await import('./pages.ts')).pages,
  plugins: async () => (await import('./plugins.ts')).plugins,
  webhooks: async () => (await import('./webhooks.ts')).webhooks,
  feedback: async () => (await import('./feedback.ts')).feedback,
  logs: async () => (await import('./logs.ts')).logs,
  audit: async () => (await import('./audit.ts')).audit,
  doctor: async () => (await import('./doctor.ts')).doctor,
  migrate: async () => (await import('./migrate.ts')).migrate,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./restore.ts')).restore,
  hold: async () => (await import('./hold.ts')).hold,
  resume: async () => (await import('./hold.ts')).resume,
};

/** Runs one command line and ends the process with its exit code. */
export async function main(args: readonly string[], toolsets: readonly ServedToolset[] = []): Promise<void> {
  const [name = 'help', ...rest] = args;
  // The reader of the output, such as `head`, may have read enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  try {
    process.exitCode = await run(name, rest, toolsets);
  } catch (error) {
    process.stderr.write(`parley: ${errorText(error)}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

async function run(
  name: string,
  rest: readonly string[],
  toolsets: readonly ServedToolset[],
): Promise<number> {
  if (name === '--version' || name === '-v') {
    const { VERSION } = await import('../version.ts');
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const wantsHelp = name === 'help' || name === '--help' || name === '-h';
  // What stands behind "--" is the command line of another program.
  const [own] = splitAtDashes(rest);
  if (wantsHelp || own.includes('--help') || own.includes('-h')) {
    const { helpFor } = await import('./help.ts');
    process.stdout.write(helpFor(wantsHelp ? rest[0] : name, toolsets));
    return 0;
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined)
    throw new UsageError(`There is no command "${name}". Run "parley --help" for the list.`);
  return (await load())(rest, toolsets);
}
