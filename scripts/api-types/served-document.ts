/** Owns how scripts read the OpenAPI document of `/api`: from a server that is made for it and never listens. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../apps/server/src/app.ts';
import { loadConfig } from '../../apps/server/src/config.ts';

const PREFIX = '/api';

/** A part of the document; only its own rules say what is in it. */
export type Json = Readonly<Record<string, unknown>>;

/** The document that a server of this checkout gives everybody. */
export async function servedDocument(): Promise<Json> {
  const data = mkdtempSync(join(tmpdir(), 'parley-api-types-'));
  try {
    const { config } = loadConfig(['start', '--data', data, '--log-level', 'silent'], { env: {} });
    const app = await createApp({ config });
    try {
      const document = await app.routes.find(({ prefix }) => prefix === PREFIX)?.openApi?.();
      if (document === undefined) throw new Error(`No routes at ${PREFIX} have an OpenAPI document.`);
      return document;
    } finally {
      await app.close();
    }
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}
