/** MCP over the standard input and output of a program, as the SDK's client uses it. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { detach } from '@parley/kit';
import { linesOf, TOO_LONG } from '../../stdio/lines.ts';
import { BadUpstream, NoProgram } from '../faults.ts';
import { MAX_ANSWER_BYTES } from '../limits.ts';
import type { Start } from './child.ts';
import { Child } from './child.ts';

export class ProgramTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  /** What the SDK tells a local program by, whose silence means something else than that of a remote server. */
  readonly stderr = null;
  readonly #running: Set<Child>;
  readonly #describe: () => Start;
  #child: Child | undefined;
  #hasEnded = false;

  constructor(running: Set<Child>, describe: () => Start) {
    this.#running = running;
    this.#describe = describe;
  }

  get pid(): number | null {
    return this.#child?.process.pid ?? null;
  }

  /** True when there is such a program, whatever became of it. */
  get wasStarted(): boolean {
    return this.#child?.process.pid !== undefined;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  async start(): Promise<void> {
    const start = this.#describe();
    let child: Child;
    try {
      child = new Child(start, this.#running);
      this.#child = child;
      await child.started();
    } catch {
      throw new NoProgram(
        'The program could not be started. Check that the command is installed on the server.',
      );
    }
    const reading = this.#read(child).finally(() => this.#ended());
    detach(reading, (error) => this.onerror?.(error instanceof Error ? error : new Error(String(error))));
  }

  async #read({ process }: Child): Promise<void> {
    // Whoever talks to a program has loaded it already.
    const { parseJSONRPCMessage } = await import('@modelcontextprotocol/client');
    let left = MAX_ANSWER_BYTES;
    for await (const line of linesOf(process.stdout, MAX_ANSWER_BYTES)) {
      left -= line === TOO_LONG ? left + 1 : line.length;
      if (line === TOO_LONG || left < 0) throw new BadUpstream('The program sent more than 10 MiB.');
      const message = messageOf(line, parseJSONRPCMessage);
      if (message !== undefined) this.onmessage?.(message);
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.process.stdin;
    if (stdin === undefined || !stdin.writable) throw new NoProgram('The program has ended.');
    const written = Promise.withResolvers<void>();
    stdin.write(`${JSON.stringify(message)}\n`, (error) =>
      error ? written.reject(new NoProgram('The program has ended.')) : written.resolve(),
    );
    await written.promise;
  }

  async close(): Promise<void> {
    await this.#child?.end();
    this.#ended();
  }

  #ended(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.onclose?.();
  }
}

/** A line that is no message is what some programs print for people. */
function messageOf(line: string, parse: (value: unknown) => JSONRPCMessage): JSONRPCMessage | undefined {
  try {
    return parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
