/** The overlay's script: the built file, or built in memory when Parley runs from source. */
import { readFile } from 'node:fs/promises';

let script: Promise<string | undefined> | undefined;

/** The text of the script, read or built once; undefined when neither works here. */
export function overlayScript(): Promise<string | undefined> {
  script ??= import.meta.url.endsWith('.ts') ? buildScript() : readScript('./overlay.js');
  return script;
}

/** The tag that a page needs; it alone is enough. */
export function overlayTag(serverUrl: string, pageToken: string): string {
  return `<script src="${serverUrl}/__parley/overlay.js" data-token="${pageToken}"></script>`;
}

async function readScript(relative: string): Promise<string | undefined> {
  // Without the script the route says so, and everything else is served.
  return readFile(new URL(relative, import.meta.url), 'utf8').catch(() => undefined);
}

async function buildScript(): Promise<string | undefined> {
  try {
    // Only a checkout has the build script; an installation has the built file.
    const url = new URL('../../../scripts/bundle.ts', import.meta.url).href;
    const { bundleOverlay } = (await import(url)) as { bundleOverlay(): string }; // named there
    return bundleOverlay();
  } catch {
    return readScript('../dist/overlay.js');
  }
}
