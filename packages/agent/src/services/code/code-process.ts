/** One process that reads the code below one root: given that folder and nothing else, and ended by force when a file is too much for it. */
import type { ChildProcessByStdio } from 'node:child_process';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startBound, tellGroup } from '@parley/kit/programs';
import * as z from 'zod';
import { readLines } from '../../json-lines.ts';
import type { AnswerTo, CodeQuestion, GivenUpFile } from './messages.ts';

/** How much a process may take. */
export interface CodeLimits {
  readonly fileMs: number;
  readonly questionMs: number;
  readonly idleMs: number;
  readonly residentBytes: number;
}

/** What became of a question. */
export type Outcome =
  | { readonly type: 'answer'; readonly answer: AnswerTo<CodeQuestion> }
  /** There are more files than are looked at. */
  | { readonly type: 'too_large' }
  /** The process ended over this file. */
  | { readonly type: 'file'; readonly file: GivenUpFile }
  /** The process had too much in its memory. */
  | { readonly type: 'full' }
  | { readonly type: 'ended' };

const isSource = import.meta.url.endsWith('.ts');
// What the program is made of, packages aside, lies below the second.
const [PROGRAM, OWN_FILES] = isSource ? ['./program.ts', '../../../'] : ['./code-program.js', './'];
export const CODE_PROGRAM = new URL(PROGRAM, import.meta.url);

const MOST_LINE_BYTES = 16 * 1024 * 1024;
const LONGEST_PATH = 4096;
// A process that has more than this part of its memory in use before it parses a file is not full because of the file.
const FULL_PART = 0.75;

const Line = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('parsing'),
    file: z.object({ path: z.string().max(LONGEST_PATH), mtimeMs: z.number() }),
    residentBytes: z.number(),
  }),
  z.object({ type: z.literal('parsed') }),
  z.object({ type: z.literal('answer'), answer: z.record(z.string(), z.unknown()) }),
  z.object({ type: z.literal('too_large') }),
]);
type Line = z.output<typeof Line>;
type Parsing = Extract<Line, { type: 'parsing' }>;

/** Asked one question at a time. */
export class CodeProcess {
  /** Resolves when it is gone. */
  readonly gone: Promise<void>;
  readonly #child: ChildProcessByStdio<Socket, Socket, null>;
  readonly #limits: CodeLimits;
  #settle: ((outcome: Outcome) => void) | undefined;
  #parsing: Parsing | undefined;
  #tooLate: GivenUpFile | undefined;
  #isKilled = false;
  #timer: NodeJS.Timeout | undefined;
  #isGone = false;

  constructor(root: string, limits: CodeLimits, program: URL = CODE_PROGRAM) {
    this.#limits = limits;
    const args = [
      '--permission',
      '--allow-addons',
      '--allow-worker',
      ...[root, ...ownPaths()].map((path) => `--allow-fs-read=${path}`),
      '--no-warnings',
      fileURLToPath(program),
      String(limits.residentBytes),
    ];
    const stdio = ['pipe', 'pipe', 'ignore'] as const;
    const child = startBound({
      file: process.execPath,
      args,
      cwd: '/',
      env: {},
      stdio,
      // Both pipes were asked for, and a pipe is a socket.
    }) as ChildProcessByStdio<Socket, Socket, null>;
    this.#child = child;
    child.stdin.on('error', () => undefined);
    readLines(
      child.stdout,
      MOST_LINE_BYTES,
      (value) => this.#received(value),
      () => this.kill(),
    );
    this.gone = new Promise((resolve) => {
      const end = (signal?: NodeJS.Signals | null) => {
        if (this.#isGone) return;
        this.#isGone = true;
        clearTimeout(this.#timer);
        this.#answer(this.#lastWords(signal));
        resolve();
      };
      child.once('error', () => end());
      // Not at its exit: what it said before is read first.
      child.once('close', (_code, signal) => end(signal));
    });
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  ask(question: CodeQuestion): Promise<Outcome> {
    if (this.#isGone) return Promise.resolve({ type: 'ended' });
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#settle = resolve;
    this.#keepServerAlive(true);
    this.#child.stdin.write(`${JSON.stringify(question)}\n`);
    return promise;
  }

  kill(): void {
    this.#isKilled = true;
    this.#keepServerAlive(true);
    tellGroup(this.#child, 'SIGKILL');
  }

  #received(value: unknown): void {
    const { data: line } = Line.safeParse(value);
    switch (line?.type) {
      case 'parsing':
        this.#parsing = line;
        this.#timer ??= setTimeout(() => this.#look(), this.#limits.fileMs);
        this.#timer.refresh();
        return;
      case 'parsed':
        this.#parsing = undefined;
        return;
      case 'answer':
        // The program is built with this file, and its types are those of the question.
        return this.#answer({ type: 'answer', answer: line.answer as unknown as AnswerTo<CodeQuestion> });
      case 'too_large':
        return this.#answer({ type: 'too_large' });
      case undefined:
        return this.kill();
    }
  }

  /** Ends a process that parses one file for too long. */
  #look(): void {
    const late = this.#parsing;
    if (late === undefined) return;
    // After what has come meanwhile: this process may be the one that was late.
    setImmediate(() => {
      if (this.#parsing !== late) return;
      this.#tooLate = late.file;
      this.kill();
    });
  }

  #answer(outcome: Outcome): void {
    this.#settle?.(outcome);
    this.#settle = undefined;
    if (!this.#isGone) this.#keepServerAlive(false);
  }

  #lastWords(signal: NodeJS.Signals | null | undefined): Outcome {
    if (this.#tooLate !== undefined) return { type: 'file', file: this.#tooLate };
    if (this.#isKilled) return { type: 'ended' };
    if (this.#parsing !== undefined && this.#parsing.residentBytes < FULL_PART * this.#limits.residentBytes)
      return { type: 'file', file: this.#parsing.file };
    // It ends itself so, or the machine does, when there is too much in its memory.
    return { type: signal === 'SIGKILL' ? 'full' : 'ended' };
  }

  /** A process that nobody asks keeps no other alive. */
  #keepServerAlive(isKept: boolean): void {
    const { stdin, stdout } = this.#child;
    for (const each of [this.#child, stdin, stdout]) {
      if (isKept) each.ref();
      else each.unref();
    }
  }
}

/** Where the program and the packages that it imports may lie. */
function ownPaths(): string[] {
  const own = dirname(fileURLToPath(new URL(`${OWN_FILES}x`, import.meta.url)));
  const paths = [own];
  for (let folder = own; ; folder = dirname(folder)) {
    paths.push(join(folder, 'node_modules'));
    if (dirname(folder) === folder) return paths;
  }
}
