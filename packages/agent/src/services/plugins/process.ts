/** One process of a plugin: started with nothing but its own folder, spoken to in bounded lines, ended by force. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { detach, ToolError } from '@parley/kit';
import { startBound, tellGroup } from '@parley/kit/programs';
import * as z from 'zod';
import { readLines } from '../../json-lines.ts';
import type { CallFacts, ToPlugin } from './messages.ts';
import type { PackageFolder } from './package-folder.ts';

/** How long things may take. */
export interface PluginTimes {
  readonly callMs: number;
  /** To load the package, and to prepare itself. */
  readonly loadMs: number;
  /** From the signal to the end by force. */
  readonly graceMs: number;
}

/** What a call gave. */
export interface PluginResult {
  readonly text: string;
  readonly data: Record<string, unknown> | undefined;
}

/** A call, as its process sees it. */
export interface PluginCall {
  readonly tool: string;
  readonly input: unknown;
  readonly context: CallFacts;
  readonly signal: AbortSignal;
  /** Answers what the plugin asks of its host. */
  onAsk(what: string, args: readonly unknown[], signal: AbortSignal): Promise<unknown>;
}

const PROGRAM = import.meta.url.endsWith('.ts') ? './program.ts' : './plugin-program.js';
const HEAP_MB = 256;
// The heap, and what a process of Node has besides it.
const MOST_RESIDENT_BYTES = 400 * 1024 * 1024;
const LOOK_MS = 200;
const MOST_LINE_BYTES = 8 * 1024 * 1024;
const MOST_UNREAD_BYTES = 32 * 1024 * 1024;
const MOST_CALLS = 16;
const MOST_ASKS = 1000;
const MOST_OPEN_ASKS = 8;
const TIMED_OUT = 'The plugin did not answer in time and was stopped. Ask for less, or try again.';

const text = z.string();
const id = z.int().nonnegative();
const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('described'), plugin: z.unknown() }),
  z.object({ type: z.literal('started') }),
  z.object({ type: z.literal('unloaded'), error: text.max(500).optional() }),
  z.object({ type: z.literal('failed'), message: text.max(500) }),
  z.object({ type: z.literal('done'), id, text, data: z.record(z.string(), z.unknown()).optional() }),
  z.object({
    type: z.literal('threw'),
    id,
    code: z.enum(['plugin_failed', 'invalid', 'invalid_result']),
    message: text.max(500),
  }),
  z.object({ type: z.literal('ask'), id, ask: id, what: text.max(50), args: z.array(z.unknown()).max(4) }),
]);
type Message = z.output<typeof Message>;

interface Running {
  readonly call: PluginCall;
  readonly controller: AbortController;
  asks: number;
  openAsks: number;
  settle(outcome: PluginResult | Error): void;
}

export class PluginProcess {
  /** Resolves when it is gone. */
  readonly gone: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #times: PluginTimes;
  readonly #running = new Map<number, Running>();
  #waiting: ((message: Message | undefined) => void) | undefined;
  #calls = 0;
  #lateAsks = 0;
  #look: NodeJS.Timeout | undefined;
  #isEnding = false;
  #isGone = false;

  constructor({ folder }: PackageFolder, times: PluginTimes) {
    this.#times = times;
    const args = [
      '--permission',
      `--allow-fs-read=${folder}`,
      `--max-old-space-size=${HEAP_MB}`,
      '--no-addons',
      '--no-warnings',
      fileURLToPath(new URL(PROGRAM, import.meta.url)),
    ];
    const stdio = ['pipe', 'pipe', 'pipe'] as const;
    const child = startBound({
      file: process.execPath,
      args,
      cwd: folder,
      env: {},
      stdio,
      // All three pipes were asked for.
    }) as ChildProcessWithoutNullStreams;
    this.#child = child;
    for (const stream of [child.stdin, child.stderr]) stream.on('error', () => undefined);
    child.stderr.resume();
    readLines(
      child.stdout,
      MOST_LINE_BYTES,
      (value) => this.#received(value),
      () => this.#fault(),
    );
    this.gone = new Promise((resolve) => {
      const end = () => {
        if (this.#isGone) return;
        this.#isGone = true;
        this.#ended();
        resolve();
      };
      child.once('error', end);
      child.once('exit', end);
    });
  }

  /** True when it was ended from here, or is about to be. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Loads the package and returns what it says about itself. */
  async describe(entry: string): Promise<unknown> {
    const message = await this.#ask({ type: 'load', entry }, 'described');
    return message.plugin;
  }

  /** Lets the plugin prepare itself. */
  async start(): Promise<void> {
    await this.#ask({ type: 'start' }, 'started');
  }

  /** Lets the plugin tidy up, then ends it; returns what went wrong in the plugin. */
  async unload(): Promise<string | undefined> {
    this.#isEnding = true;
    // One that does not answer is ended all the same.
    const message = await this.#ask({ type: 'unload' }, 'unloaded').catch(() => undefined);
    this.kill();
    await this.gone;
    return message?.error;
  }

  kill(): void {
    this.#isEnding = true;
    tellGroup(this.#child, 'SIGKILL');
  }

  /** It broke the rules, which counts as a crash. */
  #fault(): void {
    tellGroup(this.#child, 'SIGKILL');
  }

  call(call: PluginCall): Promise<PluginResult> {
    if (this.#running.size >= MOST_CALLS)
      return Promise.reject(
        new ToolError('rate_limited', 'The plugin works on many calls already. Try again in a moment.'),
      );
    return new Promise((resolve, reject) => {
      const callId = (this.#calls += 1);
      const controller = new AbortController();
      let reason: unknown;
      let force: NodeJS.Timeout | undefined;
      const stop = (why: unknown) => {
        if (reason !== undefined) return;
        reason = why;
        controller.abort();
        this.#send({ type: 'abort', id: callId });
        force = setTimeout(() => this.kill(), this.#times.graceMs);
      };
      const cancel = () => stop(call.signal.reason ?? new Error('cancelled'));
      const timer = setTimeout(() => stop(new ToolError('timeout', TIMED_OUT)), this.#times.callMs);
      const settle = (outcome: PluginResult | Error) => {
        clearTimeout(timer);
        clearTimeout(force);
        call.signal.removeEventListener('abort', cancel);
        controller.abort();
        this.#running.delete(callId);
        this.#watchMemory();
        if (reason !== undefined) reject(reason);
        else if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      call.signal.addEventListener('abort', cancel, { once: true });
      this.#running.set(callId, { call, controller, asks: 0, openAsks: 0, settle });
      this.#watchMemory();
      if (this.#isGone) return settle(stopped());
      const { tool, input, context } = call;
      this.#send({ type: 'call', id: callId, tool, input, context });
      if (call.signal.aborted) cancel();
    });
  }

  #send(message: ToPlugin): void {
    const { stdin } = this.#child;
    // One that asks and never reads would fill the memory of the server.
    if (stdin.writableLength > MOST_UNREAD_BYTES) return this.#fault();
    if (stdin.writable) stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Sends one of the messages that come one after the other, and waits for its answer. */
  async #ask<Type extends Message['type']>(
    message: ToPlugin,
    wanted: Type,
  ): Promise<Extract<Message, { type: Type }>> {
    const answer = Promise.withResolvers<Message | undefined>();
    this.#waiting = answer.resolve;
    const timer = setTimeout(() => {
      answer.reject(new ToolError('timeout', TIMED_OUT));
      this.kill();
    }, this.#times.loadMs);
    if (this.#isGone) answer.resolve(undefined);
    this.#send(message);
    try {
      const given = await answer.promise;
      if (given?.type === 'failed')
        throw new ToolError('plugin_failed', `The plugin failed: ${given.message}`);
      if (given?.type !== wanted) throw stopped();
      // Its type was just looked at.
      return given as Extract<Message, { type: Type }>;
    } finally {
      clearTimeout(timer);
      this.#waiting = undefined;
    }
  }

  #received(value: unknown): void {
    const { data: message } = Message.safeParse(value);
    if (message === undefined) return this.#fault();
    switch (message.type) {
      case 'ask':
        return this.#asked(message);
      case 'done':
        return this.#settle(message.id, { text: message.text, data: message.data });
      case 'threw':
        return this.#settle(message.id, thrown(message));
      default: {
        const waiting = this.#waiting;
        this.#waiting = undefined;
        // What nobody waits for was not asked for.
        return waiting === undefined ? this.#fault() : waiting(message);
      }
    }
  }

  #settle(callId: number, outcome: PluginResult | Error): void {
    const running = this.#running.get(callId);
    if (running === undefined) this.#fault();
    else running.settle(outcome);
  }

  #asked({ id: callId, ask, what, args }: Extract<Message, { type: 'ask' }>): void {
    const running = this.#running.get(callId);
    // A handler may go on after its call was answered, but not for long.
    const asks = running === undefined ? (this.#lateAsks += 1) : (running.asks += 1);
    if (asks > MOST_ASKS) return this.#fault();
    if (running === undefined) return this.#refuse(ask, 'forbidden', 'The call has ended.');
    if (running.openAsks >= MOST_OPEN_ASKS)
      return this.#refuse(ask, 'rate_limited', `At most ${MOST_OPEN_ASKS} requests at a time.`);
    running.openAsks += 1;
    const answer = async () => {
      const value = await running.call.onAsk(what, args, running.controller.signal);
      this.#send({ type: 'answer', ask, ok: true, value: value ?? null });
    };
    detach(
      answer().finally(() => {
        running.openAsks -= 1;
      }),
      (error) => {
        const { code, message } =
          error instanceof ToolError ? error : { code: 'unavailable', message: 'The host could not answer.' };
        this.#refuse(ask, code, message);
      },
    );
  }

  #refuse(ask: number, code: string, message: string): void {
    this.#send({ type: 'answer', ask, ok: false, code, message });
  }

  #ended(): void {
    clearInterval(this.#look);
    this.#waiting?.(undefined);
    for (const { settle } of this.#running.values()) settle(stopped());
  }

  /** While something runs, more than its heap is looked at: buffers are not part of it. */
  #watchMemory(): void {
    clearInterval(this.#look);
    if (this.#running.size === 0 || this.#isGone) return;
    // What cannot be looked at is as large as it is.
    this.#look = setInterval(() => detach(this.#endLarge(), () => undefined), LOOK_MS).unref();
  }

  async #endLarge(): Promise<void> {
    // There is such a file on Linux; elsewhere the limit of the heap has to do.
    const statm = await readFile(`/proc/${this.#child.pid}/statm`, 'utf8').catch(() => '');
    const residentBytes = Number(statm.split(' ')[1] ?? 0) * 4096;
    if (residentBytes > MOST_RESIDENT_BYTES) this.#fault();
  }
}

function thrown({ code, message }: Extract<Message, { type: 'threw' }>): ToolError {
  const words = {
    plugin_failed: 'The plugin failed',
    invalid: 'The plugin refused the input',
    invalid_result: 'The plugin gave no valid result',
  };
  return new ToolError(code, `${words[code]}: ${message}`);
}

function stopped(): ToolError {
  return new ToolError('plugin_failed', 'The process of the plugin ended before it answered. Try again.');
}
