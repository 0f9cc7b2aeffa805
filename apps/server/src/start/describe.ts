/** Writes Parley's own toolsets down, for the build. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roleDefaultsOf } from '@parley/identity';
import { describeCatalog } from '@parley/kit';
import { loadConfig } from '../config.ts';
import type { Description } from './description.ts';
import { allToolsets, migrationsOf, openHost } from './host.ts';

/** Describes Parley's own toolsets as a real host serves them. */
export async function describeOwn(): Promise<Description> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-describe-'));
  try {
    const { config } = loadConfig(['--data', dataDir], { env: {} });
    const host = await openHost({ config, onFault: refuseFault });
    const catalog = describeCatalog(host.engine().common);
    await host.close();
    const toolsets = await allToolsets({});
    const migrations = migrationsOf(toolsets).map(({ name, migrations: steps }) => ({
      set: name,
      names: Object.keys(steps),
    }));
    return { catalog, migrations, roleDefaults: roleDefaultsOf(toolsets) };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function refuseFault(error: unknown): never {
  throw error;
}
