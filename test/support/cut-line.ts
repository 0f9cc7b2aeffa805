/** A line to another server that a test can cut and mend: what is open breaks, and nothing new is let in. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** The near end of the line. */
export interface CutLine extends AsyncDisposable {
  readonly port: number;
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** Lays a line to an address on this machine. */
export async function layLine(to: { readonly port: number; readonly host: string }): Promise<CutLine> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to);
    for (const [from, onto] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => onto.destroy());
      from.on('close', () => {
        sockets.delete(from);
        onto.destroy();
      });
      from.pipe(onto);
    }
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  // It listens, and not at a path.
  const { port } = server.address() as { port: number };
  const cut = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port, cut, mend: () => listen(port), [Symbol.asyncDispose]: cut };
}
