/** Owns servers that listen on a free loopback port until they are disposed of. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where a server listens. */
export interface Listening extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
}

/** Lets a server listen, on a free port unless it comes back to one; disposing of it ends its connections too. */
export async function listening(server: Server, wanted = 0): Promise<Listening> {
  server.listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has a port
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
