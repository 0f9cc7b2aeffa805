/** Owns the command that starts Parley over stdio for the cold start. */
import { existsSync } from 'node:fs';
import { bundleShipped } from '../bundle.ts';

/** Node's arguments for Parley over stdio on that data folder, or undefined when it cannot be started. */
export async function parleyStdioArguments(
  toolCount: number,
  dataDir: string,
): Promise<string[] | undefined> {
  if (!existsSync(new URL('parley-stdio-main.ts', import.meta.url))) return undefined;
  const script = await bundleShipped('servers/parley-stdio-main.ts');
  return [script, '--tools', String(toolCount), '--data', dataDir];
}

/** The same for Parley with nothing but the toolsets it ships. */
export async function ownStdioArguments(dataDir: string): Promise<string[]> {
  return [await bundleShipped('servers/parley-own-main.ts'), '--data', dataDir];
}
