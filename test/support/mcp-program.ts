/** Owns a small MCP server on standard input and output, whose era and habits a test decides. */
import { join } from 'node:path';

/** How the program behaves. */
export interface ProgramScript {
  readonly era: '2026' | '2025';
  /** What it does with `server/discover` where it is of 2025; by default it refuses it. */
  readonly atUnknown?: 'exit' | 'silence';
  /** Written to its standard error at the start. */
  readonly stderr?: string;
  /** It ends neither with its input nor at SIGTERM, and so does one that it starts, whose id it tells. */
  readonly isStubborn?: boolean;
  /** It has no place for the listen stream. */
  readonly isDeaf?: boolean;
}

/** The program as a connection stores it. */
export function mcpProgram(
  script: ProgramScript,
  env: Readonly<Record<string, string>> = {},
): { command: string; args: string[]; cwd: null; env: Readonly<Record<string, string>> } {
  const main = join(import.meta.dirname, 'mcp-program-main.ts');
  return { command: process.execPath, args: [main, JSON.stringify(script)], cwd: null, env };
}
