/** What every foreign client must be able to do, and how its code is found. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** An endpoint and the key that opens it. */
export interface Endpoint {
  readonly url: string;
  readonly key: string;
}

/** A program that speaks MCP over its standard streams. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/** Which wire the client settled on; null when it does not tell. */
export type Era = 'legacy' | 'modern' | null;

/** A client that is connected to one server. */
export interface Connection {
  listTools(): Promise<string[]>;
  /** Calls a tool without arguments and gives the text of its answer; a failed call rejects. */
  call(tool: string): Promise<string>;
  era(): Era;
  close(): Promise<void>;
}

/** One client of another project. */
export interface ForeignClient {
  readonly name: string;
  /** The wire it is expected to settle on. */
  readonly era: Era;
  overHttp(endpoint: Endpoint, home: string): Promise<Connection>;
  overStdio(program: Program, home: string): Promise<Connection>;
}

const require = createRequire(new URL('../tools/package.json', import.meta.url));

/** Loads a module that is installed in test/tools, never the product's own copy. */
export function loadTool<Module>(specifier: string): Module {
  // The caller states the part of the module's shape that it uses.
  return require(specifier) as Module;
}

/** The environment of a foreign process: a scratch home, and nothing of the person who runs the tests. */
export function scratchEnvironment(home: string): Record<string, string> {
  return { HOME: home, PATH: dirname(process.execPath) };
}

/** The text of a result; throws it when the call failed. */
export function textOf(
  content: readonly { readonly type: string; readonly text?: unknown }[],
  isError = false,
): string {
  const text = content.map((block) => (typeof block.text === 'string' ? block.text : '')).join('');
  if (isError) throw new Error(text);
  return text;
}
