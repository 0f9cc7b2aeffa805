/** Owns one window of load: wrk where it is installed, else the own generator, on a core of its own. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pinned } from './machine.ts';
import type { Method } from './machine.ts';
import { modernBody, modernHeaders } from './wire.ts';
import type { RequestKind } from './wire.ts';

/** What to send, and for how long. */
export interface Window {
  url: string;
  key: string;
  kind: RequestKind;
  connections: number;
  seconds: number;
  firstId: number;
  /** The size of a right answer: ids of eight digits make all of them equal. */
  answerBytes: number;
}

/** So many requests, each with the next key of a file. */
export interface KeyWindow extends Window {
  keysFile: string;
  requests: number;
}

/** What came back in one window. */
export interface WindowResult {
  requests: number;
  seconds: number;
  errors: number;
  p50Us: number;
}

const run = promisify(execFile);
const PLACEHOLDER_ID = 99_999_999;
const luaScript = fileURLToPath(new URL('unique-id.lua', import.meta.url));
const generatorScript = fileURLToPath(new URL('generator.ts', import.meta.url));

/** Runs one window and gives its counts. */
export function runWindow(window: Window, method: Method): Promise<WindowResult> {
  // wrk knows whole seconds only.
  return method.generator === 'wrk' && Number.isInteger(window.seconds)
    ? counted(pinned(method.cores?.generator, 'wrk', wrkArguments(window)))
    : generated(window, method);
}

/** The same with many keys, which only the own generator can. */
export function runKeyWindow(window: KeyWindow, method: Method): Promise<WindowResult> {
  return generated(window, method);
}

function generated(window: Window, method: Method): Promise<WindowResult> {
  return counted(
    pinned(method.cores?.generator, process.execPath, [generatorScript, JSON.stringify(window)]),
  );
}

async function counted(command: ReturnType<typeof pinned>): Promise<WindowResult> {
  const { stdout } = await run(...command);
  const line = stdout.trim().split('\n').at(-1) ?? '';
  try {
    // the line is printed by our own script or generator
    return JSON.parse(line) as WindowResult;
  } catch {
    throw new Error(`The load generator printed no counts. Its last line was: ${line}`);
  }
}

function wrkArguments(window: Window): string[] {
  const headers = Object.entries(modernHeaders(window.kind, window.key)).flat();
  return [
    '-t1',
    `-c${window.connections}`,
    `-d${window.seconds}s`,
    '-s',
    luaScript,
    window.url,
    '--',
    modernBody(window.kind, PLACEHOLDER_ID),
    String(window.firstId),
    String(window.answerBytes),
    ...headers,
  ];
}
