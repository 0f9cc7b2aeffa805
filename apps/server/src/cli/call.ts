/** `parley call`: one tool, one answer. */
import { text as readAll } from 'node:stream/consumers';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { isToolResult, ProtocolFault } from '@parley/kit';
import { loadConfig, UsageError } from '../config.ts';
import type { Command } from './main.ts';
import { withCaller, withExtendedTools } from './session.ts';
import { terminalChannel } from './terminal.ts';

/** Calls the tool and prints what it answered; exit code 1 when that was an error. */
export const call: Command = async (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, { extra: { extended: 'switch' }, toolsets });
  const [name, given = '{}', ...rest] = positionals;
  if (name === undefined || rest.length > 0)
    throw new UsageError('Usage: parley call TOOL [\'{"field": "value"}\']');
  const input = parseInput(given === '-' ? await readAll(process.stdin) : given);
  return withCaller(config, toolsets, async (host, acting) => {
    const caller =
      extras.extended === true ? withExtendedTools(acting, host.engine().catalogFor(acting).tools) : acting;
    await host.hold.whenFree(() => host.tasks.start());
    const controller = new AbortController();
    const cancel = () => controller.abort();
    process.once('SIGINT', cancel);
    const terminal = terminalChannel(process.stdin, process.stderr);
    try {
      const answer = await host.engine().call(caller, name, input, {
        info: { id: null, era: 'local', client: 'parley-cli' },
        signal: () => controller.signal,
        channel: terminal,
      });
      terminal.endLine();
      if (!isToolResult(answer))
        throw new UsageError('The tool asks for input that the command line cannot give.');
      return print(answer, config.json);
    } catch (error) {
      terminal.endLine();
      if (!(error instanceof ProtocolFault)) throw error;
      process.stderr.write(`Error: ${error.message}\n`);
      return 1;
    } finally {
      process.off('SIGINT', cancel);
    }
  });
};

function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`The input must be JSON, e.g. '{"text": "hello"}' (got ${text.slice(0, 60)}).`);
  }
}

function print(result: CallToolResult, asJson: boolean): number {
  const texts = result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`));
  if (asJson) process.stdout.write(`${JSON.stringify(result)}\n`);
  else if (result.isError) process.stderr.write(`${texts.join('\n')}\n`);
  else process.stdout.write(`${texts.join('\n')}\n`);
  return result.isError ? 1 : 0;
}
