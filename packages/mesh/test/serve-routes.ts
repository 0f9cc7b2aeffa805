/** The management routes of one process of a bed, on a real port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRouteTable } from '@parley/http';
import type { RestOptions } from '@parley/http/rest';
import { detach } from '@parley/kit';
import { onTestFinished } from 'vitest';
import type { MeshProcess } from './mesh-process.ts';
import { createMeshRoutes } from '../src/rest/index.ts';

/** Serves them until the test ends. */
export async function serveRoutes(mesh: MeshProcess, options: Pick<RestOptions, 'feeds'> = {}) {
  const { host, services } = mesh;
  const sets = createMeshRoutes(services, host, options);
  const find = createRouteTable(sets);
  const server = createServer((req, res) => {
    detach(find(req.url ?? '/')?.handle(req, res) ?? Promise.resolve(), (error) =>
      host.onFault(error, 'a route'),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    for (const set of sets) await set.close();
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const { port } = server.address() as AddressInfo; // a listening TCP server has a port
  return { ...mesh, url: `http://127.0.0.1:${port}` };
}
