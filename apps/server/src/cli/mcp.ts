/** `parley mcp`: MCP over stdin and stdout, on the same data folder as a running server. */
import { AGENT } from '@parley/agent/name';
import { serveStdio } from '@parley/gateway';
import { detach } from '@parley/kit';
import type { Caller, Engine, Listing } from '@parley/kit';
import { loadConfig, UsageError } from '../config.ts';
import { keepServing } from '../last-resort.ts';
import { noteClient } from '../console/clients-seen.ts';
import type { QuickStart } from '../start/quick-start.ts';
import { openQuickly } from '../start/quick-start.ts';
import { SERVER_INFO } from '../version.ts';
import { requireInstallation } from './installation.ts';
import type { Command } from './main.ts';
import { REMOTE_FLAGS, remoteChoice } from './remote-choice.ts';
import type { Session } from './session.ts';
import { callerOn, reportFault, withExtendedTools } from './session.ts';
import { endSoon, onSignal } from './signals.ts';
import { requireToolsets } from './some-toolsets.ts';

// A client that says nothing must not keep tasks waiting that this process could run.
const LOAD_AFTER_MS = 1000;

const FLAGS = { ...REMOTE_FLAGS, agent: 'text' } as const;

/** Serves until stdin ends or a signal comes. */
export const mcp: Command = async (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, { extra: FLAGS, toolsets });
  const { agent, ...flags } = extras;
  const remote = remoteChoice(positionals, flags);
  if (remote !== undefined) return (await import('./feedback-remote.ts')).serveRemoteFeedback(remote);
  if (agent !== undefined && positionals.join(' ') !== AGENT)
    throw new UsageError(`--agent: works with "parley mcp ${AGENT}" only`);
  requireInstallation(config);
  keepServing(reportFault);
  const start = await openQuickly({ config, toolsets, onFault: reportFault }, positionals);
  try {
    const own = await callerOn(start.base, config, 'stdio', () => start.host());
    const acting = typeof agent === 'string' ? await actingAs(start, own, agent) : own;
    const first = await acting();
    // What agents have, only code knows; it was loaded to find out that this is one.
    const all = first?.agent === undefined ? start.listing : (await start.host()).engine();
    if (first !== undefined) await requireToolsets(all, first, positionals);
    const listing = positionals.length === 0 ? all : all.narrow(positionals);
    const caller = extras.extended === true ? () => extend(acting, listing) : acting;
    const input = process.stdin;
    onSignal(() => input.destroy());
    let engine: Promise<Engine> | undefined;
    const load = () => (engine ??= startEngine(start, positionals, { input, by: first }));
    // A host that cannot be loaded ends the input, and its error is awaited below.
    const late = setTimeout(() => detach(load(), () => undefined), LOAD_AFTER_MS).unref();
    const { changes } = start.base;
    const { limits } = config;
    const served = { listing, engine: load, info: SERVER_INFO, changes, limits, caller };
    await serveStdio({ ...served, input, output: process.stdout, onFault: reportFault });
    clearTimeout(late);
    // A host that could not be loaded has ended the input; its error is what the user has to see.
    await engine;
  } finally {
    await start.close();
    endSoon();
  }
  return 0;
};

async function actingAs(start: QuickStart, own: Session['caller'], name: string): Promise<Session['caller']> {
  const { agentCaller } = await import('./agent-caller.ts');
  return agentCaller(await start.host(), own, name);
}

async function extend(acting: Session['caller'], listing: Listing): Promise<Caller | undefined> {
  const caller = await acting();
  return caller && withExtendedTools(caller, listing.catalogFor(caller).tools);
}

async function startEngine(
  start: QuickStart,
  toolsets: readonly string[],
  { input, by }: { readonly input: NodeJS.ReadStream; readonly by: Caller | undefined },
): Promise<Engine> {
  try {
    const host = await start.host();
    if (by !== undefined) await noteClient(host.store, by.organizationId);
    await host.hold.whenFree(() => host.tasks.start());
    // The end of the input is a shutdown: what runs is let go and resumes elsewhere. Calls that waited for the host begin first.
    const letGo = () => setImmediate(() => detach(host.stop(), (error) => reportFault(error, 'stop')));
    if (input.closed) letGo();
    else input.once('close', letGo);
    return toolsets.length === 0 ? host.engine() : host.engine().narrow(toolsets);
  } catch (error) {
    input.destroy();
    throw error;
  }
}
