/** The command line whose server notices a dead replica within seconds, for tests that cannot wait for half a minute. */
import { createApp, loadConfig, main } from '../../apps/server/src/index.ts';

/** Yet a busy machine does not make a living replica look dead. */
const QUICK = { leaseMs: 4000, renewMs: 500, takeoverMs: 200 };

const [command = '', ...args] = process.argv.slice(2);
if (command === 'start') {
  const { config } = loadConfig(args);
  const app = await createApp({ config, tasks: { limits: QUICK } });
  const { url } = await app.listen();
  process.stdout.write(`${JSON.stringify({ url, ownerKeyFile: app.ownerKeyFile })}\n`);
} else {
  await main([command, ...args]);
}
