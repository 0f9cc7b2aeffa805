/** Is this folder a Vite project, and does it show the overlay already. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';

const NAMES = ['js', 'mjs', 'ts', 'cjs', 'mts', 'cts'].map((end) => `vite.config.${end}`);
const MAX_BYTES = 64 * 1024;

export interface ViteProject {
  /** The name of its configuration file. */
  readonly file: string;
  readonly hasPlugin: boolean;
}

/** The project in a folder; undefined when there is none. */
export async function viteProject(folder: string): Promise<ViteProject | undefined> {
  for (const file of NAMES) {
    // A file that cannot be read is no configuration that Vite could use.
    const text = await readStart(join(folder, file)).catch(() => undefined);
    if (text !== undefined) return { file, hasPlugin: text.includes('@parley/annotations/vite') };
  }
  return undefined;
}

async function readStart(path: string): Promise<string> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
