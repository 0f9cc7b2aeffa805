/** The server with its console as a bench process: very many rows behind it, and changes as often as they are asked for. */
import { setTimeout as delay } from 'node:timers/promises';
import { startConsole } from '../../test/product/console-browser.ts';
import { fillConsole } from '../../test/console/many-rows.ts';
import { announce } from './serving.ts';

const server = await startConsole(['--demo', '--rate', '10000000', '--api-rate', '10000000']);
const { identity, store } = server.app.host;
const organizationId = await identity.firstOrganizationId();
const owner = await server.signedIn();
const { body } = await owner.ask('GET /api/v1/boards');
const boardId: unknown = body.data[0].id;

const TURN_MS = 10;

/** Tells of changed posts, so many a second, as the services do after each commit. */
async function storm(perSecond: number, seconds: number): Promise<object> {
  const startedMs = performance.now();
  let told = 0;
  while (told < perSecond * seconds) {
    const due = Math.min(seconds, (performance.now() - startedMs) / 1000) * perSecond;
    for (; told < due; told += 1) await store.signal.publish(`feedback.post_${told}`, organizationId);
    await delay(TURN_MS);
  }
  return { told };
}

announce(
  { url: server.url.replace('127.0.0.1', 'localhost'), key: server.key },
  {
    close: async () => {
      await server[Symbol.asyncDispose]();
    },
    commands: {
      fill: async (count) => fillConsole(server, Number(count)),
      link: async () => identity.web.createLink(),
      post: async (title) => (await owner.ask('POST /api/v1/posts', { body: { boardId, title } })).body.data,
      storm: (argument) => {
        const [perSecond = 0, seconds = 0] = argument.split(':').map(Number);
        return storm(perSecond, seconds);
      },
    },
  },
);
