/** `parley mcp`: MCP over stdin and stdout, on the same data folder as a running server. */
import { serveStdio } from '@parley/gateway';
import { loadConfig, UsageError } from '../config.ts';
import { SERVER_INFO } from '../version.ts';
import type { Command } from './main.ts';
import { openSession, reportFault } from './session.ts';
import { untilSignal } from './signals.ts';

/** Serves until stdin ends or a signal comes. */
export const mcp: Command = async (args, toolsets) => {
  const { config, positionals } = loadConfig(args);
  const { host, caller } = await openSession(config, toolsets, 'stdio');
  const known = host.engine().catalog.toolsets.map(({ name }) => name);
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    await host.close();
    throw new UsageError(`There is no toolset "${unknown}". There are: ${known.join(', ')}.`);
  }
  const input = process.stdin;
  void untilSignal().then(() => input.destroy());
  host.tasks.start();
  // The end of the input is a shutdown: what runs is let go and resumes elsewhere.
  input.once('close', () => void host.stop());
  await serveStdio({
    engine: positionals.length === 0 ? host.engine() : host.engine().narrow(positionals),
    info: SERVER_INFO,
    changes: host.changes,
    limits: config.limits,
    input,
    output: process.stdout,
    caller,
    onFault: reportFault,
  });
  await host.close();
  return 0;
};
